/* Rotary encodings straight from their papers, in long double: frequencies of every family, amplitudes, and a pair
 * turned. Parameters are read as text, by the names that posenc's scheme has for them. Written without a look at the
 * library's arithmetic. */
#ifndef POSENC_TESTS_GOLDEN_ROTARY_ORACLE_H
#define POSENC_TESTS_GOLDEN_ROTARY_ORACLE_H

#include <stdint.h>

#include <posenc/plan.h>

typedef struct rotary_oracle {
    const posenc_parameter *parameters;
    size_t n;
    int64_t head_dim, dim, start, pairs;
} rotary_oracle;

rotary_oracle rotary_oracle_of(const posenc_parameter *parameters, size_t n);

/* Radians per position of pair i, in a sequence of that length, and which coordinate turns it. */
long double rotary_oracle_omega(const rotary_oracle *o, int64_t i, int64_t length);
int64_t rotary_oracle_axis(const rotary_oracle *o, int64_t i);

/* What multiplies cosines and sines. */
long double rotary_oracle_amplitude(const rotary_oracle *o);

/* Channel part (0, 1) of pair i in the input, or in the output. */
int64_t rotary_oracle_input(const rotary_oracle *o, int64_t i, int64_t part);
int64_t rotary_oracle_output(const rotary_oracle *o, int64_t i, int64_t part);

#endif
