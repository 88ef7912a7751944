/* The inside of a call on rows: what its slices share, and the parts that they are made of.
 *
 *   row_call.c       the door: everything is checked and allocated, then a way through is picked
 *   row_call_work.c  threads: their memory, and how the rows are shared out
 *   row_call_put.c   encodings made, by whoever wants them, and straight into y
 *   row_call_add.c   encodings from a tile or a stored table, added to x */
#ifndef POSENC_SCHEMES_ROW_CALL_WORK_H
#define POSENC_SCHEMES_ROW_CALL_WORK_H

#include "base/threads.h"
#include "schemes/resized_rows.h"
#include "schemes/row_call.h"
#include "schemes/row_dots.h"
#include "schemes/strips.h"

/* One thread's part: its scratch and its buffers. */
typedef struct posenc_row_worker {
    posenc_row_scratch scratch;
    char *tile;          /* encodings to be added: f32, or f64 for f64 tensors */
    char *x_row, *y_row; /* one row each, for strided tensors */
    char *wide;          /* one encoding, again and again */
} posenc_row_worker;

/* What the slices of a call share. */
typedef struct posenc_row_work {
    const posenc_row_call *call;
    const posenc_context *context;
    const posenc_kernels *kernels;
    posenc_token_positions positions;
    posenc_stored_rows stored;
    posenc_resized_rows resized; /* where the call reaches past a table that is resized */
    posenc_row_tensor x, y;
    posenc_dtype e_dtype;
    int64_t tile_rows;
    int64_t wide_rows;    /* copies of an encoding that are added as one row; 0: each row by itself */
    posenc_strips strips; /* tables only, and where they pay */
    posenc_row_dots dots; /* instead of sums, where the call asks for them */
    bool stream;
    int n_workers;
} posenc_row_work;

/* ---- row_call_work.c ---- */

/* Bytes of y, by which threads and streaming stores are chosen. */
size_t posenc_row_work_bytes(const posenc_row_work *c);

/* Runs a task on as many threads as the work is worth, each with a posenc_row_worker of its own. */
posenc_status posenc_row_work_run(posenc_row_work *c, posenc_worker_task *task, posenc_error *error);

/* What is done with count tokens from (batch, token) on. */
typedef void posenc_row_token_work(const posenc_row_work *c, posenc_row_worker *w, int64_t batch, int64_t token,
                                   int64_t count);

/* A slice's share of the rows, batch row by batch row. */
void posenc_row_work_each(const posenc_row_work *c, posenc_row_worker *w, int index, posenc_row_token_work *work);

/* ---- row_call_put.c ---- */

/* Rows of padding: +0 where they are written, what adds nothing where they will be added. */
void posenc_row_work_emit_nothing(const posenc_row_work *c, posenc_dtype dtype, int64_t count,
                                  posenc_row_target target);

/* Encodings of a run of positions. */
void posenc_row_work_emit_position(const posenc_row_work *c, posenc_row_worker *w, const posenc_position_run *run,
                                   posenc_dtype dtype, posenc_row_target target, bool stream);

/* Encodings of count tokens from (batch, token) on. */
void posenc_row_work_emit(const posenc_row_work *c, posenc_row_worker *w, int64_t batch, int64_t token, int64_t count,
                          posenc_dtype dtype, posenc_row_target target, bool stream);

/* y = E, or y = x * scale + E while E is made. */
void posenc_row_put_slice(const void *call, void *own, int index);

/* ---- row_call_add.c ---- */

/* y = x * scale + E: tile by tile of tokens; position by position, by c->strips; or without E. */
void posenc_row_add_slice(const void *call, void *own, int index);
void posenc_row_add_strips_slice(const void *call, void *own, int index);
void posenc_row_scale_slice(const void *call, void *own, int index);

#endif
