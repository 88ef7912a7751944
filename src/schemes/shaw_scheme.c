/* The scheme "shaw" as others are listed: the options of clipped relative positions (Shaw et al. 2018) as parameters.
 * Its plan holds values, and knows which row of the table a distance reads; posenc_shaw_* in shaw.c do the work. */
#include <math.h>

#include "base/error.h"
#include "schemes/relative.h"
#include "schemes/schemes.h"

enum { CLIP, DIRECTION, SCALE, OFFSET, N_PARAMETERS };

static const char *const directions[] = {"key-minus-query", "query-minus-key", NULL}; /* as posenc_direction */

static const posenc_parameter_info parameters[N_PARAMETERS] = {
    [CLIP] = {"clip", POSENC_PARAMETER_INTEGER, NULL, 0, 0x1p63, NULL, "tokens",
              "Distances further than this count as this one; a table has 2 clip + 1 rows."},
    [DIRECTION] = {"direction", POSENC_PARAMETER_CHOICE, "key-minus-query", 0, 0, directions, "",
                   "Which way distances are counted: j - i, or i - j."},
    [SCALE] = {"scale", POSENC_PARAMETER_REAL, "1", -1e30, 1e30, NULL, "",
               "Factor of the scores; 1/sqrt(d) in the paper."},
    [OFFSET] = {"offset", POSENC_PARAMETER_INTEGER, "0", -0x1p63, 0x1p63, NULL, "tokens",
                "Position of query 0; key j stands at position j."},
};

static posenc_status make(posenc_plan *plan, posenc_error *error) {
    int64_t clip = plan->values[CLIP].integer, offset = plan->values[OFFSET].integer;
    if (clip >= POSENC_RELATIVE_MOST)
        return posenc_fail(error, POSENC_ERROR_ARGUMENT, "clip", "expected 0..2^60 - 1, got %lld", (long long)clip);
    if (offset < -POSENC_RELATIVE_MOST || offset > POSENC_RELATIVE_MOST)
        return posenc_fail(error, POSENC_ERROR_POSITION, "offset", "expected -2^60..2^60, got %lld", (long long)offset);
    posenc_plan_without_rows(plan, 1);
    return POSENC_OK;
}

/* The row of the table that a key reads, position = j - i ahead of its query. */
static double equation(const posenc_plan *plan, double position, int64_t column) {
    (void)column;
    double clip = (double)plan->values[CLIP].integer;
    bool reversed = plan->values[DIRECTION].integer == POSENC_DIRECTION_QUERY_MINUS_KEY;
    return fmax(-clip, fmin(clip, reversed ? -position : position)) + clip;
}

const posenc_scheme posenc_scheme_shaw = {
    .info = {"shaw", "Gives scores and values a trained vector for each distance, up to a largest one.",
             "Shaw et al. 2018, Self-attention with relative position representations, section 3",
             POSENC_EFFECT_RELATES_VECTORS, "a vector depends on the clipped distance only; all further ones share one",
             parameters, N_PARAMETERS},
    .make = make,
    .equation = equation,
};
