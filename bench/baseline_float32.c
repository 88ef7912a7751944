/* The vectorised way of the tutorials, all in float32. This one file is compiled with -O3 -ffast-math: under these
 * flags gcc calls the vector sines of glibc's libmvec, and several versions are made for the vectors of the machine at
 * hand. Fast math is right for a baseline that is to be as fast as the method allows, and it touches nothing else: the
 * flag is not given to the linker, so the process does not flush subnormals. */
#include <math.h>

#include "baselines.h"

#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) && !defined(__SANITIZE_ADDRESS__) && \
    !defined(__SANITIZE_THREAD__) && defined(__OPTIMIZE__)
#define FOR_EACH_MACHINE __attribute__((target_clones("default", "avx2", "avx512f")))
#else
#define FOR_EACH_MACHINE
#endif

/* Loops of their own for sines, cosines and interleaving: the first two vectorise whatever the third does. */
FOR_EACH_MACHINE
static void one_row(float position, const float *restrict frequency, int64_t pairs, float *restrict sine,
                    float *restrict cosine, float *restrict row) {
    for (int64_t i = 0; i < pairs; i++) sine[i] = sinf(position * frequency[i]);
    for (int64_t i = 0; i < pairs; i++) cosine[i] = cosf(position * frequency[i]);
    for (int64_t i = 0; i < pairs; i++) {
        row[2 * i] = sine[i];
        row[2 * i + 1] = cosine[i];
    }
}

void posenc_bench_float32(void *state) {
    const posenc_bench_rows *t = state;
    int64_t pairs = t->dim / 2;
    float *frequency = (float *)t->scratch, *sine = frequency + t->dim, *cosine = sine + t->dim;
    float exponent = -logf(10000.0f) / (float)t->dim;
    for (int64_t i = 0; i < pairs; i++) frequency[i] = expf((float)(2 * i) * exponent);
    for (int64_t r = 0; r < t->rows; r++)
        one_row((float)(t->start + r * t->step), frequency, pairs, sine, cosine, t->out + r * t->dim);
}

FOR_EACH_MACHINE
static void one_step(float step, const float *restrict frequency, int64_t half, float *restrict row) {
    for (int64_t i = 0; i < half; i++) row[i] = cosf(step * frequency[i]);
    for (int64_t i = 0; i < half; i++) row[half + i] = sinf(step * frequency[i]);
}

void posenc_bench_float32_steps(void *state) {
    const posenc_bench_steps *t = state;
    int64_t half = t->dim / 2;
    for (int64_t i = 0; i < half; i++) t->scratch[i] = expf(-logf(10000.0f) * (float)i / (float)half);
    for (int64_t r = 0; r < t->rows; r++) one_step((float)t->steps[r], t->scratch, half, t->out + r * t->dim);
}
