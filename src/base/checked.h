/* Sizes that never wrap. Each function returns false, and leaves *out untouched, when the true result does not fit. */
#ifndef POSENC_BASE_CHECKED_H
#define POSENC_BASE_CHECKED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

static inline bool posenc_size_add(size_t a, size_t b, size_t *out) {
    if (a > SIZE_MAX - b) return false;
    *out = a + b;
    return true;
}

static inline bool posenc_size_multiply(size_t a, size_t b, size_t *out) {
    if (b != 0 && a > SIZE_MAX / b) return false;
    *out = a * b;
    return true;
}

static inline bool posenc_i64_add(int64_t a, int64_t b, int64_t *out) {
    if (b > 0 ? a > INT64_MAX - b : a < INT64_MIN - b) return false;
    *out = a + b;
    return true;
}

/* For a, b >= 0, as extents are. The division of the plain way is what small calls would spend their time on. */
static inline bool posenc_i64_multiply(int64_t a, int64_t b, int64_t *out) {
#if defined(__GNUC__)
    int64_t product;
    if (__builtin_mul_overflow(a, b, &product)) return false;
    *out = product;
#else
    if (b != 0 && a > INT64_MAX / b) return false;
    *out = a * b;
#endif
    return true;
}

/* floor(i * n / parts), where part i of n things begins; the product itself may not fit. 0 <= i <= parts, parts > 0. */
static inline int64_t posenc_i64_share(int64_t i, int64_t n, int64_t parts) {
    return n / parts * i + n % parts * i / parts; /* n = q parts + r */
}

/* Bytes of n elements, if they fit into size_t and ptrdiff_t. */
static inline bool posenc_bytes_of(int64_t n, size_t element_bytes, size_t *out) {
    if (n < 0 || (uint64_t)n > (uint64_t)PTRDIFF_MAX / element_bytes) return false;
    *out = (size_t)n * element_bytes;
    return true;
}

#endif
