/* The encoder's verbs on video: those on rows, on a view of it. */
#include "schemes/video.h"

#include "base/error.h"
#include "encoder/encoder.h"

static posenc_status views_of(const posenc_encoder *encoder, const DLTensor *x, const char *x_name, const DLTensor *y,
                              const char *y_name, posenc_video form, posenc_view views[2], posenc_error *error) {
    if (!encoder) return posenc_fail(error, POSENC_ERROR_ARGUMENT, "encoder", "expected an encoder, got NULL");
    return posenc_video_views(x, x_name, y, y_name, form, posenc_plan_dim(encoder->plan), views, error);
}

posenc_status posenc_video_forward(const posenc_encoder *encoder, posenc_video form, const posenc_positions *positions,
                                   const posenc_step *step, const DLTensor *x, DLTensor *y, posenc_error *error) {
    posenc_view views[2];
    posenc_status status = views_of(encoder, x, "x", y, "y", form, views, error);
    if (status != POSENC_OK) return status;
    return posenc_encoder_forward(encoder, positions, step, &views[0].tensor, &views[1].tensor, error);
}

posenc_status posenc_video_backward(const posenc_encoder *encoder, posenc_video form, const posenc_step *step,
                                    const DLTensor *dy, DLTensor *dx, posenc_error *error) {
    posenc_view views[2];
    posenc_status status = views_of(encoder, dy, "dy", dx, "dx", form, views, error);
    if (status != POSENC_OK) return status;
    return posenc_encoder_backward(encoder, step, &views[0].tensor, &views[1].tensor, error);
}

posenc_status posenc_video_backward_table(const posenc_encoder *encoder, posenc_video form,
                                          const posenc_positions *positions, const posenc_step *step,
                                          const DLTensor *dy, DLTensor *dtable, int accumulate, posenc_error *error) {
    posenc_view view;
    if (!encoder) return posenc_fail(error, POSENC_ERROR_ARGUMENT, "encoder", "expected an encoder, got NULL");
    posenc_status status = posenc_video_view(dy, "dy", form, posenc_plan_dim(encoder->plan), &view, error);
    if (status != POSENC_OK) return status;
    return posenc_encoder_backward_table(encoder, positions, step, &view.tensor, dtable, accumulate, error);
}

posenc_status posenc_video_backward_gain(const posenc_encoder *encoder, posenc_video form,
                                         const posenc_positions *positions, const posenc_step *step, const DLTensor *dy,
                                         double *dgain, posenc_error *error) {
    posenc_view view;
    if (!encoder) return posenc_fail(error, POSENC_ERROR_ARGUMENT, "encoder", "expected an encoder, got NULL");
    posenc_status status = posenc_video_view(dy, "dy", form, posenc_plan_dim(encoder->plan), &view, error);
    if (status != POSENC_OK) return status;
    return posenc_encoder_backward_gain(encoder, positions, step, &view.tensor, dgain, error);
}
