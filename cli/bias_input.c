/* The trained table and the offset of a bias, from a command line. */
#include "bias_input.h"

#include "options.h"

static bool has(const posenc_scheme_info *scheme, const char *parameter) {
    return posenc_cli_parameter_find(scheme, parameter);
}

bool posenc_cli_biases(const posenc_cli_arguments *arguments) {
    const posenc_scheme_info *scheme = posenc_cli_scheme(arguments);
    return scheme && scheme->effect == POSENC_EFFECT_BIASES_SCORES;
}

bool posenc_cli_bias_is_trained(const posenc_scheme_info *scheme) {
    return scheme->effect == POSENC_EFFECT_BIASES_SCORES && has(scheme, "heads") && !has(scheme, "slopes");
}

bool posenc_cli_bias_has_window(const posenc_scheme_info *scheme) { return has(scheme, "window-height"); }

int posenc_cli_bias_read_table(const posenc_cli_arguments *arguments, posenc_cli_input_table *table) {
    const char *text = posenc_cli_text(arguments, "table");
    if (!text) return POSENC_CLI_FINE;
    int status = posenc_cli_read_table(posenc_cli_context(arguments), "table", text, table);
    if (status != POSENC_CLI_FINE || table->tensor->ndim == 2) return status;
    return posenc_cli_fail("%s: expected a table (rows, heads), got rank %d", table->title, (int)table->tensor->ndim);
}

/* The least int64 is no place: in an extent it stands for none. */
int posenc_cli_bias_read_offset(const posenc_cli_arguments *arguments, posenc_bias_extent *extent) {
    const int64_t most = INT64_C(1) << POSENC_CLI_BIAS_PLACE_BITS;
    if (!posenc_cli_given(arguments, "offset")) return POSENC_CLI_FINE;
    int64_t offset = posenc_cli_integer(arguments, "offset");
    if (offset < -most || offset > most)
        return posenc_cli_fail("offset: expected -2^%d..2^%d, got %lld", POSENC_CLI_BIAS_PLACE_BITS,
                               POSENC_CLI_BIAS_PLACE_BITS, (long long)offset);
    extent->offset = offset;
    return POSENC_CLI_FINE;
}
