#include "resize_metadata.h"

#include <stdlib.h>
#include <string.h>

static bool is_ours(const char *key) { return strncmp(key, "posenc.", 7) == 0; }

static bool is_learned(const posenc_safetensors *container) {
    const char *scheme = posenc_safetensors_metadata(container, "posenc.scheme");
    return scheme && strcmp(scheme, "learned") == 0;
}

/* NULL where it no longer holds. */
static const char *value_of(const posenc_safetensors *container, const char *key, const char *rows_text) {
    if (!is_ours(key)) return posenc_safetensors_metadata(container, key);
    if (!is_learned(container)) return NULL;
    return strcmp(key, "posenc.max-len") == 0 ? rows_text : posenc_safetensors_metadata(container, key);
}

const char **posenc_cli_resized_metadata(const posenc_safetensors *container, int64_t n_rows, char rows_text[24],
                                         size_t *n) {
    size_t count = 0;
    while (container && posenc_safetensors_key(container, count)) count++;
    const char **pairs = malloc((2 * count + 1) * sizeof *pairs);
    snprintf(rows_text, 24, "%lld", (long long)n_rows);
    *n = 0;
    for (size_t i = 0; pairs && i < count; i++) {
        const char *key = posenc_safetensors_key(container, i), *value = value_of(container, key, rows_text);
        if (value) pairs[2 * *n] = key, pairs[2 * *n + 1] = value, ++*n;
    }
    return pairs;
}
