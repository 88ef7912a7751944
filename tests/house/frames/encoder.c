/* What the C examples of docs/encoder.md stand in, and what must have come out of them. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <posenc/posenc.h>

enum { batch = 2, tokens = 3, N = 2 * 3 * 512 };

static float x[N], y[N], dy[N], dx[N], masked[N], packed[N], last_tokens[N], zeros[N], far[512], trained[N];

static int fail(const char *message) {
    fprintf(stderr, "%s\n", message);
    return 1;
}

/* Whether a row that was all ones holds 1 + E(position). */
static int stands_at(const float *row, double position) {
    for (int i = 0; i < 512; i++) {
        double angle = position * pow(10000, -(i - i % 2) / 512.0);
        if (fabs((double)row[i] - (1 + (i % 2 ? cos(angle) : sin(angle)))) > 1e-6) return 0;
    }
    return 1;
}

static int check_places(void) {
    static const int in_mask[] = {0, 1, 2, -1, -1, 0}, in_pack[] = {0, 1, 0, 0, 1, 2};
    for (int t = 0; t < batch * tokens; t++) {
        if (in_mask[t] < 0 ? masked[t * 512] != 1 || masked[t * 512 + 1] != 1
                           : !stands_at(masked + t * 512, in_mask[t]))
            return fail("mask");
        if (!stands_at(packed + t * 512, in_pack[t])) return fail("packed");
    }
    if (!stands_at(y, 7) || !stands_at(y + 512, 130)) return fail("offsets");
    for (int i = 0; i < 512; i++) far[i] += 1;
    return stands_at(far, 1e6) ? 0 : fail("far");
}

int main(void) {
    posenc_view dy_view, dx_view;
    DLTensor *tdy = posenc_view_make(&dy_view, dy, POSENC_F32, 3, (int64_t[]){batch, tokens, 512}, NULL);
    DLTensor *tdx = posenc_view_make(&dx_view, dx, POSENC_F32, 3, (int64_t[]){batch, tokens, 512}, NULL);
    for (int i = 0; i < N; i++) x[i] = dy[i] = 1;

#include "blocks.inc"

    if (strcmp(error.message,
               "positions: expected 0..4999, which the table's 5000 rows hold, got 1000000 at batch 0, token 0; "
               "make the encoder with a larger max-len, or let it extend"))
        return fail("the message on the page is another");
    if (check_places()) return 1;
    tx = posenc_view_make(&x_view, x, POSENC_F32, 3, shape, NULL);
    ty = posenc_view_make(&y_view, trained, POSENC_F32, 3, shape, NULL);
    if (posenc_encoder_forward(loaded, NULL, &step, tx, ty, &error)) return fail(error.message);
    for (int i = 0; i < N; i++) {
        if ((dx[i] != 0) != (trained[i] != 0)) return fail("backward drops what forward does not");
        if (i / 512 % tokens == tokens - 1 && last_tokens[i] != trained[i])
            return fail("a part differs from the whole");
    }
    posenc_encoder_destroy(strict);
    posenc_encoder_destroy(loaded);
    posenc_encoder_destroy(encoder);
    return 0;
}
