/* Status names, error detail, version. */
#include "base/error.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

const char *posenc_status_name(posenc_status status) {
    static const char *const names[] = {"ok",       "argument", "unknown", "shape", "dtype",  "device",
                                        "position", "overlap",  "memory",  "io",    "format", "unsupported"};
    size_t i = (size_t)status;
    return i < sizeof names / sizeof *names ? names[i] : "no such status";
}

const char *posenc_version(void) { return POSENC_VERSION_TEXT; }

/* Cuts a text that is too long at a character's border, so that a message stays valid UTF-8. */
static void cut_utf8(char *text, size_t capacity) {
    size_t n = strlen(text);
    if (n + 1 < capacity) return;
    while (n > 0 && ((unsigned char)text[n - 1] & 0xC0) == 0x80) n--;
    if (n > 0 && (unsigned char)text[n - 1] >= 0xC0) n--;
    text[n] = '\0';
}

POSENC_PRINTF(5, 0)
static void fill(posenc_error *error, posenc_status status, const char *argument, int64_t offset, const char *format,
                 va_list list) {
    if (!error) return;
    error->status = status;
    error->offset = offset;
    snprintf(error->argument, sizeof error->argument, "%s", argument);
    cut_utf8(error->argument, sizeof error->argument);
    int used = offset < 0
                   ? snprintf(error->message, sizeof error->message, "%s: ", argument)
                   : snprintf(error->message, sizeof error->message, "%s: byte %lld: ", argument, (long long)offset);
    if (used < 0 || (size_t)used >= sizeof error->message) used = (int)sizeof error->message - 1;
    vsnprintf(error->message + used, sizeof error->message - (size_t)used, format, list);
    cut_utf8(error->message, sizeof error->message);
}

posenc_status posenc_fail(posenc_error *error, posenc_status status, const char *argument, const char *format, ...) {
    va_list list;
    va_start(list, format);
    fill(error, status, argument, -1, format, list);
    va_end(list);
    return status;
}

posenc_status posenc_fail_at(posenc_error *error, posenc_status status, const char *argument, int64_t offset,
                             const char *format, ...) {
    va_list list;
    va_start(list, format);
    fill(error, status, argument, offset, format, list);
    va_end(list);
    return status;
}

posenc_status posenc_fail_memory(posenc_error *error, const char *argument, size_t bytes) {
    return posenc_fail(error, POSENC_ERROR_MEMORY, argument, "expected %zu bytes of memory, got none", bytes);
}
