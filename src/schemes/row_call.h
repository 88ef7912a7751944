/* One call on rows: write encodings, add them to x, drop out. Everything is checked and allocated before the first
 * output byte is written; then slices of the work run on threads, none of which can fail. Plans and encoders both stand
 * on it. */
#ifndef POSENC_SCHEMES_ROW_CALL_H
#define POSENC_SCHEMES_ROW_CALL_H

#include "schemes/positions.h"
#include "schemes/row_tensor.h"
#include "schemes/scheme.h"

typedef struct posenc_row_call {
    const posenc_plan *plan;
    const posenc_positions *positions;
    const DLTensor *x; /* NULL: y = E */
    DLTensor *y;
    const char *x_name, *y_name;
    double scale;
    bool adds;         /* y = x * scale + E; else y = x * scale */
    const char *table; /* stored rows of positions 0..table_rows-1, f32, or f64 for f64 tensors; NULL: none */
    int64_t table_rows;
    bool within_table;   /* refuse positions outside of it */
    int64_t padding_idx; /* -1: none */
    posenc_dropout dropout;
    uint64_t first_element;
} posenc_row_call;

/* Runs the call. went_past, if not NULL, is set when a position at or past table_rows took part. */
posenc_status posenc_row_call_run(const posenc_row_call *call, bool *went_past, posenc_error *error);

#endif
