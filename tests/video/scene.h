/* A call whose rows share encodings, in one of four shapes, anywhere in memory; and the same element by element. */
#ifndef POSENC_TESTS_VIDEO_SCENE_H
#define POSENC_TESTS_VIDEO_SCENE_H

#include <posenc/posenc.h>

#include "encoder/encoders.h"
#include "support/random.h"

/* How rows come to share an encoding. */
typedef enum scene_shape {
    SCENE_TOKENS,    /* (batch, tokens, dim), repeat tokens a position */
    SCENE_HEADS,     /* (batch, tokens, heads, dim), with repeat too */
    SCENE_FLATTENED, /* video, with repeat frames a position */
    SCENE_BROADCAST, /* video, with repeat too */
    SCENE_SHAPES
} scene_shape;

typedef enum scene_form {
    SCENE_START,
    SCENE_OFFSETS,
    SCENE_IDS,
    SCENE_STAMPS,
    SCENE_MASK,
    SCENE_PACKED,
    SCENE_FORMS
} scene_form;

enum { SCENE_MOST_STEPS = 48, SCENE_LAST_ID = 69 /* a table of 70 rows holds it */ };

/* Where one position stands. */
typedef struct scene_place {
    bool real;
    double position;
} scene_place;

/* batch x steps positions, each for rows rows of dim channels. */
typedef struct scene {
    scene_shape shape;
    scene_form form;
    posenc_dtype dtype;
    int64_t batch, steps, rows, dim;
    int64_t repeat;                 /* of the positions: tokens or frames */
    int64_t extents[5], strides[5]; /* of the tensor */
    int rank;
    bool contiguous;

    posenc_positions positions;
    posenc_view ids_view, offsets_view;
    double stamps[SCENE_MOST_STEPS];
    int64_t ids[SCENE_MOST_STEPS], offsets[SCENE_MOST_STEPS];
    int32_t lengths[3];
    unsigned char mask[SCENE_MOST_STEPS];
    scene_place places[SCENE_MOST_STEPS]; /* batch * steps */

    size_t bytes;    /* of the memory of one tensor */
    ptrdiff_t first; /* where its element 0 stands */
    char *x, *y, *want;
    posenc_view x_view, y_view;
    DLTensor *tx, *ty;
} scene;

/* A scene of a random size in random strides; x random, y and want 0x5A. whole: no time stamps, no negative positions.
 */
scene *scene_make(random_state *random, scene_shape shape, scene_form form, posenc_dtype dtype, bool whole);
void scene_end(scene *s);

/* What to call the scene in a message. Static. */
const char *scene_text(const scene *s);

/* Address of a value of row r of a step, in the memory of x, y or want. */
char *scene_at(const scene *s, char *memory, int64_t batch, int64_t step, int64_t row, int64_t column);

/* Row-major index of that value. */
uint64_t scene_index(const scene *s, int64_t batch, int64_t step, int64_t row, int64_t column);

/* Makes y the same memory as x. */
void scene_in_place(scene *s);

/* y is want, to the last byte, gaps included. */
void scene_check(const scene *s, const char *what);

#endif
