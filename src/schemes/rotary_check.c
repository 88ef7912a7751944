/* The door of rotary plans: what concerns more than one parameter. Each parameter by itself is within its range. */
#include <math.h>

#include "base/error.h"
#include "schemes/rotary_families.h"

/* ---- extent ---- */

static posenc_status check_extent(const posenc_value *values, posenc_error *error) {
    long long head = posenc_rotary_head_dim_of(values), dim = posenc_rotary_dim_of(values);
    long long start = values[POSENC_ROTARY_START].integer;
    const char *name = values[POSENC_ROTARY_DIM].integer ? "dim" : "head-dim";
    if (head == 0) return posenc_fail(error, POSENC_ERROR_ARGUMENT, "head-dim", "expected 1..16777216, got none");
    if (dim % 2 != 0)
        return posenc_fail(error, POSENC_ERROR_ARGUMENT, name, "expected an even width, two channels a pair, got %lld",
                           dim);
    if (dim > head)
        return posenc_fail(error, POSENC_ERROR_ARGUMENT, "dim", "expected at most head-dim %lld, got %lld", head, dim);
    if (start <= head - dim) return POSENC_OK;
    return posenc_fail(error, POSENC_ERROR_ARGUMENT, "rotary-start",
                       "expected at most head-dim - dim, which is %lld, got %lld", head - dim, start);
}

/* ---- axes ---- */

static posenc_status check_whole(const posenc_list *list, const char *name, posenc_error *error) {
    for (size_t i = 0; i < list->n; i++)
        if (list->reals[i] != floor(list->reals[i]))
            return posenc_fail(error, POSENC_ERROR_ARGUMENT, name, "expected whole numbers, got %g at %zu",
                               list->reals[i], i);
    return POSENC_OK;
}

static posenc_status refuse_length(const char *name, size_t least, size_t most, size_t n, posenc_error *error) {
    if (n >= least && n <= most) return POSENC_OK;
    if (least == most) return posenc_fail(error, POSENC_ERROR_ARGUMENT, name, "expected %zu numbers, got %zu", most, n);
    return posenc_fail(error, POSENC_ERROR_ARGUMENT, name, "expected %zu..%zu numbers, got %zu", least, most, n);
}

static posenc_status check_sections(const posenc_list *list, size_t least, size_t most, int64_t pairs,
                                    posenc_error *error) {
    posenc_status status = refuse_length("sections", least, most, list->n, error);
    if (status == POSENC_OK) status = check_whole(list, "sections", error);
    if (status != POSENC_OK || most == 0) return status;
    double sum = 0;
    for (size_t i = 0; i < list->n; i++) sum += list->reals[i];
    if (sum == (double)pairs) return POSENC_OK;
    return posenc_fail(error, POSENC_ERROR_ARGUMENT, "sections", "expected a sum of dim / 2, which is %lld, got %.0f",
                       (long long)pairs, sum);
}

static posenc_status check_axes(const posenc_value *values, posenc_error *error) {
    const posenc_list *sections = &values[POSENC_ROTARY_SECTIONS].list, *map = &values[POSENC_ROTARY_AXIS_MAP].list;
    int64_t pairs = posenc_rotary_dim_of(values) / 2;
    size_t least = 0, most = 0, mapped = 0;
    switch ((posenc_axes)values[POSENC_ROTARY_AXES].integer) {
        case POSENC_AXES_SINGLE:
            break;
        case POSENC_AXES_SECTIONED:
        case POSENC_AXES_AXIAL:
            least = 1, most = POSENC_MOST_AXES;
            break;
        case POSENC_AXES_INTERLEAVED:
            least = most = 3;
            break;
        case POSENC_AXES_MAP:
            mapped = (size_t)pairs;
            break;
    }
    posenc_status status = check_sections(sections, least, most, pairs, error);
    if (status == POSENC_OK) status = refuse_length("axis-map", mapped, mapped, map->n, error);
    return status == POSENC_OK ? check_whole(map, "axis-map", error) : status;
}

/* ---- frequencies ---- */

/* Lists that another family reads: given in vain, they would be a mistake unnoticed. */
static posenc_status check_unused(const posenc_value *values, posenc_error *error) {
    static const struct {
        int parameter;
        const char *name;
        posenc_scaling family;
    } lists[] = {{POSENC_ROTARY_SHORT_FACTOR, "short-factor", POSENC_SCALING_LONGROPE},
                 {POSENC_ROTARY_LONG_FACTOR, "long-factor", POSENC_SCALING_LONGROPE},
                 {POSENC_ROTARY_INV_FREQ, "inv-freq", POSENC_SCALING_CUSTOM}};
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++) {
        size_t n = values[lists[i].parameter].list.n;
        if (n == 0 || values[POSENC_ROTARY_SCALING].integer == lists[i].family) continue;
        return posenc_fail(error, POSENC_ERROR_ARGUMENT, lists[i].name,
                           "expected none with scaling %s, got %zu numbers", posenc_rotary_family_of(values)->name, n);
    }
    return POSENC_OK;
}

/* 0 stands for "not given", so the range has a gap. */
static posenc_status check_attention(const posenc_value *values, posenc_error *error) {
    double factor = values[POSENC_ROTARY_ATTENTION_FACTOR].real;
    if (factor == 0 || factor >= 1e-6) return POSENC_OK;
    return posenc_fail(error, POSENC_ERROR_ARGUMENT, "attention-factor", "expected 1e-06..1e+06, or 0 for none, got %g",
                       factor);
}

posenc_status posenc_rotary_check(const posenc_value *values, posenc_error *error) {
    const posenc_rotary_family *family = posenc_rotary_family_of(values);
    posenc_status status = check_extent(values, error);
    if (status == POSENC_OK) status = check_axes(values, error);
    if (status == POSENC_OK) status = check_unused(values, error);
    if (status == POSENC_OK) status = check_attention(values, error);
    return status == POSENC_OK && family->check ? family->check(values, error) : status;
}
