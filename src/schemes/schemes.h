/* Every scheme's descriptor, one line each. */
#ifndef POSENC_SCHEMES_SCHEMES_H
#define POSENC_SCHEMES_SCHEMES_H

#include "schemes/scheme.h"

extern const posenc_scheme posenc_scheme_sinusoidal;
extern const posenc_scheme posenc_scheme_timestep;
extern const posenc_scheme posenc_scheme_fourier;
extern const posenc_scheme posenc_scheme_learned;
extern const posenc_scheme posenc_scheme_sinusoidal_2d;
extern const posenc_scheme posenc_scheme_sinusoidal_3d;
extern const posenc_scheme posenc_scheme_sinusoidal_nd;
extern const posenc_scheme posenc_scheme_rotary;
extern const posenc_scheme posenc_scheme_alibi;
extern const posenc_scheme posenc_scheme_t5;
extern const posenc_scheme posenc_scheme_deberta;
extern const posenc_scheme posenc_scheme_swin;
extern const posenc_scheme posenc_scheme_shaw;
extern const posenc_scheme posenc_scheme_transformer_xl;

#endif
