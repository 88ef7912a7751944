/* apply alibi, t5, swin: adds the bias to scores (heads, queries, keys) or (batch, heads, queries, keys) in place. A part
 * of a file is a block of the whole: an extent says which heads, queries and keys it holds, so that the bits are those of
 * the whole. How many heads the plan has follows from the scores. */
#include "apply.h"
#include "bias_input.h"
#include "numbers.h"
#include "options.h"
#include "plan.h"

/* ---- options ---- */

int posenc_cli_apply_check_bias_options(const posenc_cli_apply_job *job) {
    const posenc_cli_arguments *a = job->arguments;
    const posenc_scheme_info *scheme = posenc_cli_scheme(a);
    if (!posenc_cli_biases(a)) return POSENC_CLI_FINE;
    bool window = posenc_cli_bias_has_window(scheme);
    if (posenc_cli_given(a, "scale"))
        return posenc_cli_fail(
            "scale: expected none for %s, whose bias is added to scores that are scaled already, got %s", scheme->name,
            posenc_cli_text(a, "scale"));
    if (window && posenc_cli_flag(a, "causal"))
        return posenc_cli_fail("causal: expected none beside the tokens of a window, which have no order, got one");
    if (window && posenc_cli_given(a, "positions"))
        return posenc_cli_fail("positions: expected none for the tokens of a window, which have no order, got \"%s\"",
                               posenc_cli_text(a, "positions"));
    if (posenc_cli_bias_is_trained(scheme) && !posenc_cli_given(a, "table"))
        return posenc_cli_fail("table: expected --table FILE[:TENSOR] for %s, got none", scheme->name);
    return POSENC_CLI_FINE;
}

/* ---- before anything is written ---- */

static int64_t extent(const posenc_cli_apply_tensor *x, char letter) {
    int axis = posenc_cli_apply_axis(x, letter);
    return axis < 0 ? 1 : x->shape[axis];
}

static int check_shape(const posenc_cli_apply_job *job, posenc_cli_apply_tensor *x) {
    char shape[200];
    if (x->rank == POSENC_CLI_APPLY_SCORES_RANK - 1 || x->rank == POSENC_CLI_APPLY_SCORES_RANK)
        return posenc_cli_apply_axes(job, x);
    posenc_cli_shape_text(x->rank, x->shape, shape, sizeof shape);
    return posenc_cli_fail("%s: expected scores (heads, queries, keys) or (batch, heads, queries, keys), got %s",
                           x->name, shape);
}

static int check_heads(const posenc_cli_apply_job *job, const posenc_cli_apply_tensor *x) {
    const posenc_parameter_info *heads = posenc_cli_parameter_find(posenc_cli_scheme(job->arguments), "heads");
    const char *text = posenc_cli_text(job->arguments, "heads");
    int64_t of_x = extent(x, 'h'), given = 0;
    bool number = text && posenc_cli_parse_integer(text, &given);
    if (text && !(number && given == of_x))
        return posenc_cli_fail(
            number ? "heads: expected %lld, those of %s, got %s" : "heads: expected %lld, those of %s, got \"%s\"",
            (long long)of_x, x->name, text);
    if ((double)of_x >= heads->minimum && (double)of_x <= heads->maximum) return POSENC_CLI_FINE;
    return posenc_cli_fail("%s: expected %.0f..%.0f heads, got %lld", x->name, heads->minimum, heads->maximum,
                           (long long)of_x);
}

static int read_table(posenc_cli_apply_job *job) {
    return job->table.tensor ? POSENC_CLI_FINE : posenc_cli_bias_read_table(job->arguments, &job->table);
}

static int make_plan(posenc_cli_apply_job *job, const posenc_cli_apply_tensor *x) {
    const DLTensor *table = job->table.tensor;
    const posenc_cli_number numbers[] = {{"heads", extent(x, 'h')}, {"buckets", table ? table->shape[0] : 0}};
    if (job->plan && job->plan_dim == numbers[0].value) return POSENC_CLI_FINE;
    posenc_plan_destroy(job->plan);
    job->plan = NULL;
    job->plan_dim = numbers[0].value;
    return posenc_cli_plan_with(job->arguments, numbers, table ? 2 : 1, &job->plan);
}

/* A window has its own number of tokens. */
static int check_window(const posenc_cli_apply_job *job, const posenc_cli_apply_tensor *x) {
    if (!posenc_cli_bias_has_window(posenc_cli_scheme(job->arguments))) return POSENC_CLI_FINE;
    int64_t tokens = posenc_plan_dim(job->plan);
    if (extent(x, 'q') == tokens && extent(x, 'k') == tokens) return POSENC_CLI_FINE;
    char height[24] = "", width[24] = "";
    posenc_plan_parameter(job->plan, "window-height", height, sizeof height);
    posenc_plan_parameter(job->plan, "window-width", width, sizeof width);
    return posenc_cli_fail("%s: expected %lld queries and keys, the tokens of a window of %s x %s, got %lld and %lld",
                           x->name, (long long)tokens, height, width, (long long)extent(x, 'q'),
                           (long long)extent(x, 'k'));
}

