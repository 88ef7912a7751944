/* Numbers beside ticks, made from integers, so that they are exact and the same in every locale: 0.25, 20 000 with a
 * thin space, 2 x 10^7 with a raised exponent, and a true minus sign. */
#include "report/ticks.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char minus[] = "\xE2\x88\x92",
                  times_ten[] =
                      "\xC3\x97"
                      "10",
                  thin_space[] = "\xE2\x80\x89";

enum { MOST_PLAIN = 15, GROUPED = 5 }; /* figures of a plain number; those from which on they are grouped */

/* Without the zeros at their end. */
static void strip(int64_t *digits, int *exponent) {
    for (; *digits != 0 && *digits % 10 == 0; ++*exponent) *digits /= 10;
}

static int length_of(int64_t digits) {
    int n = 0;
    for (; digits != 0; digits /= 10) n++;
    return n;
}

/* A number gains when it is past 10^7 or below 10^-4 and has few digits, counted to the place where neighbours differ;
 * and must when it does not fit plainly. */
bool posenc_ticks_want_powers(int64_t digits, int exponent) {
    int n = length_of(digits), top = n + exponent; /* 10^(top-1) <= number < 10^top */
    if (digits == 0) return false;
    if (top > MOST_PLAIN + 2 || exponent < -MOST_PLAIN) return true;
    return (top > 7 || top < -3) && n <= 4;
}

static void append(char text[POSENC_TICK_TEXT], const char *piece) {
    size_t used = strlen(text);
    snprintf(text + used, POSENC_TICK_TEXT - used, "%s", piece);
}

static void write_power(int64_t digits, int exponent, posenc_tick *out) {
    char figures[24], piece[32];
    strip(&digits, &exponent);
    int n = snprintf(figures, sizeof figures, "%" PRId64, digits);
    int power = exponent + n - 1;
    if (n > 1)
        snprintf(piece, sizeof piece, "%c.%s%s", figures[0], figures + 1, times_ten);
    else if (digits == 1)
        snprintf(piece, sizeof piece, "10");
    else
        snprintf(piece, sizeof piece, "%s%s", figures, times_ten);
    append(out->text, piece);
    snprintf(out->raised, sizeof out->raised, "%s%d", power < 0 ? minus : "", abs(power));
}

/* The figures before the point, in threes when there are many. */
static void write_whole(const char *figures, int n, char text[POSENC_TICK_TEXT]) {
    for (int i = 0; i < n; i++) {
        if (i > 0 && (n - i) % 3 == 0 && n >= GROUPED) append(text, thin_space);
        append(text, (char[]){figures[i], '\0'});
    }
}

static void write_plain(int64_t digits, int exponent, posenc_tick *out) {
    char figures[64];
    int behind = exponent < 0 ? -exponent : 0; /* figures behind the point */
    int n = snprintf(figures, sizeof figures, "%0*" PRId64, behind + 1, digits);
    for (int e = exponent; e > 0 && n < (int)sizeof figures - 1 && digits != 0; e--) {
        figures[n++] = '0';
        figures[n] = '\0';
    }
    write_whole(figures, n - behind, out->text);
    if (behind == 0) return;
    append(out->text, ".");
    append(out->text, figures + n - behind);
}

void posenc_ticks_text(int64_t digits, int exponent, bool powers, posenc_tick *out) {
    out->text[0] = out->raised[0] = '\0';
    if (digits < 0) append(out->text, minus);
    digits = digits < 0 ? -digits : digits;
    if (digits == 0 && (powers || exponent > 0)) exponent = 0;
    if (powers && digits != 0)
        write_power(digits, exponent, out);
    else
        write_plain(digits, exponent, out);
}
