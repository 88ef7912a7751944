/* What table and apply share about rotary schemes: a plan's facts, cosines and sines side by side. */
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

posenc_status posenc_cli_rotary_rows(const posenc_plan *plan, const posenc_positions *positions, posenc_dtype dtype,
                                     int64_t rows, int64_t pairs, void *out, posenc_error *error) {
    posenc_view cosines, sines;
    const int64_t shape[] = {rows, pairs}, strides[] = {2 * pairs, 2};
    DLTensor *cosine = posenc_view_make(&cosines, out, dtype, 2, shape, strides);
    DLTensor *sine = posenc_view_make(&sines, (char *)out + posenc_dtype_bytes(dtype), dtype, 2, shape, strides);
    return posenc_rotary_cos_sin(plan, positions, NULL, POSENC_ROTARY_TABLE_PAIRS, cosine, sine, error);
}
