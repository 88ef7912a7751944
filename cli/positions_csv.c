/* One column of numbers from a text file. Integers stay integers, so that positions beyond 2^53 keep every bit. */
#include <stdlib.h>

#include "csv.h"
#include "numbers.h"
#include "positions.h"

/* Every number is kept both ways until the whole column is known. */
typedef struct column {
    int64_t *integers;
    double *reals;
    size_t n, capacity;
    bool all_integers, all_exact; /* exact: the double has the integer's value */
} column;

static bool grow(column *c) {
    if (c->n < c->capacity) return true;
    if (c->capacity > SIZE_MAX / 32) return false;
    size_t capacity = c->capacity ? 2 * c->capacity : 1024;
    int64_t *integers = realloc(c->integers, capacity * sizeof *integers);
    if (integers) c->integers = integers;
    double *reals = realloc(c->reals, capacity * sizeof *reals);
    if (reals) c->reals = reals;
    if (!integers || !reals) return false;
    c->capacity = capacity;
    return true;
}

static bool is_exact(int64_t integer) { return integer >= -(INT64_C(1) << 53) && integer <= INT64_C(1) << 53; }

/* One number; false if the text is none. Room was made before. */
static bool add(column *c, const char *text) {
    int64_t integer = 0;
    double real;
    if (!posenc_cli_parse_real(text, &real)) return false;
    if (!posenc_cli_parse_integer(text, &integer))
        c->all_integers = false;
    else
        c->all_exact = c->all_exact && is_exact(integer);
    c->integers[c->n] = integer;
    c->reals[c->n++] = real;
    return true;
}

/* The first line may name the column. */
static int add_field(column *c, const posenc_cli_csv *csv) {
    if (csv->column > 1) return posenc_cli_csv_refuse(csv, "one number in a line", "more");
    if (!grow(c)) return posenc_cli_no_memory(csv->path, 2 * c->capacity * sizeof(double));
    if (add(c, csv->text) || (csv->line == 1 && posenc_cli_csv_is_name(csv))) return POSENC_CLI_FINE;
    return posenc_cli_csv_refuse(csv, "a number", NULL);
}

static int read_fields(posenc_cli_csv *csv, column *c) {
    int status = posenc_cli_csv_next(csv);
    while (status == POSENC_CLI_FINE && !csv->ended) {
        status = add_field(c, csv);
        if (status == POSENC_CLI_FINE) status = posenc_cli_csv_next(csv);
    }
    if (status != POSENC_CLI_FINE || c->all_integers || c->all_exact) return status;
    return posenc_cli_fail("%s: expected integers only, or numbers within -2^53..2^53, got both", csv->path);
}

int posenc_cli_csv_read(const char *path, void **numbers, posenc_dtype *dtype, int64_t *n) {
    column c = {.all_integers = true, .all_exact = true};
    posenc_cli_csv csv;
    int status = posenc_cli_csv_open(path, &csv);
    if (status == POSENC_CLI_FINE) status = read_fields(&csv, &c);
    posenc_cli_csv_close(&csv);
    if (status == POSENC_CLI_FINE) {
        *dtype = c.all_integers ? POSENC_I64 : POSENC_F64;
        *numbers = c.all_integers ? (void *)c.integers : (void *)c.reals;
        *n = (int64_t)c.n;
    }
    if (status != POSENC_CLI_FINE || !c.all_integers) free(c.integers);
    if (status != POSENC_CLI_FINE || c.all_integers) free(c.reals);
    return status;
}
