/* The steps of match, in the order in which they are taken.
 *
 *   columns    four arrangements: pairs side by side or in two halves, the sine first or the cosine
 *   sample     which rows are looked at, and how finely their values are rounded
 *   start      frequency 0 is 1 in every layout: it tells the position of row 0, and which rows stand where they should
 *   waves      how far each pair turns from row to row
 *   decay      frequency i is exp(-i decay) in every layout: decay from the turns, refined down the table
 *   readings   which layout has which base for that decay; the shortest number within the uncertainty
 *   residual   rows of a reading beside the rows of the table: does it fit
 *   arithmetic whose rounding the table has
 *
 * Only the residual decides. What stands before it makes good guesses, so that the decision is asked for seldom. */
#ifndef POSENC_DIAGNOSE_MATCH_PARTS_H
#define POSENC_DIAGNOSE_MATCH_PARTS_H

#include <stdbool.h>

#include "diagnose/match.h"

/* ---- columns ---- */

/* Where the sines and cosines stand. */
typedef struct posenc_columns {
    int64_t dim, pairs; /* pairs: sines with their cosine */
    bool planar;        /* all of the first kind, then all of the second, then zeros; else alternating */
    bool cos_first;
    bool lone; /* one more frequency, number pairs, shows its first kind only: an odd alternating row */
} posenc_columns;

posenc_columns posenc_columns_of(int64_t dim, bool planar, bool cos_first);

/* The column of the sine or cosine of frequency i; -1: it has none. */
int64_t posenc_sine_column(const posenc_columns *columns, int64_t i);
int64_t posenc_cosine_column(const posenc_columns *columns, int64_t i);

/* The frequency number of a column; -1: a column of zeros. */
int64_t posenc_column_frequency(const posenc_columns *columns, int64_t column);

bool posenc_layout_is_planar(posenc_layout layout);

/* How many steps from one frequency to the next make the factor 1 / base: base = exp(rungs decay). */
double posenc_layout_rungs(posenc_layout layout, int64_t dim);

/* ---- sample ---- */

enum { POSENC_MATCH_HEAD = 64, POSENC_MATCH_LEAD = 1024, POSENC_MATCH_ROWS = 4096 };

/* The rows that are looked at: finite, and not zero unless a row has one value. */
typedef struct posenc_sample {
    const posenc_context *context;
    const posenc_table *table;
    posenc_dtype grain;  /* the coarsest dtype that holds the values of most rows: a bf16 table may come as f32 */
    int64_t n, n_head;   /* n_head: the first ones, which decide alone when nearly all of them agree */
    int64_t *rows;       /* [n] of the table, rising */
    unsigned char *good; /* [n] written by start: frequency 0 is that of the row's position */
    unsigned char *fits; /* [n] written by residual */
    unsigned char *kept; /* [n] the fits of the best reading so far */
    double *values;      /* [dim] room for a row */
} posenc_sample;

posenc_status posenc_sample_create(posenc_sample *sample, const posenc_context *context, const posenc_table *table,
                                   posenc_error *error);
void posenc_sample_destroy(posenc_sample *sample);

/* Whether so many agreeing rows, of the head and of all, are a match: three quarters of the head or half of all; every
 * one where there are few. strictly: half of all are not enough. */
bool posenc_sample_agrees(const posenc_sample *sample, int64_t head_rows, int64_t rows, bool strictly);

/* What rounding does to a value: at most relative times its size, or smallest where it would be subnormal. Allows for
 * a sine that is not the best. */
typedef struct posenc_grain {
    double relative, smallest;
    int bits; /* of a value */
} posenc_grain;

posenc_grain posenc_grain_of(posenc_dtype dtype);

/* ---- start ---- */

enum { POSENC_MATCH_STARTS = 3 };

/* The position of row 0, or -1: frequency 0 is in none of its places. Writes sample->good. agreement: how many values
 * of frequency 0 agree; the arrangement of a sound table has the most. */
