/* Published checksums: the same bytes on every machine, instruction set and number of threads. */
#include <stdlib.h>
#include <string.h>

#include "selftest_parts.h"
#include "sha256.h"

/* In the order of the configurations. */
static const struct {
    const char *name, *sha256;
} published[] = {
#include "selftest_checksums.inc"
    {"", ""}}; /* the list ends */

static size_t largest(void) {
    size_t bytes = 0;
    for (size_t i = 0; i < posenc_cli_configuration_count(); i++) {
        posenc_cli_configuration configuration;
        posenc_cli_configuration_at(i, &configuration);
        size_t own = posenc_cli_configuration_bytes(&configuration);
        if (own > bytes) bytes = own;
    }
    return bytes;
}

static bool is_published(size_t index, const char *name, const void *table, size_t bytes, char hex[65]) {
    posenc_cli_sha256(table, bytes, hex);
    return index < sizeof published / sizeof *published && strcmp(published[index].name, name) == 0 &&
           strcmp(published[index].sha256, hex) == 0;
}

/* The first context's table is hashed; another's is too unless it has the same bytes. */
static int check(size_t index, posenc_context *const *contexts, size_t n_contexts, void *first, void *other,
                 posenc_cli_tally *tally) {
    posenc_cli_configuration configuration;
    posenc_cli_configuration_at(index, &configuration);
    size_t bytes = posenc_cli_configuration_bytes(&configuration);
    char hex[65];
    bool first_right = false;
    for (size_t c = 0; c < n_contexts; c++) {
        posenc_error error;
        void *table = c == 0 ? first : other;
        if (posenc_cli_configuration_make(&configuration, contexts[c], table, &error) != POSENC_OK)
            return posenc_cli_refuse(&error);
        bool same = c > 0 && memcmp(first, other, bytes) == 0;
        bool right = same ? first_right : is_published(index, configuration.name, table, bytes, hex);
        if (c == 0) first_right = right;
        posenc_cli_tally_add(tally, right, "%s on %s: checksum %.16s...", configuration.name,
                             posenc_context_isa(contexts[c]), hex);
    }
    return POSENC_CLI_FINE;
}

int posenc_cli_checksums(posenc_context *const *contexts, size_t n_contexts, posenc_cli_tally *tally) {
    size_t bytes = largest();
    char *tables = malloc(2 * bytes);
    if (!tables) return posenc_cli_no_memory("tables", 2 * bytes);
    int status = POSENC_CLI_FINE;
    for (size_t i = 0; status == POSENC_CLI_FINE && i < posenc_cli_configuration_count(); i++)
        status = check(i, contexts, n_contexts, tables, tables + bytes, tally);
    free(tables);
    return status;
}

int posenc_cli_print_checksums(void) {
    size_t bytes = largest();
    void *table = malloc(bytes);
    if (!table) return posenc_cli_no_memory("tables", bytes);
    int status = POSENC_CLI_FINE;
    for (size_t i = 0; status == POSENC_CLI_FINE && i < posenc_cli_configuration_count(); i++) {
        posenc_cli_configuration configuration;
        posenc_error error;
        char hex[65];
        posenc_cli_configuration_at(i, &configuration);
        if (posenc_cli_configuration_make(&configuration, NULL, table, &error) != POSENC_OK)
            status = posenc_cli_refuse(&error);
        posenc_cli_sha256(table, posenc_cli_configuration_bytes(&configuration), hex);
        if (status == POSENC_CLI_FINE) printf("{\"%s\", \"%s\"},\n", configuration.name, hex);
    }
    free(table);
    return status;
}
