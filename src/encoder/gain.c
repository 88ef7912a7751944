/* The learned gain: y = dropout(x * scale + gain * E), with a gain that training changes (Li et al. 2019, "Neural
 * speech synthesis with Transformer network", section 3.2; ESPnet's ScaledPositionalEncoding). It is one number, so its
 * gradient is one sum over everything. */
#include "base/error.h"
#include "base/fpenv.h"
#include "encoder/encoder.h"

double posenc_encoder_gain(const posenc_encoder *encoder) {
    double gain = encoder->options.gain;
    posenc_fpenv saved = posenc_fpenv_enter();
    if (encoder->options.dtype != POSENC_F64) gain = posenc_fpenv_hold((double)(float)posenc_fpenv_hold(gain));
    posenc_fpenv_leave(saved);
    return gain;
}

posenc_status posenc_encoder_set_gain(posenc_encoder *encoder, double gain, posenc_error *error) {
    if (!encoder) return posenc_fail(error, POSENC_ERROR_ARGUMENT, "encoder", "expected an encoder, got NULL");
    posenc_status status = posenc_encoder_check_factor(gain, "gain", encoder->options.dtype, error);
    if (status == POSENC_OK) encoder->options.gain = gain;
    return status;
}

posenc_status posenc_encoder_backward_gain(const posenc_encoder *encoder, const posenc_positions *positions,
                                           const posenc_step *step, const DLTensor *dy, double *dgain,
                                           posenc_error *error) {
    posenc_step s;
    posenc_status status = posenc_encoder_check_door(encoder, dy, "dy", step, &s, error);
    if (status != POSENC_OK) return status;
    if (!dgain) return posenc_fail(error, POSENC_ERROR_ARGUMENT, "dgain", "expected a pointer, got NULL");
    posenc_row_call call = {.plan = encoder->plan,
                            .positions = positions,
                            .x = dy,
                            .x_name = "dy",
                            .y_name = "dy",
                            .scale = 1,
                            .adds = true,
                            .dot = dgain,
                            .stored = posenc_encoder_stored(encoder),
                            .padding_idx = encoder->options.padding_idx,
                            .dropout = posenc_encoder_dropout(encoder, &s, 1),
                            .first_element = s.first_element};
    return posenc_row_call_run(&call, NULL, error);
}
