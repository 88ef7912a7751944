#include "shaw_calls.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "support/tensors.h"
#include "support/test.h"

const char *const shaw_names[SHAW_RESULTS] = {"scores", "dq", "dtable", "values", "dattention", "dtable of values"};

shaw_case shaw_sized(posenc_dtype dtype, int64_t batch, int64_t heads, int64_t queries, int64_t keys, int64_t d,
                     int64_t clip) {
    shaw_case c = {.batch = batch, .heads = heads, .queries = queries, .keys = keys, .d = d, .dtype = dtype};
    posenc_shaw_default(&c.options, sizeof c.options);
    c.options.clip = clip;
    return c;
}

void shaw_random(shaw_case *c, random_state *random) {
    static const int64_t clips[] = {0, 1, 2, 5, 16, 40, 300};
    *c = shaw_sized(encoding_dtypes[random_between(random, 0, 3)], random_between(random, 1, 3),
                    random_between(random, 1, 3), random_between(random, 1, 40), random_between(random, 1, 40),
                    random_between(random, 1, 20), clips[random_between(random, 0, 6)]);
    if (random_between(random, 0, 9) == 0) c->queries = random_between(random, 190, 400);
    if (random_between(random, 0, 9) == 0) c->keys = random_between(random, 2040, 2060), c->batch = 1;
    c->options.direction = (posenc_direction)random_between(random, 0, 1);
    c->options.scale = random_between(random, 0, 1) ? 1 : 0.3;
    c->options.offset = random_between(random, 0, 2) ? random_between(random, -50, 50) : c->keys - c->queries;
    c->options.accumulate = (int)random_between(random, 0, 1);
    c->with_offsets = random_between(random, 0, 2) == 0;
    for (int i = 0; i < 4; i++) c->offsets[i] = random_between(random, -60, 60);
}

const char *shaw_text(const shaw_case *c) {
    static char text[200];
    snprintf(text, sizeof text,
             "%s (%lld, %lld, %lld, %lld) d %lld clip %lld direction %d scale %g offset%s %lld accumulate %d",
             posenc_dtype_name(c->dtype), (long long)c->batch, (long long)c->heads, (long long)c->queries,
             (long long)c->keys, (long long)c->d, (long long)c->options.clip, (int)c->options.direction,
             c->options.scale, c->with_offsets ? "s" : "",
             (long long)(c->with_offsets ? c->offsets[0] : c->options.offset), c->options.accumulate);
    return text;
}

static int64_t fill_shape(int64_t shape[4], int64_t a, int64_t b, int64_t c, int64_t d) {
    shape[0] = a, shape[1] = b, shape[2] = c, shape[3] = d;
    return a * b * c * d;
}

int64_t shaw_vectors(const shaw_case *c, int64_t shape[4]) {
    return fill_shape(shape, c->batch, c->heads, c->queries, c->d);
}

int64_t shaw_scores(const shaw_case *c, int64_t shape[4]) {
    return fill_shape(shape, c->batch, c->heads, c->queries, c->keys);
}

int64_t shaw_table(const shaw_case *c, int64_t shape[2]) {
    shape[0] = 2 * c->options.clip + 1, shape[1] = c->d;
    return shape[0] * shape[1];
}

int64_t shaw_output(const shaw_case *c, shaw_result result, int *rank, int64_t shape[4]) {
    *rank = result == SHAW_DTABLE || result == SHAW_DTABLE_OF_VALUES ? 2 : 4;
    if (*rank == 2) return shaw_table(c, shape);
    return result == SHAW_SCORES || result == SHAW_DATTENTION ? shaw_scores(c, shape) : shaw_vectors(c, shape);
}

posenc_status shaw_run(const posenc_context *context, const shaw_case *c, shaw_result result, const DLTensor *vectors,
                       const DLTensor *table, const DLTensor *scores, DLTensor *out, posenc_error *error) {
    posenc_shaw_options o = c->options;
    posenc_view view;
    int64_t offsets[4];
    memcpy(offsets, c->offsets, sizeof offsets);
    if (c->with_offsets) o.offsets = posenc_view_make(&view, offsets, POSENC_I64, 1, &c->batch, NULL);
    switch (result) {
        case SHAW_SCORES:
            return posenc_shaw_scores(context, &o, vectors, table, out, error);
        case SHAW_DQ:
            return posenc_shaw_scores_backward(context, &o, vectors, table, scores, out, NULL, error);
        case SHAW_DTABLE:
            return posenc_shaw_scores_backward(context, &o, vectors, table, scores, NULL, out, error);
        case SHAW_VALUES:
            return posenc_shaw_values(context, &o, scores, table, out, error);
        case SHAW_DATTENTION:
            return posenc_shaw_values_backward(context, &o, scores, table, vectors, out, NULL, error);
        default:
            return posenc_shaw_values_backward(context, &o, scores, table, vectors, NULL, out, error);
    }
}

