#include "support/resizes.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "support/test.h"

int64_t resize_old_rows(const resize_case *c) { return c->prefix + c->from[0] * c->from[1]; }

int64_t resize_new_rows(const resize_case *c) { return c->prefix + c->to[0] * c->to[1]; }

const char *resize_text(const resize_case *c) {
    static char text[160];
    snprintf(text, sizeof text, "%s%s%s %" PRId64 "x%" PRId64 " to %" PRId64 "x%" PRId64 " prefix %" PRId64,
             c->mode == POSENC_INTERPOLATION_CUBIC ? "cubic" : "linear", c->antialias ? " antialias" : "",
             c->align_corners ? " corners" : "", c->from[0], c->from[1], c->to[0], c->to[1], c->prefix);
    return text;
}

posenc_resize_options resize_options(const resize_case *c) {
    posenc_resize_options options;
    posenc_resize_default(&options, sizeof options);
    options.mode = c->mode;
    options.antialias = c->antialias;
    options.align_corners = c->align_corners;
    options.prefix = c->prefix;
    if (c->from[0] == 1 && c->to[0] == 1) return options;
    memcpy(options.from, c->from, sizeof c->from);
    memcpy(options.to, c->to, sizeof c->to);
    return options;
}

void must_resize(const posenc_context *context, const resize_case *c, posenc_dtype dtype, int64_t dim,
                 const void *table, void *out) {
    posenc_view old_view, new_view;
    const int64_t old_shape[2] = {resize_old_rows(c), dim}, new_shape[2] = {resize_new_rows(c), dim};
    void *data;
    memcpy(&data, &table, sizeof data); /* DLTensor has no const; the table is only read */
    DLTensor *old = posenc_view_make(&old_view, data, dtype, 2, old_shape, NULL);
    DLTensor *new = posenc_view_make(&new_view, out, dtype, 2, new_shape, NULL);
    posenc_resize_options options = resize_options(c);
    posenc_error error = {0};
    check(posenc_resize(context, &options, old, new, &error) == POSENC_OK, "%s: %s", resize_text(c), error.message);
}

resize_case resize_way(int way, int64_t from_height, int64_t from_width, int64_t to_height, int64_t to_width) {
    return (resize_case){.mode = way % 2 ? POSENC_INTERPOLATION_CUBIC : POSENC_INTERPOLATION_LINEAR,
                         .antialias = way / 2 == 1,
                         .align_corners = way / 2 == 2,
                         .from = {from_height, from_width},
                         .to = {to_height, to_width}};
}

static long double kernel(const resize_case *c, long double d) {
    const long double a = c->antialias ? -0.5L : -0.75L;
    d = fabsl(d);
    if (c->mode == POSENC_INTERPOLATION_LINEAR) return d < 1 ? 1 - d : 0;
    if (d <= 1) return (a + 2) * d * d * d - (a + 3) * d * d + 1;
    return d < 2 ? a * d * d * d - 5 * a * d * d + 8 * a * d - 4 * a : 0;
}

void resize_weights(const resize_case *c, int64_t in, int64_t out, int64_t o, long double *weights) {
    long double x = ((long double)o + 0.5L) * (long double)in / (long double)out - 0.5L, total = 0, stretch = 1;
    if (c->align_corners) x = out > 1 ? (long double)o * (long double)(in - 1) / (long double)(out - 1) : 0;
    if (c->antialias && in > out) stretch = (long double)in / (long double)out;
    int64_t reach = (int64_t)ceill(2 * stretch) + 1, middle = (int64_t)floorl(x);
    for (int64_t i = 0; i < in; i++) weights[i] = 0;
    for (int64_t j = middle - reach; j <= middle + reach; j++) {
        int64_t inside = j < 0 ? 0 : j < in ? j : in - 1;
        long double w = kernel(c, ((long double)j - x) / stretch);
        if (c->antialias && inside != j) continue;
        weights[inside] += w;
        total += w;
    }
    for (int64_t i = 0; i < in; i++) weights[i] /= total;
}
