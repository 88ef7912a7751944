/* Video: (batch, frames, height, width, channels), encoded by frame. The index of a frame, or its time stamp, is its
 * position. Nothing of a video is copied; a row of encodings is made once for a frame and added to all of it. */
#ifndef POSENC_VIDEO_H
#define POSENC_VIDEO_H

#include <posenc/encoder.h>

#ifdef __cplusplus
extern "C" {
#endif

/* What a frame gets. */
typedef enum posenc_video {
    POSENC_VIDEO_FLATTENED = 0, /* a frame is one token of height * width * channels: every value of it has a column of
                                   its own, at (row * width + column) * channels + channel */
    POSENC_VIDEO_BROADCAST = 1  /* every pixel of a frame gets the same row, of width channels */
} posenc_video;

/* Adds the encoding of each frame: y[b, f, i, j, c] = x[b, f, i, j, c] * scale + E(position of frame f, column), where
 * column is (i * width + j) * channels + c for FLATTENED and c for BROADCAST.
 * plan: of width height * width * channels, or channels.
 * positions: of the frames: wherever posenc_plan_add says tokens. ids (frames) or (batch, frames) of double are time
 *            stamps, a mask (batch, frames) serves clips that were padded to one length, offsets those that are parts
 *            of longer ones. NULL means start 0.
 * x, y: (batch, frames, height, width, channels), of the same shape and dtype, f32, f64, f16 or bf16. Batch and frames
 *       may lie in memory in any order and at any distance: frames first, channels first, a part of a longer video.
 *       FLATTENED: height, width and channels must merge into one axis, as they do in whole frames whose channels
 *       come last; channels first, and a cut-out of larger frames, do not.
 *       BROADCAST: height and width must merge; a cut-out does not, channels first do, at the cost of a gather.
 *       y may be x itself; any other overlap is refused.
 * scale, result, returns, accuracy: as posenc_plan_add, and POSENC_ERROR_SHAPE for axes that do not merge, _ARGUMENT
 * for an unknown form. y is untouched on failure.
 * Edge cases: a video without frames, pixels or batch succeeds.
 * Cost: that of a copy from x to y. Holds one row of encodings for each thread, and little more.
 * Example: const int64_t shape[] = {2, 16, 56, 56, 64};
 *          posenc_view in, out;
 *          DLTensor *video = posenc_view_make(&in, x, POSENC_F32, 5, shape, NULL);
 *          DLTensor *sum = posenc_view_make(&out, y, POSENC_F32, 5, shape, NULL);
 *          posenc_sinusoidal_create(NULL, 64, &plan, NULL);
 *          posenc_video_add(plan, POSENC_VIDEO_BROADCAST, NULL, video, 1, sum, &error); */
POSENC_API posenc_status posenc_video_add(const posenc_plan *plan, posenc_video form, const posenc_positions *positions,
                                          const DLTensor *x, double scale, DLTensor *y, posenc_error *error);

/* posenc_encoder_forward for video: dropout(x * scale + E). The index of an element in the dropout's mask is its
 * row-major index in (batch, frames, height, width, channels), whatever the form and the strides.
 * All else as posenc_video_add and posenc_encoder_forward. */
POSENC_API posenc_status posenc_video_forward(const posenc_encoder *encoder, posenc_video form,
                                              const posenc_positions *positions, const posenc_step *step,
                                              const DLTensor *x, DLTensor *y, posenc_error *error);

/* posenc_encoder_backward for video. */
POSENC_API posenc_status posenc_video_backward(const posenc_encoder *encoder, posenc_video form,
                                               const posenc_step *step, const DLTensor *dy, DLTensor *dx,
                                               posenc_error *error);

/* posenc_encoder_backward_table for video: with BROADCAST, each pixel of a frame counts for the row of its frame. */
POSENC_API posenc_status posenc_video_backward_table(const posenc_encoder *encoder, posenc_video form,
                                                     const posenc_positions *positions, const posenc_step *step,
                                                     const DLTensor *dy, DLTensor *dtable, int accumulate,
                                                     posenc_error *error);

/* posenc_encoder_backward_gain for video:
 *     *dgain = sum over all elements of E * dy / (1 - dropout), where the forward pass with the same positions and step
 *     kept, else 0; frames that a mask or padding_idx names have no part in it. With BROADCAST every pixel of a frame
 *     is multiplied by the row of its frame.
 * positions, step: those of the forward pass.
 * dy: shapes, dtypes and strides as x of posenc_video_add; only read.
 * dgain: receives the sum.
 * Returns as posenc_video_forward; *dgain is untouched then.
 * Edge cases: a video without frames, pixels or batch gives 0.
 * Accuracy, cost: as posenc_encoder_backward_gain, where a frame's pixels are rows of one token: the same bits for every
 * number of threads and every instruction set. Holds 8 bytes a frame besides.
 * Source: as there.
 * Example: double dgain;
 *          posenc_video_backward_gain(encoder, POSENC_VIDEO_BROADCAST, NULL, NULL, dy, &dgain, &error); */
POSENC_API posenc_status posenc_video_backward_gain(const posenc_encoder *encoder, posenc_video form,
                                                    const posenc_positions *positions, const posenc_step *step,
                                                    const DLTensor *dy, double *dgain, posenc_error *error);

#ifdef __cplusplus
}
#endif

#endif
