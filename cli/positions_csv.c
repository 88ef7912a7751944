/* One column of numbers from a text file. Integers stay integers, so that positions beyond 2^53 keep every bit. */
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "numbers.h"
#include "positions.h"

enum { LONGEST_LINE = 256 };

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

/* One number; false if the line is none. Room was made before. */
static bool add(column *c, const char *line) {
    int64_t integer = 0;
    double real;
    if (!posenc_cli_parse_real(line, &real)) return false;
    if (!posenc_cli_parse_integer(line, &integer))
        c->all_integers = false;
    else
        c->all_exact = c->all_exact && is_exact(integer);
    c->integers[c->n] = integer;
    c->reals[c->n++] = real;
    return true;
}

/* Reads a line without its end into line[LONGEST_LINE]. Returns the bytes it took in the file, 0 at the end, -1 when it
 * is too long or holds a zero byte, and sets *error when the system says no. */
static int read_line(FILE *file, char *line, int *error) {
    int n = 0, c;
    errno = 0;
    while ((c = getc(file)) != EOF && c != '\n') {
        if (n == LONGEST_LINE - 1 || c == '\0') return -1;
        line[n++] = (char)c;
    }
    if (ferror(file)) *error = errno ? errno : EIO;
    int bytes = n + (c == '\n');
    if (n > 0 && line[n - 1] == '\r') n--;
    line[n] = '\0';
    return bytes;
}

/* Cuts blanks and, at the file's start, a byte order mark. */
static char *trimmed(char *line, bool first) {
    if (first && strncmp(line, "\xEF\xBB\xBF", 3) == 0) line += 3;
    line += strspn(line, " \t");
    size_t n = strlen(line);
    while (n > 0 && (line[n - 1] == ' ' || line[n - 1] == '\t')) line[--n] = '\0';
    return line;
}

/* The first line may name the column: one name, that could not be meant as a number. */
static bool is_header(const char *text, long number) {
    unsigned char c = (unsigned char)text[0];
    return number == 1 && (isalpha(c) || c >= 0x80 || strchr("_#\"", c)) && !strpbrk(text, ",;\t");
}

static int read_lines(FILE *file, const char *path, column *c) {
    char line[LONGEST_LINE];
    long long offset = 0, blank = -1;
    int bytes, error = 0;
    for (long number = 1; (bytes = read_line(file, line, &error)) != 0; offset += bytes, number++) {
        if (error) break;
        if (bytes < 0) return posenc_cli_fail("%s: byte %lld: expected one number, got no text", path, offset);
        char *text = trimmed(line, number == 1);
        if (*text == '\0') {
            blank = blank < 0 ? offset : blank;
            continue;
        }
        if (blank >= 0) return posenc_cli_fail("%s: byte %lld: expected a number, got an empty line", path, blank);
        if (!grow(c)) return posenc_cli_no_memory(path, 2 * c->capacity * sizeof(double));
        if (!add(c, text) && !is_header(text, number))
            return posenc_cli_fail("%s: byte %lld: expected one number, got \"%s\"", path, offset, text);
    }
    if (error)
        return posenc_cli_fail("%s: byte %lld: expected bytes to read, got \"%s\"", path, offset, strerror(error));
    if (!c->all_integers && !c->all_exact)
        return posenc_cli_fail("%s: expected integers only, or numbers within -2^53..2^53, got both", path);
    return POSENC_CLI_FINE;
}

int posenc_cli_csv_read(const char *path, void **numbers, posenc_dtype *dtype, int64_t *n) {
    column c = {.all_integers = true, .all_exact = true};
    FILE *file = fopen(path, "rb");
    if (!file) return posenc_cli_fail("%s: expected a file to read, got \"%s\"", path, strerror(errno));
    int status = read_lines(file, path, &c);
    fclose(file);
    if (status == POSENC_CLI_FINE) {
        *dtype = c.all_integers ? POSENC_I64 : POSENC_F64;
        *numbers = c.all_integers ? (void *)c.integers : (void *)c.reals;
        *n = (int64_t)c.n;
    }
    if (status != POSENC_CLI_FINE || !c.all_integers) free(c.integers);
    if (status != POSENC_CLI_FINE || c.all_integers) free(c.reals);
    return status;
}