int posenc_match_start(posenc_sample *sample, const posenc_columns *columns, int64_t *agreement);

/* ---- waves ---- */

enum { POSENC_MATCH_WAVES = 256 };

/* Some frequencies, beside number 0, and how far each turns per position. */
typedef struct posenc_waves {
    int n;
    int64_t index[POSENC_MATCH_WAVES];
    double step[POSENC_MATCH_WAVES];  /* radians; not above 0: not seen */
    double error[POSENC_MATCH_WAVES]; /* of step, relative */
} posenc_waves;

/* From pairs, by their mean turn between neighbours. */
void posenc_waves_of_pairs(const posenc_sample *sample, const posenc_columns *columns, int start, posenc_waves *waves);

/* From the one column that a width of 3 has beside frequency 0. */
void posenc_waves_of_lone(const posenc_sample *sample, const posenc_columns *columns, int start, posenc_waves *waves);

/* ---- decay ---- */

typedef struct posenc_decay {
    bool seen;      /* false: there is no frequency but 0, or it does not move */
    double value;   /* frequency i is exp(-i value) */
    double error;   /* of value, as a standard deviation, were all arithmetic exact */
    double scatter; /* of the phases beside the fit, relative to them: float32 arithmetic shows at 2^-25 */
} posenc_decay;

posenc_decay posenc_decay_of(const posenc_sample *sample, const posenc_columns *columns, int start,
                             const posenc_waves *waves);

/* ---- readings ---- */

enum { POSENC_MATCH_READINGS = 4 };

/* One way to explain a table. */
typedef struct posenc_reading {
    posenc_layout layout;
    int cos_first, start;
    double base;
    int base_is_known;
    bool fitted; /* base is what the rows gave, not a number that someone would type */
    int digits;  /* of the base; the fewest come first */
} posenc_reading;

/* The match that a reading is, its errors and counts still 0, its arithmetic exact. */
posenc_match posenc_reading_match(const posenc_reading *reading);

/* The readings of a decay, the likeliest first. Returns how many. */
int posenc_match_readings(const posenc_columns *columns, int start, const posenc_decay *decay,
                          posenc_reading readings[POSENC_MATCH_READINGS]);

/* ---- residual ---- */

typedef struct posenc_residual {
    bool fits;
    int64_t rows_fit, head_fit;
    int64_t bits; /* that agree in the first of the rows that fit: what chance would have to make */
    int64_t values;
    double max_error, sum_squares; /* of the agreeing values of rows that fit */
} posenc_residual;

/* Room for blocks of rows beside the rows of plans. */
enum { POSENC_MATCH_BLOCK_ROWS = 64, POSENC_MATCH_BLOCK_VALUES = 65536 };
int64_t posenc_match_block_rows(int64_t dim);

/* Writes the rows of n positions, contiguous. */
posenc_status posenc_match_write(const posenc_plan *plan, const int64_t *positions, int64_t n, posenc_dtype dtype,
                                 void *out, posenc_error *error);

/* What a column's angle does, in radians per position. */
typedef struct posenc_turning {
    double frequency;
    double float32_error; /* how far float32 code may be off. The value may be off by as much, and by its rounding */
} posenc_turning;

/* turning[dim] of the columns of a reading. */
void posenc_match_turning(const posenc_reading *reading, int64_t dim, posenc_turning *turning);

/* Compares a reading with the sample. Writes sample->fits. It ends early once it cannot fit more rows than to_beat. */
posenc_status posenc_match_residual(posenc_sample *sample, const posenc_reading *reading, int64_t to_beat,
                                    posenc_residual *residual, posenc_error *error);

/* ---- arithmetic ---- */

/* Whose values these are, from the rows that sample->kept marks. */
posenc_status posenc_match_arithmetic(const posenc_sample *sample, const posenc_reading *reading,
                                      posenc_arithmetic *arithmetic, posenc_error *error);

#endif
