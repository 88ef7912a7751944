#include "schemes/log_buckets.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "phasor/wide.h"

enum { MOST_BORDERS = 1 << 16 };
static const uint64_t furthest = (uint64_t)1 << 63; /* the size of INT64_MIN */

/* ---- the published arithmetic, step by step; a float operation done in double and rounded once more is the same ----
 */

/* ln(x) = e ln 2 - (-ln m), x = m 2^e, 1/2 <= m < 1. */
static posenc_wide wide_log(float x) {
    int e;
    double m = frexp((double)x, &e);
    posenc_wide ln2 = posenc_wide_minus_log(0.5), minus = posenc_wide_minus_log(m);
    minus = posenc_wide_negate(&minus);
    return posenc_wide_add(posenc_wide_times_ratio(&ln2, (uint64_t)e, 1), &minus);
}

/* A logarithm of a float is never half way between two floats, but a double near it may be. */
static float round_log(float x) {
    posenc_wide exact = wide_log(x);
    double near = posenc_wide_to_double(&exact);
    uint64_t bits;
    memcpy(&bits, &near, sizeof bits);
    if ((bits & 0x1FFFFFFF) != 0x10000000) return (float)near;
    posenc_wide back = posenc_wide_of_double(near);
    back = posenc_wide_negate(&back);
    posenc_wide rest = posenc_wide_add(exact, &back);
    return (float)nextafter(near, posenc_wide_is_negative(&rest) ? 0 : HUGE_VAL);
}

/* The C library's logarithm may be off by some units of its last place. Where even 2^-46 of it, thousands of units,
 * does not change the float, that is the right one. */
float posenc_log_f32(float x) {
    if (x == 1) return 0;
    double near = log((double)x);
    float low = (float)(near * (1 - 0x1p-46)), high = (float)(near * (1 + 0x1p-46));
    return low == high ? low : round_log(x);
}

/* The float of a whole number, rounded once. */
static float float_of(uint64_t n) { return (float)n; }

static double steps_of(const posenc_log_buckets *b, uint64_t n) {
    float ratio = (float)((double)float_of(n) / (double)b->unit);
    if (ratio < 1) return 0;
    float share = (float)((double)posenc_log_f32(ratio) / (double)b->span);
    float x = (float)((double)share * (double)b->steps);
    return b->ceiling ? ceil((double)x) : floor((double)x);
}

/* ---- borders ---- */

/* The smallest distance above before that makes k steps; 0: there is none. Every operation is monotone, so it does not
 * matter where the search begins. */
static uint64_t find_border(const posenc_log_buckets *b, uint64_t before, double k) {
    double share = (b->ceiling ? k - 1 : k) / (double)b->steps;
    double guess = (double)b->unit * exp(share * (double)b->span);
    uint64_t low = before, high = guess < 0x1p63 ? (uint64_t)guess : furthest;
    if (low >= furthest) return 0;
    if (high <= low) high = low + 1;
    for (uint64_t step = 1; steps_of(b, high) < k; step *= 2) {
        if (high == furthest) return 0;
        low = high;
        high = furthest - high < step ? furthest : high + step;
    }
    for (uint64_t step = 1; high - low > step; step *= 2) { /* from high down, in case the guess was far above */
        if (steps_of(b, high - step) < k) {
            low = high - step;
            break;
        }
        high -= step;
    }
    while (high - low > 1) {
        uint64_t middle = low + (high - low) / 2;
        if (steps_of(b, middle) < k)
            low = middle;
        else
            high = middle;
    }
    return high;
}

/* How many borders there may be: up to the last bucket, or to the furthest distance. */
static size_t count_borders(const posenc_log_buckets *b) {
    double most = (double)(b->most - b->unit), reach = ceil(steps_of(b, furthest)) + 1;
    if (reach < most) most = reach;
    return most < MOST_BORDERS ? (size_t)most : MOST_BORDERS;
}

bool posenc_log_buckets_make(const posenc_context *context, posenc_log_buckets *b) {
    size_t most = count_borders(b);
    b->first = posenc_allocate(context, most * sizeof *b->first);
    if (!b->first) return false;
    b->all_known = UINT64_MAX;
    uint64_t before = b->own;
    for (b->n = 0; b->n < most; b->n++) {
        double k = (double)(b->n + 1);
        if (steps_of(b, before + 1) >= k) { /* one distance makes several steps */
            b->first[b->n] = before + 1;
            continue;
        }
        uint64_t border = find_border(b, before + 1, k);
        if (border == 0) return true;
        b->first[b->n] = border;
        before = border - 1;
    }
    if (b->unit + (int64_t)b->n < b->most) b->all_known = b->first[b->n - 1];
    return true;
}

void posenc_log_buckets_end(const posenc_context *context, posenc_log_buckets *b) {
    posenc_release(context, b->first);
    b->first = NULL;
}

/* ---- asking ---- */

/* Number of borders up to n. */
static size_t steps_up_to(const posenc_log_buckets *b, uint64_t n) {
    size_t low = 0, high = b->n;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (b->first[middle] <= n)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

int64_t posenc_log_buckets_at(const posenc_log_buckets *b, uint64_t n, uint64_t *begin, uint64_t *last) {
    *begin = *last = n;
    if (n <= b->own) return (int64_t)n;
    if (n >= b->all_known) { /* past the borders that were worth finding */
        int64_t bucket = b->unit + (int64_t)steps_of(b, n);
        return bucket < b->most ? bucket : b->most;
    }
    size_t steps = steps_up_to(b, n);
    *begin = steps == 0 ? b->own + 1 : b->first[steps - 1];
    *last = steps < b->n ? b->first[steps] - 1 : furthest;
    return b->unit + (int64_t)steps;
}
