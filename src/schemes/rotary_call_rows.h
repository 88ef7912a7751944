/* Rows of sines and cosines for the tokens of a rotary call, one value a pair, whatever the axes. */
#ifndef POSENC_SCHEMES_ROTARY_CALL_ROWS_H
#define POSENC_SCHEMES_ROTARY_CALL_ROWS_H

#include "schemes/rotary_call_lengths.h"
#include "schemes/rotary_call_positions.h"

/* Where the tokens of a call stand, and what turns them. */
typedef struct posenc_rotary_source {
    const posenc_plan *plan;
    const posenc_rotary *rotary;
    posenc_axis_positions positions;
    posenc_rotary_spectra spectra;
} posenc_rotary_source;

/* Checks a plan, positions (may be NULL) and lengths for batch x tokens, among them that no power of xPos leaves its
 * range. On success the caller closes. */
posenc_status posenc_rotary_source_open(const posenc_plan *plan, const posenc_positions *positions,
                                        const DLTensor *lengths, int64_t batch, int64_t tokens,
                                        posenc_rotary_source *out, posenc_error *error);
void posenc_rotary_source_close(posenc_rotary_source *source);

/* The rotary part of a plan; refuses NULL and other schemes, naming the argument. */
posenc_status posenc_rotary_must(const posenc_plan *plan, const char *name, posenc_error *error);

/* Refuses an output that shares memory with positions or lengths. */
posenc_status posenc_rotary_source_check_apart(const posenc_positions *positions, const DLTensor *lengths,
                                               const DLTensor *out, const char *name, posenc_error *error);

/* Whether every batch row has the same rows. */
bool posenc_rotary_source_shared(const posenc_rotary_source *source);

/* Whether a token is padding, and how many of count tokens from it on are alike. */
bool posenc_rotary_is_padding(const posenc_rotary_source *source, int64_t batch, int64_t token, int64_t count,
                              int64_t *alike);

/* One thread's part of making rows. */
typedef struct posenc_rotary_maker {
    const posenc_rotary_source *source;
    const posenc_kernels *kernels;
    size_t plane; /* pairs, padded: a row is a plane of sines and one of cosines */
    int n_blocks;
    posenc_row_scratch scratch[POSENC_MOST_AXES];
    char *part; /* rows of one block before they are spread; then two planes for powers */
    double *powers;
} posenc_rotary_maker;

posenc_status posenc_rotary_maker_create(posenc_rotary_maker *maker, const posenc_rotary_source *source,
                                         posenc_error *error);
void posenc_rotary_maker_destroy(posenc_rotary_maker *maker);

/* Bytes of a row of double (f64) or float (f32) values. */
static inline size_t posenc_rotary_row_bytes(const posenc_rotary *rotary, posenc_dtype dtype) {
    return 2 * posenc_padded_pairs(rotary->pairs) * posenc_dtype_bytes(dtype);
}

/* Rows of count tokens of one batch row, f64 or f32, without amplitude; padding gets angle 0. */
void posenc_rotary_rows_write(posenc_rotary_maker *maker, posenc_dtype dtype, int64_t batch, int64_t token,
                              int64_t count, char *out);

/* What a row is multiplied by. */
typedef struct posenc_rotary_factor {
    double amplitude;     /* cosines and sines */
    bool back;            /* sines negated */
    const double *powers; /* [plane], or NULL */
} posenc_rotary_factor;

/* One row of doubles times a factor, to f64 or f32, at out. In the float32 arithmetic the amplitude is a float, and so
 * is its product. */
void posenc_rotary_row_finish(const posenc_rotary_maker *maker, const double *row, const posenc_rotary_factor *factor,
                              posenc_dtype dtype, char *out);

/* xPos: a token's powers, or their inverses, pair by pair; 1 for padding. Written to powers[plane]. */
void posenc_rotary_powers(const posenc_rotary_maker *maker, int64_t batch, int64_t token, bool inverse, double *powers);

#endif
