/* Positions of the tokens of one call, checked at the door and read one by one. */
#ifndef POSENC_SCHEMES_POSITIONS_H
#define POSENC_SCHEMES_POSITIONS_H

#include <posenc/plan.h>
#include <stdbool.h>

/* Where the tokens of a call stand: consecutive from start, read from ids, or worked out before (masks, packed
 * sequences). */
typedef struct posenc_token_positions {
    const posenc_context *context;
    int64_t tokens;
    int64_t start;
    const char *ids; /* NULL: not given */
    posenc_dtype dtype;
    int64_t batch_bytes, token_bytes;
    const char *offsets; /* NULL: none */
    posenc_dtype offset_dtype;
    int64_t offset_bytes;
    int64_t *resolved;    /* masks and packed sequences: one position a token, INT64_MIN for padding; owned */
    int64_t resolved_row; /* elements from batch row to batch row; 0 when they share */
    bool skips;           /* some token may be padding */
    int64_t padding_idx;  /* ids equal to it are padding; -1: none */
    bool shared;          /* every batch row has the same positions */
    int axes;             /* ids are points of so many coordinates (axes_points.h); 0: they are single numbers */
    int64_t axis_bytes;
} posenc_token_positions;

/* Completes what a caller gave, which may be NULL or of an older version. */
posenc_status posenc_positions_read(const posenc_positions *given, posenc_positions *all, posenc_error *error);

/* Checks complete positions for batch x tokens and finds how to read them. Every value is looked at: NaN, infinities
 * and doubles beyond 2^53 are refused with their place. On success the caller closes. */
posenc_status posenc_positions_open(const posenc_context *context, const posenc_positions *positions,
                                    int64_t padding_idx, int64_t batch, int64_t tokens, posenc_token_positions *out,
                                    posenc_error *error);
void posenc_positions_close(posenc_token_positions *positions);

/* Refuses an output that shares memory with any tensor of complete positions. */
posenc_status posenc_positions_check_apart(const posenc_positions *positions, const DLTensor *out, const char *name,
                                           posenc_error *error);

typedef enum posenc_position_kind {
    POSENC_POSITION_WHOLE,
    POSENC_POSITION_REAL,
    POSENC_POSITION_POINT,
    POSENC_POSITION_NONE /* padding: adds nothing */
} posenc_position_kind;

/* Consecutive tokens with consecutive whole positions, one real position, one point, or padding. */
typedef struct posenc_position_run {
    posenc_position_kind kind;
    int64_t whole;
    double real;
    int64_t count;
    const char *point; /* its first coordinate */
} posenc_position_run;

/* The run that begins at a token, of at most most tokens. */
posenc_position_run posenc_position_run_at(const posenc_token_positions *positions, int64_t batch, int64_t token,
                                           int64_t most);

#endif
