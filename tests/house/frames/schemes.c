/* What the C examples of docs/schemes.md stand in, and what must have come out of them. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include <posenc/posenc.h>

static float table[1500 * 384], embedded[4 * 320], vit[197 * 8], wide[541 * 8];

static int fail(const char *message) {
    fprintf(stderr, "%s\n", message);
    return 1;
}

static int near(float got, double wanted) { return fabs((double)got - wanted) < 1e-6; }

int main(void) {
    posenc_plan *plan = NULL;
    posenc_encoder *encoder = NULL;
    posenc_error error;
    posenc_positions positions;
    posenc_view ids_view, out_view, old_view;
    DLTensor *out, *old, *weights;
    for (int i = 0; i < 197 * 8; i++) vit[i] = (float)i;

#include "blocks.inc"

    if (!near(table[384 + 1], sin(pow(10000, -1.0 / 191)))) return fail("whisper");
    if (!near(embedded[320 + 1], cos(749.25 * pow(10000, -1.0 / 160)))) return fail("unet");
    return memcmp(wide, vit, 8 * sizeof *vit) == 0 && wide[540 * 8] > 1500 ? 0 : fail("resize");
}
