/* Around the C of docs/axes.md. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include <posenc/posenc.h>

static float table[2 * 768];

static int fail(const char *why) {
    fprintf(stderr, "%s\n", why);
    return EXIT_FAILURE;
}

int main(void) {
    posenc_plan *plan = NULL;
    posenc_error error;
#include "blocks.inc"
    /* columns are x: sin 6.5 and sin 20; rows are y: sin 6.5 and sin -1 */
    const double want[] = {sin(6.5), sin(6.5), sin(20), sin(-1)};
    for (int i = 0; i < 4; i++)
        if (fabs((double)table[i * 384] - want[i]) > 1e-7) return fail("the rows of the points");
    return EXIT_SUCCESS;
}
