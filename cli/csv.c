/* Lines of fields, read byte by byte. What a field means is the caller's business. */
#include "csv.h"

#include <ctype.h>
#include <errno.h>
#include <string.h>

int posenc_cli_csv_open(const char *path, posenc_cli_csv *csv) {
    *csv = (posenc_cli_csv){.path = path, .file = fopen(path, "rb"), .ends_line = true};
    if (csv->file) return POSENC_CLI_FINE;
    return posenc_cli_fail("%s: expected a file to read, got \"%s\"", path, strerror(errno));
}

void posenc_cli_csv_close(posenc_cli_csv *csv) {
    if (csv->file) fclose(csv->file);
    csv->file = NULL;
}

int posenc_cli_csv_refuse(const posenc_cli_csv *csv, const char *expected, const char *got) {
    char field[POSENC_CLI_CSV_FIELD_BYTES + 2];
    snprintf(field, sizeof field, "\"%s\"", csv->text);
    if (!got) got = csv->text[0] ? field : "an empty field";
    return posenc_cli_fail("%s: line %lld, column %lld (byte %lld): expected %s, got %s", csv->path,
                           (long long)csv->line, (long long)csv->column, (long long)csv->offset, expected, got);
}

/* Goes to where the next field begins. */
static void advance(posenc_cli_csv *csv) {
    csv->line += csv->ends_line;
    csv->column = csv->ends_line ? 1 : csv->column + 1;
    csv->offset = csv->next;
    csv->text[0] = '\0';
}

/* Cuts blanks, and the \r of a line's end. */
static void trim(posenc_cli_csv *csv, size_t n) {
    char *text = csv->text;
    if (csv->ends_line && n > 0 && text[n - 1] == '\r') n--;
    while (n > 0 && (text[n - 1] == ' ' || text[n - 1] == '\t')) n--;
    text[n] = '\0';
    size_t blanks = strspn(text, " \t");
    memmove(text, text + blanks, n - blanks + 1);
}

static int cannot_read(posenc_cli_csv *csv, int error) {
    return posenc_cli_fail("%s: byte %lld: expected bytes to read, got \"%s\"", csv->path, (long long)csv->next,
                           strerror(error));
}

/* Reads the bytes of a field and what ends it: a comma, a line's end, the file's end. */
static int read_field(posenc_cli_csv *csv) {
    size_t n = 0;
    int c;
    errno = 0;
    for (; (c = getc(csv->file)) != EOF && c != ',' && c != '\n'; csv->next++) {
        if (c == '\0') return posenc_cli_csv_refuse(csv, "text", "a zero byte");
        if (n == POSENC_CLI_CSV_FIELD_BYTES - 1)
            return posenc_cli_csv_refuse(csv, "a field of at most 255 bytes", "a longer one");
        csv->text[n++] = (char)c;
    }
    if (ferror(csv->file)) return cannot_read(csv, errno ? errno : EIO);
    csv->ends_line = c != ',';
    csv->ended = c == EOF && n == 0 && csv->column == 1;
    csv->next += c != EOF;
    trim(csv, n);
    return POSENC_CLI_FINE;
}

/* Three bytes that some editors put first. */
static void skip_mark(posenc_cli_csv *csv) {
    static const char mark[] = "\xEF\xBB\xBF";
    if (csv->line != 1 || csv->column != 1 || strncmp(csv->text, mark, 3) != 0) return;
    memmove(csv->text, csv->text + 3, strlen(csv->text + 3) + 1);
    trim(csv, strlen(csv->text));
}

static bool is_empty_line(const posenc_cli_csv *csv) {
    return csv->column == 1 && csv->ends_line && csv->text[0] == '\0';
}

int posenc_cli_csv_next(posenc_cli_csv *csv) {
    posenc_cli_csv empty = {0}; /* the first of the empty lines in a row */
    for (;;) {
        advance(csv);
        int status = read_field(csv);
        if (status != POSENC_CLI_FINE || csv->ended) return status;
        skip_mark(csv);
        if (!is_empty_line(csv)) break;
        if (!empty.path) empty = *csv;
    }
    return empty.path ? posenc_cli_csv_refuse(&empty, "a number", "an empty line") : POSENC_CLI_FINE;
}

bool posenc_cli_csv_is_name(const posenc_cli_csv *csv) {
    unsigned char c = (unsigned char)csv->text[0];
    return c != '\0' && (isalpha(c) || c >= 0x80 || strchr("_#\"", c)) && !strpbrk(csv->text, ";\t");
}
