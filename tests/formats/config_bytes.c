/* Configurations given as text, for tests of their reader. */
#include "config_bytes.h"

#include <string.h>

#include "formats/config.h"
#include "memory_io.h"
#include "support/test.h"

posenc_status config_of(const posenc_context *context, const void *bytes, size_t n, posenc_config **out,
                        posenc_error *error) {
    memory_file file;
    const posenc_io *io = memory_file_io(&file, bytes, n, false, 0);
    posenc_status status = posenc_config_read_with(io, context, "x", out, error);
    check(file.open == 0, "the file was left open");
    return status;
}

posenc_config *must_config(const char *text) {
    posenc_config *config = NULL;
    posenc_error error = {.message = ""};
    check(config_of(NULL, text, strlen(text), &config, &error) == POSENC_OK, "%s: %s", text, error.message);
    return config;
}

const posenc_config_warning *warning_of(const posenc_config *config, const char *key) {
    const posenc_config_warning *w;
    for (size_t i = 0; (w = posenc_config_warned(config, i)); i++)
        if (strcmp(w->key, key) == 0) return w;
    return NULL;
}

bool assumes(const posenc_config *config, const char *words) {
    const char *sentence;
    for (size_t i = 0; (sentence = posenc_config_assumed(config, i)); i++)
        if (strstr(sentence, words)) return true;
    return false;
}
