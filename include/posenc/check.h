/* Check: is this table healthy? Looks at a table of encodings as a doctor would and tells what is wrong with it, where,
 * by how much, and why that matters. */
#ifndef POSENC_CHECK_H
#define POSENC_CHECK_H

#include <posenc/plan.h>
#include <posenc/sinusoidal.h>

#ifdef __cplusplus
extern "C" {
#endif

/* How bad a finding is. */
typedef enum posenc_level {
    POSENC_LEVEL_NOTE = 1,    /* worth knowing; the table does what it should */
    POSENC_LEVEL_WARNING = 2, /* often a mistake, sometimes meant */
    POSENC_LEVEL_ERROR = 3    /* a model that reads this table reads something wrong */
} posenc_level;

/* What can be found, and what the amount of the finding is. */
typedef enum posenc_finding_kind {
    POSENC_FINDING_NAN = 0,          /* values that are not a number; amount: how many */
    POSENC_FINDING_INFINITE,         /* infinite values; amount: how many */
    POSENC_FINDING_OUT_OF_RANGE,     /* values outside the scheme's range, or far from all others; the largest size */
    POSENC_FINDING_REPEATED_ROWS,    /* two positions with one encoding; how many rows repeat an earlier one */
    POSENC_FINDING_CONSTANT_ROWS,    /* rows with one value in all channels, not 0; how many */
    POSENC_FINDING_ZERO_ROWS,        /* rows of zeros; how many */
    POSENC_FINDING_DEAD_CHANNEL,     /* channels that are 0 at every position; how many */
    POSENC_FINDING_CONSTANT_CHANNEL, /* channels with one value, not 0, at every position; how many */
    POSENC_FINDING_NOT_UNIT_PAIRS,   /* sin^2 + cos^2 is not 1 (rotary: amplitude^2); the largest distance from it */
    POSENC_FINDING_POSITION_AXIS,    /* neighbours do not vary: the position axis is another one; rows that do not */
    POSENC_FINDING_PRECISION,        /* errors beyond what the dtype could hold; the largest error */
    POSENC_FINDING_UNTRAINED_ROWS,   /* rows of a learned table that look as they were drawn; how many */
    POSENC_FINDING_LOW_RANK,         /* far fewer dimensions in use than there are channels; the rank */
    POSENC_FINDING_OTHER_SCHEME,     /* not the table of the plan that it was compared with; the largest difference */
    POSENC_FINDING_DOUBLED_EXPONENT, /* frequencies base^(-4i/dim) where base^(-2i/dim) was meant; the base that fits */
    POSENC_FINDING_COUNT
} posenc_finding_kind;

/* "nan", "infinite", "out-of-range", "repeated-rows", ...; "unknown" for another value. The text is static. */
POSENC_API const char *posenc_finding_name(posenc_finding_kind kind);

/* "note", "warning", "error"; "unknown" for another value. The text is static. */
POSENC_API const char *posenc_level_name(posenc_level level);

typedef struct posenc_finding {
    posenc_finding_kind kind;
    posenc_level level;
    int64_t position; /* row of the table where it is first seen, from 0; -1: no one row */
    int64_t channel;  /* column where it is first seen, from 0; -1: no one column */
    int64_t twin;     /* repeated rows: the earlier row that the row at position equals; -1 for other kinds */
    int64_t period;   /* repeated rows: the shortest distance between two equal rows; -1 for other kinds */
    double amount;    /* as the kind says */
    char why[320];    /* a sentence: what was seen and why it matters */
} posenc_finding;

/* The formula that a table follows. */
typedef struct posenc_match {
    const char *scheme; /* "sinusoidal"; "rotary" for cosines and sines (length, pairs, 2); a grid's "sinusoidal-2d" or
                           "sinusoidal-nd"; NULL: none of the formulas that were tried. Static text. With options->plan
                           its scheme. Of a grid, and of a plan that is not sinusoidal, only start and the errors below
                           have a meaning, and report->parameters says the rest */
    posenc_layout layout;
    int cos_first;
    double base;       /* exponent as the layout has it */
    int base_is_known; /* 0: any base gives this table (one frequency), or it was fitted to a number that is not short
                        */
    int64_t start;     /* position of the row 0: 0, 1 or 2; under padding_idx the rows before count on */
    int doubled_exponent;         /* not 0: base is the square of the usual 10000, which the naive double loop makes */
    posenc_arithmetic arithmetic; /* whose values these are: exact or float32, as near as they can be told apart */
    double max_error, rms_error;  /* beside the exact values, over the rows that fit */
    int64_t rows, rows_fit;       /* rows compared, rows that fit */
} posenc_match;

/* What happens to a table that is made longer. */
typedef struct posenc_extension {
    int64_t length;        /* 2 or 10 times the rows; 0: not looked at */
    int64_t repeated_rows; /* rows that repeat an earlier one in this dtype; -1: too long to be counted */
    double float32_error;  /* largest error of float32 code in the last 1000 rows */
    char sentence[240];
} posenc_extension;

/* What a check looks at, one bit each in looked_at. */
typedef enum posenc_look {
    POSENC_LOOK_VALUES = 0, /* NaN, infinities, range */
    POSENC_LOOK_ROWS,       /* zero, constant, repeated */
    POSENC_LOOK_CHANNELS,   /* dead, constant */
    POSENC_LOOK_NEIGHBOURS, /* whether rows vary along the position axis */
    POSENC_LOOK_RANK,       /* effective dimension */
    POSENC_LOOK_FORMULA,    /* whether a known formula made it */
    POSENC_LOOK_PAIRS,      /* sin^2 + cos^2; with a sinusoidal formula, and in rotary tables */
    POSENC_LOOK_PRECISION,  /* error by position; with a formula only */
    POSENC_LOOK_TRAINING,   /* rows at initial statistics; without a formula only */
    POSENC_LOOK_EXTENSION,  /* 2 and 10 times the length */
    POSENC_LOOK_COUNT
} posenc_look;

/* "values", "rows", "channels", ...; "unknown" for another value. The text is static. */
POSENC_API const char *posenc_look_name(posenc_look look);

enum { POSENC_MOST_ERROR_BINS = 64 };

/* Largest error beside the exact table over rows first..last. */
typedef struct posenc_error_bin {
    int64_t first, last;
    double max_error;
} posenc_error_bin;

typedef struct posenc_check_options {
    size_t size;             /* sizeof(posenc_check_options), as written by posenc_check_default */
    const posenc_plan *plan; /* what the table should hold, of a scheme that adds rows or rotates; NULL: found out.
                                Default NULL */
    int64_t start;           /* position of row 0, with a plan. Default 0 */
    int64_t padding_idx;     /* that row is meant to be zero; -1: none is. Default -1 */
} posenc_check_options;

/* Writes every default into *options. size is sizeof(*options) as the caller compiled it, and is stored there. */
POSENC_API void posenc_check_default(posenc_check_options *options, size_t size);

typedef struct posenc_check_report {
    size_t size; /* sizeof(posenc_check_report), set by the caller */
    int healthy; /* no finding of level error */
    int64_t rows, dim;
    posenc_dtype dtype;
    unsigned looked_at; /* bit 1u << POSENC_LOOK_VALUES, ... */
    posenc_match match;
    double minimum, maximum;    /* of the finite values; NaN without any */
    int64_t rank;               /* of at most 1024 rows spread over the table, to the dtype's precision; -1: not seen */
    double effective_dimension; /* (sum of the variances)^2 / sum of their squares over principal axes; NaN: not seen */
    size_t n_errors;            /* error by position, where there is a formula */
    posenc_error_bin errors[POSENC_MOST_ERROR_BINS];
    int64_t first_imprecise; /* first row whose error exceeds what the dtype could hold; -1: none, or no formula */
    posenc_extension extensions[2];
    size_t n_findings; /* at most one of a kind, worst first */
    posenc_finding findings[POSENC_FINDING_COUNT];
    double amplitude;     /* of cosines and sines (length, pairs, 2): the length of their pairs; NaN: no such table */
    char parameters[160]; /* of a grid, and of a plan that is not sinusoidal, those that are no defaults: "convention
                             detr, grid 14x14"; else "" */
} posenc_check_report;

/* Examines a table.
 * context: NULL for defaults.
 * options: NULL for defaults. A plan there must add rows, or rotate with frequencies that do not depend on the length,
 *          and have the table's width.
 * table: (length, dim), (1, length, dim) or (length, 1, dim), any strides; f32, f64, f16 or bf16. (batch, length, dim)
 *        too: all slices must be one table, or it is the finding position-axis. Cosines and sines of a rotary scheme,
 *        (length, pairs, 2), whose pairs and numbers merge into one axis (contiguous ones do): with a plan that rotates,
 *        also as (length, 2 pairs), or where all pairs have one length. They are looked at as 2 pairs channels.
 * report: report->size as the caller compiled it; filled in.
 * Returns POSENC_ERROR_SHAPE, _DTYPE, _DEVICE, _ARGUMENT, _MEMORY; *report is untouched then. Findings are no errors.
 * Edge cases: an empty table is healthy. One row, one column, nothing but NaN: all fine to ask about.
 * Formulas that are tried: sinusoidal, rotary of one base, and the grids of two axes that have base 10000.
 * Where a formula is known a finding is measured against the exact table in the same dtype: rows that must repeat in
 * f16, or channels that hardly move, are no fault.
 * Cost: some passes over the table. Memory: 16 bytes a row, some 40 a channel, a few MB, and at most 32 MB for the
 * extension, which tables wider than 65536 go without.
 * Example: posenc_check_report report = {.size = sizeof report};
 *          posenc_check(NULL, NULL, table, &report, &error); */
POSENC_API posenc_status posenc_check(const posenc_context *context, const posenc_check_options *options,
                                      const DLTensor *table, posenc_check_report *report, posenc_error *error);

#ifdef __cplusplus
}
#endif

#endif
