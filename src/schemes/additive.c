/* The verbs of additive plans: write rows, add rows to x. */
#include "base/error.h"
#include "schemes/row_call.h"

posenc_status posenc_plan_write(const posenc_plan *plan, const posenc_positions *positions, DLTensor *out,
                                posenc_error *error) {
    posenc_row_call call = {
        .plan = plan, .positions = positions, .y = out, .y_name = "out", .scale = 1, .padding_idx = -1};
    return posenc_row_call_run(&call, NULL, error);
}

posenc_status posenc_plan_add(const posenc_plan *plan, const posenc_positions *positions, const DLTensor *x,
                              double scale, DLTensor *y, posenc_error *error) {
    if (!x) return posenc_fail(error, POSENC_ERROR_ARGUMENT, "x", "expected a tensor, got NULL");
    posenc_row_call call = {.plan = plan,
                            .positions = positions,
                            .x = x,
                            .y = y,
                            .x_name = "x",
                            .y_name = "y",
                            .scale = scale,
                            .adds = true,
                            .padding_idx = -1};
    return posenc_row_call_run(&call, NULL, error);
}

/* ---- plain pointers ---- */

posenc_status posenc_plan_write_f32(const posenc_plan *plan, int64_t start, int64_t tokens, float *out) {
    if (!plan || tokens < 0 || (!out && tokens > 0)) return POSENC_ERROR_ARGUMENT;
    posenc_view view;
    posenc_positions positions = {.size = sizeof positions, .start = start, .repeat = 1};
    DLTensor *rows = posenc_view_make(&view, out, POSENC_F32, 2, (int64_t[]){tokens, plan->rows.dim}, NULL);
    return posenc_plan_write(plan, &positions, rows, NULL);
}

posenc_status posenc_plan_add_f32(const posenc_plan *plan, int64_t start, int64_t batch, int64_t tokens, const float *x,
                                  float *y) {
    if (!plan || tokens < 0 || batch < 0 || ((!x || !y) && tokens > 0 && batch > 0)) return POSENC_ERROR_ARGUMENT;
    posenc_view in, out;
    int64_t shape[] = {batch, tokens, plan->rows.dim};
    posenc_positions positions = {.size = sizeof positions, .start = start, .repeat = 1};
    union {
        const float *input;
        void *data;
    } unqualified = {x}; /* DLTensor has no const; x is only read */
    return posenc_plan_add(plan, &positions, posenc_view_make(&in, unqualified.data, POSENC_F32, 3, shape, NULL), 1,
                           posenc_view_make(&out, y, POSENC_F32, 3, shape, NULL), NULL);
}
