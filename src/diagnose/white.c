#include "diagnose/white.h"

#include <math.h>

enum { FEWEST_ROWS = 8, FEWEST_CHANNELS = 8, MOST_SPLITS = 64 };

static const double sure = 8;           /* standard deviations between a part and the rest */
static const double clear_cosine = 0.1; /* and as much in numbers */
static const double clear_size = 0.2;

/* The rows in their order or from the end on, so that a beginning is an end. */
typedef struct view {
    const posenc_row_statistics *rows;
    int64_t n, dim;
    bool backward;
} view;

static posenc_row_statistics row_at(const view *v, int64_t i) { return v->rows[v->backward ? v->n - 1 - i : i]; }

/* Sums over a part. */
typedef struct sums {
    double n, size, squares; /* of sizes */
    double pairs, cosine;
} sums;

static void add(sums *s, posenc_row_statistics row, double sign) {
    if (!isnan(row.size)) s->n += sign, s->size += sign * row.size, s->squares += sign * row.size * row.size;
    if (!isnan(row.cosine)) s->pairs += sign, s->cosine += sign * row.cosine;
}

static sums sums_of(const view *v, int64_t first, int64_t end) {
    sums s = {0};
    for (int64_t i = first; i < end; i++) add(&s, row_at(v, i), 1);
    return s;
}

static double mean_cosine(const sums *s) { return s->pairs > 0 ? s->cosine / s->pairs : 0; }
static double mean_size(const sums *s) { return s->n > 0 ? s->size / s->n : 0; }

/* For d channels a cosine of white rows varies by 1 / d, the logarithm of a mean square by 2 / d at most. */
static bool is_white(const sums *s, double d) {
    double mean = mean_size(s), variance = s->n > 0 ? s->squares / s->n - mean * mean : 0;
    if (s->n < FEWEST_ROWS || s->pairs < FEWEST_ROWS / 2 || 4 / sqrt(s->pairs * d) > clear_cosine) return false;
    if (fabs(mean_cosine(s)) > 4 / sqrt(s->pairs * d)) return false;
    return variance <= 2 / d * (1 + 2 / d) * (1 + 6 * sqrt(2 / s->n));
}

static double weight(double a, double b) { return a > 0 && b > 0 ? a * b / (a + b) : 0; }

/* How unlike two parts are, in variances of white rows. */
static double contrast(const sums *a, const sums *b, double d) {
    double cosine = mean_cosine(a) - mean_cosine(b), size = mean_size(a) - mean_size(b);
    return d * weight(a->pairs, b->pairs) * cosine * cosine + d / 2 * weight(a->n, b->n) * size * size;
}

/* Where a part is best cut in two. */
static int64_t best_split(const view *v, int64_t first) {
    sums left = {0}, right = sums_of(v, first, v->n);
    double best = 0;
    int64_t at = v->n;
    for (int64_t i = first; i + 1 < v->n; i++) {
        add(&left, row_at(v, i), 1);
        add(&right, row_at(v, i), -1);
        double found = contrast(&left, &right, (double)v->dim);
        if (found > best) best = found, at = i + 1;
    }
    return at;
}

static bool is_apart(const sums *rest, const sums *part, double d) {
    double cosine = mean_cosine(rest) - mean_cosine(part), size = fabs(mean_size(rest) - mean_size(part));
    if (cosine > clear_cosine && cosine * sqrt(d * weight(rest->pairs, part->pairs)) > sure) return true;
    return size > clear_size && size * sqrt(d / 2 * weight(rest->n, part->n)) > sure;
}

/* Cuts the front part off until what is left is white. Returns where that begins; n: nowhere. */
static int64_t white_end(const view *v) {
    double d = (double)v->dim;
    int64_t fewest = v->n / 100 > FEWEST_ROWS ? v->n / 100 : FEWEST_ROWS, first = 0;
    for (int i = 0; i < MOST_SPLITS && v->n - first >= fewest; i++) {
        sums part = sums_of(v, first, v->n), rest = sums_of(v, 0, first);
        int64_t split = best_split(v, first);
        sums left = sums_of(v, first, split), right = sums_of(v, split, v->n);
        bool whole = split >= v->n || !is_apart(&left, &right, d);
        if (whole && is_white(&part, d)) return first == 0 || is_apart(&rest, &part, d) ? first : v->n;
        if (split >= v->n) return v->n;
        first = split;
    }
    return v->n;
}

posenc_white_rows posenc_white_find(const posenc_row_statistics *rows, int64_t n, int64_t dim) {
    view v = {.rows = rows, .n = n, .dim = dim};
    if (dim < FEWEST_CHANNELS) return (posenc_white_rows){0, -1};
    int64_t first = white_end(&v);
    if (first < n) return (posenc_white_rows){first, n - 1};
    v.backward = true;
    first = white_end(&v);
    return (posenc_white_rows){0, n - 1 - first};
}
