/* The sinusoidal records of vectors.json. */
#ifndef POSENC_TESTS_GOLDEN_RECORDS_H
#define POSENC_TESTS_GOLDEN_RECORDS_H

#include <stdint.h>

#include <posenc/sinusoidal.h>

enum { RECORD_COLUMNS = 16 };

typedef struct record {
    char id[64];
    posenc_layout layout;
    int64_t dim, position;
    double base;
    int n_columns;
    int64_t columns[RECORD_COLUMNS];
    char values[RECORD_COLUMNS][32]; /* decimal */
} record;

/* Reads the file: *records is to be freed. Gives the number of sinusoidal records; *n_all counts every scheme's.
 * Fails the running test when the file cannot be read or a record misses a member. */
int records_read(const char *path, record **records, int *n_all);

#endif
