#include "match_makers.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/number.h"
#include "support/test.h"

made made_empty(int64_t rows, int64_t dim, posenc_dtype dtype) {
    made m = {.memory = must_allocate((size_t)(rows * dim) * posenc_dtype_bytes(dtype))};
    m.table = (posenc_table){m.memory, dtype, rows, dim, dim, 1};
    return m;
}

void made_free(made *m) { free(m->memory); }

made made_sinusoidal(const plan_shape *shape, int64_t start, int64_t rows, posenc_dtype dtype) {
    made m = made_empty(rows, shape->dim, dtype);
    posenc_plan *plan = must_plan(NULL, shape);
    must_write(plan, start, rows, dtype, m.memory);
    posenc_plan_destroy(plan);
    return m;
}

made made_at(const plan_shape *shape, const int64_t *positions, int64_t rows, posenc_dtype dtype) {
    made m = made_empty(rows, shape->dim, dtype);
    posenc_plan *plan = must_plan(NULL, shape);
    must_write_ids(plan, POSENC_I64, positions, rows, dtype, m.memory);
    posenc_plan_destroy(plan);
    return m;
}

static char *element(const made *m, int64_t row, int64_t column) {
    return m->memory + (size_t)(row * m->table.dim + column) * posenc_dtype_bytes(m->table.dtype);
}

double made_get(const made *m, int64_t row, int64_t column) {
    return number_decode(m->table.dtype, number_load(m->table.dtype, element(m, row, column)));
}

void made_put(made *m, int64_t row, int64_t column, double value) {
    number_store(m->table.dtype, number_encode(m->table.dtype, value), element(m, row, column));
}

made made_by(maker *make, void *with, int64_t rows, int64_t dim, posenc_dtype dtype) {
    made m = made_empty(rows, dim, dtype);
    for (int64_t r = 0; r < rows; r++)
        for (int64_t c = 0; c < dim; c++) made_put(&m, r, c, make(with, r, c));
    return m;
}

static void check_members(const posenc_match *match) {
    check(match->arithmetic >= POSENC_ARITHMETIC_EXACT && match->arithmetic <= POSENC_ARITHMETIC_FLOAT32_EXP &&
              match->layout >= POSENC_LAYOUT_INTERLEAVED && match->layout <= POSENC_LAYOUT_TENSOR2TENSOR,
          "unset: %s", match_text(match));
    check(match->rows >= match->rows_fit && match->rows_fit >= 0 && match->rms_error <= match->max_error,
          "not a count: %s", match_text(match));
    if (!match->scheme) return;
    check(strcmp(match->scheme, "sinusoidal") == 0 && match->base >= 1e-6 && match->base <= 1e30 && match->start >= 0 &&
              match->start <= 2 && match->rows_fit > 0,
          "out of range: %s", match_text(match));
    check(match->doubled_exponent == (match->base_is_known && match->base == 1e8), "doubled: %s", match_text(match));
}

posenc_match must_match(const made *m) {
    posenc_match match, again;
    memset(&match, 0x5A, sizeof match);
    memset(&again, 0xA5, sizeof again);
    posenc_error error = {0};
    check(posenc_match_table(NULL, &m->table, &match, &error) == POSENC_OK, "%s", error.message);
    check(posenc_match_table(NULL, &m->table, &again, NULL) == POSENC_OK, "the second time");
    check(match.scheme == again.scheme && match.layout == again.layout && match.cos_first == again.cos_first &&
              memcmp(&match.base, &again.base, sizeof match.base) == 0 && match.start == again.start &&
              match.arithmetic == again.arithmetic && match.rows_fit == again.rows_fit &&
              memcmp(&match.max_error, &again.max_error, 2 * sizeof match.max_error) == 0,
          "another answer the second time: %s", match_text(&match));
    check_members(&match);
    return match;
}

/* The logarithm of the frequency of a column; *sine says which part it is. NaN: a column of zeros. */
static double log_frequency(const posenc_match *match, int64_t dim, int64_t column, bool *sine) {
    int64_t h = dim / 2, i = match->layout == POSENC_LAYOUT_INTERLEAVED ? column / 2 : h > 0 ? column % h : 0;
    bool second = match->layout == POSENC_LAYOUT_INTERLEAVED ? column % 2 != 0 : column >= h;
    double exponent = 0;
    if (match->layout != POSENC_LAYOUT_INTERLEAVED && column >= 2 * h) return (double)NAN;
    if (match->layout == POSENC_LAYOUT_INTERLEAVED) exponent = 2.0 * (double)i / (double)dim;
    if (match->layout == POSENC_LAYOUT_HALVES) exponent = (double)i / (double)h;
    if (match->layout == POSENC_LAYOUT_TENSOR2TENSOR) exponent = h > 1 ? (double)i / (double)(h - 1) : 0;
    *sine = second == (match->cos_first != 0);
    return -exponent * log(match->base);
}

double formula_value(const posenc_match *match, int64_t dim, int64_t position, int64_t column) {
    bool sine = false;
    double frequency = exp(log_frequency(match, dim, column, &sine));
    if (isnan(frequency)) return 0;
    return sine ? sin((double)position * frequency) : cos((double)position * frequency);
}

static bool value_agrees(const posenc_match *match, const made *m, int64_t row, int64_t column) {
    static const double relative[] = {
        [POSENC_F32] = 0x1p-22, [POSENC_F64] = 0x1p-24, [POSENC_F16] = 0x1p-10, [POSENC_BF16] = 0x1p-7};
    double smallest = m->table.dtype == POSENC_F16 ? 0x1p-24 : 0x1p-126;
    bool sine = false;
    double fall = log_frequency(match, m->table.dim, column, &sine), position = (double)(row + match->start);
    double expected = formula_value(match, m->table.dim, row + match->start, column);
    double angle = isnan(fall) ? 0 : position * exp(fall);
    double bound = angle * 0x1p-23 * (4 + fabs(isnan(fall) ? 0 : fall)) + smallest;
    if (!match->base_is_known) bound += angle * relative[m->table.dtype];
    return fabs(made_get(m, row, column) - expected) <= bound + relative[m->table.dtype] * fabs(expected);
}

bool makes_table(const posenc_match *match, const made *m) {
    int64_t step = m->table.rows > 200 ? m->table.rows / 50 : 1;
    for (int64_t r = 0; r < m->table.rows; r += r < 64 ? 1 : step)
        for (int64_t c = 0; c < m->table.dim; c++)
            if (!value_agrees(match, m, r, c)) return false;
    return true;
}

const char *match_text(const posenc_match *match) {
    static const char *const layouts[] = {"interleaved", "halves", "tensor2tensor"};
    static const char *const arithmetics[] = {"exact", "float32", "float32-exp"};
    static char text[320];
    if (!match->scheme) return "no formula";
    snprintf(text, sizeof text,
             "%s%s base %.17g (%s) start %" PRId64 "%s %s, max %.3g rms %.3g, rows %" PRId64 " of %" PRId64,
             layouts[match->layout % 3u], match->cos_first ? " cos-first" : "", match->base,
             match->base_is_known ? "known" : "unknown", match->start, match->doubled_exponent ? " doubled" : "",
             arithmetics[match->arithmetic % 3u], match->max_error, match->rms_error, match->rows_fit, match->rows);
    return text;
}
