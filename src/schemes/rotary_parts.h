/* The parts that a rotary plan is made of, between the files that make them. */
#ifndef POSENC_SCHEMES_ROTARY_PARTS_H
#define POSENC_SCHEMES_ROTARY_PARTS_H

#include "schemes/rotary.h"
#include "schemes/rotary_families.h"

/* rotary_axes.c: fills axes, layout and places. On failure nothing is left allocated. */
posenc_status posenc_rotary_lay_axes(posenc_rotary *rotary, const posenc_plan *plan, posenc_error *error);

/* rotary_xpos.c: fills log_zeta. On failure nothing is left allocated. */
posenc_status posenc_rotary_prepare_xpos(posenc_rotary *rotary, const posenc_context *context, posenc_error *error);

/* rotary_spectrum.c: a spectrum at a length that is one of a sequence. On failure nothing is left allocated. */
posenc_status posenc_rotary_spectrum_make(const posenc_plan *plan, const posenc_rotary *rotary, int64_t length,
                                          posenc_rotary_spectrum *out, posenc_error *error);

/* rotary_spectrum.c: the series of frequencies that pair i belongs to; pair i is its pair i - first. */
posenc_rotary_series posenc_rotary_series_of(const posenc_value *values, size_t i, int64_t length);

/* rotary_spectrum.c: the length that stands where no call gives one. */
int64_t posenc_rotary_own_length(const posenc_value *values);

/* rotary_spectrum.c: the bytes of a spectrum. */
size_t posenc_rotary_spectrum_bytes(const posenc_rotary_spectrum *spectrum);

#endif
