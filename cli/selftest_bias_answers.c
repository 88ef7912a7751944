/* Known answers of score biases: slopes, and buckets of distances, as the papers and the published code have them. */
#include <string.h>

#include "selftest_parts.h"

/* Slopes, rounded from 50 digits: of a power of two, and of numbers of heads between two of them. */
static const struct {
    const char *heads, *rule;
    int head;
    double slope;
} slopes[] = {
    {"1", "published", 0, 0.00390625},
    {"3", "published", 1, 0.00390625},
    {"3", "published", 2, 0.25},
    {"6", "published", 3, 0.00390625},
    {"6", "published", 4, 0.5},
    {"6", "published", 5, 0.125},
    {"8", "published", 0, 0.5},
    {"8", "published", 7, 0.00390625},
    {"12", "published", 7, 0.00390625},
    {"12", "published", 8, 0.707106781186547524401},
    {"12", "published", 9, 0.3535533905932737622},
    {"12", "published", 10, 0.1767766952966368811},
    {"12", "published", 11, 0.0883883476483184405501},
    {"12", "geometric", 0, 0.629960524947436582384},
    {"12", "geometric", 11, 0.00390625},
};

/* Distances j - i and their buckets. */
typedef struct bucket {
    int64_t distance, bucket;
} bucket;

static const bucket t5[] = {{-200, 15}, {-128, 15}, {-91, 15}, {-90, 14}, {-64, 14}, {-32, 12}, {-16, 10}, {-8, 8},
                            {-1, 1},    {0, 0},     {1, 17},   {8, 24},   {16, 26},  {64, 30},  {127, 31}};
static const bucket t5_causal[] = {{-15, 15}, {-16, 16}, {-32, 21}, {-64, 26}, {-127, 31}, {5, 0}};
static const bucket deberta[] = {{-128, 128}, {-129, 129}, {-200, 169}, {-256, 192}, {-511, 255},
                                 {-512, 256}, {129, -129}, {200, -169}, {512, -256}};

static const struct {
    const char *scheme;
    posenc_parameter parameters[2];
    size_t n_parameters;
    const bucket *buckets;
    size_t n;
} bucket_lists[] = {
    {"t5", {{"heads", "1"}, {"bidirectional", "true"}}, 2, t5, sizeof t5 / sizeof *t5},
    {"t5", {{"heads", "1"}, {"bidirectional", "false"}}, 2, t5_causal, sizeof t5_causal / sizeof *t5_causal},
    {"deberta", {{NULL, NULL}}, 0, deberta, sizeof deberta / sizeof *deberta},
};

/* Rows of the trained table for each query and key of a window of 2 x 2. */
enum { TOKENS = 4 };
static const int64_t window[TOKENS][TOKENS] = {{4, 3, 1, 0}, {5, 4, 2, 1}, {7, 6, 4, 3}, {8, 7, 5, 4}};

static int make(const posenc_context *context, const char *scheme, const posenc_parameter *parameters, size_t n,
                posenc_plan **plan) {
    posenc_error error;
    if (posenc_plan_create(context, scheme, parameters, n, plan, &error) == POSENC_OK) return POSENC_CLI_FINE;
    return posenc_cli_refuse(&error);
}

/* One query and one key of this distance, the only ones that are asked for. */
static posenc_bias_extent pair_of(int64_t distance, int head) {
    posenc_bias_extent extent;
    posenc_bias_extent_default(&extent, sizeof extent);
    extent.queries = extent.keys = 1;
    extent.offset = -distance;
    extent.first_head = head, extent.n_heads = 1;
    return extent;
}

static const int64_t one[] = {1, 1, 1};

/* A key one before its query has minus the slope. */
static int check_slope(const posenc_context *context, size_t i, posenc_cli_tally *tally) {
    const posenc_parameter parameters[] = {{"heads", slopes[i].heads}, {"slope-rule", slopes[i].rule}};
    const posenc_bias_extent extent = pair_of(-1, slopes[i].head);
    posenc_plan *plan = NULL;
    posenc_view wide, narrow;
    posenc_error error;
    double got = 0, expected = -slopes[i].slope;
    float got_f32 = 0;
    DLTensor *out = posenc_view_make(&wide, &got, POSENC_F64, 3, one, NULL);
    DLTensor *out_f32 = posenc_view_make(&narrow, &got_f32, POSENC_F32, 3, one, NULL);
    int status = make(context, "alibi", parameters, 2, &plan);
    if (status != POSENC_CLI_FINE) return status;
    if (posenc_bias_write(plan, &extent, NULL, out, &error) != POSENC_OK ||
        posenc_bias_write(plan, &extent, NULL, out_f32, &error) != POSENC_OK)
        status = posenc_cli_refuse(&error);
    else
        posenc_cli_tally_add(tally, got == expected && got_f32 == (float)expected,
                             "alibi %s slope %d of %s: expected %.17g, got %.17g and %.9g in f32", slopes[i].rule,
                             slopes[i].head, slopes[i].heads, expected, got, (double)got_f32);
    posenc_plan_destroy(plan);
    return status;
}

