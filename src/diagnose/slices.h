/* Tables that come as (batch, length, dim). */
#ifndef POSENC_DIAGNOSE_SLICES_H
#define POSENC_DIAGNOSE_SLICES_H

#include <stdbool.h>

#include "diagnose/table.h"

/* Reads a tensor as a table. (batch, length, dim) too, where all slices are one table; or where the rows of each slice
 * are one while slices differ: *swapped is set then, and the table is (batch, dim).
 * Returns POSENC_ERROR_SHAPE where it is neither, and as posenc_table_of. */
posenc_status posenc_table_of_slices(const DLTensor *tensor, const char *name, posenc_table *table, bool *swapped,
                                     posenc_error *error);

/* Whether tensor[0], tensor[1], ... (axis 0), or tensor[:, 0], ... (axis 1), of a checked tensor of rank 3 with elements
 * are all equal. */
bool posenc_slices_equal(const DLTensor *tensor, int axis);

#endif
