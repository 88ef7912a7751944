/* The two halves of selftest: known answers, and checksums of tables. */
#ifndef POSENC_CLI_SELFTEST_PARTS_H
#define POSENC_CLI_SELFTEST_PARTS_H

#include "cli.h"

/* What a part found. */
typedef struct posenc_cli_tally {
    int checked, failed;
    char failures[8][160]; /* the first few, one sentence each */
} posenc_cli_tally;

/* Notes one check. The sentence is kept if it failed and there is room. */
void posenc_cli_tally_add(posenc_cli_tally *tally, bool right, const char *format, ...) POSENC_CLI_PRINTF(3, 4);

/* Compares values that are published or known to many digits with what a context's plans write.
 * Returns POSENC_CLI_FINE whatever was found, or _TROUBLE with a message where a plan could not be made. */
int posenc_cli_known_answers(const posenc_context *context, posenc_cli_tally *tally);

/* One table whose bytes are pinned. */
typedef struct posenc_cli_configuration {
    const char *layout;
    int64_t dim;
    posenc_dtype dtype;
    bool cos_first;
    const char *base, *arithmetic;
    int64_t start, rows;
    enum { POSENC_CLI_FROM_START, POSENC_CLI_QUARTERS, POSENC_CLI_SCATTERED } ids; /* how positions follow from start */
} posenc_cli_configuration;

/* Number of pinned tables, and one of them. */
size_t posenc_cli_configuration_count(void);
const posenc_cli_configuration *posenc_cli_configuration_at(size_t index);

/* Its name, as it stands in the list of checksums: layout, width, dtype, positions. */
void posenc_cli_configuration_name(const posenc_cli_configuration *configuration, char name[128]);

/* Bytes of its table. */
size_t posenc_cli_configuration_bytes(const posenc_cli_configuration *configuration);

/* Makes its table, little-endian, in table[posenc_cli_configuration_bytes]. */
posenc_status posenc_cli_configuration_make(const posenc_cli_configuration *configuration,
                                            const posenc_context *context, void *table, posenc_error *error);

/* Compares each table that the contexts make with its published checksum. Returns as posenc_cli_known_answers. */
int posenc_cli_checksums(posenc_context *const *contexts, size_t n_contexts, posenc_cli_tally *tally);

/* Prints the list of checksums as selftest_checksums.inc holds it. For the developers who publish them. */
int posenc_cli_print_checksums(void);

#endif
