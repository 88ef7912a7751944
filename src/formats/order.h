/* Elements put into this machine's byte order and into C order. */
#ifndef POSENC_FORMATS_ORDER_H
#define POSENC_FORMATS_ORDER_H

#include <stddef.h>
#include <stdint.h>

/* Reverses the bytes of each of n elements of 1, 2, 4 or 8 bytes, in place. */
void posenc_swap_elements(void *data, size_t n, size_t element_bytes);

/* Copies a tensor whose first axis is the fastest (Fortran) into one whose last axis is (C).
 * from, to: apart; elements of 1, 2, 4 or 8 bytes. shape[rank]: rank 2..8, extents above 0, all bytes fit into size_t.
 */
void posenc_fortran_to_c(const void *from, void *to, size_t element_bytes, int rank, const int64_t *shape);

#endif
