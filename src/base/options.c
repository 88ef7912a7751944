#include "base/options.h"

#include <string.h>

#include "base/error.h"

void posenc_options_write(void *options, size_t size, const void *defaults, size_t all_bytes) {
    memcpy(options, defaults, size < all_bytes ? size : all_bytes);
}

posenc_status posenc_options_read(const void *given, void *all, size_t all_bytes, const char *name,
                                  posenc_error *error) {
    size_t size;
    if (!given) return POSENC_OK;
    memcpy(&size, given, sizeof size);
    if (size < sizeof size || size > all_bytes)
        return posenc_fail(error, POSENC_ERROR_ARGUMENT, name, "expected at most %zu, got %zu", all_bytes, size);
    memcpy(all, given, size);
    memcpy(all, &all_bytes, sizeof all_bytes);
    return POSENC_OK;
}

posenc_status posenc_options_need(const void *given, void *all, size_t all_bytes, posenc_error *error) {
    if (!given) return posenc_fail(error, POSENC_ERROR_ARGUMENT, "options", "expected a pointer, got NULL");
    return posenc_options_read(given, all, all_bytes, "options.size", error);
}
