/* Configurations given as text, for tests of their reader. */
#ifndef POSENC_TESTS_FORMATS_CONFIG_BYTES_H
#define POSENC_TESTS_FORMATS_CONFIG_BYTES_H

#include <posenc/config.h>
#include <stdbool.h>

/* Reads n bytes as a file called "x". */
posenc_status config_of(const posenc_context *context, const void *bytes, size_t n, posenc_config **out,
                        posenc_error *error);

/* The configuration that a text is; fails the running test where it is none. */
posenc_config *must_config(const char *text);

/* The warning about a key; NULL where there is none. */
const posenc_config_warning *warning_of(const posenc_config *config, const char *key);

/* Whether a sentence of assumed has these words. */
bool assumes(const posenc_config *config, const char *words);

#endif
