#include "support/strided.h"

#include <stdlib.h>
#include <string.h>

#include "support/tensors.h"
#include "support/test.h"

enum { PATTERN = 0x5A };

/* Axes in a random order, innermost first. */
static void shuffle(random_state *random, int rank, int *order) {
    for (int i = 0; i < rank; i++) order[i] = rank - 1 - i;
    for (int i = rank - 1; i > 0 && random_between(random, 0, 2); i--) {
        int j = (int)random_between(random, 0, i), kept = order[i];
        order[i] = order[j];
        order[j] = kept;
    }
}

/* Each axis steps over all that the axes inside it reach, and often a bit more. */
void strided_make(strided *s, random_state *random, posenc_dtype dtype, int rank, const int64_t *shape,
                  bool may_share) {
    int order[POSENC_MAX_RANK];
    int64_t strides[POSENC_MAX_RANK], reach = 1, first = 0, bytes = (int64_t)posenc_dtype_bytes(dtype);
    shuffle(random, rank, order);
    for (int k = 0; k < rank; k++) {
        int axis = order[k];
        int64_t gap = random_between(random, 0, 1) * random_between(random, 0, 5), stride = reach + gap;
        bool backward = random_between(random, 0, 4) == 0, shared = may_share && random_between(random, 0, 3) == 0;
        if (shared) stride = 0;
        if (shape[axis] > 0) reach += (shape[axis] - 1) * stride;
        if (backward && shape[axis] > 0) first += (shape[axis] - 1) * stride;
        strides[axis] = backward ? -stride : stride;
    }
    int64_t lead = random_between(random, 0, 3);
    s->dtype = dtype;
    s->bytes = (lead + reach) * bytes;
    s->memory = must_allocate((size_t)s->bytes);
    s->tensor = posenc_view_make(&s->view, s->memory, dtype, rank, shape, strides);
    check(s->tensor, "no view of rank %d", rank);
    if (random_u64(random) & 1)
        s->tensor->byte_offset = (uint64_t)((lead + first) * bytes);
    else
        s->tensor->data = s->memory + (lead + first) * bytes;
}

void strided_free(strided *s) { free(s->memory); }

int64_t strided_elements(const strided *s) {
    int64_t n = 1;
    for (int i = 0; i < s->tensor->ndim; i++) n *= s->tensor->shape[i];
    return n;
}

void *strided_at(const strided *s, int64_t index) {
    int64_t at = 0;
    for (int axis = s->tensor->ndim - 1; axis >= 0; axis--) {
        at += index % s->tensor->shape[axis] * s->tensor->strides[axis];
        index /= s->tensor->shape[axis];
    }
    return (char *)s->tensor->data + s->tensor->byte_offset + at * (int64_t)posenc_dtype_bytes(s->dtype);
}

void strided_get(const strided *s, void *contiguous) {
    size_t bytes = posenc_dtype_bytes(s->dtype);
    for (int64_t i = 0, n = strided_elements(s); i < n; i++)
        memcpy((char *)contiguous + (size_t)i * bytes, strided_at(s, i), bytes);
}

void strided_put(strided *s, const void *contiguous) {
    size_t bytes = posenc_dtype_bytes(s->dtype);
    for (int64_t i = 0, n = strided_elements(s); i < n; i++)
        memcpy(strided_at(s, i), (const char *)contiguous + (size_t)i * bytes, bytes);
}

void strided_check_gaps(strided *s, const char *what) {
    size_t bytes = posenc_dtype_bytes(s->dtype);
    for (int64_t i = 0, n = strided_elements(s); i < n; i++) memset(strided_at(s, i), PATTERN, bytes);
    for (int64_t i = 0; i < s->bytes; i++)
        check(s->memory[i] == PATTERN, "%s: byte %lld of %lld, which is no element's, was written", what, (long long)i,
              (long long)s->bytes);
}
