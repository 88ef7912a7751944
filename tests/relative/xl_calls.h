/* Calls about Transformer-XL, and what they must give: the equation, element by element, in long double, and once more
 * by padding and reshaping as the paper's appendix B has it. */
#ifndef POSENC_TESTS_RELATIVE_XL_CALLS_H
#define POSENC_TESTS_RELATIVE_XL_CALLS_H

#include <posenc/posenc.h>
#include <stdbool.h>

#include "support/random.h"

/* The tensors of a call: what goes in, the scores (or their gradient), what comes out of the backward. */
enum { XL_Q, XL_K, XL_U, XL_V, XL_W, XL_SCORES, XL_INPUTS = 5, XL_TENSORS = 6 };
extern const char *const xl_names[XL_TENSORS];

enum { XL_MOST_BATCH = 4 };

typedef struct xl_case {
    posenc_xl_options options;
    bool by_row; /* a memory for each batch row */
    int64_t memories[XL_MOST_BATCH];
    int64_t batch, heads, queries, keys, d, model;
    posenc_dtype dtype;
} xl_case;

void xl_random(xl_case *c, random_state *random);
xl_case xl_sized(posenc_dtype dtype, int64_t batch, int64_t heads, int64_t queries, int64_t keys, int64_t d,
                 int64_t model);
const char *xl_text(const xl_case *c);

/* Elements of a tensor, its rank and shape. */
int64_t xl_shape(const xl_case *c, int tensor, int *rank, int64_t shape[4]);

/* Whether query i of a batch row sees key j, and the distance that its position counts as. */
bool xl_sees(const xl_case *c, int64_t batch, int64_t i, int64_t j, int64_t *distance);

/* Views of contiguous memory of the case's dtype; data NULL: NULL. */
DLTensor *xl_view(const xl_case *c, int tensor, posenc_view *view, void *data);

/* The call on tensors; in[XL_TENSORS]. */
posenc_status xl_forward(const posenc_context *context, const xl_case *c, DLTensor *const *in, posenc_error *error);
posenc_status xl_backward(const posenc_context *context, const xl_case *c, DLTensor *const *in, DLTensor *const *out,
                          posenc_error *error);

/* On contiguous memory; must succeed. */
void must_xl_forward(const posenc_context *context, const xl_case *c, void *const *in);
void must_xl_backward(const posenc_context *context, const xl_case *c, void *const *in, void *const *out);

/* What must come in scores, and the sums of the sizes of its terms. Scores that are not written: 0. */
void xl_slow_scores(const xl_case *c, double *const *in, long double *scores, long double *sizes);
void xl_slow_gradients(const xl_case *c, double *const *in, long double *const *out, long double *const *sizes);

#endif
