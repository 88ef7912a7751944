/* The backward of Transformer-XL's scores: what its three walks share. */
#ifndef POSENC_SCHEMES_TRANSFORMER_XL_BACKWARD_H
#define POSENC_SCHEMES_TRANSFORMER_XL_BACKWARD_H

#include "schemes/transformer_xl.h"

enum {
    POSENC_XL_DISTANCES = POSENC_XL_QUERIES + POSENC_XL_KEYS, /* most between a block and a tile */
    POSENC_XL_ROWS = 192,                                     /* of dk or dR that one thread sums up */
    POSENC_XL_WAVE = 1024 /* blocks of queries whose parts of du and dv wait to be added up */
};

typedef struct posenc_xl_backward {
    posenc_xl_pass pass;
    /* a worker's: factors in panels, their product, sums, and a row of zeros with a row of gradients somewhere */
    size_t left, right, left_shifted, right_shifted, product, sums, more_sums, row, shifted;
    size_t parts, bias_sums;                        /* du and dv: of the blocks of a wave, of the heads of now */
    size_t distance_rows;                           /* dR of the heads of now */
    size_t sine_terms, distance_terms, weight_sums; /* dW: factors in panels, sums */
    int64_t first, n;                               /* blocks of the wave */
} posenc_xl_backward;

/* A place of work: a block of queries of one head. */
typedef struct posenc_xl_place {
    int64_t batch, g, head, query, n, position;
    char *own; /* the worker's memory */
} posenc_xl_place;

posenc_xl_place posenc_xl_place_at(const posenc_xl_backward *b, int64_t batch, int64_t g, int64_t block, char *own);

/* Reads gradients of keys key..key+n-1 of query i of a place; zeros where scores were not written. */
void posenc_xl_load_gradients(const posenc_xl_backward *b, const posenc_xl_place *p, int64_t i, int64_t key, int64_t n,
                              char *to);

/* sums (rows, d) += product of the panels at left and right. */
void posenc_xl_add_product(const posenc_xl_backward *b, const posenc_xl_place *p, size_t left, size_t right,
                           int64_t rows, int64_t terms, size_t sums);

/* The walks, for the heads of now. */
void posenc_xl_do_queries(posenc_xl_backward *b); /* dq, du, dv: transformer_xl_queries.c */
void posenc_xl_do_keys(posenc_xl_backward *b);    /* dk: transformer_xl_keys.c */
void posenc_xl_do_weights(posenc_xl_backward *b); /* dW: transformer_xl_weights.c */

/* Rows in whole panels. */
static inline int64_t posenc_xl_padded(int64_t rows) { return (rows + POSENC_PANEL - 1) / POSENC_PANEL * POSENC_PANEL; }

#endif
