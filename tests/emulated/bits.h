/* What the parts of bits share: hashes, inputs that are the same everywhere, and the lines that are printed. */
#ifndef POSENC_TESTS_BITS_H
#define POSENC_TESTS_BITS_H

#include <posenc/posenc.h>

enum { BITS_TOKENS = 99, BITS_BATCH = 2, BITS_MOST_DIM = 512 };

/* A plan, or a call, with room for its buffers: each BITS_BATCH x BITS_TOKENS x BITS_MOST_DIM doubles. */
typedef struct bits_bench {
    const posenc_context *context;
    posenc_plan *plan;
    unsigned char *x, *y;
    uint64_t hash;
    int most_dim; /* wider cases are left out */
} bits_bench;

/* What a hash begins with. */
#define BITS_HASH_START 0xCBF29CE484222325u

/* Hashes n elements, least significant byte first, whatever the machine's order. FNV-1a, 64 bits. */
void bits_hash_elements(uint64_t *hash, const void *data, size_t n, size_t element_bytes);

/* The next number of a small fixed generator (splitmix64). */
uint64_t bits_next_random(uint64_t *state);

/* n finite numbers of the dtype, below 2 in size, of every exponent below. */
void bits_fill_random(void *data, size_t n, posenc_dtype dtype, uint64_t seed);

/* Prints one line, NAME KIND ARITHMETIC DTYPE DIM HASH, and adds it to the hash of all. */
void bits_print_line(const char *name, const char *kind, const char *arithmetic, posenc_dtype dtype, int dim,
                     uint64_t hash);

/* Prints why a case could not be run, and ends the process. error: NULL where there is none. */
void bits_stop(const char *where, const posenc_error *error);

/* The cases of schemes that are not sinusoidal, and of posenc_resize (bits_schemes.c). */
void bits_run_schemes(bits_bench *bench);

/* Rotary schemes (bits_rotary.c); gains and gradients of encoders (bits_gradients.c). */
void bits_run_rotary(bits_bench *bench);
void bits_run_gradients(bits_bench *bench);

/* Score biases (bits_biases.c); relative encodings through vectors (bits_relative.c). */
void bits_run_biases(bits_bench *bench);
void bits_run_relative(bits_bench *bench);

#endif
