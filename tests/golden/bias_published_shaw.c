/* Clipped relative vectors (Shaw et al. 2018) beside BERT's relative_key, Wav2Vec2-BERT, SpeechT5 and VITS
 * (scripts/golden/biases.py). Their tables end at distances low and high, not always the same both ways; further on
 * they repeat the row at the edge, or zeros. posenc's table of 2 K + 1 rows says each of these with K the further end
 * (one more for zeros) and rows repeated. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bias_published_file.h"
#include "support/tensors.h"
#include "support/test.h"

/* A published table, and the same as posenc takes it. */
typedef struct shaw_case {
    posenc_shaw_options options;
    float *rows; /* 2 K + 1 of d */
    posenc_view view;
    int64_t d;
} shaw_case;

static double real_setting(const bias_file *f, const char *name) {
    char value[64] = "";
    check(bias_file_setting(f, name, value), "%s: no setting %s", f->name, name);
    return strtod(value, NULL);
}

static bool says(const bias_file *f, const char *name, const char *expected) {
    char value[64] = "";
    check(bias_file_setting(f, name, value), "%s: no setting %s", f->name, name);
    return strcmp(value, expected) == 0;
}

static void expand(shaw_case *c, const bias_file *f, const DLTensor *table) {
    int64_t low = bias_file_number(f, "low"), high = bias_file_number(f, "high"), clip = -low > high ? -low : high;
    bool zeros = says(f, "beyond", "zero");
    assert_int_equal(table->shape[0], high - low + 1);
    clip += zeros;
    c->d = table->shape[1];
    c->rows = must_allocate((size_t)((2 * clip + 1) * c->d) * sizeof *c->rows);
    for (int64_t distance = -clip; distance <= clip; distance++) {
        int64_t at = distance < low ? low : distance > high ? high : distance;
        float *row = c->rows + (distance + clip) * c->d;
        memcpy(row, bias_file_floats(table) + (at - low) * c->d, (size_t)c->d * sizeof *row);
        for (int64_t k = 0; zeros && at != distance && k < c->d; k++) row[k] = 0;
    }
    c->options.clip = clip;
    posenc_view_make(&c->view, c->rows, POSENC_F32, 2, (int64_t[]){2 * clip + 1, c->d}, NULL);
}

/* *c stays where it is: its view points into itself. */
static void case_read(shaw_case *c, const bias_file *f, const DLTensor *table) {
    posenc_shaw_default(&c->options, sizeof c->options);
    expand(c, f, table);
    c->options.scale = real_setting(f, "scale");
    c->options.offset = bias_file_number(f, "offset");
    c->options.direction =
        says(f, "direction", "query-minus-key") ? POSENC_DIRECTION_QUERY_MINUS_KEY : POSENC_DIRECTION_KEY_MINUS_QUERY;
}

/* The row of query i and key j, from the article. */
static const float *row_of(const shaw_case *c, int64_t i, int64_t j) {
    int64_t distance = j - (i + c->options.offset), clip = c->options.clip;
    if (c->options.direction == POSENC_DIRECTION_QUERY_MINUS_KEY) distance = -distance;
    if (distance < -clip) distance = -clip;
    if (distance > clip) distance = clip;
    return c->rows + (distance + clip) * c->d;
}

/* Of the sum of the sizes of the terms. Both sides add up 8 terms or fewer in f32, or up to 14 whose sum is 1, in orders
 * of their own; measured below 2e-7. */
static const double tolerance = 5e-7;

static void check_near(const bias_file *f, const char *what, const DLTensor *want, int64_t at, float got,
                       double sizes) {
    int64_t columns = want->shape[3], rows = want->shape[2];
    double expected = (double)bias_file_floats(want)[at];
    check(fabs((double)got - expected) <= tolerance * sizes,
          "%s: %s of head %lld of all, row %lld, column %lld: expected %.9g, got %.9g", f->name, what,
          (long long)(at / (rows * columns)), (long long)(at / columns % rows), (long long)(at % columns), expected,
          (double)got);
}

