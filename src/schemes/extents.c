#include "schemes/extents.h"

#include <stdio.h>
#include <string.h>

#include "base/text.h"

/* One extent: digits only. */
static bool parse_one(const char *text, size_t bytes, int64_t *out) {
    char digits[24];
    if (bytes == 0 || bytes >= sizeof digits || strspn(text, "0123456789") < bytes) return false;
    memcpy(digits, text, bytes);
    digits[bytes] = '\0';
    return posenc_parse_i64(digits, out);
}

bool posenc_extents_parse(const char *text, int64_t extents[POSENC_MOST_AXES], int64_t *n) {
    int64_t all[POSENC_MOST_AXES], axes = 0;
    for (;;) {
        size_t bytes = strcspn(text, "x");
        if (axes == POSENC_MOST_AXES || !parse_one(text, bytes, &all[axes])) return false;
        axes++;
        text += bytes;
        if (*text == '\0') break;
        text++;
    }
    memcpy(extents, all, (size_t)axes * sizeof *all);
    *n = axes;
    return true;
}

void posenc_extents_print(const int64_t *extents, int64_t n, char text[POSENC_EXTENTS_TEXT]) {
    size_t used = 0;
    text[0] = '\0';
    for (int64_t i = 0; i < n && i < POSENC_MOST_AXES && used < POSENC_EXTENTS_TEXT; i++) {
        int wrote = snprintf(text + used, POSENC_EXTENTS_TEXT - used, "%s%lld", i ? "x" : "", (long long)extents[i]);
        used += wrote > 0 ? (size_t)wrote : 0;
    }
}

bool posenc_extents_product(const int64_t *extents, int64_t n, int64_t *cells) {
    const int64_t most = INT64_C(1) << POSENC_MOST_CELL_BITS;
    int64_t product = 1;
    for (int64_t i = 0; i < n; i++) {
        if (product > most / extents[i]) return false;
        product *= extents[i];
    }
    *cells = product;
    return true;
}
