/* Fills in a caller's error detail. Every refusal in the library goes through here, so that messages have one form:
 *     argument: expected what, got what */
#ifndef POSENC_BASE_ERROR_H
#define POSENC_BASE_ERROR_H

#include <posenc/status.h>

#if defined(__GNUC__)
#define POSENC_PRINTF(text, first) __attribute__((format(printf, text, first)))
#else
#define POSENC_PRINTF(text, first)
#endif

/* Returns status. The message becomes "argument: " and the formatted text; error may be NULL. */
posenc_status posenc_fail(posenc_error *error, posenc_status status, const char *argument, const char *format, ...)
    POSENC_PRINTF(4, 5);

/* The same for a file, with the byte offset of the trouble: "file: byte 12: text". */
posenc_status posenc_fail_at(posenc_error *error, posenc_status status, const char *argument, int64_t offset,
                             const char *format, ...) POSENC_PRINTF(5, 6);

/* Out of memory: the argument names what was to be held. */
posenc_status posenc_fail_memory(posenc_error *error, const char *argument, size_t bytes);

#endif
