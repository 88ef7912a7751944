/* dk of Transformer-XL: blocks of keys, each summed up over all blocks of queries. */
#include <string.h>

#include "base/checked.h"
#include "base/threads.h"
#include "schemes/transformer_xl_backward.h"

enum { ROWS = POSENC_XL_ROWS };

static int64_t least(int64_t a, int64_t b) { return a < b ? a : b; }

static void key_block(const posenc_xl_backward *b, int64_t batch, int64_t g, int64_t key, char *own) {
    const posenc_xl_call *call = b->pass.call;
    const posenc_relative_loops *loops = call->work.loops;
    int64_t n = least(ROWS, call->keys - key), d = call->d;
    char *row = own + b->row;
    memset(own + b->sums, 0, (size_t)(n * d) * sizeof(double));
    for (int64_t block = 0; block < b->pass.blocks; block++) {
        posenc_xl_place p = posenc_xl_place_at(b, batch, g, block, own);
        if (posenc_xl_seen(call, p.position + p.n - 1, key, n) == 0) continue;
        for (int64_t i = 0; i < p.n; i++)
            posenc_xl_load_gradients(b, &p, i, key, n, own + b->strip + posenc_xl_bytes(&b->pass, i * b->strip_row));
        posenc_xl_add_strip(b, &p, n);
    }
    const double *sums = (const double *)(const void *)(own + b->sums);
    for (int64_t j = 0; j < n; j++) {
        loops->narrow(sums + j * d, d, call->options.scale, row);
        loops->store(call->work.kernels, call->dk.dtype, row,
                     posenc_relative_at(&call->dk, batch, b->pass.head + g, key + j), posenc_relative_step(&call->dk),
                     d, false, false);
    }
}

static void key_slice(void *argument, int index) {
    const posenc_xl_backward *b = argument;
    const posenc_xl_call *call = b->pass.call;
    int64_t blocks = (call->keys - 1) / ROWS + 1, units = call->batch * b->g_n * blocks;
    int64_t at = posenc_i64_share(index, units, b->pass.n_workers);
    int64_t end = posenc_i64_share(index + 1, units, b->pass.n_workers);
    char *own = posenc_xl_own(&b->pass, index);
    for (int64_t packed = -1; at < end; at++) {
        int64_t line = at / blocks, batch = line / b->g_n, g = b->g_first + line % b->g_n;
        if (line != packed) posenc_xl_pack_queries(b, &call->u, batch, b->pass.head + g, own);
        packed = line;
        key_block(b, batch, g, at % blocks * ROWS, own);
    }
}

void posenc_xl_do_keys(posenc_xl_backward *b) {
    if (b->pass.call->keys > 0) posenc_parallel(b->pass.call->work.context, b->pass.n_workers, key_slice, b);
}
