/* Fourier features of one real coordinate (Tancik et al. 2020; Jaegle et al. 2021), typed options. */
#ifndef POSENC_FOURIER_H
#define POSENC_FOURIER_H

#include <posenc/plan.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Which frequencies. n = dim / 2, k < n, R = resolution; x is the coordinate. */
typedef enum posenc_fourier_kind {
    POSENC_FOURIER_BANDS = 0, /* [sin(pi x f_k) | cos], f_k = 1 + (R/2 - 1) k / (n - 1): the Perceiver; x in [-1, 1] */
    POSENC_FOURIER_LOG = 1,   /* the same with f_k = (R/2)^(k / (n - 1)); R = 2^n gives 1, 2, 4, ...: NeRF */
    POSENC_FOURIER_GAUSSIAN = 2 /* [sin(2 pi u G_k) | cos], u = 2x - 1, G_k = sigma z_k with z_k normal; x in [0, 1] */
} posenc_fourier_kind;

typedef struct posenc_fourier_options {
    size_t size;              /* sizeof(posenc_fourier_options), as written by posenc_fourier_default */
    int64_t dim;              /* channels of a row, twice the number of frequencies: even, 2..2^24; required */
    int64_t max_len;          /* whole x in -max_len..max_len are prepared for; others work too, slower. Default 1 */
    posenc_fourier_kind kind; /* default bands */
    double resolution;        /* bands and log: 1e-6..1e9, samples along the axis. Default 64 */
    double sigma;             /* gaussian: 1e-6..1e6, standard deviation of the frequencies. Default 1 */
    int64_t frequency_seed;   /* gaussian: 0..2^63 - 1024, which frequencies. Default 0 */
} posenc_fourier_options;

/* Writes every default into *options. size is sizeof(*options) as the caller compiled it, and is stored there. */
POSENC_API void posenc_fourier_default(posenc_fourier_options *options, size_t size);

/* Makes a Fourier plan with the given options; positions are the coordinates, doubles within 2^53 (or whole numbers).
 * One frequency is f = 1. The gaussian frequencies are doubles that are the same on every machine: z comes from
 * Philox4x32-10 words by Box and Muller's transform, key frequency_seed, counter (k / 2, 0x66726571), rounded once.
 * Returns and ownership as posenc_plan_create; POSENC_ERROR_ARGUMENT too for an odd width.
 * Example: posenc_fourier_options o; posenc_fourier_default(&o, sizeof o);
 *          o.dim = 128; o.resolution = 224; posenc_fourier_create_with(NULL, &o, &plan, NULL); */
POSENC_API posenc_status posenc_fourier_create_with(const posenc_context *context,
                                                    const posenc_fourier_options *options, posenc_plan **out,
                                                    posenc_error *error);

#ifdef __cplusplus
}
#endif

#endif
