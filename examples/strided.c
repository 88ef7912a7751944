/* Half precision, sequence first: the memory is (tokens, batch, dim), as some models keep it. Strides say so, and
 * nothing is copied or converted. The positions are those of tokens 100, 101, ... of a longer text. */
#include <stdio.h>
#include <stdlib.h>

#include <posenc/posenc.h>

enum { BATCH = 4, TOKENS = 6, DIM = 64 };

/* Describes x, kept as (tokens, batch, dim), in the order that posenc expects: (batch, tokens, dim). */
static DLTensor *batch_first(posenc_view *view, uint16_t *x) {
    const int64_t shape[] = {BATCH, TOKENS, DIM};
    const int64_t strides[] = {DIM, BATCH * DIM, 1};
    return posenc_view_make(view, x, POSENC_F16, 3, shape, strides);
}

static int add_positions(const posenc_plan *plan, uint16_t *x) {
    posenc_view view;
    posenc_positions positions;
    posenc_positions_default(&positions, sizeof positions);
    positions.start = 100;

    posenc_error error;
    DLTensor *tensor = batch_first(&view, x);
    if (posenc_plan_add(plan, &positions, tensor, 1.0, tensor, &error)) {
        fprintf(stderr, "%s\n", error.message);
        return 0;
    }
    return 1;
}

/* The embeddings were zero, so every batch row of a token must now hold the same bits, and they are not all zero. */
static int rows_agree(const uint16_t *x) {
    unsigned seen = 0;
    for (int t = 0; t < TOKENS; t++) {
        for (int b = 0; b < BATCH; b++) {
            for (int c = 0; c < DIM; c++) {
                const uint16_t value = x[(t * BATCH + b) * DIM + c];
                if (value != x[t * BATCH * DIM + c]) return 0;
                seen |= value;
            }
        }
    }
    return seen != 0;
}

int main(void) {
    static uint16_t x[TOKENS * BATCH * DIM]; /* f16 bits; all zero */

    posenc_sinusoidal_options options;
    posenc_sinusoidal_default(&options, sizeof options);
    options.dim = DIM;
    options.layout = POSENC_LAYOUT_HALVES;

    posenc_plan *plan = NULL;
    if (posenc_sinusoidal_create_with(NULL, &options, &plan, NULL)) return EXIT_FAILURE;
    const int right = add_positions(plan, x) && rows_agree(x);
    posenc_plan_destroy(plan);
    printf("sequence-first f16: %s\n", right ? "every batch row has the same encoding" : "wrong");
    return right ? EXIT_SUCCESS : EXIT_FAILURE;
}
