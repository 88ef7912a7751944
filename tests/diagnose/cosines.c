#include "diagnose/cosines.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "support/number.h"
#include "support/tensors.h"
#include "support/test.h"

const int64_t cosine_lengths[] = {1, 2, 3, 15, 16, 17, 63, 64, 65, 239, 240, 241, 479, 480, 481, 700};
const int n_cosine_lengths = sizeof cosine_lengths / sizeof *cosine_lengths;

posenc_similarity *must_similarity(const posenc_context *context, posenc_dtype dtype, const void *table, int64_t length,
                                   int64_t dim) {
    posenc_view view;
    posenc_error error = {0};
    posenc_similarity *similarity = NULL;
    void *data;
    memcpy(&data, &table, sizeof data); /* DLTensor has no const; the table is only read */
    DLTensor *tensor = posenc_view_make(&view, data, dtype, 2, (int64_t[]){length, dim}, NULL);
    check(posenc_similarity_create(context, tensor, &similarity, &error) == POSENC_OK, "%s", error.message);
    check(posenc_similarity_length(similarity) == length, "a length of %lld",
          (long long)posenc_similarity_length(similarity));
    return similarity;
}

void must_cosines(const posenc_similarity *similarity, int64_t first, int64_t rows, float *out) {
    posenc_view view;
    posenc_error error = {0};
    const int64_t shape[] = {rows, posenc_similarity_length(similarity)};
    DLTensor *tensor = posenc_view_make(&view, out, POSENC_F32, 2, shape, NULL);
    check(posenc_similarity_rows(similarity, first, tensor, &error) == POSENC_OK, "%s", error.message);
}

float *must_matrix(const posenc_similarity *similarity) {
    int64_t length = posenc_similarity_length(similarity);
    float *out = must_allocate((size_t)(length * length) * sizeof *out);
    must_cosines(similarity, 0, length, out);
    return out;
}

float *must_reduced(const posenc_similarity *similarity, int64_t side) {
    posenc_view view;
    posenc_error error = {0};
    float *out = must_allocate((size_t)(side * side) * sizeof *out);
    DLTensor *tensor = posenc_view_make(&view, out, POSENC_F32, 2, (int64_t[]){side, side}, NULL);
    check(posenc_similarity_reduced(similarity, tensor, &error) == POSENC_OK, "%s", error.message);
    return out;
}

double plain_cosine(const double *a, const double *b, int64_t dim) {
    long double aa = 0, bb = 0, ab = 0;
    for (int64_t i = 0; i < dim; i++) {
        aa += (long double)a[i] * (long double)a[i];
        bb += (long double)b[i] * (long double)b[i];
        ab += (long double)a[i] * (long double)b[i];
    }
    if (!(aa > 0 && bb > 0 && isfinite(aa) && isfinite(bb))) return (double)NAN;
    return (double)(ab / sqrtl(aa) / sqrtl(bb));
}

double *doubles_of(posenc_dtype dtype, const void *table, int64_t n) {
    double *out = must_allocate((size_t)n * sizeof *out);
    size_t bytes = posenc_dtype_bytes(dtype);
    for (int64_t i = 0; i < n; i++)
        out[i] = number_decode(dtype, number_load(dtype, (const char *)table + (size_t)i * bytes));
    return out;
}

float *random_table(const char *name, int64_t length, int64_t dim) {
    random_state random = random_start(name);
    float *table = must_allocate((size_t)(length * dim) * sizeof *table);
    random_fill_f32(&random, table, length * dim);
    return table;
}
