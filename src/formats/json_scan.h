/* A look over a JSON text (RFC 8259) from outside before anything is built of it: is it JSON at all, in UTF-8, and
 * within limits. No recursion, no allocation; the first trouble in reading order is the one that is reported, at its
 * byte. */
#ifndef POSENC_FORMATS_JSON_SCAN_H
#define POSENC_FORMATS_JSON_SCAN_H

#include <posenc/status.h>
#include <stdbool.h>

typedef struct posenc_json_limits {
    int most_depth;     /* open objects and arrays at one place, 1..64 */
    size_t most_tokens; /* keys and values */
    bool whole_numbers; /* refuse numbers with a fraction or an exponent */
} posenc_json_limits;

typedef struct posenc_json_count {
    size_t tokens;  /* keys and values */
    size_t numbers; /* values that are numbers */
} posenc_json_count;

/* Scans text[n], which begins at byte offset of the file that messages call name. Refused too: numbers beyond int64
 * (unless they have a fraction or an exponent), NUL and lone surrogates in strings.
 * *count is untouched on failure. Returns POSENC_ERROR_FORMAT. */
posenc_status posenc_json_scan(const char *name, const uint8_t *text, size_t n, int64_t offset,
                               const posenc_json_limits *limits, posenc_json_count *count, posenc_error *error);

#endif
