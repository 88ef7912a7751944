#include "base/text.h"

#include <ctype.h>
#include <errno.h>
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <posenc/context.h>

#include "base/fpenv.h"

bool posenc_parse_i64(const char *text, int64_t *out) {
    if (!isdigit((unsigned char)text[0]) && !(text[0] == '-' && isdigit((unsigned char)text[1]))) return false;
    char *end;
    errno = 0;
    long long value = strtoll(text, &end, 10);
    if (*end != '\0' || errno == ERANGE) return false;
    *out = value;
    return true;
}

/* strtod and printf use the locale's decimal mark; texts use the point. Marks of one byte are all that locales have. */
static char decimal_mark(void) { return *localeconv()->decimal_point; }

bool posenc_parse_f64(const char *text, double *out) {
    char copy[64];
    size_t n = strlen(text);
    if (n == 0 || n >= sizeof copy || isspace((unsigned char)text[0]) || strchr(text, 'x') || strchr(text, 'X'))
        return false;
    for (size_t i = 0; i <= n; i++) copy[i] = text[i] == '.' ? decimal_mark() : text[i];
    char *end;
    posenc_fpenv saved = posenc_fpenv_enter(); /* strtod rounds as the caller does */
    double value = strtod(copy, &end);
    posenc_fpenv_leave(saved);
    if (*end != '\0') return false;
    *out = value;
    return true;
}

void posenc_print_f64(double value, char text[32]) { posenc_print_digits(value, 17, text); }

void posenc_print_digits(double value, int digits, char text[32]) {
    posenc_fpenv saved = posenc_fpenv_enter();
    snprintf(text, 32, "%.*g", digits, value);
    posenc_fpenv_leave(saved);
    for (char *p = text; *p; p++)
        if (*p == decimal_mark()) *p = '.';
}

/* Edit distance (insert, delete, replace, swap of neighbours) of two names, cut off at 64 letters. */
static size_t distance(const char *a, const char *b) {
    size_t rows[3][65], n = strlen(b);
    size_t *before = rows[0], *last = rows[1], *now = rows[2];
    for (size_t j = 0; j <= n; j++) last[j] = j;
    for (size_t i = 1; a[i - 1]; i++) {
        now[0] = i;
        for (size_t j = 1; j <= n; j++) {
            size_t best = last[j - 1] + (a[i - 1] != b[j - 1]);
            if (last[j] + 1 < best) best = last[j] + 1;
            if (now[j - 1] + 1 < best) best = now[j - 1] + 1;
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] && before[j - 2] + 1 < best)
                best = before[j - 2] + 1;
            now[j] = best;
        }
        size_t *free_row = before;
        before = last;
        last = now;
        now = free_row;
    }
    return last[n];
}

const char *posenc_nearest_name(const char *mistyped, const char *const *names, size_t n_names) {
    if (!mistyped || strlen(mistyped) > 64) return NULL;
    const char *nearest = NULL;
    size_t allowed = strlen(mistyped) / 3 + 1, least = SIZE_MAX;
    for (size_t i = 0; i < n_names; i++) {
        if (strlen(names[i]) > 64) continue;
        bool starts_so = strlen(mistyped) >= 3 && strncmp(names[i], mistyped, strlen(mistyped)) == 0;
        size_t d = starts_so ? 1 : distance(mistyped, names[i]);
        if (d > allowed || d >= least) continue;
        least = d;
        nearest = names[i];
    }
    return nearest;
}
