/* The hot loops, one table of them per instruction set. A kernel knows nothing of schemes: no allocation, no
 * validation, no failure. All tables give the same bits: every operation is an IEEE addition, product or conversion in
 * a fixed order, fused only where the contract asks for it.
 *
 * Arrays of doubles that hold one value per pair are "pair arrays": 64-byte aligned and padded to POSENC_PAIR_PAD
 * pairs, so that a kernel may read and compute, but not emit, past the last pair. */
#ifndef POSENC_KERNELS_KERNELS_H
#define POSENC_KERNELS_KERNELS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <posenc/tensor.h>

#include "base/cpu.h"

enum { POSENC_PAIR_PAD = 16, POSENC_DIGIT_ROWS = 33, POSENC_ENCODING_DTYPES = 4, POSENC_PHILOX_PAD = 64 };

static inline size_t posenc_padded_pairs(size_t n) {
    return (n + POSENC_PAIR_PAD - 1) / POSENC_PAIR_PAD * POSENC_PAIR_PAD;
}

/* Sines and cosines to twice the double precision, each the unevaluated sum of two pair arrays. */
typedef struct posenc_seed {
    double *sin_high, *sin_low, *cos_high, *cos_low;
} posenc_seed;

/* One reduced angle per pair: the seed holds, on entry, the sine and cosine of a near multiple of 1/128 turn, and
 * (turn_high + turn_low), at most 1/256 in size, is what remains, in turns. */
typedef struct posenc_seed_job {
    size_t n; /* padded */
    const double *turn_high, *turn_low;
    posenc_seed seed;
} posenc_seed_job;

/* Where sines and cosines stand in an emitted row. */
typedef enum posenc_arrangement {
    POSENC_PLANAR = 0,  /* a plane of firsts, then a plane of seconds */
    POSENC_SIN_COS = 1, /* interleaved */
    POSENC_COS_SIN = 2,
    POSENC_ARRANGEMENTS = 3
} posenc_arrangement;

/* Rows of consecutive digits d = first .. first + count - 1, abs(d) <= 32, below one high phasor:
 *     sin row d = high_sin * cos_d + high_cos * sin_d,  cos row d = high_cos * cos_d - high_sin * sin_d. */
typedef struct posenc_rows_job {
    const double *high_sin, *high_cos; /* pair arrays */
    const double *digit;               /* row r >= 0: sines at digit + r * digit_stride, cosines half a stride on */
    size_t digit_stride;               /* in doubles */
    int first, count;
    char *out; /* first row; elements are contiguous within a row */
    ptrdiff_t row_bytes;
    size_t n_first, n_second; /* pairs whose first and second member are emitted: equal, or one second fewer */
    ptrdiff_t first_bytes, second_bytes; /* planar only: where in the row the planes of sines and of cosines begin */
    bool stream;                         /* write around the caches where alignment allows */
    const char *x;                       /* add_rows only: rows like out, which may be out itself */
    ptrdiff_t x_row_bytes;
    double scale; /* add_rows only */
} posenc_rows_job;

/* A dropout mask: word (i mod 4) of Philox4x32-10 with counter (i div 4, stream) and key seed, for element i; kept
 * where the word is at least threshold, then multiplied by factor. */
typedef struct posenc_dropout {
    bool active;
    uint64_t seed, stream;
    uint64_t threshold; /* 0..2^32 */
    double factor;      /* f32, f16, bf16 use (float)factor */
} posenc_dropout;

/* y = x * scale + e * gain, the last product rounded by itself, n elements, each row contiguous; then dropout, if it is
 * active. */
typedef struct posenc_add_job {
    size_t rows, n;
    const void *x, *e;                   /* e: f32, or f64 when x is f64 */
    void *y;                             /* may be x */
    ptrdiff_t x_bytes, e_bytes, y_bytes; /* from row to row */
    const void *const *e_at;             /* not NULL: where each row of e stands, instead of e and e_bytes */
    const double *gain;                  /* NULL: 1; f32, f16, bf16 use (float)*gain */
    double scale;                        /* f32, f16, bf16 use (float)scale */
    bool stream;
    posenc_dropout dropout;
    uint64_t element; /* index of the first row's first element; the rows follow each other */
} posenc_add_job;

