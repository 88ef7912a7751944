/* Which spectrum turns which token. Most plans have one; where frequencies depend on the sequence's length, equal
 * lengths share theirs, and all are made before anything is written. */
#ifndef POSENC_SCHEMES_ROTARY_CALL_LENGTHS_H
#define POSENC_SCHEMES_ROTARY_CALL_LENGTHS_H

#include "schemes/rotary.h"

typedef struct posenc_rotary_spectra {
    const posenc_plan *plan;
    size_t n;
    const posenc_rotary_spectrum **at; /* [n] */
    posenc_rotary_spectrum *made;      /* [n]; n_blocks 0 where it is the plan's own */
    int64_t n_rows;                    /* batch rows, or packed sequences */
    size_t *which;                     /* [n_rows] which spectrum; NULL: the only one */
    int64_t *ends;                     /* [n_rows] token behind a packed sequence; NULL: rows are batch rows */
    const posenc_rotary_spectrum *only;
} posenc_rotary_spectra;

/* Opens the spectra of a call of batch rows, or of the sequences of cu_seqlens (checked before). On success the caller
 * closes. */
posenc_status posenc_rotary_spectra_open(const posenc_plan *plan, const DLTensor *lengths, const DLTensor *cu_seqlens,
                                         int64_t batch, posenc_rotary_spectra *out, posenc_error *error);
void posenc_rotary_spectra_close(posenc_rotary_spectra *spectra);

/* The spectrum of a token, and how many of count tokens from it on share it. */
const posenc_rotary_spectrum *posenc_rotary_spectrum_of(const posenc_rotary_spectra *spectra, int64_t batch,
                                                        int64_t token, int64_t count, int64_t *shared);

#endif
