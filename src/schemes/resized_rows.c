#include "schemes/resized_rows.h"

#include "base/error.h"

/* A linear kernel that is not stretched reaches over two rows; the third is what posenc_taps_find wants room for. */
enum { MOST_TAPS = 3 };

posenc_status posenc_resized_rows_open(const posenc_stored_rows *stored, posenc_dtype dtype, int64_t dim,
                                       int64_t largest, posenc_resized_rows *out, posenc_error *error) {
    if (largest >= POSENC_RESIZE_MOST)
        return posenc_fail(error, POSENC_ERROR_POSITION, "positions",
                           "expected positions below 2^58 to resize the table to, got one that reads row %lld",
                           (long long)largest);
    ptrdiff_t bytes = (ptrdiff_t)posenc_dtype_bytes(dtype);
    union {
        const char *given;
        char *data;
    } unqualified = {stored->data}; /* only read */
    *out = (posenc_resized_rows){.as_if = *stored, .rows = largest + 1};
    out->as_if.rows = out->rows;
    out->table = (posenc_row_tensor){.data = unqualified.data,
                                     .dtype = dtype,
                                     .batch = 1,
                                     .tokens = stored->rows,
                                     .dim = dim,
                                     .token_bytes = (ptrdiff_t)dim * bytes,
                                     .channel_bytes = bytes,
                                     .packed = true};
    posenc_resize_options linear;
    posenc_resize_default(&linear, sizeof linear);
    out->axis = posenc_resize_axis_of(&linear, stored->rows - stored->prefix, out->rows - stored->prefix);
    return POSENC_OK;
}

posenc_stored_run posenc_resized_run_at(const posenc_resized_rows *r, const posenc_token_positions *positions,
                                        int64_t batch, int64_t token, int64_t most) {
    return posenc_stored_run_at(&r->as_if, positions, batch, token, most);
}

int posenc_resized_row_parts(const posenc_resized_rows *r, int64_t row, int64_t parts[2], double weights[2]) {
    int64_t prefix = r->as_if.prefix;
    double room[MOST_TAPS];
    posenc_taps taps = {.weights = room};
    parts[0] = row, weights[0] = 1;
    if (row < prefix) return 1;
    posenc_taps_find(&r->axis, row - prefix, &taps);
    for (int64_t i = 0; i < taps.count; i++) parts[i] = prefix + taps.first + i, weights[i] = room[i];
    return (int)taps.count;
}

static void write_row(const posenc_resized_rows *r, int64_t row, const posenc_row_tensor *out, int64_t out_row) {
    int64_t prefix = r->as_if.prefix;
    double room[MOST_TAPS], one = 1;
    posenc_mixture m = {.old = &r->table, .first_row = prefix, .width = r->table.tokens - prefix};
    m.vertical = (posenc_taps){.count = 1, .weights = &one};
    m.horizontal.weights = room;
    if (row >= prefix) posenc_taps_find(&r->axis, row - prefix, &m.horizontal);
    if (row < prefix || m.horizontal.count == 1)
        posenc_row_copy(&r->table, row < prefix ? row : prefix + m.horizontal.first, out, out_row);
    else
        posenc_row_mix(&m, out, out_row);
}

void posenc_resized_rows_write(const posenc_resized_rows *r, int64_t row, int64_t count, char *out) {
    posenc_row_tensor rows = r->table;
    rows.data = out;
    rows.tokens = count;
    for (int64_t i = 0; i < count; i++) write_row(r, row + i, &rows, i);
}
