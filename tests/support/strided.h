/* Tensors in odd places: axes in any order in memory, gaps between them, backward strides, axes that share memory
 * (stride 0), and a byte offset. The bytes that belong to no element are checked. */
#ifndef POSENC_TESTS_SUPPORT_STRIDED_H
#define POSENC_TESTS_SUPPORT_STRIDED_H

#include <stdbool.h>
#include <stdint.h>

#include <posenc/tensor.h>

#include "support/random.h"

typedef struct strided {
    posenc_view view;
    DLTensor *tensor; /* &view.tensor */
    posenc_dtype dtype;
    unsigned char *memory;
    int64_t bytes;
} strided;

/* Makes *s over new memory filled with 0x5A. may_share: some axes get stride 0. */
void strided_make(strided *s, random_state *random, posenc_dtype dtype, int rank, const int64_t *shape, bool may_share);
void strided_free(strided *s);

/* The element with a row-major index. */
void *strided_at(const strided *s, int64_t index);
int64_t strided_elements(const strided *s);

/* Copies all elements, row-major, to or from contiguous memory. */
void strided_get(const strided *s, void *contiguous);
void strided_put(strided *s, const void *contiguous);

/* Fails the test if a byte of no element was written. Overwrites the elements. */
void strided_check_gaps(strided *s, const char *what);

#endif
