/* Which bytes tensors share: one with itself, and two with each other. Views of one buffer whose elements lie between each
 * other's, as q, k and v of a packed projection do, are apart. */
#include "base/tensor.h"

#include <stdlib.h>

bool posenc_tensors_same(const DLTensor *a, const DLTensor *b) {
    if (posenc_tensor_data(a) != posenc_tensor_data(b) || a->ndim != b->ndim) return false;
    for (int i = 0; i < a->ndim; i++)
        if (a->shape[i] != b->shape[i] || (a->shape[i] > 1 && posenc_tensor_stride(a, i) != posenc_tensor_stride(b, i)))
            return false;
    return true;
}

/* Sorted by stride, each axis must step over all that the axes below it reach. */
bool posenc_tensor_folds(const DLTensor *tensor) {
    int64_t stride[POSENC_MAX_RANK], extent[POSENC_MAX_RANK];
    int n = 0;
    for (int i = 0; i < tensor->ndim; i++) {
        if (tensor->shape[i] == 0) return false;
        if (tensor->shape[i] == 1) continue;
        int64_t s = posenc_tensor_stride(tensor, i);
        int at = n++;
        for (s = s < 0 ? -s : s; at > 0 && stride[at - 1] > s; at--)
            stride[at] = stride[at - 1], extent[at] = extent[at - 1];
        stride[at] = s, extent[at] = tensor->shape[i];
    }
    int64_t below = 0;
    for (int i = 0; i < n; i++) {
        if (stride[i] <= below) return true;
        below += (extent[i] - 1) * stride[i];
    }
    return false;
}

/* ---- two tensors ---- */

/* An axis of both: index of a less index of b lies in least..most, and moves the distance of their elements by so many
 * bytes each. */
typedef struct shared_axis {
    int64_t bytes, least, most;
} shared_axis;

/* The axes with a second index in a or in b, longest steps first. -1: their strides differ, or are 0. */
static int share_axes(const DLTensor *a, const DLTensor *b, shared_axis *axes) {
    int n = 0;
    if (a->ndim != b->ndim || a->dtype.bits != b->dtype.bits) return -1;
    for (int i = 0; i < a->ndim; i++) {
        if (a->shape[i] == 1 && b->shape[i] == 1) continue;
        int64_t stride = posenc_tensor_stride(a->shape[i] > 1 ? a : b, i);
        if (stride == 0 || (b->shape[i] > 1 && posenc_tensor_stride(b, i) != stride)) return -1;
        shared_axis axis = {stride * (a->dtype.bits / 8), 1 - b->shape[i], a->shape[i] - 1};
        if (stride < 0) axis = (shared_axis){-axis.bytes, -axis.most, -axis.least};
        int at = n++;
        for (; at > 0 && axes[at - 1].bytes < axis.bytes; at--) axes[at] = axes[at - 1];
        axes[at] = axis;
    }
    return n;
}

static int64_t floor_of(int64_t numerator, int64_t denominator) {
    int64_t q = numerator / denominator;
    return numerator % denominator < 0 ? q - 1 : q;
}

/* Whether the axes can bring an element of b, `gap` bytes behind one of a, onto it. Where a step is longer than all that
 * the shorter ones reach, it can be taken two or three ways; where more, this says yes without looking. */
static bool can_meet(const shared_axis *axes, int n, int64_t gap, int64_t element) {
    if (n == 0) return llabs(gap) < element;
    int64_t low = 1 - element, high = element - 1;
    for (int i = 1; i < n; i++) low += axes[i].bytes * axes[i].least, high += axes[i].bytes * axes[i].most;
    int64_t first = -floor_of(high - gap, axes->bytes), last = floor_of(gap - low, axes->bytes);
    if (first < axes->least) first = axes->least;
    if (last > axes->most) last = axes->most;
    if (last - first > 3) return true;
    for (; first <= last; first++)
        if (can_meet(axes + 1, n - 1, gap - first * axes->bytes, element)) return true;
    return false;
}

bool posenc_tensors_meet(const DLTensor *a, const DLTensor *b) {
    const char *a_first, *a_end, *b_first, *b_end;
    posenc_tensor_span(a, &a_first, &a_end);
    posenc_tensor_span(b, &b_first, &b_end);
    if (a_first >= b_end || b_first >= a_end) return false;
    shared_axis axes[POSENC_MAX_RANK];
    const int64_t most = INT64_MAX / 8; /* so that no sum overflows */
    int n = a_end - a_first < most && b_end - b_first < most ? share_axes(a, b, axes) : -1;
    return n < 0 || can_meet(axes, n, posenc_tensor_data(b) - posenc_tensor_data(a), a->dtype.bits / 8);
}
