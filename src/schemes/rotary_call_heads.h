/* A caller's queries or keys, (batch, tokens, heads, head_dim) or (batch, tokens, head_dim), seen in bytes. */
#ifndef POSENC_SCHEMES_ROTARY_CALL_HEADS_H
#define POSENC_SCHEMES_ROTARY_CALL_HEADS_H

#include "base/tensor.h"

typedef struct posenc_heads {
    const DLTensor *tensor;
    const char *name;
    char *data;
    posenc_dtype dtype;
    int64_t batch, tokens, heads;
    ptrdiff_t batch_bytes, token_bytes, head_bytes;
} posenc_heads;

/* Checks a tensor of heads of head_dim contiguous channels. */
posenc_status posenc_heads_open(const DLTensor *tensor, const char *name, int64_t head_dim, posenc_heads *out,
                                posenc_error *error);

/* Checks that y has the shape and dtype of x. */
posenc_status posenc_heads_check_pair(const posenc_heads *x, const posenc_heads *y, posenc_error *error);

/* Checks that y can be the output of x: as a pair, and with strides that keep its elements apart. */
posenc_status posenc_heads_check_output(const posenc_heads *x, const posenc_heads *y, posenc_error *error);

/* Refuses an output that shares an element with an input, unless the input is the one that it replaces and is the same
 * memory in the same order. Views of one buffer that pass each other, as the parts of a packed projection do, are
 * apart. */
posenc_status posenc_heads_check_apart(const posenc_heads *y, const posenc_heads *other, bool may_be_same,
                                       posenc_error *error);

/* Address of a token's first head. */
static inline char *posenc_heads_at(const posenc_heads *t, int64_t batch, int64_t token) {
    return t->data + batch * t->batch_bytes + token * t->token_bytes;
}

/* Bytes of all elements; they fit, since the tensor has been checked, but for views whose axes share memory. */
double posenc_heads_bytes(const posenc_heads *t, int64_t head_dim);

#endif
