/* The backward of Transformer-XL's scores: what its three walks share. */
#ifndef POSENC_SCHEMES_TRANSFORMER_XL_BACKWARD_H
#define POSENC_SCHEMES_TRANSFORMER_XL_BACKWARD_H

#include "schemes/transformer_xl.h"

enum {
    POSENC_XL_ROWS = 192, /* of dk or dR that one thread sums up */
    POSENC_XL_WAVE = 1024 /* blocks of queries whose parts of du and dv wait to be added up */
};

typedef struct posenc_xl_backward {
    posenc_xl_pass pass;
    /* A worker's. gradients: of a block's queries, with zeros on both sides of each row. Seen with rows that are
     * one longer, they are gradients by distance. strip: of a block's queries, for some keys or distances.
     * queries: q + u, or + v, of a whole line, by channel. keys: of a tile, by channel. */
    size_t gradients, strip, queries, keys, product, sums, more_sums, row;
    int64_t zeros, gradients_row, strip_row;        /* reals: on each side of a row, of rows */
    size_t parts, bias_sums;                        /* du and dv: of the blocks of a wave, of the heads of now */
    size_t distance_rows;                           /* dR of the heads of now */
    size_t sine_terms, distance_terms, weight_sums; /* dW: factors in panels, sums */
    int64_t first, n;                               /* blocks of the wave */
    int64_t g_first, g_n;                           /* heads of the group whose scores are read now */
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

/* Puts q + a bias of all queries of a line into panels, by channel. */
void posenc_xl_pack_queries(const posenc_xl_backward *b, const posenc_relative_tensor *bias, int64_t batch,
                            int64_t head, char *own);

/* sums (rows, d) += a b, whose rows of b are channels; what else a product has is filled in. */
void posenc_xl_add_product(const posenc_xl_backward *b, const posenc_xl_place *p, posenc_relative_product product,
                           size_t sums);

/* sums (rows, d) += strip^T times the queries of a place. */
void posenc_xl_add_strip(const posenc_xl_backward *b, const posenc_xl_place *p, int64_t rows);

/* The walks: those that read scores, for some heads after the others, while the scores are in the cache; then dW. */
void posenc_xl_do_queries(posenc_xl_backward *b);   /* dq, du, dv: transformer_xl_queries.c */
void posenc_xl_do_keys(posenc_xl_backward *b);      /* dk: transformer_xl_keys.c */
void posenc_xl_do_distances(posenc_xl_backward *b); /* dR: transformer_xl_weights.c */
void posenc_xl_do_weights(posenc_xl_backward *b);   /* dW */

#endif
