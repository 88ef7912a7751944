/* A table of decimal numbers from a text file: as many in each line, parted by commas. Kept in double until the last
 * one is known; then f32 if all of them are as short as those that f32 needs (9 digits, what %.9g writes). */
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "csv.h"
#include "numbers.h"
#include "read_table.h"

enum { F32_DIGITS = 9, MOST_COLUMNS = 1 << 24 };

typedef struct numbers {
    double *values;
    size_t n, capacity;
    int64_t columns; /* 0: the first line is not over yet */
    bool has_names;  /* the first line holds them */
    bool is_short;   /* f32 holds all of it */
} numbers;

static bool grow(numbers *t) {
    if (t->n < t->capacity) return true;
    if (t->capacity > SIZE_MAX / 32) return false;
    size_t capacity = t->capacity ? 2 * t->capacity : 1024;
    double *values = realloc(t->values, capacity * sizeof *values);
    if (!values) return false;
    t->values = values;
    t->capacity = capacity;
    return true;
}

/* Digits of a decimal number, without zeros at its two ends. */
static int significant_digits(const char *text) {
    int digits = 0, zeros = 0;
    for (; *text && *text != 'e' && *text != 'E'; text++) {
        if (*text < '0' || *text > '9' || (*text == '0' && digits == 0)) continue;
        zeros = *text == '0' ? zeros + 1 : 0;
        digits++;
    }
    return digits - zeros;
}

static bool fits_f32(double value, const char *text) {
    double size = fabs(value);
    if (!isfinite(value) || value == 0) return true;
    return size <= (double)FLT_MAX && size >= (double)FLT_MIN && significant_digits(text) <= F32_DIGITS;
}

static int add_number(numbers *t, const posenc_cli_csv *csv) {
    double value;
    if (!posenc_cli_parse_real(csv->text, &value)) return posenc_cli_csv_refuse(csv, "a number", NULL);
    if (!grow(t)) return posenc_cli_no_memory(csv->path, 2 * t->capacity * sizeof(double));
    t->is_short = t->is_short && fits_f32(value, csv->text);
    t->values[t->n++] = value;
    return POSENC_CLI_FINE;
}

/* A line of names has nothing but names, so that a misspelt number is not taken for one. */
static int add_field(numbers *t, const posenc_cli_csv *csv) {
    double value;
    if (csv->line == 1 && csv->column == 1)
        t->has_names = !posenc_cli_parse_real(csv->text, &value) && posenc_cli_csv_is_name(csv);
    if (csv->line > 1 || !t->has_names) return add_number(t, csv);
    return posenc_cli_csv_is_name(csv) ? POSENC_CLI_FINE : posenc_cli_csv_refuse(csv, "a name, like before it", NULL);
}

/* The first line says how many columns there are. */
static int check_column(numbers *t, const posenc_cli_csv *csv) {
    int64_t most = t->columns ? t->columns : MOST_COLUMNS;
    bool too_few = csv->ends_line && csv->column < t->columns;
    if (csv->column <= most && !too_few) {
        if (csv->ends_line) t->columns = csv->column;
        return POSENC_CLI_FINE;
    }
    char expected[64], got[32];
    snprintf(expected, sizeof expected, "%lld numbers in the line", (long long)most);
    snprintf(got, sizeof got, "%lld", (long long)csv->column);
    return posenc_cli_csv_refuse(csv, expected, too_few ? got : "more");
}

static int read_fields(posenc_cli_csv *csv, numbers *t) {
    int status = posenc_cli_csv_next(csv);
    while (status == POSENC_CLI_FINE && !csv->ended) {
        status = check_column(t, csv);
        if (status == POSENC_CLI_FINE) status = add_field(t, csv);
        if (status == POSENC_CLI_FINE) status = posenc_cli_csv_next(csv);
    }
    if (status != POSENC_CLI_FINE || t->n > 0) return status;
    return posenc_cli_fail("%s: byte %lld: expected a line of numbers, got the end of the file", csv->path,
                           (long long)csv->next);
}

/* In place: the float n lies before the double n. */
static void narrow(numbers *t) {
    char *bytes = (char *)t->values;
    for (size_t i = 0; i < t->n; i++) {
        float value = (float)t->values[i];
        memcpy(bytes + i * sizeof value, &value, sizeof value);
    }
}

int posenc_cli_read_csv(const char *path, void **values, posenc_dtype *dtype, int64_t shape[2]) {
    numbers t = {.is_short = true};
    posenc_cli_csv csv;
    int status = posenc_cli_csv_open(path, &csv);
    if (status == POSENC_CLI_FINE) status = read_fields(&csv, &t);
    posenc_cli_csv_close(&csv);
    if (status != POSENC_CLI_FINE) {
        free(t.values);
        return status;
    }
    if (t.is_short) narrow(&t);
    *values = t.values;
    *dtype = t.is_short ? POSENC_F32 : POSENC_F64;
    shape[0] = (int64_t)t.n / t.columns;
    shape[1] = t.columns;
    return POSENC_CLI_FINE;
}
