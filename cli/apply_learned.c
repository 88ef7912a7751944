/* apply learned: an encoder of a table from a file, or of first values. Its rows, unlike those of a formula, come to an
 * end: --past-end says what then. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "apply.h"
#include "arguments.h"
#include "bias_input.h"

static const char *const own_options[] = {"past-end", "row-offset", "padding-idx"};

bool posenc_cli_apply_learns(const posenc_cli_apply_job *job) {
    return strcmp(posenc_cli_scheme(job->arguments)->name, "learned") == 0;
}

static bool is_standard_input(const char *file) { return file && strcmp(file, "-") == 0; }

/* Standard input is read once. */
static int check_table(const posenc_cli_apply_job *job) {
    const posenc_cli_arguments *a = job->arguments;
    bool input = is_standard_input(job->input.file), positions = is_standard_input(posenc_cli_text(a, "positions"));
    if (!is_standard_input(posenc_cli_text(a, "table")) || !(input || positions)) return POSENC_CLI_FINE;
    return posenc_cli_fail("table: expected standard input for one file, got it for --%s too",
                           input ? "input" : "positions");
}

static int check_own_options(const posenc_cli_apply_job *job) {
    for (size_t i = 0; i < sizeof own_options / sizeof *own_options; i++)
        if (posenc_cli_given(job->arguments, own_options[i]))
            return posenc_cli_fail("%s: expected the scheme learned beside it, got %s", own_options[i],
                                   posenc_cli_scheme(job->arguments)->name);
    bool trained = posenc_cli_bias_is_trained(posenc_cli_scheme(job->arguments));
    if (trained || !posenc_cli_given(job->arguments, "table")) return POSENC_CLI_FINE;
    return posenc_cli_fail("table: expected the scheme learned, t5 or swin beside it, got %s",
                           posenc_cli_scheme(job->arguments)->name);
}

/* A table has its values. */
static int check_first_values(const posenc_cli_apply_job *job) {
    const posenc_cli_arguments *a = job->arguments;
    for (size_t i = 0; i < a->n_parameters && posenc_cli_given(a, "table"); i++)
        if (strcmp(a->parameters[i].name, "dim") != 0)
            return posenc_cli_fail("%s: expected either --table or first values, got both", a->parameters[i].name);
    return POSENC_CLI_FINE;
}

int posenc_cli_apply_check_options(const posenc_cli_apply_job *job) {
    int status = posenc_cli_apply_learns(job) ? check_first_values(job) : check_own_options(job);
    return status == POSENC_CLI_FINE ? check_table(job) : status;
}

static posenc_encoder_options options_of(const posenc_cli_apply_job *job, posenc_dtype dtype) {
    const posenc_cli_arguments *a = job->arguments;
    const char *past_end = posenc_cli_text(a, "past-end");
    posenc_encoder_options o;
    posenc_encoder_default(&o, sizeof o);
    o.dtype = dtype;
    o.scale = posenc_cli_real(a, "scale");
    o.dropout = posenc_cli_real(a, "dropout");
    o.row_offset = posenc_cli_integer(a, "row-offset");
    o.padding_idx = posenc_cli_integer(a, "padding-idx");
    o.past_end = strcmp(past_end, "clamp") == 0    ? POSENC_PAST_END_CLAMP
                 : strcmp(past_end, "resize") == 0 ? POSENC_PAST_END_RESIZE
                                                   : POSENC_PAST_END_ERROR;
    return o;
}

/* First values: dim is the width of x. */
static posenc_status create(const posenc_cli_apply_job *job, int64_t dim, const posenc_encoder_options *o,
                            posenc_encoder **encoder, posenc_error *error) {
    const posenc_cli_arguments *a = job->arguments;
    posenc_parameter parameters[POSENC_CLI_MOST_OPTIONS + 1];
    char text[24];
    size_t n = a->n_parameters;
    memcpy(parameters, a->parameters, n * sizeof *parameters);
    snprintf(text, sizeof text, "%" PRId64, dim);
    if (!posenc_cli_given(a, "dim")) parameters[n++] = (posenc_parameter){"dim", text};
    return posenc_encoder_create(posenc_cli_context(a), "learned", parameters, n, o, encoder, error);
}

static int make_encoder(posenc_cli_apply_job *job, const posenc_cli_apply_tensor *x, const posenc_encoder_options *o) {
    const posenc_context *context = posenc_cli_context(job->arguments);
    const char *file = posenc_cli_text(job->arguments, "table");
    int64_t dim = posenc_cli_apply_width(job, x);
    posenc_error error;
    int status = POSENC_CLI_FINE;
    if (file && !job->table.tensor) status = posenc_cli_read_table(context, "table", file, &job->table);
    if (status != POSENC_CLI_FINE) return status;
    posenc_status made = file ? posenc_encoder_from_table(context, job->table.tensor, o, &job->encoder, &error)
                              : create(job, dim, o, &job->encoder, &error);
    if (made != POSENC_OK) return posenc_cli_refuse(&error);
    int64_t width = posenc_encoder_table(job->encoder)->shape[1];
    if (width == dim) return POSENC_CLI_FINE;
    return posenc_cli_fail("table: expected %lld channels, the width of %s, got %lld", (long long)dim, x->name,
                           (long long)width);
}