void must_shaw(const posenc_context *context, const shaw_case *c, shaw_result result, const void *vectors,
               const void *table, const void *scores, void *out) {
    posenc_view views[4];
    int64_t shape[4];
    int rank;
    void *inputs[3];
    memcpy(&inputs[0], &vectors, sizeof vectors);
    memcpy(&inputs[1], &table, sizeof table);
    memcpy(&inputs[2], &scores, sizeof scores);
    posenc_error error = {.message = ""};
    shaw_vectors(c, shape);
    DLTensor *v = posenc_view_make(&views[0], inputs[0], c->dtype, 4, shape, NULL);
    shaw_table(c, shape);
    DLTensor *t = posenc_view_make(&views[1], inputs[1], c->dtype, 2, shape, NULL);
    shaw_scores(c, shape);
    DLTensor *s = posenc_view_make(&views[2], inputs[2], c->dtype, 4, shape, NULL);
    shaw_output(c, result, &rank, shape);
    DLTensor *o = posenc_view_make(&views[3], out, c->dtype, rank, shape, NULL);
    check(shaw_run(context, c, result, v, t, s, o, &error) == POSENC_OK, "%s of %s: %s", shaw_names[result],
          shaw_text(c), error.message);
}

static int64_t row_of(const shaw_case *c, int64_t batch, int64_t i, int64_t j) {
    int64_t position = (c->with_offsets ? c->offsets[batch] : c->options.offset) + i, clip = c->options.clip;
    int64_t distance = c->options.direction == POSENC_DIRECTION_QUERY_MINUS_KEY ? position - j : j - position;
    return (distance < -clip ? -clip : distance > clip ? clip : distance) + clip;
}

void shaw_slow(const shaw_case *c, shaw_result result, const double *vectors, const double *table, const double *scores,
               long double *out, long double *sizes) {
    int64_t shape[4];
    int rank;
    int64_t n = shaw_output(c, result, &rank, shape);
    long double scale = result < SHAW_VALUES ? (long double)c->options.scale : 1;
    for (int64_t i = 0; i < n; i++) out[i] = sizes[i] = 0;
    for (int64_t at = 0; at < c->batch * c->heads * c->queries * c->keys; at++) {
        int64_t query = at / c->keys, r = row_of(c, query / c->queries / c->heads, query % c->queries, at % c->keys);
        for (int64_t l = 0; l < c->d; l++) {
            long double x = vectors ? (long double)vectors[query * c->d + l] : 0;
            long double a = table ? (long double)table[r * c->d + l] : 0, s = scores ? (long double)scores[at] : 0;
            bool to_scores = result == SHAW_SCORES || result == SHAW_DATTENTION;
            long double term = scale * (to_scores ? x * a : rank == 2 ? s * x : s * a);
            int64_t to = to_scores ? at : rank == 2 ? r * c->d + l : query * c->d + l;
            out[to] += term;
            sizes[to] += fabsl(term);
        }
    }
}

bool relative_accepts(posenc_dtype worked, posenc_dtype dtype, double got, long double want, long double size) {
    static const long double rounding[] = {
        [POSENC_F32] = 0x1p-24L, [POSENC_F64] = 0x1p-53L, [POSENC_F16] = 0x1p-11L, [POSENC_BF16] = 0x1p-8L};
    long double bound = size * (worked == POSENC_F64 ? 1e-14L : 2e-6L) + fabsl(want) * 1.01L * rounding[dtype];
    if (dtype == POSENC_F16) bound += 0x1p-25L; /* half a unit of the subnormal ones */
    if (dtype == POSENC_F16 && isinf(got)) return fabsl(want) + bound >= 65504 && (got > 0) == (want > 0);
    return fabsl((long double)got - want) <= bound;
}