/* sums[j] += x[r][j] * weights[r], one row after the other, where the mask keeps elements[r] + j: rows of a gradient
 * that is summed over tokens. The dropout's factor is left to whoever has the whole sum. */
enum { POSENC_SUM_ROWS = 4 };

typedef struct posenc_sum_rows {
    size_t rows; /* at most POSENC_SUM_ROWS */
    const void *x[POSENC_SUM_ROWS];
    double weights[POSENC_SUM_ROWS];
    uint64_t elements[POSENC_SUM_ROWS];
} posenc_sum_rows;

typedef struct posenc_sum_job {
    size_t n;
    posenc_sum_rows rows;
    const posenc_sum_rows *next; /* those of the next call, which are fetched meanwhile */
    bool weighted;               /* false: every weight is 1 */
    double *sums;
    posenc_dropout dropout;
} posenc_sum_job;

/* sum over j of x[j] * e[j] where the mask keeps element + j, in double: 16 sums by j mod 16, then halves onto halves.
 * The dropout's factor is left to whoever has the whole sum. */
typedef struct posenc_dot_job {
    size_t n;
    const void *x, *e; /* e: f32, or f64 when x is f64 */
    posenc_dropout dropout;
    uint64_t element;
} posenc_dot_job;

/* Where the two members of pair i stand among the 2n channels of n pairs. */
typedef enum posenc_pair_order {
    POSENC_PAIRS_HALVES = 0,      /* i and n + i */
    POSENC_PAIRS_INTERLEAVED = 1, /* 2i and 2i + 1 */
    POSENC_PAIR_ORDERS = 2
} posenc_pair_order;

/* One of the two nested loops over heads: how many, and bytes from one to the next in x, in y and in the rows. */
typedef struct posenc_rotate_loop {
    size_t n;
    ptrdiff_t x_bytes, y_bytes, row_bytes;
} posenc_rotate_loop;

/* Heads whose pairs are turned: y_a = x_a cos - x_b sin, y_b = x_b cos + x_a sin, nothing fused. f32 and f64 are turned
 * in double, f16 and bf16 in f32, and rounded once to the dtype. The channels beside the pairs are copied. */
typedef struct posenc_rotate_job {
    size_t pairs;
    const void *sines, *cosines; /* of the first head; double for f32 and f64, else float; POSENC_PAIR_PAD more may be
                                    read */
    posenc_rotate_loop outer, inner;
    const char *x;         /* the first head; channels are contiguous within a head */
    char *y;               /* may be x where both orders are the same */
    size_t before, behind; /* channels to copy in front of the pairs and behind them; not looked at in place */
    bool stream;           /* write around the caches where alignment allows */
} posenc_rotate_job;

/* Rows of n bytes, each a copy of a window into one line: row r is from + r from_bytes. Each later row may be shorter.
 */
typedef struct posenc_windows_job {
    size_t rows, n, shrink; /* row r has n - r shrink bytes */
    const char *from;
    ptrdiff_t from_bytes; /* minus an element where the line is indexed by distance, 0 where all rows are alike */
    char *to;             /* memory apart from the line */
    ptrdiff_t to_bytes;
    bool stream;
} posenc_windows_job;

/* out[i] = (first + i) * slope, the integer and the product rounded to double, then once to the dtype; +0 where either
 * factor is 0. */
typedef struct posenc_ramp_job {
    int64_t first; /* first + n within 64 bits */
    size_t n;      /* below 2^52 */
    double slope;
    void *out;
} posenc_ramp_job;

/* Rows of a matrix in panels of POSENC_PANEL: term l of row r of a matrix of so many terms stands at
 * (r / POSENC_PANEL * terms + l) * POSENC_PANEL + r % POSENC_PANEL. The last panel is whole; what it holds past the
 * last row is read, and not used. */
enum { POSENC_PANEL = 16 };

