/* The relative position bias of Swin (Liu et al. 2021, section 3.2): the tokens of a window of Wh x Ww, row by row; a
 * trained table of (2 Wh - 1)(2 Ww - 1) rows, one for each difference of places:
 *     row = (h_i - h_j + Wh - 1)(2 Ww - 1) + (w_i - w_j + Ww - 1) */
#include "base/error.h"
#include "schemes/bias.h"
#include "schemes/schemes.h"

enum { HEADS, WINDOW_HEIGHT, WINDOW_WIDTH, N_PARAMETERS };

static const posenc_parameter_info parameters[N_PARAMETERS] = {
    [HEADS] = {"heads", POSENC_PARAMETER_INTEGER, NULL, 1, 65536, NULL, "heads", "Attention heads."},
    [WINDOW_HEIGHT] = {"window-height", POSENC_PARAMETER_INTEGER, "7", 1, 1024, NULL, "tokens",
                       "Height of the window."},
    [WINDOW_WIDTH] = {"window-width", POSENC_PARAMETER_INTEGER, "7", 1, 1024, NULL, "tokens", "Width of the window."},
};

static posenc_status make(posenc_plan *plan, posenc_error *error) {
    posenc_status status = posenc_bias_create(plan, POSENC_BIAS_WINDOW, plan->values[HEADS].integer, error);
    if (status != POSENC_OK) return status;
    posenc_bias *bias = plan->bias;
    bias->window[0] = plan->values[WINDOW_HEIGHT].integer;
    bias->window[1] = plan->values[WINDOW_WIDTH].integer;
    bias->table_rows = (2 * bias->window[0] - 1) * (2 * bias->window[1] - 1);
    plan->rows.dim = plan->rows.length = posenc_bias_tokens(bias);
    return POSENC_OK;
}

/* The table row of query position and key column. */
static double equation(const posenc_plan *plan, double position, int64_t column) {
    int64_t height = plan->values[WINDOW_HEIGHT].integer, width = plan->values[WINDOW_WIDTH].integer;
    int64_t query = (int64_t)position, down = query / width - column / width, right = query % width - column % width;
    return (double)((down + height - 1) * (2 * width - 1) + right + width - 1);
}

const posenc_scheme posenc_scheme_swin = {
    .info = {"swin", "Biases scores inside a window by a trained table, whose row is the difference of two places.",
             "Liu et al. 2021, Swin Transformer, section 3.2", POSENC_EFFECT_BIASES_SCORES,
             "a bias depends on the difference of two places in the window only", parameters, N_PARAMETERS},
    .make = make,
    .equation = equation,
    .end = posenc_bias_end,
};