static void check_scores(bias_file *f, const shaw_case *c) {
    const DLTensor *q = bias_file_tensor(f, "q"), *want = bias_file_tensor(f, "scores");
    int64_t queries = want->shape[2], keys = want->shape[3], n = bias_file_elements(want);
    float *got = must_allocate((size_t)n * sizeof *got);
    posenc_view view;
    posenc_error error = {.message = ""};
    DLTensor *out = posenc_view_make(&view, got, POSENC_F32, 4, want->shape, NULL);
    check(posenc_shaw_scores(NULL, &c->options, q, &c->view.tensor, out, &error) == POSENC_OK, "%s: %s", f->name,
          error.message);
    for (int64_t at = 0; at < n; at++) {
        const float *query = bias_file_floats(q) + at / keys * c->d, *row = row_of(c, at / keys % queries, at % keys);
        double sizes = 0;
        for (int64_t k = 0; k < c->d; k++) sizes += fabs((double)query[k] * (double)row[k] * c->options.scale);
        check_near(f, "scores", want, at, got[at], sizes);
    }
    free(got);
}

static void check_values(bias_file *f) {
    const DLTensor *attention = bias_file_tensor(f, "attention"), *want = bias_file_tensor(f, "values");
    shaw_case c;
    case_read(&c, f, bias_file_tensor(f, "value_table"));
    int64_t queries = want->shape[2], keys = attention->shape[3], n = bias_file_elements(want);
    float *got = must_allocate((size_t)n * sizeof *got);
    posenc_view view;
    posenc_error error = {.message = ""};
    DLTensor *out = posenc_view_make(&view, got, POSENC_F32, 4, want->shape, NULL);
    check(posenc_shaw_values(NULL, &c.options, attention, &c.view.tensor, out, &error) == POSENC_OK, "%s: %s", f->name,
          error.message);
    for (int64_t at = 0; at < n; at++) {
        const float *weights = bias_file_floats(attention) + at / c.d * keys;
        double sizes = 0;
        for (int64_t j = 0; j < keys; j++)
            sizes += fabs((double)weights[j] * (double)row_of(&c, at / c.d % queries, j)[at % c.d]);
        check_near(f, "values", want, at, got[at], sizes);
    }
    free(got);
    free(c.rows);
}

/* (queries, keys, d), a copy: without tolerance. */
static void check_explicit(bias_file *f, const shaw_case *c) {
    const DLTensor *want = bias_file_tensor(f, "explicit");
    int64_t n = bias_file_elements(want);
    float *got = must_allocate((size_t)n * sizeof *got);
    posenc_view view;
    posenc_error error = {.message = ""};
    DLTensor *out = posenc_view_make(&view, got, POSENC_F32, 3, want->shape, NULL);
    check(posenc_shaw_write(NULL, &c->options, &c->view.tensor, out, &error) == POSENC_OK, "%s: %s", f->name,
          error.message);
    for (int64_t at = 0; at < n; at++)
        check(got[at] == bias_file_floats(want)[at], "%s: explicit, element %lld: expected %.9g, got %.9g", f->name,
              (long long)at, (double)bias_file_floats(want)[at], (double)got[at]);
    free(got);
}

static void test_shaw(void **state) {
    (void)state;
    bias_file file;
    int found = 0, with_values = 0, with_explicit = 0;
    for (bias_file_open(&file, "shaw"); bias_file_next(&file); found++) {
        shaw_case c;
        case_read(&c, &file, bias_file_tensor(&file, "table"));
        check_scores(&file, &c);
        if (bias_file_has(&file, "values")) check_values(&file), with_values++;
        if (bias_file_has(&file, "explicit")) check_explicit(&file, &c), with_explicit++;
        free(c.rows);
    }
    assert_true(found == 10 && with_values == 2 && with_explicit == 2);
    bias_file_close(&file);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_shaw)};
    return TEST_RUN(tests);
}