/* c[i, j] = sum over l of a[a_first + i, l] * b[j, l]. */
typedef struct posenc_product_job {
    size_t terms;
    const float *a, *b; /* panels */
    size_t a_first, a_rows, b_rows;
    size_t a_row, a_term; /* not 0: a is no panels, and these are the floats from row to row and from term to term */
    size_t b_panel;       /* not 0: floats from panel to panel of b, where they are parts of longer ones */
    float *c;             /* (a_rows, b_rows); its memory is its own */
    size_t c_stride;
    float limit; /* what lies beyond -limit..limit becomes that */
} posenc_product_job;

typedef struct posenc_kernels {
    posenc_isa isa;

    /* Adds the remaining angle to each seed, in place: angle sums with a Taylor series of the remainder. */
    void (*finish_seeds)(const posenc_seed_job *job);

    /* Rows 0..rows-1 (rows <= 33) of a digit place, row r = the phasor of r times the seed's angle, rounded to double:
     * even rows are squares of row r/2, odd ones row r-1 times the seed. Row r: sines at out + r * stride, cosines half
     * a stride on. */
    void (*digit_rows)(const posenc_seed *seed, size_t n, int rows, double *out, size_t stride);

    /* Row r (1 <= r <= 32) alone, with the bits of digit_rows. */
    void (*digit_row)(const posenc_seed *seed, size_t n, int r, double *sines, double *cosines);

    /* high *= (cos, sign * sin): turns every phasor by one digit's angle, forward or (sign -1) backward. */
    void (*turn)(double *high_sin, double *high_cos, const double *sines, const double *cosines, double sign, size_t n);

    void (*rows[POSENC_ENCODING_DTYPES][POSENC_ARRANGEMENTS])(const posenc_rows_job *job);

    /* out = x * scale + row, as add does with rows that were stored as f32 (f64 for f64). NULL where the instruction
     * set has no fused multiply-add. */
    void (*add_rows[POSENC_ENCODING_DTYPES][POSENC_ARRANGEMENTS])(const posenc_rows_job *job);

    void (*add[POSENC_ENCODING_DTYPES])(const posenc_add_job *job);

    void (*sum[POSENC_ENCODING_DTYPES])(const posenc_sum_job *job);

    double (*dot[POSENC_ENCODING_DTYPES])(const posenc_dot_job *job);
    /* By dtype, order of the pairs in x, order in y. */
    void (*rotate[POSENC_ENCODING_DTYPES][POSENC_PAIR_ORDERS][POSENC_PAIR_ORDERS])(const posenc_rotate_job *job);

    /* out[i] = in[i] * factor, and * powers[i] where there are some, all in double, rounded to f32 or f64: pair arrays
     * of n pairs, all of whose padding is written too. An f64 out may be in. */
    void (*scale_row[2])(const double *in, const double *powers, double factor, void *out, size_t n);
    void (*windows)(const posenc_windows_job *job);

    void (*ramp[POSENC_ENCODING_DTYPES])(const posenc_ramp_job *job);

    /* words[0..4n-1] = the n Philox blocks from counter (first, stream) on; room for POSENC_PHILOX_PAD more words. */
    void (*philox)(uint64_t seed, uint64_t stream, uint64_t first, size_t n, uint32_t *words);

    /* n floats to f16 or bf16 (f32 and f64 tables hold plain copies and widenings). */
    void (*narrow[POSENC_ENCODING_DTYPES])(const float *in, void *out, size_t n);

    /* A matrix product, in f32, nothing fused. The bits of an element depend on its two rows only. Error: below 1e-6 of
     * the rows' lengths up to 8192 terms. */
    void (*product)(const posenc_product_job *job);

    /* Takes note of n numbers, each in its column: sums[j] += row[j], and least[j] and most[j] follow. */
    void (*tally)(const float *row, size_t n, double *sums, float *least, float *most);
} posenc_kernels;

/* The table of an instruction set that posenc_isa_runs. */
const posenc_kernels *posenc_kernels_of(posenc_isa isa);

extern const posenc_kernels posenc_kernels_baseline;
#ifdef POSENC_X86
extern const posenc_kernels posenc_kernels_avx2;
extern const posenc_kernels posenc_kernels_avx512;
#endif
#ifdef POSENC_ARM64
extern const posenc_kernels posenc_kernels_neon;
#endif

#endif