/* t5: by a table whose rows hold their own numbers. */
static posenc_status find_bucket(const posenc_plan *plan, bool has_table, int64_t distance, int64_t *found,
                                 posenc_error *error) {
    enum { BUCKETS = 32 };
    const posenc_bias_extent extent = pair_of(distance, 0);
    posenc_view view, rows;
    float table[BUCKETS], got = -1;
    if (!has_table)
        return posenc_bias_index(plan, &extent, posenc_view_make(&view, found, POSENC_I64, 2, one, NULL), error);
    for (int row = 0; row < BUCKETS; row++) table[row] = (float)row;
    posenc_status status =
        posenc_bias_write(plan, &extent, posenc_view_make(&rows, table, POSENC_F32, 2, (int64_t[]){BUCKETS, 1}, NULL),
                          posenc_view_make(&view, &got, POSENC_F32, 3, one, NULL), error);
    *found = (int64_t)got;
    return status;
}

static int check_bucket(const posenc_plan *plan, const char *scheme, const bucket *b, posenc_cli_tally *tally) {
    posenc_error error;
    int64_t got = 0, alone = 0;
    if (find_bucket(plan, strcmp(scheme, "t5") == 0, b->distance, &got, &error) != POSENC_OK ||
        posenc_bias_bucket(plan, b->distance, &alone, &error) != POSENC_OK)
        return posenc_cli_refuse(&error);
    posenc_cli_tally_add(tally, got == b->bucket && alone == b->bucket,
                         "%s distance %lld: expected bucket %lld, got %lld and %lld", scheme, (long long)b->distance,
                         (long long)b->bucket, (long long)got, (long long)alone);
    return POSENC_CLI_FINE;
}

static int check_buckets(const posenc_context *context, size_t list, posenc_cli_tally *tally) {
    const char *scheme = bucket_lists[list].scheme;
    posenc_plan *plan = NULL;
    int status = make(context, scheme, bucket_lists[list].parameters, bucket_lists[list].n_parameters, &plan);
    for (size_t i = 0; status == POSENC_CLI_FINE && i < bucket_lists[list].n; i++)
        status = check_bucket(plan, scheme, &bucket_lists[list].buckets[i], tally);
    posenc_plan_destroy(plan);
    return status;
}

static int check_window(const posenc_context *context, size_t query, posenc_cli_tally *tally) {
    const posenc_parameter parameters[] = {{"heads", "1"}, {"window-height", "2"}, {"window-width", "2"}};
    posenc_plan *plan = NULL;
    posenc_bias_extent extent;
    posenc_view view;
    posenc_error error;
    int64_t row[TOKENS] = {0};
    int status = make(context, "swin", parameters, 3, &plan);
    if (status != POSENC_CLI_FINE) return status;
    posenc_bias_extent_default(&extent, sizeof extent);
    extent.queries = extent.keys = TOKENS;
    extent.first_query = (int64_t)query, extent.n_queries = 1;
    DLTensor *out = posenc_view_make(&view, row, POSENC_I64, 2, (int64_t[]){1, TOKENS}, NULL);
    if (posenc_bias_index(plan, &extent, out, &error) != POSENC_OK) status = posenc_cli_refuse(&error);
    for (size_t key = 0; status == POSENC_CLI_FINE && key < TOKENS; key++)
        posenc_cli_tally_add(tally, row[key] == window[query][key],
                             "swin query %zu key %zu: expected row %lld, got %lld", query, key,
                             (long long)window[query][key], (long long)row[key]);
    posenc_plan_destroy(plan);
    return status;
}

static const posenc_cli_answers lists[] = {
    {check_slope, sizeof slopes / sizeof *slopes},
    {check_buckets, sizeof bucket_lists / sizeof *bucket_lists},
    {check_window, TOKENS},
};

int posenc_cli_bias_answers(const posenc_context *context, posenc_cli_tally *tally) {
    return posenc_cli_check_answers(lists, sizeof lists / sizeof *lists, context, tally);
}
