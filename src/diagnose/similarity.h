/* The similarity object's inside. */
#ifndef POSENC_DIAGNOSE_SIMILARITY_H
#define POSENC_DIAGNOSE_SIMILARITY_H

#include <posenc/similarity.h>

#include "diagnose/directions.h"

struct posenc_similarity {
    posenc_directions directions;
};

/* Checks an output at the door: (rows, columns), f32, contiguous, on the CPU. */
posenc_status posenc_similarity_check_output(const DLTensor *out, const char *shape, posenc_error *error);

#endif
