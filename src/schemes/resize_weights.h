/* Weights of a resized axis: between which old indices a new one lies, and how much of each it takes. Made index by
 * index, where they are needed, so that nothing grows with an axis but the taps of one index.
 *
 * A position on the old axis is whole + rest / parts, in integers and therefore exact: a new index that falls on an old
 * one takes that one alone, with weight 1. */
#ifndef POSENC_SCHEMES_RESIZE_WEIGHTS_H
#define POSENC_SCHEMES_RESIZE_WEIGHTS_H

#include <posenc/resize.h>
#include <stdbool.h>

/* Extents that the integers below have room for. */
#define POSENC_RESIZE_MOST (INT64_C(1) << 58)

typedef struct posenc_old_position {
    int64_t whole, rest; /* 0 <= rest < parts */
} posenc_old_position;

typedef struct posenc_resize_axis {
    int64_t in, out;
    bool antialias;
    bool cubic;
    double a;                        /* of the cubic kernel */
    int64_t parts;                   /* of one old index */
    posenc_old_position first, step; /* of new index 0, and from each to the next */
    int64_t unit;                    /* parts that the kernel sees as 1: more than parts where it is stretched */
} posenc_resize_axis;

/* Old indices first..first+count-1, count >= 1. Neither end weighs 0, and a single one weighs exactly 1. */
typedef struct posenc_taps {
    int64_t first, count;
    int64_t heaviest; /* 0..count-1 */
    double *weights;  /* room for posenc_taps_most */
} posenc_taps;

/* Describes an axis of in old and out new indices, each 1..POSENC_RESIZE_MOST. */
posenc_resize_axis posenc_resize_axis_of(const posenc_resize_options *options, int64_t in, int64_t out);

/* The most taps that an index of the axis has. */
int64_t posenc_taps_most(const posenc_resize_axis *axis);

/* Finds the taps of new index o, 0 <= o < out. */
void posenc_taps_find(const posenc_resize_axis *axis, int64_t o, posenc_taps *taps);

#endif
