/* Positions of the tokens of one call, checked at the door and read one by one. */
#ifndef POSENC_SCHEMES_POSITIONS_H
#define POSENC_SCHEMES_POSITIONS_H

#include <posenc/plan.h>
#include <stdbool.h>

/* Where the tokens of a call stand. ids NULL: start + token. */
typedef struct posenc_token_positions {
    int64_t start;
    const char *ids;
    posenc_dtype dtype;
    int64_t batch_bytes, token_bytes; /* batch_bytes is 0 when the batch shares its positions */
    bool shared;                      /* every batch row has the same positions */
} posenc_token_positions;

/* Checks positions for batch x tokens and finds how to read them. Every value is looked at: NaN, infinities and doubles
 * beyond 2^53 are refused with their place. */
posenc_status posenc_positions_open(const posenc_positions *positions, int64_t batch, int64_t tokens,
                                    posenc_token_positions *out, posenc_error *error);

/* One position: whole, or real with value. */
typedef struct posenc_position {
    bool is_real;
    int64_t whole;
    double value;
} posenc_position;

posenc_position posenc_position_at(const posenc_token_positions *positions, int64_t batch, int64_t token);

/* How many tokens from this one on, at most most, have consecutive whole positions; 1 for a real one. */
int64_t posenc_position_run(const posenc_token_positions *positions, int64_t batch, int64_t token, int64_t most);

#endif
