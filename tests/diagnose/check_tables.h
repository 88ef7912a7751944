/* Tables for the tests of check: made, spoilt, checked. */
#ifndef POSENC_TESTS_DIAGNOSE_CHECK_TABLES_H
#define POSENC_TESTS_DIAGNOSE_CHECK_TABLES_H

#include <posenc/posenc.h>

/* A contiguous table (rows, dim) in memory of its own. */
typedef struct table {
    int64_t rows, dim;
    posenc_dtype dtype;
    unsigned char *data;
} table;

table table_make(int64_t rows, int64_t dim, posenc_dtype dtype); /* zeros */
table table_of_plan(const posenc_plan *plan, int64_t start, int64_t rows, posenc_dtype dtype);
void table_free(table *t);

/* One value, rounded to the dtype. */
double table_get(const table *t, int64_t row, int64_t column);
void table_set(table *t, int64_t row, int64_t column, double value);

/* Row to becomes a copy of row from. */
void table_copy_row(table *t, int64_t from, int64_t to);

/* The rows of the paper's formula, base 10000, interleaved. */
table sinusoidal_table(int64_t rows, int64_t dim, posenc_dtype dtype);

/* A table as training leaves it: slow waves and a little noise. */
table learned_table(int64_t rows, int64_t dim, posenc_dtype dtype, const char *seed);

/* Checks it; a status other than POSENC_OK fails the running test. options: NULL for defaults. */
posenc_check_report check_table(const table *t, const posenc_check_options *options);
posenc_check_report check_tensor(const posenc_context *context, const posenc_check_options *options,
                                 const DLTensor *tensor);

/* The finding of a kind; NULL if there is none. */
const posenc_finding *find(const posenc_check_report *report, posenc_finding_kind kind);
int has_finding(const posenc_check_report *report, posenc_finding_kind kind);

/* All findings of a report in one line, for messages. Static, overwritten by the next call. */
const char *findings_text(const posenc_check_report *report);

/* Fails the running test unless the finding is there, at that place and with that amount. Returns it. */
const posenc_finding *must_find(const posenc_check_report *report, posenc_finding_kind kind, posenc_level level,
                                int64_t position, int64_t channel, double amount);

/* Fails unless the report has that kind of finding alone, besides notes. */
void must_be_alone(const posenc_check_report *report, posenc_finding_kind kind);

#endif
