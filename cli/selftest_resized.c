/* Resized tables whose checksums are published, in each mode. What is resized are the numbers of
 * posenc_cli_put_numbers. */
#include <inttypes.h>
#include <string.h>

#include "selftest_parts.h"

enum { MOST_OLD_ROWS = 64, MOST_DIM = 24 };

typedef struct resized {
    posenc_interpolation mode;
    bool antialias, align_corners;
    posenc_dtype dtype;
    int64_t prefix, dim;
    int64_t from[2], to[2]; /* a height of 0: one axis */
} resized;

#define LINEAR POSENC_INTERPOLATION_LINEAR
#define CUBIC POSENC_INTERPOLATION_CUBIC

static const resized all[] = {
    /* mode, antialias, align_corners, dtype, prefix, dim, from, to */
    {LINEAR, false, false, POSENC_F32, 0, 24, {0, 37}, {0, 100}},
    {LINEAR, true, false, POSENC_F32, 0, 24, {0, 50}, {0, 19}},
    {LINEAR, false, true, POSENC_F64, 2, 7, {0, 37}, {0, 80}},
    {CUBIC, false, false, POSENC_F32, 0, 24, {0, 37}, {0, 100}},
    {CUBIC, true, false, POSENC_F64, 0, 7, {0, 50}, {0, 19}},
    {CUBIC, false, true, POSENC_F16, 1, 24, {0, 37}, {0, 23}},
    {LINEAR, false, false, POSENC_F32, 1, 24, {7, 7}, {9, 11}},
    {LINEAR, true, false, POSENC_BF16, 1, 24, {7, 7}, {3, 5}},
    {CUBIC, false, false, POSENC_F32, 1, 24, {7, 7}, {9, 11}},
    {CUBIC, true, false, POSENC_F32, 1, 24, {6, 8}, {4, 3}},
    {CUBIC, false, true, POSENC_F64, 0, 7, {5, 9}, {8, 4}},
};

size_t posenc_cli_resized_count(void) { return sizeof all / sizeof *all; }

static int64_t rows_of(const resized *r, const int64_t grid[2]) {
    return r->prefix + (grid[0] ? grid[0] : 1) * grid[1];
}

static posenc_status make(const posenc_cli_configuration *configuration, const posenc_context *context, void *table,
                          posenc_error *error) {
    const resized *r = configuration->own;
    double old[MOST_OLD_ROWS * MOST_DIM];
    posenc_view from, to;
    posenc_resize_options options;
    const int64_t old_shape[] = {rows_of(r, r->from), r->dim}, new_shape[] = {rows_of(r, r->to), r->dim};
    posenc_resize_default(&options, sizeof options);
    options.mode = r->mode, options.prefix = r->prefix;
    options.antialias = r->antialias, options.align_corners = r->align_corners;
    if (r->from[0]) memcpy(options.from, r->from, sizeof r->from), memcpy(options.to, r->to, sizeof r->to);
    posenc_cli_put_numbers(old, old_shape[0] * r->dim, r->dtype);
    return posenc_resize(context, &options, posenc_view_make(&from, old, r->dtype, 2, old_shape, NULL),
                         posenc_view_make(&to, table, r->dtype, 2, new_shape, NULL), error);
}

static void grid_text(const int64_t grid[2], char text[32]) {
    if (grid[0])
        snprintf(text, 32, "%" PRId64 "x%" PRId64, grid[0], grid[1]);
    else
        snprintf(text, 32, "%" PRId64, grid[1]);
}

void posenc_cli_resized_at(size_t index, posenc_cli_configuration *out) {
    const resized *r = &all[index];
    char from[32], to[32];
    grid_text(r->from, from);
    grid_text(r->to, to);
    *out =
        (posenc_cli_configuration){.dtype = r->dtype, .rows = rows_of(r, r->to), .dim = r->dim, .make = make, .own = r};
    snprintf(out->name, sizeof out->name, "resize %s%s%s %s, prefix %" PRId64 ", %s to %s of %" PRId64,
             r->mode == LINEAR ? "linear" : "cubic", r->antialias ? " antialias" : "",
             r->align_corners ? " align-corners" : "", posenc_dtype_name(r->dtype), r->prefix, from, to, r->dim);
}
