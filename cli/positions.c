/* Reads a file of positions and refuses what no plan could use, so that nothing fails half way through a table. */
#include "positions.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "paths.h"

static const int64_t farthest = INT64_C(1) << 62;

/* |p|, at most 2^62 */
static int64_t capped(int64_t p) { return p <= -farthest || p >= farthest ? farthest : p < 0 ? -p : p; }

static int64_t larger(int64_t a, int64_t b) { return a > b ? a : b; }

/* Preparing a digit place costs as much as some rows, and far more memory: at dim 131072 and position 2^53, one row
 * takes 0.8 s and 310 MB prepared, 0.1 s and 11 MB not; 64 rows in a block share all but their last digit. */
enum { FEW_ROWS = 4, BLOCK_ROWS = 64, LAST_DIGIT = 31 };

int64_t posenc_cli_reach(int64_t start, int64_t length) {
    if (length < FEW_ROWS) return 0;
    int64_t last = start <= INT64_MAX - (length - 1) ? start + (length - 1) : start;
    int64_t farthest_row = larger(capped(start), capped(last));
    return length <= BLOCK_ROWS && farthest_row > LAST_DIGIT ? LAST_DIGIT : farthest_row;
}

static int64_t count(const DLTensor *tensor) {
    int64_t n = 1;
    for (int i = 0; i < tensor->ndim; i++) n *= tensor->shape[i];
    return n;
}

static int check_real(const char *path, const double *p, int64_t n, int64_t *reach) {
    double largest = 0;
    for (int64_t i = 0; i < n; i++) {
        if (!(fabs(p[i]) <= 0x1p53))
            return posenc_cli_fail("%s: element %lld: expected a position within -2^53..2^53, got %.17g", path,
                                   (long long)i, p[i]);
        largest = fmax(largest, fabs(p[i]));
    }
    *reach = (int64_t)ceil(largest);
    return POSENC_CLI_FINE;
}

static int64_t reach_32(const int32_t *p, int64_t n) {
    int64_t largest = 0;
    for (int64_t i = 0; i < n; i++) largest = larger(largest, capped(p[i]));
    return largest;
}

static int64_t reach_64(const int64_t *p, int64_t n) {
    int64_t largest = 0;
    for (int64_t i = 0; i < n; i++) largest = larger(largest, capped(p[i]));
    return largest;
}

static int check(const char *path, posenc_cli_positions *positions) {
    const DLTensor *ids = positions->ids;
    int64_t n = count(ids);
    const void *data = n > 0 ? (const char *)ids->data + ids->byte_offset : NULL;
    posenc_dtype dtype = POSENC_DTYPE_COUNT;
    posenc_dtype_of(ids, &dtype);
    if (dtype == POSENC_F64) return check_real(path, data, n, &positions->reach);
    if (dtype != POSENC_I32 && dtype != POSENC_I64)
        return posenc_cli_fail("%s: expected positions in i32, i64 or f64, got %s", path, posenc_dtype_name(dtype));
    positions->reach = dtype == POSENC_I32 ? reach_32(data, n) : reach_64(data, n);
    return POSENC_CLI_FINE;
}

static int read_npy(const posenc_context *context, const char *path, posenc_cli_positions *positions) {
    posenc_error error;
    if (posenc_npy_read(context, path, &positions->array, &error) != POSENC_OK) return posenc_cli_refuse(&error);
    positions->ids = posenc_array_tensor(positions->array);
    return POSENC_CLI_FINE;
}

static int read_csv(const char *path, posenc_cli_positions *positions) {
    posenc_dtype dtype;
    int64_t n;
    int status = posenc_cli_csv_read(path, &positions->column, &dtype, &n);
    if (status != POSENC_CLI_FINE) return status;
    positions->ids = posenc_view_make(&positions->view, positions->column, dtype, 1, &n, NULL);
    return POSENC_CLI_FINE;
}

int posenc_cli_positions_read(const posenc_context *context, const char *path, posenc_cli_positions *positions) {
    *positions = (posenc_cli_positions){0};
    int status = posenc_cli_ends_in(path, ".csv") ? read_csv(path, positions) : read_npy(context, path, positions);
    if (status == POSENC_CLI_FINE) status = check(path, positions);
    if (status == POSENC_CLI_FINE && count(positions->ids) < FEW_ROWS) positions->reach = 0;
    if (status != POSENC_CLI_FINE) posenc_cli_positions_free(positions);
    return status;
}

void posenc_cli_positions_free(posenc_cli_positions *positions) {
    posenc_array_destroy(positions->array);
    free(positions->column);
    *positions = (posenc_cli_positions){0};
}
