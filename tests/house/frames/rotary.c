/* Around the C of docs/rotary.md: queries and keys of ones, and what must have come of them. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include <posenc/posenc.h>

enum { TOKENS = 5, HEADS = 4, HEAD_DIM = 128 };

static float queries[TOKENS * HEADS * HEAD_DIM], keys[TOKENS * HEAD_DIM], cached[TOKENS * HEAD_DIM];

static int fail(const char *message) {
    fprintf(stderr, "%s\n", message);
    return EXIT_FAILURE;
}

static int near(float got, double wanted) { return fabs((double)got - wanted) < 1e-6; }

int main(void) {
    const double theta = 10000 * pow(2 * 3000 / 2048.0 - 1, 128 / 126.0); /* dynamic at length 3000 */
    const double slow = pow(500000, -126 / 128.0) / 8;                    /* llama3: the last pair */
    posenc_view views[3], q_view, k_view, cache_view;
    posenc_positions positions;
    posenc_plan *plan = NULL;
    posenc_error error;
    int64_t memory[9 * 3], delta = 0;
    for (int i = 0; i < TOKENS * HEADS * HEAD_DIM; i++) queries[i] = 1;
    for (int i = 0; i < TOKENS * HEAD_DIM; i++) keys[i] = 1;
    for (int t = 0; t < TOKENS; t++) /* keys of ones, turned at a length that changes nothing */
        for (int i = 0; i < HEAD_DIM / 2; i++) {
            double angle = t * pow(10000, -i / 64.0);
            cached[t * HEAD_DIM + i] = (float)(cos(angle) - sin(angle));
            cached[t * HEAD_DIM + i + HEAD_DIM / 2] = (float)(cos(angle) + sin(angle));
        }
    DLTensor *q = posenc_view_make(&q_view, queries, POSENC_F32, 4, (int64_t[]){1, TOKENS, HEADS, HEAD_DIM}, NULL);
    DLTensor *k = posenc_view_make(&k_view, keys, POSENC_F32, 4, (int64_t[]){1, TOKENS, 1, HEAD_DIM}, NULL);
    DLTensor *cache = posenc_view_make(&cache_view, cached, POSENC_F32, 4, (int64_t[]){1, TOKENS, 1, HEAD_DIM}, NULL);
    posenc_positions_default(&positions, sizeof positions);

#include "blocks.inc"

    const float *last = queries + ((TOKENS - 1) * HEADS + 3) * HEAD_DIM;
    if (!near(last[0], cos(4100) - sin(4100)) || !near(last[64], cos(4100) + sin(4100))) return fail("q, first pair");
    if (!near(last[63], cos(4100 * slow) - sin(4100 * slow))) return fail("q, last pair");
    if (!near(keys[HEAD_DIM], cos(4097) - sin(4097))) return fail("k");
    double angle = 4 * pow(theta, -62 / 64.0);
    if (!near(cached[4 * HEAD_DIM + 62], cos(angle) - sin(angle))) return fail("the cache");
    return delta == -2 && memory[6 * 3 + 1] == 4 && memory[8 * 3] == 6 ? EXIT_SUCCESS : fail("ids");
}
