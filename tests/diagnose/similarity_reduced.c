/* The reduced matrix beside the means of the whole one's cells. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <posenc/posenc.h>

#include "diagnose/cosines.h"
#include "support/tensors.h"
#include "support/test.h"

/* Mean of what there is in rows first..end-1 and columns left..right-1. */
static double plain_mean(const float *matrix, int64_t length, int64_t first, int64_t end, int64_t left, int64_t right) {
    double sum = 0, n = 0;
    for (int64_t i = first; i < end; i++)
        for (int64_t j = left; j < right; j++)
            if (!isnan(matrix[i * length + j])) sum += (double)matrix[i * length + j], n++;
    return n > 0 ? sum / n : (double)NAN;
}

static void check_reduced(const posenc_similarity *similarity, const float *matrix, int64_t side) {
    int64_t length = posenc_similarity_length(similarity);
    float *reduced = must_reduced(similarity, side);
    for (int64_t i = 0; i < side; i++)
        for (int64_t j = 0; j < side; j++) {
            double want = plain_mean(matrix, length, i * length / side, (i + 1) * length / side, j * length / side,
                                     (j + 1) * length / side);
            double got = (double)reduced[i * side + j];
            check(isnan(want) ? isnan(got) : fabs(want - got) <= 1e-6,
                  "length %lld, side %lld, cell %lld, %lld: expected %.9g, got %.9g", (long long)length,
                  (long long)side, (long long)i, (long long)j, want, got);
            check(isnan(got) || (got >= -1 && got <= 1 && reduced[i * side + j] == reduced[j * side + i]),
                  "side %lld, cell %lld, %lld: %.9g", (long long)side, (long long)i, (long long)j, got);
        }
    free(reduced);
}

static void test_cells_are_means(void **state) {
    (void)state;
    for (int n = 0; n < n_cosine_lengths; n++) {
        int64_t length = cosine_lengths[n], dim = 9 + n;
        float *table = random_table("reduced", length, dim);
        for (int64_t row = 0; row < length; row += 31) table[row * dim] = row % 2 ? NAN : -2;
        for (int64_t row = 100; row < 140 && row < length; row++) memset(table + row * dim, 0, (size_t)dim * 4);
        posenc_similarity *similarity = must_similarity(NULL, POSENC_F32, table, length, dim);
        float *matrix = must_matrix(similarity);
        const int64_t sides[] = {1, 2, 3, 7, 16, 100, length / 2, length - 1, length};
        for (size_t s = 0; s < sizeof sides / sizeof *sides; s++)
            if (sides[s] >= 1 && sides[s] <= length) check_reduced(similarity, matrix, sides[s]);
        float *whole = must_reduced(similarity, length);
        must_equal("side = length", POSENC_F32, matrix, whole, length * length);
        free(whole);
        free(matrix);
        posenc_similarity_destroy(similarity);
        free(table);
    }
}

static void test_a_run_with_one_direction(void **state) {
    (void)state;
    float table[4][3] = {{1, 2, 4}, {0, 0, 0}, {NAN, 0, 1}, {1, 1, -3}};
    posenc_similarity *similarity = must_similarity(NULL, POSENC_F32, table, 4, 3);
    float *reduced = must_reduced(similarity, 2);
    check(reduced[0] == 1 && reduced[3] == 1, "%.9g and %.9g on the diagonal", (double)reduced[0], (double)reduced[3]);
    free(reduced);
    posenc_similarity_destroy(similarity);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_cells_are_means),
                                       cmocka_unit_test(test_a_run_with_one_direction)};
    return TEST_RUN(tests);
}
