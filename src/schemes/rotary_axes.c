/* Which axis turns which pair: one block an axis that has pairs. */
#include "base/error.h"
#include "base/memory.h"
#include "schemes/rotary_parts.h"

/* Axis of pair i, for axes that take their pairs one by one. */
static int axis_of(const posenc_value *values, size_t i) {
    const double *sections = values[POSENC_ROTARY_SECTIONS].list.reals;
    if (values[POSENC_ROTARY_AXES].integer == POSENC_AXES_MAP) return (int)values[POSENC_ROTARY_AXIS_MAP].list.reals[i];
    size_t axis = i % 3;
    return axis > 0 && (double)i < 3 * sections[axis] ? (int)axis : 0;
}

static void add_block(posenc_rotary *rotary, int axis, size_t n, size_t first, const size_t *at) {
    if (n == 0) return;
    rotary->layout[rotary->n_blocks++] = (posenc_rotary_block){.axis = axis, .n = n, .first = first, .at = at};
}

/* Sections that follow each other. */
static void lay_sections(posenc_rotary *rotary, const posenc_list *sections) {
    size_t first = 0;
    rotary->axes = (int)sections->n;
    for (size_t a = 0; a < sections->n; a++) {
        size_t n = (size_t)sections->reals[a];
        add_block(rotary, (int)a, n, first, NULL);
        first += n;
    }
}

/* Pairs one by one: the places of axis 0, then those of axis 1, ... */
static posenc_status lay_places(posenc_rotary *rotary, const posenc_plan *plan, posenc_error *error) {
    size_t bytes = rotary->pairs * sizeof(size_t), used = 0;
    rotary->places = posenc_allocate(plan->context, bytes);
    if (!rotary->places) return posenc_fail_memory(error, "plan", bytes);
    rotary->bytes += bytes;
    for (int axis = 0; axis < POSENC_MOST_AXES; axis++) {
        size_t first = used;
        for (size_t i = 0; i < rotary->pairs; i++)
            if (axis_of(plan->values, i) == axis) rotary->places[used++] = i;
        add_block(rotary, axis, used - first, 0, rotary->places + first);
        if (used > first) rotary->axes = axis + 1;
    }
    if (plan->values[POSENC_ROTARY_AXES].integer == POSENC_AXES_INTERLEAVED) rotary->axes = 3;
    return POSENC_OK;
}

posenc_status posenc_rotary_lay_axes(posenc_rotary *rotary, const posenc_plan *plan, posenc_error *error) {
    switch ((posenc_axes)plan->values[POSENC_ROTARY_AXES].integer) {
        case POSENC_AXES_SINGLE:
            rotary->axes = 1;
            add_block(rotary, 0, rotary->pairs, 0, NULL);
            break;
        case POSENC_AXES_SECTIONED:
        case POSENC_AXES_AXIAL:
            lay_sections(rotary, &plan->values[POSENC_ROTARY_SECTIONS].list);
            break;
        case POSENC_AXES_INTERLEAVED:
        case POSENC_AXES_MAP:
            return lay_places(rotary, plan, error);
    }
    return POSENC_OK;
}
