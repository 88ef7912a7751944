/* The timestep and fourier records of vectors.json, as parameters by name. */
#ifndef POSENC_TESTS_GOLDEN_SINE_RECORDS_H
#define POSENC_TESTS_GOLDEN_SINE_RECORDS_H

#include <stdint.h>

#include <posenc/plan.h>

enum { SINE_COLUMNS = 16, SINE_PARAMETERS = 6 };

typedef struct sine_record {
    char id[64];
    char names[SINE_PARAMETERS][32], texts[SINE_PARAMETERS][32];
    size_t n_parameters;
    double position; /* of a decimal text: not always that very number */
    int n_columns;
    int64_t columns[SINE_COLUMNS];
    char values[SINE_COLUMNS][40]; /* decimal */
} sine_record;

/* Reads the records of a scheme: *records is to be freed. Fails the running test when the file cannot be read or a
 * record misses a member. */
int sine_records_read(const char *path, const char *scheme, sine_record **records);

/* The plan of a record. */
posenc_plan *sine_record_plan(const posenc_context *context, const char *scheme, const sine_record *r);

/* Every record through the library in every dtype on every instruction set, and through the slow equation. */
void sine_records_check(const char *scheme, const sine_record *records, int n);

#endif
