/* Around the C of docs/video.md. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include <posenc/posenc.h>

enum { BATCH = 2, FRAMES = 3, HEIGHT = 2, WIDTH = 2, CHANNELS = 8 };

static float video[BATCH * FRAMES * HEIGHT * WIDTH * CHANNELS];

int main(void) {
    const int64_t shape[] = {BATCH, FRAMES, HEIGHT, WIDTH, CHANNELS}, channels = CHANNELS;
    posenc_view view;
    posenc_plan *plan = NULL;
    posenc_error error;
    DLTensor *x = posenc_view_make(&view, video, POSENC_F32, 5, shape, NULL);
#include "blocks.inc"
    posenc_plan_destroy(plan);
    /* the first channel of every pixel is the sine of its frame's number */
    for (int i = 0; i < BATCH * FRAMES * HEIGHT * WIDTH; i++) {
        double frame = (double)(i / (HEIGHT * WIDTH) % FRAMES);
        if (fabs((double)video[i * CHANNELS] - sin(frame)) > 1e-7) {
            fprintf(stderr, "pixel %d\n", i);
            return EXIT_FAILURE;
        }
    }
    return EXIT_SUCCESS;
}
