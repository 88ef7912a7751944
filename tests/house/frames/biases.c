/* What the C examples of docs/biases.md stand in, and what must have come out of them. */
#include <math.h>
#include <stdio.h>

#include <posenc/posenc.h>

enum { batch = 2, queries = 3, keys = 7 };

static float scores[2 * 12 * 3 * 7], block[3], vector[12 * 9], gradient[32 * 12];

static int fail(const char *message) {
    fprintf(stderr, "%s\n", message);
    return 1;
}

int main(void) {
#include "blocks.inc"
    posenc_plan_destroy(alibi);
    posenc_plan_destroy(t5);
    /* head 1 of 12 has the slope 1/4; query 2 stands at key 6 */
    if (block[0] != -0.5f || block[1] != -0.25f || block[2] != 0) return fail("block");
    if (of_head_1_query_2_key_4 != -0.5f) return fail("vector");
    /* distance 0 occurs at (0, 0), (1, 1) and (2, 2) of each batch row */
    if (gradient[0] != 6) return fail("gradient");
    return 0;
}
