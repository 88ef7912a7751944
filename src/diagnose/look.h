/* What the looks of a check share: the table, what is known of it so far, and the report that they write. Each look is
 * one file: it gathers its facts, and says what it finds. check.c calls them in order. */
#ifndef POSENC_DIAGNOSE_LOOK_H
#define POSENC_DIAGNOSE_LOOK_H

#include <stdbool.h>

#include <posenc/check.h>

#include "base/error.h"
#include "diagnose/table.h"
#include "diagnose/turns.h"

/* A row and a column of the table; -1, -1: none. */
typedef struct posenc_place {
    int64_t row, column;
} posenc_place;

/* What one pass over all values tells. */
typedef struct posenc_survey {
    int64_t whole; /* rows of finite values */
    int64_t n_nan, n_infinite;
    posenc_place first_nan, first_infinite;
    double minimum, maximum;  /* of the finite values; minimum > maximum: there are none */
    uint64_t bits;            /* the doubles' bits, all put together by or */
    double *lowest, *highest; /* (dim) each: of the finite values of a channel; lowest > highest: none */
    int64_t still;            /* channels with one value at every position */
    posenc_dtype held;        /* the narrowest dtype that holds every value: often the table's own */
} posenc_survey;

/* Whether a channel has one value at every position. */
static inline bool posenc_channel_is_still(const posenc_survey *s, int64_t channel) {
    return s->lowest[channel] == s->highest[channel];
}

/* What the table should hold, if that is known. */
typedef struct posenc_formula {
    bool known;
    bool given;         /* a plan that the table agrees with: the caller's, or one of a grid that was found */
    bool other;         /* the caller's plan is not what the table holds */
    bool sinusoidal;    /* and the match says which */
    posenc_plan *exact; /* what the exact table has */
    int64_t start;      /* position of row 0 */
    double fastest;     /* its highest frequency */
    double size;        /* of its largest values; at least 1 */
} posenc_formula;

/* A fault of rows: how many, and the first of them. */
typedef struct posenc_rows_like {
    int64_t n, first;
} posenc_rows_like;

/* Distances from the exact values. */
typedef struct posenc_errors {
    double largest;
    posenc_place largest_at;
    posenc_rows_like imprecise; /* rows beyond what the dtype could hold */
    int64_t imprecise_column;
    posenc_rows_like odd; /* rows beyond what float32 angles explain, too */
    int64_t odd_column;
    double odd_largest;
    bool float32_seen; /* some need float32 angles to be explained */
} posenc_errors;

/* What one pass over the rows, beside the exact ones where a formula is known, tells. */
typedef struct posenc_row_facts {
    posenc_rows_like zero;     /* rows of zeros where there should be none; without formula: all. Not padding_idx */
    posenc_rows_like constant; /* the same for rows with one value */
    posenc_rows_like repeated; /* the same for rows that equal an earlier one */
    int64_t twin, period;      /* of the first repeated row; shortest distance of all */
    int64_t next_door;         /* repeated rows that equal the one before */
    int64_t others;            /* finite rows that are not zero */

    posenc_rows_like outside; /* values beyond the formula's range: n values, the first row */
    int64_t outside_column;
    double largest;

    posenc_rows_like pairs; /* rows where sin^2 + cos^2 leaves the bound */
    int64_t pair_column;
    double pair_error; /* the largest distance from 1, or from the square of a rotary table's amplitude */

    int64_t compared; /* rows beside the exact ones */
    double squares;
    posenc_errors all;   /* of those rows */
    posenc_errors alone; /* of those that do not repeat an earlier row by mistake */
} posenc_row_facts;

typedef struct posenc_checkup {
    const posenc_context *context;
    posenc_check_options options;
    posenc_table table;
    posenc_turns turns;
    posenc_survey survey;
    posenc_formula formula;
    posenc_row_facts rows;
    char *bad_channels; /* (dim), with a formula: the channel does not move and should */
    bool all_zero;      /* every row is */
    bool stands_still;  /* all rows are one */
    bool turned;        /* position and channel axis are swapped */
    bool scaled;        /* a formula times a number */
    posenc_check_report report;
} posenc_checkup;

/* ---- findings.c ---- */

/* Adds a finding; the sentence in printf form. Its place and amount are for the caller to set. */
posenc_finding *posenc_found(posenc_checkup *c, posenc_finding_kind kind, posenc_level level, posenc_place at,
                             double amount, const char *format, ...) POSENC_PRINTF(6, 7);

/* Worst first, and in the order of kinds. */
void posenc_findings_sort(posenc_check_report *report);

/* "1 row" or "12 rows": one or many, by number. */
const char *posenc_plural(int64_t n, const char *one, const char *many);

/* ---- tolerances.c: what explains a distance from the exact value ---- */

/* More than rounding to the dtype makes. */
double posenc_rounding_limit(posenc_dtype dtype);

/* What values that are kept in another dtype than the table's own may be off by. */
double posenc_held_limit(posenc_dtype held);

/* What float32 angles make, where the largest one is that: of the position of a row times the highest frequency. */
double posenc_float32_limit(double angle);

/* The largest angle of a row; and whether float32 code may have lost it, while slower waves are right: so with bases
 * below 1, whose frequencies are above 1. */
double posenc_angle_of(const posenc_formula *formula, int64_t row);
bool posenc_angle_is_lost(const posenc_formula *formula, int64_t row);

/* Beyond this no float32 angle excuses a row that is zero, constant or repeated, or a channel that stands still. */
#define POSENC_MOST_EXCUSED 0.25

/* The highest frequency of a formula, or a bound of it: 1 for bases of 1 and above. A plan that rotates says it. */
double posenc_fastest_of(const posenc_match *match);

/* ---- the looks ---- */

posenc_status posenc_look_values(posenc_checkup *c, posenc_error *error);     /* look_values.c */
posenc_status posenc_look_formula(posenc_checkup *c, posenc_error *error);    /* look_formula.c */
posenc_status posenc_look_rows(posenc_checkup *c, posenc_error *error);       /* look_rows.c */
posenc_status posenc_look_channels(posenc_checkup *c, posenc_error *error);   /* look_channels.c */
posenc_status posenc_look_neighbours(posenc_checkup *c, posenc_error *error); /* look_neighbours.c */
posenc_status posenc_look_rank(posenc_checkup *c, posenc_error *error);       /* look_rank.c */
posenc_status posenc_look_training(posenc_checkup *c, posenc_error *error);   /* look_training.c */
posenc_status posenc_look_extension(posenc_checkup *c, posenc_error *error);  /* look_extension.c */
posenc_status posenc_look_scaled(posenc_checkup *c, posenc_error *error);     /* scaled.c */
void posenc_look_pairs(posenc_checkup *c);                                    /* look_pairs.c */
void posenc_look_precision(posenc_checkup *c);                                /* look_precision.c */

#endif
