/* Buckets of distances: each small distance has its own, further on they widen with the logarithm. The published codes
 * work in float32, so a distance near a border lies where float32 puts it:
 *     x = round(round(round(ln round(n / unit)) / span) * steps),   bucket = unit + floor(x), or + ceil(x)
 * Here the smallest distance of each bucket is found once, with logarithms that are rounded right on every machine.
 * After that a bucket is a search among integers. */
#ifndef POSENC_SCHEMES_LOG_BUCKETS_H
#define POSENC_SCHEMES_LOG_BUCKETS_H

#include <posenc/context.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct posenc_log_buckets {
    uint64_t own;       /* distances 0..own are their own buckets */
    int64_t unit;       /* where the logarithm is 0 */
    float span, steps;  /* the logarithm of a distance over span makes so many steps */
    bool ceiling;       /* steps are rounded up, else down */
    int64_t most;       /* the last bucket takes all further distances */
    size_t n;           /* first[k], k < n: smallest distance that makes k + 1 steps */
    uint64_t *first;    /* owned */
    uint64_t all_known; /* distances below this are decided by first; the others one by one */
} posenc_log_buckets;

/* ln(x) rounded once to float, x >= 1 a float. */
float posenc_log_f32(float x);

/* Finds the borders. All but n, first and all_known are filled in. False where memory ends; nothing is kept then. */
bool posenc_log_buckets_make(const posenc_context *context, posenc_log_buckets *buckets);
void posenc_log_buckets_end(const posenc_context *context, posenc_log_buckets *buckets);

/* The bucket of a distance n <= 2^63, and the smallest and largest distance up to 2^63 that are in it, as far as they
 * are known: *last is at least n. */
int64_t posenc_log_buckets_at(const posenc_log_buckets *buckets, uint64_t n, uint64_t *begin, uint64_t *last);

#endif
