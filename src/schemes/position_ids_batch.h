/* A batch of token ids on its way to position ids: its tensors, opened and checked at the door, and where the walk
 * stands in the lists of grids. */
#ifndef POSENC_SCHEMES_POSITION_IDS_BATCH_H
#define POSENC_SCHEMES_POSITION_IDS_BATCH_H

#include "schemes/position_ids.h"

/* Up to two axes; one that is not there has stride 0. data NULL: not given. */
typedef struct posenc_plane {
    const char *data;
    posenc_dtype dtype;
    int64_t rows, columns, row_bytes, column_bytes;
} posenc_plane;

/* Where the walk stands in the list of grids of one kind. */
typedef struct posenc_grid_supply {
    const char *name, *word; /* "image_grid_thw", "image" */
    posenc_segment_kind kind;
    posenc_plane grids;
    int64_t row, frame; /* the next grid, and its next frame where frames are grids of their own */
} posenc_grid_supply;

typedef struct posenc_batch {
    posenc_position_ids_options options;
    posenc_plane input_ids, mask, seconds;
    posenc_grid_supply images, videos;
    bool writes; /* the second walk */
    char *ids;
    int64_t row_bytes, token_bytes, axis_bytes; /* of ids */
    char *deltas;
    int64_t delta_bytes;
} posenc_batch;

/* An element of integers, or of a mask; and one of a column of reals. */
int64_t posenc_plane_integer(const posenc_plane *p, int64_t row, int64_t column);
double posenc_plane_real(const posenc_plane *p, int64_t row);

/* Opens every tensor, of which all but ids and input_ids may be NULL, into a batch that has its options. */
posenc_status posenc_batch_open(const posenc_vision_tokens *given, DLTensor *ids, DLTensor *deltas, posenc_batch *b,
                                posenc_error *error);

#endif
