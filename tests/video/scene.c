#include "scene.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/number.h"
#include "support/test.h"

static const char *const shape_names[] = {"tokens", "heads", "flattened", "broadcast"};
static const char *const form_names[] = {"start", "offsets", "ids", "stamps", "mask", "packed"};

const char *scene_text(const scene *s) {
    static char text[240];
    size_t used = (size_t)snprintf(text, sizeof text, "%s, %s, %s, repeat %" PRId64 ",", shape_names[s->shape],
                                   form_names[s->form], posenc_dtype_name(s->dtype), s->repeat);
    for (int i = 0; i < s->rank && used < sizeof text; i++)
        used +=
            (size_t)snprintf(text + used, sizeof text - used, " %" PRId64 "/%" PRId64, s->extents[i], s->strides[i]);
    return text;
}

/* ---- memory ---- */

enum { BATCH, TOKENS, SHARED, CHANNELS, GROUPS };

/* Strides of the four groups of axes, in any order in memory, with gaps and backward steps. Tokens that share a
 * position must merge with the rows in them. */
static int64_t lay_out(scene *s, random_state *random, const int64_t extents[GROUPS], int64_t strides[GROUPS]) {
    int order[GROUPS] = {CHANNELS, SHARED, TOKENS, BATCH};
    bool merges = s->repeat > 1 && extents[SHARED] > 1;
    s->contiguous = random_between(random, 0, 2) == 0;
    for (int i = GROUPS - 1; i > 0 && !s->contiguous; i--) {
        int j = (int)random_between(random, 0, i), other = order[i];
        order[i] = order[j], order[j] = other;
    }
    for (int i = 0; merges && !s->contiguous && i < GROUPS; i++) /* tokens right outside of their rows */
        if (order[i] == SHARED) {
            int at = 0;
            for (int k = 0; k < GROUPS; k++)
                if (order[k] != TOKENS) order[at++] = order[k];
            for (at = 0; order[at] != SHARED; at++) continue;
            for (int k = GROUPS - 1; k > at + 1; k--) order[k] = order[k - 1];
            order[at + 1] = TOKENS;
            break;
        }
    int64_t step = 1;
    s->first = 0;
    for (int i = 0; i < GROUPS; i++) {
        int axis = order[i];
        bool glued = merges && axis == TOKENS, gaps = !s->contiguous && !glued;
        if (gaps) step += random_between(random, 0, 2);
        strides[axis] = glued ? strides[SHARED] * extents[SHARED] : step;
        if (gaps && !merges && random_between(random, 0, 3) == 0) {
            s->first += (extents[axis] - 1) * step;
            strides[axis] = -step;
        }
        step = glued ? step * extents[axis] : step * extents[axis];
    }
    return step;
}

static void present(scene *s, const int64_t groups[GROUPS], const int64_t steps[GROUPS], const int64_t space[3]) {
    const int64_t height = space[0], width = space[1], channels = space[2];
    s->extents[0] = groups[BATCH], s->strides[0] = steps[BATCH];
    s->extents[1] = groups[TOKENS], s->strides[1] = steps[TOKENS];
    s->rank = s->shape == SCENE_TOKENS ? 3 : s->shape == SCENE_HEADS ? 4 : 5;
    if (s->shape == SCENE_TOKENS) s->extents[2] = groups[CHANNELS], s->strides[2] = steps[CHANNELS];
    if (s->shape == SCENE_HEADS) {
        s->extents[2] = groups[SHARED], s->strides[2] = steps[SHARED];
        s->extents[3] = groups[CHANNELS], s->strides[3] = steps[CHANNELS];
    }
    if (s->rank < 5) return;
    bool broadcast = s->shape == SCENE_BROADCAST;
    int64_t pixel = broadcast ? steps[SHARED] : channels * steps[CHANNELS];
    s->extents[2] = height, s->strides[2] = width * pixel;
    s->extents[3] = width, s->strides[3] = pixel;
    s->extents[4] = channels, s->strides[4] = steps[CHANNELS];
}

static void choose_size(scene *s, random_state *random, int64_t groups[GROUPS], int64_t space[3]) {
    s->batch = s->form == SCENE_PACKED ? 1 : random_between(random, 1, 3);
    s->steps = random_between(random, 1, SCENE_MOST_STEPS / 3);
    s->repeat = random_between(random, 0, 1) ? 1 : random_between(random, 2, 4);
    space[0] = random_between(random, 1, 4), space[1] = random_between(random, 1, 5);
    space[2] = random_between(random, 1, random_between(random, 0, 3) ? 9 : 70);
    int64_t shared = 1;
    if (s->shape == SCENE_HEADS) shared = random_between(random, 1, 20);
    if (s->shape == SCENE_BROADCAST) shared = space[0] * space[1];
    s->dim = s->shape == SCENE_FLATTENED ? space[0] * space[1] * space[2] : space[2];
    s->rows = s->repeat * shared;
    groups[BATCH] = s->batch, groups[TOKENS] = s->steps * s->repeat;
    groups[SHARED] = shared, groups[CHANNELS] = s->dim;
}

/* ---- positions ---- */

