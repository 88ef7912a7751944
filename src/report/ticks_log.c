/* Ticks of a logarithmic axis: powers of ten, every one or every so many; in between, without text, the other
 * multiples. Where an axis holds too few powers, 2 and 5 times a power get a text too, and an axis shorter than that
 * is marked as a linear one is. */
#include "report/ticks.h"

#include <math.h>

enum { FEW_POWERS = 2, FEWEST = 3, MOST_POWERS_WITH_MINOR = 6, MORE = 2 };

/* Plain figures from 0.001 to 10 000, else powers: one way for the whole axis. */
static bool wants_powers(double low, double high) { return low < 0.9e-3 || high > 1.1e4; }

static bool within(double value, double low, double high) {
    return value >= low * (1 - 1e-9) && value <= high * (1 + 1e-9);
}

static void add(posenc_ticks *out, int digits, int exponent, bool powers) {
    if (out->n == POSENC_MOST_TICKS) return;
    posenc_tick *tick = &out->ticks[out->n++];
    tick->value = digits * pow(10, exponent);
    posenc_ticks_text(digits, exponent, powers, tick);
}

static void add_minor(posenc_ticks *out, double value) {
    if (out->n_minor < POSENC_MOST_MINOR_TICKS) out->minor[out->n_minor++] = value;
}

static bool has_text(int digits, bool two_and_five) {
    return digits == 1 || (two_and_five && (digits == 2 || digits == 5));
}

/* Multiples 1..9 of every power; those that are not labelled are minor. */
static void mark_all(double low, double high, int from, int to, bool two_and_five, posenc_ticks *out) {
    bool powers = wants_powers(low, high);
    for (int e = from; e <= to; e++)
        for (int digits = 1; digits <= 9; digits++) {
            double value = digits * pow(10, e);
            if (!within(value, low, high)) continue;
            if (has_text(digits, two_and_five))
                add(out, digits, e, powers);
            else
                add_minor(out, value);
        }
}

/* How many powers it is from tick to tick: a number that is easily counted in. */
static int stride_of(int n, int most) {
    static const int strides[] = {1, 2, 3, 5, 10, 20, 50};
    if (n <= most + MORE) return 1;
    for (size_t i = 0; i < sizeof strides / sizeof *strides; i++)
        if (n <= strides[i] * most) return strides[i];
    return 100;
}

void posenc_ticks_logarithmic(double low, double high, int most, posenc_ticks *out) {
    int from = (int)ceil(log10(low) - 1e-9), to = (int)floor(log10(high) + 1e-9), n = to - from + 1;
    if (n <= MOST_POWERS_WITH_MINOR && n <= most) {
        mark_all(low, high, from - 1, to, n <= FEW_POWERS, out);
        if (out->n >= FEWEST || n > FEW_POWERS) return;
        out->n = out->n_minor = 0;
        posenc_ticks_linear(low, high, most, false, out);
        return;
    }
    int stride = stride_of(n, most);
    bool powers = wants_powers(low, high);
    for (int e = from; e <= to; e++)
        if (e % stride == 0) add(out, 1, e, powers);
}
