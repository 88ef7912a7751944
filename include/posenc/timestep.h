/* Diffusion time steps (Ho et al. 2020), typed options. */
#ifndef POSENC_TIMESTEP_H
#define POSENC_TIMESTEP_H

#include <posenc/sinusoidal.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct posenc_timestep_options {
    size_t size;        /* sizeof(posenc_timestep_options), as written by posenc_timestep_default */
    int64_t dim;        /* channels of a row, 2..2^24; required */
    int64_t max_len;    /* whole time steps -max_len..max_len are prepared for; others work too, slower. Default 1000 */
    double max_period;  /* 1e-6..1e30, default 10000 */
    double shift;       /* 0..1, a multiple of 2^-20, below floor(dim / 2); 0 and 1 are in use. Default 0 */
    int cos_first;      /* not 0: cosines before sines. Default 1 */
    double angle_scale; /* 1e-9..1e9, a factor of the angle; default 1 */
    posenc_arithmetic arithmetic; /* default exact; float32-exp is what diffusion code computes */
} posenc_timestep_options;

/* Writes every default into *options. size is sizeof(*options) as the caller compiled it, and is stored there. */
POSENC_API void posenc_timestep_default(posenc_timestep_options *options, size_t size);

/* Makes a time-step plan with the given options; positions are the time steps, whole (int32, int64) or real (double).
 * h = floor(dim / 2), f_i = max_period^(-i / (h - shift)), i < h: E = [cos(t f_i angle_scale) | sin(same)], sines first
 * where cos_first is 0; odd widths end with one column of zeros.
 * The defaults are those of ADM, DiT and the U-Nets of latent diffusion. In diffusers' words: cos_first is
 * flip_sin_to_cos, shift is downscale_freq_shift or freq_shift, angle_scale is scale. The original DDPM has shift 1 and
 * cos_first 0.
 * Returns and ownership as posenc_plan_create; POSENC_ERROR_ARGUMENT too where floor(dim / 2) - shift is 0.
 * Example: posenc_timestep_options o; posenc_timestep_default(&o, sizeof o);
 *          o.dim = 320; posenc_timestep_create_with(NULL, &o, &plan, NULL); */
POSENC_API posenc_status posenc_timestep_create_with(const posenc_context *context,
                                                     const posenc_timestep_options *options, posenc_plan **out,
                                                     posenc_error *error);

#ifdef __cplusplus
}
#endif

#endif
