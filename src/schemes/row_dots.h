/* Inner products of a call's rows with their encodings, token by token. They come in any order; the sum over tokens is
 * made at the end in one order, so that it does not show how the work was shared out. */
#ifndef POSENC_SCHEMES_ROW_DOTS_H
#define POSENC_SCHEMES_ROW_DOTS_H

#include "kernels/kernels.h"
#include "schemes/row_tensor.h"
#include "schemes/stored_rows.h"

typedef struct posenc_row_dots {
    const posenc_context *context;
    const posenc_kernels *kernels;
    posenc_row_tensor x;
    posenc_dropout dropout;
    uint64_t first_element;
    double *of_token; /* (batch, tokens); owned; NULL: none of this */
} posenc_row_dots;

/* Makes room for them. */
posenc_status posenc_row_dots_create(posenc_row_dots *dots, posenc_error *error);
void posenc_row_dots_destroy(posenc_row_dots *dots);

/* Takes count tokens of a batch row. e: their encodings, f32 (f64 for f64 rows), e_bytes apart. room: a row's, for one
 * that is strided. */
void posenc_row_dots_take(const posenc_row_dots *dots, const char *e, ptrdiff_t e_bytes, int64_t batch, int64_t token,
                          int64_t count, char *room);

/* The sum over all tokens but padding, in the order (batch, token), times the factor of a dropout. */
double posenc_row_dots_sum(const posenc_row_dots *dots, const posenc_stored_rows *stored,
                           const posenc_token_positions *positions);

#endif
