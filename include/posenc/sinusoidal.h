/* Sinusoidal encoding (Vaswani et al. 2017, section 3.5), typed options. */
#ifndef POSENC_SINUSOIDAL_H
#define POSENC_SINUSOIDAL_H

#include <posenc/plan.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Where the sines and cosines of a row stand. h = floor(dim / 2), theta = base. */
typedef enum posenc_layout {
    POSENC_LAYOUT_INTERLEAVED = 0,  /* sin, cos, sin, cos, ...; frequencies theta^(-2i/dim): the paper */
    POSENC_LAYOUT_HALVES = 1,       /* all sines, then all cosines; theta^(-i/h): ViT-MAE, MoCo-v3, Marian */
    POSENC_LAYOUT_TENSOR2TENSOR = 2 /* as halves with theta^(-i/(h-1)): tensor2tensor, fairseq, Whisper */
} posenc_layout;

/* How angles are computed. */
typedef enum posenc_arithmetic {
    POSENC_ARITHMETIC_EXACT = 0,      /* the true value, rounded once */
    POSENC_ARITHMETIC_FLOAT32 = 1,    /* 1 / base^(2i/dim) and position * that, each step in float32 */
    POSENC_ARITHMETIC_FLOAT32_EXP = 2 /* exp(2i * (-log(base) / dim)) and position * that, each step in float32 */
} posenc_arithmetic;

typedef struct posenc_sinusoidal_options {
    size_t size;          /* sizeof(posenc_sinusoidal_options), as written by posenc_sinusoidal_default */
    int64_t dim;          /* channels of a row, 1..2^24; required */
    int64_t max_len;      /* positions -max_len..max_len are prepared for; others work too, slower. Default 5000 */
    double base;          /* 1e-6..1e30, default 10000 */
    posenc_layout layout; /* default interleaved */
    int cos_first;        /* not 0: each cosine stands where its sine would. Default 0 */
    posenc_arithmetic arithmetic; /* default exact */
} posenc_sinusoidal_options;

/* Writes every default into *options. size is sizeof(*options) as the caller compiled it, and is stored there. */
POSENC_API void posenc_sinusoidal_default(posenc_sinusoidal_options *options, size_t size);

/* Makes a sinusoidal plan with all defaults but the width.
 * E[2i] = sin(p * base^(-2i/dim)), E[2i+1] = cos(same).
 * Odd widths: interleaved uses ceil(dim/2) frequencies and its last column is a sine; the other layouts end with one
 * column of zeros.
 * Returns and ownership as posenc_plan_create. */
POSENC_API posenc_status posenc_sinusoidal_create(const posenc_context *context, int64_t dim, posenc_plan **out,
                                                  posenc_error *error);

/* Makes a sinusoidal plan with the given options. Returns and ownership as posenc_plan_create.
 * Example: posenc_sinusoidal_options o; posenc_sinusoidal_default(&o, sizeof o);
 *          o.dim = 768; o.layout = POSENC_LAYOUT_HALVES; posenc_sinusoidal_create_with(NULL, &o, &plan, NULL); */
POSENC_API posenc_status posenc_sinusoidal_create_with(const posenc_context *context,
                                                       const posenc_sinusoidal_options *options, posenc_plan **out,
                                                       posenc_error *error);

#ifdef __cplusplus
}
#endif

#endif
