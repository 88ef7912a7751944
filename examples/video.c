/* Adds frame numbers to a video, (batch, frames, height, width, channels), in both forms: every pixel of a frame gets
 * the frame's row, or the frame is one long token. Then a clip with time stamps, and a ragged batch with a mask. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include <posenc/posenc.h>

enum { BATCH = 2, FRAMES = 4, HEIGHT = 3, WIDTH = 2, CHANNELS = 8, FRAME = HEIGHT * WIDTH * CHANNELS };

static int fail(const char *why) {
    fprintf(stderr, "%s\n", why);
    return EXIT_FAILURE;
}

int main(void) {
    static float video[BATCH * FRAMES * FRAME], out[BATCH * FRAMES * FRAME];
    int64_t shape[] = {BATCH, FRAMES, HEIGHT, WIDTH, CHANNELS};
    posenc_view video_view, out_view, more;
    posenc_plan *by_channel, *by_value;
    posenc_error error;
    DLTensor *x = posenc_view_make(&video_view, video, POSENC_F32, 5, shape, NULL);
    DLTensor *y = posenc_view_make(&out_view, out, POSENC_F32, 5, shape, NULL);
    if (posenc_sinusoidal_create(NULL, CHANNELS, &by_channel, &error)) return fail(error.message);
    if (posenc_sinusoidal_create(NULL, FRAME, &by_value, &error)) return fail(error.message);

    if (posenc_video_add(by_channel, POSENC_VIDEO_BROADCAST, NULL, x, 1, y, &error)) return fail(error.message);
    printf("broadcast: frame 1 begins with %.6f at every pixel, %.6f at the last\n", (double)out[FRAME],
           (double)out[2 * FRAME - CHANNELS]);
    if (out[FRAME] != out[2 * FRAME - CHANNELS] || out[FRAME] != (float)sin(1)) return fail("not the row of frame 1");

    if (posenc_video_add(by_value, POSENC_VIDEO_FLATTENED, NULL, x, 1, y, &error)) return fail(error.message);
    printf("flattened: frame 1 begins with %.6f, its last pixel with %.6f\n", (double)out[FRAME],
           (double)out[2 * FRAME - CHANNELS]);

    /* frames at 0, 40, 80 and 160 ms: one was lost */
    double stamps[FRAMES] = {0, 0.04, 0.08, 0.16};
    posenc_positions positions;
    posenc_positions_default(&positions, sizeof positions);
    positions.ids = posenc_view_make(&more, stamps, POSENC_F64, 1, shape + 1, NULL);
    if (posenc_video_add(by_channel, POSENC_VIDEO_BROADCAST, &positions, x, 1, y, &error)) return fail(error.message);
    printf("time stamps: frame 3 begins with %.6f\n", (double)out[3 * FRAME]);
    if (out[3 * FRAME] != (float)sin(0.16)) return fail("not the row of 0.16");

    /* clips of 4 and 2 frames, padded to 4: padding stays as it is */
    unsigned char mask[BATCH * FRAMES] = {1, 1, 1, 1, 1, 1, 0, 0};
    posenc_positions_default(&positions, sizeof positions);
    positions.mask = posenc_view_make(&more, mask, POSENC_U8, 2, shape, NULL);
    if (posenc_video_add(by_channel, POSENC_VIDEO_BROADCAST, &positions, x, 1, y, &error)) return fail(error.message);
    printf("mask: frame 2 of the short clip begins with %.6f\n", (double)out[(FRAMES + 2) * FRAME]);
    if (out[(FRAMES + 2) * FRAME] != 0) return fail("padding was added to");

    posenc_plan_destroy(by_channel);
    posenc_plan_destroy(by_value);
    return EXIT_SUCCESS;
}
