/* A window's table for another window: its rows are a grid of differences, which posenc_resize knows how to resize. */
#include <posenc/resize.h>

#include "base/error.h"
#include "base/tensor.h"
#include "schemes/bias.h"

static posenc_status check_window(const int64_t window[2], const char *name, posenc_error *error) {
    if (!window) return posenc_fail(error, POSENC_ERROR_ARGUMENT, name, "expected a pointer, got NULL");
    for (int i = 0; i < 2; i++)
        if (window[i] < 1 || window[i] > 1024)
            return posenc_fail(error, POSENC_ERROR_ARGUMENT, name,
                               "expected a window of 1..1024 by 1..1024, got %lld x "
                               "%lld",
                               (long long)window[0], (long long)window[1]);
    return POSENC_OK;
}

posenc_status posenc_bias_resize_window(const posenc_context *context, const DLTensor *table, const int64_t from[2],
                                        const int64_t to[2], posenc_interpolation mode, DLTensor *out,
                                        posenc_error *error) {
    posenc_status status = check_window(from, "from", error);
    if (status == POSENC_OK) status = check_window(to, "to", error);
    if (status != POSENC_OK) return status;
    posenc_resize_options options;
    posenc_resize_default(&options, sizeof options);
    options.mode = mode;
    for (int i = 0; i < 2; i++) options.from[i] = 2 * from[i] - 1, options.to[i] = 2 * to[i] - 1;
    return posenc_resize(context, &options, table, out, error);
}
