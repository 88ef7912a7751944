/* One call on rows: write encodings, add them to x, drop out. Everything is checked and allocated before the first
 * output byte is written; then slices of the work run on threads, none of which can fail. Plans and encoders both stand
 * on it. */
#ifndef POSENC_SCHEMES_ROW_CALL_H
#define POSENC_SCHEMES_ROW_CALL_H

#include "schemes/positions.h"
#include "schemes/row_tensor.h"
#include "schemes/scheme.h"
#include "schemes/stored_rows.h"

typedef struct posenc_row_call {
    const posenc_plan *plan;
    const posenc_positions *positions;
    const DLTensor *x; /* NULL: y = E */
    DLTensor *y;
    const char *x_name, *y_name;
    double scale;
    bool adds;          /* y = x * scale + E * gain; else y = x * scale */
    const double *gain; /* NULL: 1 */
    double *dot;        /* not NULL: receives the sum over all tokens of dropout(x) . E; y is left out */
    posenc_stored_rows stored;
    int64_t padding_idx; /* -1: none */
    posenc_dropout dropout;
    uint64_t first_element;
} posenc_row_call;

/* Runs the call. went_past, if not NULL, is set when a position past the stored rows took part. */
posenc_status posenc_row_call_run(const posenc_row_call *call, bool *went_past, posenc_error *error);

#endif
