/* FILE or FILE:TENSOR, taken apart. */
#include "tensor_path.h"

#include <string.h>
#include <unistd.h>

#include "paths.h"

static bool is_container(const char *file) { return posenc_cli_ends_in(file, ".safetensors"); }

int posenc_cli_tensor_path_of(const char *option, const char *text, posenc_cli_tensor_path *out) {
    size_t n = strlen(text);
    const char *colon = strrchr(text, ':');
    *out = (posenc_cli_tensor_path){.tensor = NULL};
    if (n >= sizeof out->file && !colon)
        return posenc_cli_fail("%s: expected a path of at most %zu bytes, got %zu", option, sizeof out->file - 1, n);
    if (colon && access(text, F_OK) != 0) {
        size_t m = (size_t)(colon - text);
        if (m >= sizeof out->file)
            return posenc_cli_fail("%s: expected a path of at most %zu bytes, got %zu", option, sizeof out->file - 1,
                                   m);
        memcpy(out->file, text, m);
        if (is_container(out->file)) out->tensor = colon + 1;
    }
    if (!out->tensor) snprintf(out->file, sizeof out->file, "%s", text);
    out->container = is_container(out->file);
    return POSENC_CLI_FINE;
}

const posenc_tensor_info *posenc_cli_tensor_find(const posenc_safetensors *container,
                                                 const posenc_cli_tensor_path *path) {
    enum { MOST_NAMES = 256 };
    const char *names[MOST_NAMES];
    size_t n = 0;
    const posenc_tensor_info *info = posenc_safetensors_find(container, path->tensor);
    if (info) return info;
    for (; n < MOST_NAMES && (info = posenc_safetensors_at(container, n)); n++) names[n] = info->name;
    const char *nearest = posenc_nearest_name(path->tensor, names, n);
    if (nearest)
        posenc_cli_fail("%s: unknown tensor \"%s\", did you mean \"%s\"?", path->file, path->tensor, nearest);
    else
        posenc_cli_fail("%s: unknown tensor \"%s\", among %zu tensors", path->file, path->tensor,
                        posenc_safetensors_count(container));
    return NULL;
}
