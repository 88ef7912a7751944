/* What an encoder whose table is trained has beyond others: a table from elsewhere, and one that may be written. */
#include <stdio.h>
#include <string.h>

#include "base/elements.h"
#include "base/error.h"
#include "base/fpenv.h"
#include "encoder/encoder.h"

/* ---- a table from elsewhere ---- */

static void convert_row(const posenc_row_tensor *table, int64_t row, void *out, posenc_dtype dtype) {
    const char *from = posenc_row_at(table, 0, row);
    for (int64_t i = 0; i < table->dim; i++, from += table->channel_bytes) {
        double value = posenc_real_element(table->dtype, from);
        if (dtype == POSENC_F64)
            ((double *)out)[i] = value;
        else
            ((float *)out)[i] = (float)value;
    }
}

/* Elements of the table's own dtype keep their bits, those of a NaN too. */
static void copy_table(const posenc_row_tensor *table, posenc_encoder *e) {
    size_t row_bytes = e->table_bytes / (size_t)e->max_len;
    bool same = table->dtype == e->options.dtype && table->packed;
    posenc_fpenv saved = posenc_fpenv_enter();
    for (int64_t r = 0; r < e->max_len; r++) {
        char *out = (char *)e->table.tensor.data + (size_t)r * row_bytes;
        if (same)
            memcpy(out, posenc_row_at(table, 0, r), row_bytes);
        else
            convert_row(table, r, out, e->options.dtype);
    }
    posenc_fpenv_leave(saved);
}

posenc_status posenc_encoder_from_table(const posenc_context *context, const DLTensor *table,
                                        const posenc_encoder_options *options, posenc_encoder **out,
                                        posenc_error *error) {
    posenc_row_tensor rows;
    if (!out) return posenc_fail(error, POSENC_ERROR_ARGUMENT, "out", "expected a pointer, got NULL");
    posenc_status status = posenc_row_tensor_open_table(table, "table", &rows, error);
    if (status != POSENC_OK) return status;
    if (rows.tokens == 0 || rows.dim == 0)
        return posenc_fail(error, POSENC_ERROR_SHAPE, "table", "expected rows and channels, got %lld x %lld",
                           (long long)rows.tokens, (long long)rows.dim);
    char dim[32], length[32];
    snprintf(dim, sizeof dim, "%lld", (long long)rows.dim);
    snprintf(length, sizeof length, "%lld", (long long)rows.tokens);
    const posenc_parameter parameters[] = {{"dim", dim}, {"max-len", length}};
    posenc_encoder *e;
    status = posenc_encoder_allocate(context, "learned", parameters, 2, options, &e, error);
    if (status != POSENC_OK) return status;
    copy_table(&rows, e);
    *out = e;
    return POSENC_OK;
}

/* ---- parameters ---- */

posenc_status posenc_encoder_check_learns(const posenc_encoder *encoder, posenc_error *error) {
    if (!encoder) return posenc_fail(error, POSENC_ERROR_ARGUMENT, "encoder", "expected an encoder, got NULL");
    if (posenc_encoder_learns(encoder)) return POSENC_OK;
    return posenc_fail(error, POSENC_ERROR_UNSUPPORTED, "encoder",
                       "expected one of the scheme learned, which has parameters, got %s",
                       posenc_plan_scheme(encoder->plan));
}

posenc_status posenc_encoder_parameters(posenc_encoder *encoder, DLTensor **table, posenc_error *error) {
    posenc_status status = posenc_encoder_check_learns(encoder, error);
    if (status != POSENC_OK) return status;
    if (!table) return posenc_fail(error, POSENC_ERROR_ARGUMENT, "table", "expected a pointer, got NULL");
    *table = &encoder->table.tensor;
    return POSENC_OK;
}