static void place_steps(scene *s, random_state *random, bool whole) {
    int64_t start = whole ? 5 : random_between(random, -3, 3) * 50, n = s->steps;
    for (int64_t b = 0; b < s->batch; b++) {
        int64_t next = start;
        s->offsets[b] = random_between(random, whole ? 0 : -40, 40);
        for (int64_t t = 0; t < n; t++) {
            int64_t i = b * n + t;
            s->mask[i] = random_between(random, 0, 2) > 0;
            bool jump = random_between(random, 0, 1) || t == 0 || s->ids[i - 1] == SCENE_LAST_ID;
            s->ids[i] = jump ? random_between(random, 0, 60) : s->ids[i - 1] + 1;
            s->stamps[i] = random_between(random, 0, 2) ? 90 * random_unit(random) - 10 : (double)(i / 3);
            scene_place *p = &s->places[i];
            *p = (scene_place){true, (double)(start + t)};
            if (s->form == SCENE_OFFSETS) p->position += (double)s->offsets[b];
            if (s->form == SCENE_IDS) p->position = (double)s->ids[i];
            if (s->form == SCENE_STAMPS) p->position = s->stamps[i];
            if (s->form == SCENE_MASK) p->real = s->mask[i], p->position = (double)next, next += s->mask[i];
            if (s->form == SCENE_PACKED && t >= n / 3) p->position -= (double)(n / 3);
        }
    }
    const int64_t shape[] = {s->batch, n};
    s->positions = positions_from(start);
    s->positions.repeat = s->repeat;
    s->lengths[0] = 0, s->lengths[1] = (int32_t)(n / 3), s->lengths[2] = (int32_t)n;
    DLTensor *offsets = posenc_view_make(&s->offsets_view, s->offsets, POSENC_I64, 1, shape, NULL);
    if (s->form == SCENE_OFFSETS) s->positions.offsets = offsets;
    if (s->form == SCENE_IDS) s->positions.ids = posenc_view_make(&s->ids_view, s->ids, POSENC_I64, 2, shape, NULL);
    if (s->form == SCENE_STAMPS)
        s->positions.ids = posenc_view_make(&s->ids_view, s->stamps, POSENC_F64, 2, shape, NULL);
    if (s->form == SCENE_MASK) s->positions.mask = posenc_view_make(&s->ids_view, s->mask, POSENC_BOOL, 2, shape, NULL);
    if (s->form == SCENE_PACKED)
        s->positions.cu_seqlens = posenc_view_make(&s->ids_view, s->lengths, POSENC_I32, 1, (int64_t[]){3}, NULL);
}

/* ---- the scene ---- */

scene *scene_make(random_state *random, scene_shape shape, scene_form form, posenc_dtype dtype, bool whole) {
    scene *s = must_allocate(sizeof *s);
    int64_t groups[GROUPS], steps[GROUPS], space[3];
    s->shape = shape, s->form = form, s->dtype = dtype;
    choose_size(s, random, groups, space);
    int64_t elements = lay_out(s, random, groups, steps);
    present(s, groups, steps, space);
    place_steps(s, random, whole);
    size_t element = posenc_dtype_bytes(dtype);
    s->bytes = (size_t)elements * element;
    s->x = must_allocate(s->bytes), s->y = must_allocate(s->bytes), s->want = must_allocate(s->bytes);
    random_fill(random, dtype, s->x, elements);
    s->tx = posenc_view_make(&s->x_view, s->x, dtype, s->rank, s->extents, s->strides);
    s->ty = posenc_view_make(&s->y_view, s->y, dtype, s->rank, s->extents, s->strides);
    s->tx->byte_offset = s->ty->byte_offset = (uint64_t)s->first * element;
    if (s->contiguous) s->tx->strides = NULL;
    return s;
}

void scene_end(scene *s) {
    free(s->x);
    if (s->y != s->x) free(s->y);
    free(s->want);
    free(s);
}

void scene_in_place(scene *s) {
    memcpy(s->want, s->x, s->bytes); /* what the gaps hold */
    free(s->y);
    s->y = s->x;
    s->ty->data = s->x;
}

/* In words of the tensor: a row of a step is a token, and what of it. */
char *scene_at(const scene *s, char *memory, int64_t batch, int64_t step, int64_t row, int64_t column) {
    int64_t shared = s->rows / s->repeat, token = step * s->repeat + row / shared, part = row % shared;
    int64_t at = s->first + batch * s->strides[0] + token * s->strides[1];
    if (s->shape == SCENE_HEADS) at += part * s->strides[2];
    if (s->shape == SCENE_BROADCAST) at += part / s->extents[3] * s->strides[2] + part % s->extents[3] * s->strides[3];
    if (s->shape == SCENE_FLATTENED) {
        int64_t channel = column % s->extents[4], pixel = column / s->extents[4];
        at += pixel / s->extents[3] * s->strides[2] + pixel % s->extents[3] * s->strides[3] + channel * s->strides[4];
    } else {
        at += column * s->strides[s->rank - 1];
    }
    return memory + at * (int64_t)posenc_dtype_bytes(s->dtype);
}

uint64_t scene_index(const scene *s, int64_t batch, int64_t step, int64_t row, int64_t column) {
    return (uint64_t)(((batch * s->steps + step) * s->rows + row) * s->dim + column);
}

void scene_check(const scene *s, const char *what) {
    size_t element = posenc_dtype_bytes(s->dtype);
    for (size_t i = 0; i < s->bytes; i += element)
        check(number_same(s->dtype, number_load(s->dtype, s->want + i), number_load(s->dtype, s->y + i)),
              "%s (%s): element %zu of the memory", what, scene_text(s), i / element);
}