/* ---- resizing: a file goes by in parts, and all of them read one table ---- */

static int64_t largest_position(const posenc_cli_apply_job *job, int64_t tokens) {
    const DLTensor *ids = job->positions.ids;
    if (!ids) return posenc_cli_integer(job->arguments, "offset") + (tokens - 1);
    int64_t n = 1, largest = -1;
    posenc_dtype dtype = POSENC_I64;
    posenc_dtype_of(ids, &dtype);
    for (int i = 0; i < ids->ndim; i++) n *= ids->shape[i];
    const char *at = (const char *)ids->data + ids->byte_offset;
    for (int64_t i = 0; i < n; i++, at += posenc_dtype_bytes(dtype)) {
        int64_t wide = 0;
        int32_t narrow;
        double real;
        if (dtype == POSENC_I32)
            memcpy(&narrow, at, sizeof narrow), wide = narrow;
        else if (dtype == POSENC_I64)
            memcpy(&wide, at, sizeof wide);
        else
            memcpy(&real, at, sizeof real), wide = (int64_t)real; /* within 2^53 */
        if (wide > largest) largest = wide;
    }
    return largest;
}

static int64_t prefix_of(const posenc_encoder_options *o) {
    int64_t past_padding = o->padding_idx >= 0 ? o->padding_idx + o->row_offset + 1 : 0;
    return past_padding > o->row_offset ? past_padding : o->row_offset;
}

/* Makes the encoder anew, of its table with rows 0..last. */
static int make_longer(posenc_cli_apply_job *job, posenc_encoder_options o, int64_t last) {
    const posenc_context *context = posenc_cli_context(job->arguments);
    const DLTensor *old = posenc_encoder_table(job->encoder);
    int64_t bytes = (int64_t)posenc_dtype_bytes(o.dtype), dim = old->shape[1];
    if (last >= INT64_MAX / bytes / dim)
        return posenc_cli_fail("positions: expected rows that a resized table can hold, got row %lld", (long long)last);
    const int64_t shape[] = {last + 1, dim};
    void *rows = malloc((size_t)(shape[0] * dim * bytes));
    if (!rows) return posenc_cli_no_memory("table", (size_t)(shape[0] * dim * bytes));
    posenc_view view;
    posenc_error error;
    posenc_encoder *longer = NULL;
    posenc_resize_options resize;
    DLTensor *table = posenc_view_make(&view, rows, o.dtype, 2, shape, NULL);
    posenc_resize_default(&resize, sizeof resize);
    resize.prefix = prefix_of(&o);
    posenc_status status = posenc_resize(context, &resize, old, table, &error);
    o.past_end = POSENC_PAST_END_ERROR;
    if (status == POSENC_OK) status = posenc_encoder_from_table(context, table, &o, &longer, &error);
    free(rows);
    if (status != POSENC_OK) return posenc_cli_refuse(&error);
    posenc_encoder_destroy(job->encoder);
    job->encoder = longer;
    return POSENC_CLI_FINE;
}

static int resize(posenc_cli_apply_job *job, const posenc_encoder_options *o, int64_t tokens) {
    int64_t largest = largest_position(job, tokens), rows = posenc_encoder_table(job->encoder)->shape[0];
    if (o->past_end != POSENC_PAST_END_RESIZE || tokens == 0 || largest < rows - o->row_offset) return POSENC_CLI_FINE;
    if (o->row_offset > 0 && largest > INT64_MAX - 1 - o->row_offset) largest = INT64_MAX - 1 - o->row_offset;
    return make_longer(job, *o, largest + o->row_offset);
}

int posenc_cli_apply_make_encoder(posenc_cli_apply_job *job, const posenc_cli_apply_tensor *x) {
    posenc_dtype dtype = x->dtype == POSENC_F64 ? POSENC_F64 : POSENC_F32;
    int64_t dim = posenc_cli_apply_width(job, x), tokens = posenc_cli_apply_tokens(x);
    if (job->encoder && job->plan_dim == dim && job->plan_reach == tokens && job->encoder_dtype == dtype)
        return POSENC_CLI_FINE;
    posenc_encoder_destroy(job->encoder);
    job->encoder = NULL;
    job->plan_dim = dim, job->plan_reach = tokens, job->encoder_dtype = dtype;
    posenc_encoder_options o = options_of(job, dtype);
    int status = make_encoder(job, x, &o);
    return status == POSENC_CLI_FINE ? resize(job, &o, tokens) : status;
}
