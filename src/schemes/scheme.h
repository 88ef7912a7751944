/* What a scheme is inside, and what a plan holds. A scheme is one file with one descriptor, listed in registry.c. */
#ifndef POSENC_SCHEMES_SCHEME_H
#define POSENC_SCHEMES_SCHEME_H

#include <posenc/plan.h>
#include <posenc/scheme.h>

#include "schemes/extents.h"
#include "schemes/lists.h"
#include "schemes/rows.h"

enum { POSENC_MOST_PARAMETERS = 40 };

/* One parameter's value: integers, choices (as an index) and flags in integer, reals in real, extents in extents, their
 * number in integer. */
typedef struct posenc_value {
    int64_t integer;
    double real;
    int64_t extents[POSENC_MOST_AXES];
    posenc_list list;
} posenc_value;

typedef struct posenc_scheme {
    posenc_scheme_info info;

    /* Fills plan->rows from plan->values, which are within their ranges. On failure nothing is left allocated. */
    posenc_status (*make)(posenc_plan *plan, posenc_error *error);

    /* One value straight from the paper, slowly; of a position that has a row. */
    double (*equation)(const posenc_plan *plan, double position, int64_t column);

    /* Its rows are the first values of a table that training changes. They come from a maker. */
    bool trained;

    /* Gives back what make has made beside plan->rows; NULL: nothing. */
    void (*end)(posenc_plan *plan);
} posenc_scheme;

struct posenc_plan {
    const posenc_context *context;
    const posenc_scheme *scheme;
    posenc_value values[POSENC_MOST_PARAMETERS];
    posenc_rows rows;
    void *lists;                  /* the elements of values that are lists */
    struct posenc_rotary *rotary; /* what rotates pairs; NULL for other effects */
    struct posenc_bias *bias;     /* what biases scores; NULL for other effects */
    size_t stream_bytes;          /* outputs of this many bytes and more go around the caches */
};

/* registry.c */
const posenc_scheme *posenc_scheme_inside(const char *name);

/* parameters.c: fills values with defaults, then with what the caller gave. */
posenc_status posenc_values_default(const posenc_scheme *scheme, posenc_value *values, posenc_error *error);
posenc_status posenc_values_parse(const posenc_scheme *scheme, const posenc_parameter *parameters, size_t n,
                                  posenc_value *values, posenc_error *error);

/* parameters.c: every value within its range, in the descriptor's words. */
posenc_status posenc_values_check(const posenc_scheme *scheme, const posenc_value *values, posenc_error *error);

/* plan.c: a plan from values, which are checked first; lists are copied. */
posenc_status posenc_plan_from_values(const posenc_context *context, const posenc_scheme *scheme,
                                      const posenc_value *values, posenc_plan **out, posenc_error *error);

/* plan.c: gives a plan that adds no rows what it needs in their place: a width, and kernels. */
void posenc_plan_without_rows(posenc_plan *plan, int64_t dim);

/* plan.c: refuses a plan that does not add rows, naming what is there instead. */
posenc_status posenc_plan_must_add_rows(const posenc_plan *plan, posenc_error *error);

#endif
