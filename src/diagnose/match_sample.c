/* Which rows are looked at, and how finely their values are rounded. All rows of a short table; of a long one its first
 * thousand, where positions are small and every arithmetic is still exact, and some thousands spread over the rest. */
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/half.h"
#include "base/memory.h"
#include "diagnose/match_parts.h"

posenc_grain posenc_grain_of(posenc_dtype dtype) {
    /* f32 and f64: four ulps, since not every library's sine is the best; f32 subnormals may have been flushed. The
     * 16-bit types are rounded from a finer one: half an ulp and a quarter of it. */
    static const posenc_grain grains[] = {
        [POSENC_F32] = {0x1p-22, 0x1p-126, 24},
        [POSENC_F64] = {0x1p-50, 0x1p-1022, 53},
        [POSENC_F16] = {1.25 * 0x1p-11, 0x1p-24, 11},
        [POSENC_BF16] = {1.25 * 0x1p-8, 0x1p-126, 8},
    };
    return grains[dtype];
}

bool posenc_sample_agrees(const posenc_sample *sample, int64_t head_rows, int64_t rows, bool strictly) {
    if (sample->n <= 4) return rows == sample->n;
    if (4 * head_rows >= 3 * sample->n_head) return true;
    return !strictly && sample->n > sample->n_head && 2 * rows >= sample->n;
}

/* ---- grain ---- */

enum { HOLDS_F32 = 1, HOLDS_F16 = 2, HOLDS_BF16 = 4, HOLDS_ALL = 7 };

static int holds_value(double value) {
    float single = (float)value;
    if ((double)single != value) return 0;
    int held = HOLDS_F32;
    if ((posenc_f32_bits(single) & 0xFFFFu) == 0) held |= HOLDS_BF16;
    if (posenc_f32_of_f16(posenc_f16_of_f32(single)) == single) held |= HOLDS_F16;
    return held;
}

/* Which coarser dtypes hold a row. Ends at the first value that none of them does. */
static int holds_row(posenc_dtype dtype, const double *values, int64_t n) {
    int held = dtype == POSENC_F64 ? HOLDS_ALL : dtype == POSENC_F32 ? HOLDS_F16 | HOLDS_BF16 : 0;
    for (int64_t c = 0; c < n && held; c++) held &= holds_value(values[c]);
    return held;
}

typedef struct grain_count {
    int64_t f32, f16, bf16;
} grain_count;

static void count_grain(grain_count *count, int held) {
    count->f32 += (held & HOLDS_F32) != 0;
    count->f16 += (held & HOLDS_F16) != 0;
    count->bf16 += (held & HOLDS_BF16) != 0;
}

static posenc_dtype coarsest(const grain_count *count, int64_t n, posenc_dtype dtype) {
    if (2 * count->bf16 > n) return POSENC_BF16;
    if (2 * count->f16 > n) return POSENC_F16;
    if (2 * count->f32 > n) return POSENC_F32;
    return dtype;
}

/* ---- rows ---- */

static bool usable(const double *values, int64_t n) {
    double sum = 0, product = 0; /* product is NaN as soon as a value is not finite */
    for (int64_t c = 0; c < n; c++) {
        sum += fabs(values[c]);
        product += values[c] * 0;
    }
    return product == 0 && (sum != 0 || n == 1);
}

static void look_at(posenc_sample *s, int64_t row, grain_count *count) {
    posenc_table_row(s->table, row, s->values);
    if (!usable(s->values, s->table->dim)) return;
    s->rows[s->n++] = row;
    count_grain(count, holds_row(s->table->dtype, s->values, s->table->dim));
}

/* Row k of n that are spread evenly over first..last. n > 1. */
static int64_t spread(int64_t first, int64_t last, int64_t k, int64_t n) {
    int64_t span = last - first, whole = span / (n - 1), rest = span % (n - 1);
    return first + whole * k + rest * k / (n - 1);
}

static void choose(posenc_sample *s) {
    grain_count count = {0, 0, 0};
    int64_t all = s->table->rows, row = 0;
    int64_t lead = all <= POSENC_MATCH_ROWS ? all : POSENC_MATCH_ROWS;
    int64_t wanted = all <= POSENC_MATCH_ROWS ? all : POSENC_MATCH_LEAD;
    for (; row < lead && s->n < wanted; row++) look_at(s, row, &count);
    int64_t n = POSENC_MATCH_ROWS - s->n;
    if (all - row <= n) {
        for (; row < all; row++) look_at(s, row, &count);
    } else {
        for (int64_t k = 0; k < n; k++) look_at(s, spread(row, all - 1, k, n), &count);
    }
    s->n_head = s->n < POSENC_MATCH_HEAD ? s->n : POSENC_MATCH_HEAD;
    s->grain = coarsest(&count, s->n, s->table->dtype);
}

posenc_status posenc_sample_create(posenc_sample *sample, const posenc_context *context, const posenc_table *table,
                                   posenc_error *error) {
    size_t room = table->rows < POSENC_MATCH_ROWS ? (size_t)table->rows : POSENC_MATCH_ROWS;
    size_t bytes = (size_t)table->dim * sizeof(double) + room * (sizeof(int64_t) + 3);
    char *memory = posenc_allocate(context, bytes);
    if (!memory) return posenc_fail_memory(error, "match", bytes);
    memset(memory, 0, bytes);
    *sample = (posenc_sample){.context = context, .table = table};
    sample->values = (double *)(void *)memory;
    sample->rows = (int64_t *)(void *)(sample->values + table->dim);
    sample->good = (unsigned char *)(sample->rows + room);
    sample->fits = sample->good + room;
    sample->kept = sample->fits + room;
    choose(sample);
    return POSENC_OK;
}

void posenc_sample_destroy(posenc_sample *sample) { posenc_release(sample->context, sample->values); }
