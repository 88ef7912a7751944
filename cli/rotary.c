/* What table and apply share about rotary schemes: a plan's facts, positions with several coordinates, cosines and sines
 * side by side. */
#include "rotary.h"

bool posenc_cli_rotates(const posenc_cli_arguments *arguments) {
    const posenc_scheme_info *scheme = posenc_cli_scheme(arguments);
    return scheme && scheme->effect == POSENC_EFFECT_ROTATES_PAIRS;
}

int posenc_cli_rotary_facts(const posenc_cli_arguments *arguments, const posenc_plan *plan, posenc_rotary_info *info) {
    posenc_error error;
    info->size = sizeof *info;
    if (posenc_rotary_describe(plan, 0, info, NULL, NULL, &error) != POSENC_OK) return posenc_cli_refuse(&error);
    if (!info->depends_on_length) return POSENC_CLI_FINE;
    return posenc_cli_fail(
        "sequence-length: expected --sequence-length N, on which the frequencies of %s depend, got none",
        posenc_cli_text(arguments, "scaling"));
}

/* ---- positions ---- */

bool posenc_cli_rotary_ids_fit(const DLTensor *ids, int64_t batch, int64_t tokens, int64_t axes, bool *by_batch,
                               bool *by_axis) {
    const int64_t *shape = ids->shape;
    bool row = ids->ndim == 2 && shape[0] == batch && shape[1] == tokens;
    bool points = ids->ndim == 2 && shape[0] == tokens && shape[1] == axes;
    if (row && points) points = axes > 1; /* and then it is not clear */
    bool all = ids->ndim == 3 && shape[0] == batch && shape[1] == tokens && shape[2] == axes;
    *by_batch = row || all;
    *by_axis = points || all;
    return (ids->ndim == 1 && shape[0] == tokens) || row != points || all;
}

const DLTensor *posenc_cli_rotary_ids(const DLTensor *ids, bool by_batch, bool by_axis, int64_t all_tokens,
                                      const int64_t first[2], const int64_t shape[3], posenc_view *view) {
    posenc_dtype dtype = POSENC_I64;
    posenc_dtype_of(ids, &dtype);
    int64_t point = by_axis ? shape[2] : 1, row = by_batch ? all_tokens * point : 0;
    const int64_t strides[] = {row, point, by_axis ? 1 : 0};
    char *data = ids->data; /* NULL without tokens */
    if (data)
        data += (int64_t)ids->byte_offset + (first[0] * row + first[1] * point) * (int64_t)posenc_dtype_bytes(dtype);
    return posenc_view_make(view, data, dtype, 3, shape, strides);
}

/* ---- tables ---- */

posenc_status posenc_cli_rotary_rows(const posenc_plan *plan, const posenc_positions *positions, posenc_dtype dtype,
                                     int64_t rows, int64_t pairs, void *out, posenc_error *error) {
    posenc_view cosines, sines;
    const int64_t shape[] = {rows, pairs}, strides[] = {2 * pairs, 2};
    DLTensor *cosine = posenc_view_make(&cosines, out, dtype, 2, shape, strides);
    DLTensor *sine = posenc_view_make(&sines, (char *)out + posenc_dtype_bytes(dtype), dtype, 2, shape, strides);
    return posenc_rotary_cos_sin(plan, positions, NULL, POSENC_ROTARY_TABLE_PAIRS, cosine, sine, error);
}
