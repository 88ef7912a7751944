/* What the two builders of multi-axis position ids share: options, and one grid of an image or a video frame by frame.
 */
#ifndef POSENC_SCHEMES_POSITION_IDS_H
#define POSENC_SCHEMES_POSITION_IDS_H

#include <posenc/position_ids.h>
#include <stdbool.h>

/* A grid after merging. */
typedef struct posenc_vision_grid {
    int64_t t, h, w;
    int64_t tokens;            /* t h w */
    bool timed;                /* its frames stand at real times */
    float seconds, per_second; /* of a timed one */
} posenc_vision_grid;

/* Completes and checks options; given may be NULL. */
posenc_status posenc_position_ids_options_read(const posenc_position_ids_options *given,
                                               posenc_position_ids_options *all, posenc_error *error);

/* Merges and checks a grid. name: what messages call it; its members are "name.t" with a dot, else "name". */
posenc_status posenc_vision_grid_make(const posenc_position_ids_options *options, posenc_segment_kind kind,
                                      const int64_t thw[3], double seconds, const char *name, posenc_vision_grid *out,
                                      posenc_error *error);

/* Time of a frame, from the beginning of the grid: 0 or more, and it never falls. */
int64_t posenc_vision_time(const posenc_vision_grid *grid, int64_t frame);

/* Moves *next past a grid: to one past its largest id. False where that does not fit. */
bool posenc_vision_advance(const posenc_vision_grid *grid, int64_t *next);

/* Three ids at an address, axis_bytes apart. */
void posenc_position_ids_put(char *at, int64_t axis_bytes, int64_t t, int64_t h, int64_t w);

/* Checks an output of int64. */
posenc_status posenc_position_ids_check_output(const DLTensor *out, const char *name, posenc_error *error);

#endif
