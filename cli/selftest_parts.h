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

/* Known answers of one kind: check compares one of n. It returns POSENC_CLI_FINE whatever was found. */
typedef struct posenc_cli_answers {
    int (*check)(const posenc_context *context, size_t i, posenc_cli_tally *tally);
    size_t n;
} posenc_cli_answers;

/* Compares all of some kinds. */
int posenc_cli_check_answers(const posenc_cli_answers *kinds, size_t n, const posenc_context *context,
                             posenc_cli_tally *tally);

/* Compares values that are published or known to many digits with what a context's plans write.
 * Returns POSENC_CLI_FINE whatever was found, or _TROUBLE with a message where a plan could not be made. */
int posenc_cli_known_answers(const posenc_context *context, posenc_cli_tally *tally);

/* The rotary ones among them, those of score biases, and of relative encodings through vectors. */
int posenc_cli_rotary_answers(const posenc_context *context, posenc_cli_tally *tally);
int posenc_cli_bias_answers(const posenc_context *context, posenc_cli_tally *tally);
int posenc_cli_relative_answers(const posenc_context *context, posenc_cli_tally *tally);

/* One table whose bytes are pinned. */
typedef struct posenc_cli_configuration posenc_cli_configuration;

/* Makes the table, in the machine's byte order. */
typedef posenc_status posenc_cli_table_maker(const posenc_cli_configuration *configuration,
                                             const posenc_context *context, void *table, posenc_error *error);

struct posenc_cli_configuration {
    char name[128]; /* as it stands in the list of checksums: what is made, in which type, of which positions */
    posenc_dtype dtype;
    int64_t rows, dim;
    posenc_cli_table_maker *make;
    const void *own; /* the maker's description */
};

/* Pinned tables of one kind: their number, and one of them. */
size_t posenc_cli_sinusoidal_count(void);
void posenc_cli_sinusoidal_at(size_t index, posenc_cli_configuration *out);
size_t posenc_cli_scheme_table_count(void); /* time steps, Fourier features, first values of learned tables */
void posenc_cli_scheme_table_at(size_t index, posenc_cli_configuration *out);
size_t posenc_cli_resized_count(void);
void posenc_cli_resized_at(size_t index, posenc_cli_configuration *out);
size_t posenc_cli_rotary_count(void); /* cosines and sines, and heads turned */
void posenc_cli_rotary_at(size_t index, posenc_cli_configuration *out);
size_t posenc_cli_bias_count(void); /* score biases and their gradients, buckets */
void posenc_cli_bias_at(size_t index, posenc_cli_configuration *out);
size_t posenc_cli_relative_count(void); /* shaw and transformer-xl */
void posenc_cli_relative_at(size_t index, posenc_cli_configuration *out);

/* All of them, kind by kind. */
size_t posenc_cli_configuration_count(void);
void posenc_cli_configuration_at(size_t index, posenc_cli_configuration *out);

/* Bytes of a table. */
size_t posenc_cli_configuration_bytes(const posenc_cli_configuration *configuration);

/* Makes a table, little-endian, in table[posenc_cli_configuration_bytes]. */
posenc_status posenc_cli_configuration_make(const posenc_cli_configuration *configuration,
                                            const posenc_context *context, void *table, posenc_error *error);

/* Puts n numbers that anybody can make: the multiples of an odd number modulo 2^16, shifted to -1..1. */
void posenc_cli_put_numbers(void *table, int64_t n, posenc_dtype dtype);

/* Which positions the rows of a table stand at. */
typedef struct posenc_cli_places {
    int64_t start, rows;
    enum { POSENC_CLI_FROM_START, POSENC_CLI_QUARTERS, POSENC_CLI_SCATTERED, POSENC_CLI_FRACTIONS } ids;
} posenc_cli_places;

/* "130 rows from 0 by quarters". */
void posenc_cli_places_text(const posenc_cli_places *places, char text[96]);

/* Makes a plan, writes its rows at those places, and ends it. */
posenc_status posenc_cli_write_places(const posenc_context *context, const char *scheme,
                                      const posenc_parameter *parameters, size_t n_parameters,
                                      const posenc_cli_places *places, posenc_dtype dtype, void *table,
                                      posenc_error *error);

/* Compares each table that the contexts make with its published checksum. Returns as posenc_cli_known_answers. */
int posenc_cli_checksums(posenc_context *const *contexts, size_t n_contexts, posenc_cli_tally *tally);

/* Prints the list of checksums as selftest_checksums.inc holds it. For the developers who publish them. */
int posenc_cli_print_checksums(void);

#endif
