/* Slopes and biases of ALiBi beside BLOOM's, MPT's and Falcon's code (scripts/golden/biases.py), for numbers of heads
 * that are powers of two and others. Which form of posenc says the same stands in the file:
 *     BLOOM, Falcon   m j, a row for all queries                         key
 *     MPT             m (j - (keys - 1)), the row of the last query      causal
 *     BLOOM, padded   m (j - padding), the row of the first real token   causal
 * Two comparisons. With the published slopes, given as a list, every bias is the same to the bit. With posenc's own
 * slopes, each the nearest double, biases differ by the published float32 error of a slope, which is bounded here. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bias_published_file.h"
#include "support/number.h"
#include "support/tensors.h"
#include "support/test.h"

enum { MOST_HEADS = 128, LARGEST_EXACT = 256 };

/* The bias of each head at one number, that which slopes are multiplied by; also decoded from bf16. */
static void biases_at(const posenc_plan *plan, bool key_form, bool bf16, int64_t number, int64_t heads, double *out) {
    float wide[MOST_HEADS];
    uint16_t narrow[MOST_HEADS];
    int64_t position = key_form || number > 0 ? 0 : -number;
    posenc_view view;
    posenc_error error = {.message = ""};
    posenc_bias_extent extent;
    posenc_bias_extent_default(&extent, sizeof extent);
    extent.queries = 1, extent.offset = position;
    extent.first_key = position + number, extent.n_keys = 1, extent.keys = extent.first_key + 1;
    posenc_view_make(&view, bf16 ? (void *)narrow : wide, bf16 ? POSENC_BF16 : POSENC_F32, 3, (int64_t[]){heads, 1, 1},
                     NULL);
    check(posenc_bias_write(plan, &extent, NULL, &view.tensor, &error) == POSENC_OK, "%s", error.message);
    for (int64_t h = 0; h < heads; h++) out[h] = bf16 ? number_decode(POSENC_BF16, narrow[h]) : (double)wide[h];
}

/* The published slopes as a parameter. */
static posenc_plan *plan_with_slopes(const bias_file *f, const DLTensor *slopes) {
    enum { EACH = 32 };
    char *text = must_allocate((size_t)slopes->shape[0] * EACH + 16), *at = text + sprintf(text, "slopes=");
    for (int64_t h = 0; h < slopes->shape[0]; h++)
        at += sprintf(at, "%s%.17g", h ? "," : "", (double)bias_file_floats(slopes)[h]);
    posenc_plan *plan = bias_file_plan(f, "alibi", text);
    free(text);
    return plan;
}

/* How far published biases may lie from posenc's own, relatively; products are rounded once on both sides.
 * BLOOM raises a float32 base to a whole power k: k times the rounding of the base, for which one more pays here with
 * all that is rounded later; measured 12.4 units of 2^-24, 11 ulps of a slope, with 128 heads. MPT takes 1/2^x of exact
 * x: measured 1.93 units, 1 ulp of a slope. Falcon rounds slopes, numbers and products to the 8 bits of bf16, and so
 * does posenc with products alone: measured below 2^-7. */
static double slope_error(const bias_file *f, int64_t head, int64_t heads) {
    int64_t power = 1;
    while (2 * power <= heads) power *= 2;
    double k = (double)(head < power ? head + 1 : 2 * (head - power) + 1);
    if (strncmp(f->name, "falcon", 6) == 0) return 0x1p-7;
    return strncmp(f->name, "bloom", 5) == 0 ? fmin(k + 1, 12.5) * 0x1p-24 : 0x1p-23;
}

static void check_number(const bias_file *f, const posenc_plan *own, const posenc_plan *listed, int64_t number,
                         int64_t column, const DLTensor *bias) {
    char form[64] = "";
    double by_own[MOST_HEADS], by_list[MOST_HEADS];
    int64_t heads = bias->shape[0];
    bool bf16 = strncmp(f->name, "falcon", 6) == 0;
    assert_true(bias_file_setting(f, "form", form));
    if (own) biases_at(own, strcmp(form, "key") == 0, bf16, number, heads, by_own);
    biases_at(listed, strcmp(form, "key") == 0, bf16, number, heads, by_list);
    for (int64_t h = 0; h < heads; h++) {
        double want = (double)bias_file_floats(bias)[h * bias->shape[1] + column];
        double error = bf16 && number == 1 ? 0 : slope_error(f, h, heads); /* Falcon's slopes themselves are posenc's */
        bool exact = !bf16 || number <= LARGEST_EXACT; /* further on Falcon's bf16 numbers are not the keys' */
        double slack = exact ? 0 : 0x1p-7 * fabs(want);
        check(fabs(by_list[h] - want) <= slack, "%s, slopes listed, head %lld at %lld: expected %.9g, got %.9g",
              f->name, (long long)h, (long long)number, want, by_list[h]);
        check(!own || fabs(by_own[h] - want) <= error * fabs(want),
              "%s, head %lld at %lld: expected %.9g within %.3g of it, got %.9g", f->name, (long long)h,
              (long long)number, want, error, by_own[h]);
    }
}

static void check_case(bias_file *f) {
    const DLTensor *slopes = bias_file_tensor(f, "slopes"), *numbers = bias_file_tensor(f, "numbers"),
                   *bias = bias_file_tensor(f, "bias");
    bool by_rule = !strstr(f->name, "_max_"); /* alibi_bias_max other than 8 is no rule of posenc's */
    posenc_plan *own = by_rule ? bias_file_plan(f, "alibi", NULL) : NULL, *listed = plan_with_slopes(f, slopes);
    assert_true(slopes->shape[0] <= MOST_HEADS && bias->shape[0] == slopes->shape[0]);
    assert_int_equal(bias->shape[1], bias_file_elements(numbers));
    for (int64_t i = 0; i < bias->shape[1]; i++) check_number(f, own, listed, bias_file_integer(numbers, i), i, bias);
    posenc_plan_destroy(own);
    posenc_plan_destroy(listed);
}

static void test_alibi(void **state) {
    (void)state;
    bias_file file;
    int found = 0;
    for (bias_file_open(&file, "alibi"); bias_file_next(&file); found++) check_case(&file);
    assert_int_equal(found, 2 * 16 + 5 + 2 + 1);
    bias_file_close(&file);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_alibi)};
    return TEST_RUN(tests);
}
