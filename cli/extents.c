/* Digits, or digits x digits, whole or not at all. */
#include "extents.h"

#include <ctype.h>
#include <string.h>

#include "numbers.h"

static bool parse_part(const char *text, size_t bytes, int64_t *out) {
    char digits[24];
    if (bytes == 0 || bytes >= sizeof digits || !isdigit((unsigned char)text[0])) return false;
    memcpy(digits, text, bytes);
    digits[bytes] = '\0';
    return posenc_cli_parse_integer(digits, out);
}

bool posenc_cli_parse_extents(const char *text, posenc_cli_extents *out) {
    const char *cross = strchr(text, 'x');
    posenc_cli_extents all = {.grid = cross != NULL, .height = 1};
    size_t before = cross ? (size_t)(cross - text) : 0;
    if (cross && !parse_part(text, before, &all.height)) return false;
    const char *rest = cross ? cross + 1 : text;
    if (!parse_part(rest, strlen(rest), &all.width)) return false;
    *out = all;
    return true;
}

bool posenc_cli_extents_product(const posenc_cli_extents *extents, int64_t *out) {
    int64_t height = extents->height, width = extents->width;
    if (width != 0 && height > INT64_MAX / width) return false;
    *out = height * width;
    return true;
}
