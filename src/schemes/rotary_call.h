/* One call that turns the heads of one or two tensors. Everything is checked and allocated before the first byte is
 * written; then slices of the work run on threads, none of which can fail. Rows of sines and cosines are made once for
 * a tile of tokens, and serve both tensors, all heads, and the batch where its positions are the same. */
#ifndef POSENC_SCHEMES_ROTARY_CALL_H
#define POSENC_SCHEMES_ROTARY_CALL_H

#include "schemes/rotary_call_heads.h"
#include "schemes/rotary_call_rows.h"

typedef struct posenc_rotary_tensor {
    bool given, is_key;
    posenc_heads x, y;
} posenc_rotary_tensor;

typedef struct posenc_rotary_call {
    posenc_rotary_source source;
    posenc_rotary_direction direction;
    const posenc_rotary_source *from; /* takes this rotation back first; NULL: none */
    posenc_rotary_tensor tensor[2];   /* of the same batch, tokens and dtype */
} posenc_rotary_call;

/* Runs a call that has been checked. */
posenc_status posenc_rotary_call_run(const posenc_rotary_call *call, posenc_error *error);

#endif