/* ---- where the first query of each batch row stands ---- */

static int64_t place_at(const DLTensor *ids, posenc_dtype dtype, int64_t i) {
    const char *data = (const char *)ids->data + ids->byte_offset;
    return dtype == POSENC_I32 ? ((const int32_t *)(const void *)data)[i] : ((const int64_t *)(const void *)data)[i];
}

static int check_places(const posenc_cli_apply_job *job, const posenc_cli_apply_tensor *x) {
    const int64_t most = INT64_C(1) << POSENC_CLI_BIAS_PLACE_BITS;
    const DLTensor *ids = job->positions.ids;
    const char *path = posenc_cli_text(job->arguments, "positions");
    posenc_dtype dtype = POSENC_I64;
    char shape[200];
    if (!ids) return POSENC_CLI_FINE;
    posenc_cli_shape_text(ids->ndim, ids->shape, shape, sizeof shape);
    if (ids->ndim != 1 || ids->shape[0] != extent(x, 'b'))
        return posenc_cli_fail("%s: expected one position for each batch row of %s, (%lld,), got %s", path, x->name,
                               (long long)extent(x, 'b'), shape);
    posenc_dtype_of(ids, &dtype);
    if (dtype == POSENC_F64) return posenc_cli_fail("%s: expected whole positions, i32 or i64, got f64", path);
    for (int64_t i = 0, p; i < ids->shape[0]; i++)
        if ((p = place_at(ids, dtype, i)) < -most || p > most)
            return posenc_cli_fail("%s: element %lld: expected a position within -2^%d..2^%d, got %lld", path,
                                   (long long)i, POSENC_CLI_BIAS_PLACE_BITS, POSENC_CLI_BIAS_PLACE_BITS, (long long)p);
    return POSENC_CLI_FINE;
}

static const DLTensor *places_of(const posenc_cli_apply_job *job, const posenc_cli_apply_tensor *x,
                                 const posenc_cli_apply_part *part, posenc_view *view) {
    const DLTensor *ids = job->positions.ids;
    int batch = posenc_cli_apply_axis(x, 'b');
    posenc_dtype dtype = POSENC_I64;
    if (!ids || !ids->data || batch < 0) return ids;
    posenc_dtype_of(ids, &dtype);
    char *data = (char *)ids->data + ids->byte_offset + part->first[batch] * (int64_t)posenc_dtype_bytes(dtype);
    return posenc_view_make(view, data, dtype, 1, &part->count[batch], NULL);
}

/* ---- adding ---- */

static int add(const posenc_cli_apply_job *job, const posenc_cli_apply_tensor *x, const posenc_cli_apply_part *part,
               void *data) {
    const int head = posenc_cli_apply_axis(x, 'h'), query = head + 1, key = head + 2;
    posenc_bias_extent e;
    posenc_bias_options options;
    posenc_error error;
    posenc_view scores, places;
    posenc_bias_extent_default(&e, sizeof e);
    e.queries = x->shape[query], e.first_query = part->first[query], e.n_queries = part->count[query];
    e.keys = x->shape[key], e.first_key = part->first[key], e.n_keys = part->count[key];
    e.first_head = part->first[head], e.n_heads = part->count[head];
    int status = posenc_cli_bias_read_offset(job->arguments, &e);
    if (status != POSENC_CLI_FINE) return status;
    posenc_bias_options_default(&options, sizeof options);
    options.causal = posenc_cli_flag(job->arguments, "causal");
    options.offsets = places_of(job, x, part, &places);
    DLTensor *s = posenc_cli_apply_part_view(x, part, data, &scores);
    return posenc_bias_add(job->plan, &e, &options, job->table.tensor, s, &error) == POSENC_OK
               ? POSENC_CLI_FINE
               : posenc_cli_refuse(&error);
}

/* What else is wrong, a part of no queries shows. */
static int check_call(const posenc_cli_apply_job *job, const posenc_cli_apply_tensor *x) {
    posenc_cli_apply_part none = posenc_cli_apply_whole(x);
    double nothing = 0;
    none.count[posenc_cli_apply_axis(x, 'q')] = 0;
    return add(job, x, &none, &nothing);
}

int posenc_cli_apply_check_bias(posenc_cli_apply_job *job, posenc_cli_apply_tensor *x) {
    int status = check_shape(job, x);
    if (status == POSENC_CLI_FINE) status = check_heads(job, x);
    if (status == POSENC_CLI_FINE) status = read_table(job);
    if (status == POSENC_CLI_FINE) status = make_plan(job, x);
    if (status == POSENC_CLI_FINE) status = check_window(job, x);
    if (status == POSENC_CLI_FINE) status = check_places(job, x);
    return status == POSENC_CLI_FINE ? check_call(job, x) : status;
}

int posenc_cli_apply_bias(const posenc_cli_apply_job *job, const posenc_cli_apply_tensor *x,
                          const posenc_cli_apply_part *part, void *data) {
    return posenc_cli_apply_part_is_empty(x, part) ? POSENC_CLI_FINE : add(job, x, part, data);
}
