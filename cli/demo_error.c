/* Largest error by position of some ways to make a row, beside the exact values in f64. */
#include "demo_error.h"

#include <math.h>
#include <posenc/posenc.h>
#include <stdlib.h>
#include <string.h>

enum { DIM = POSENC_DEMO_ERROR_DIM, WINDOW = POSENC_DEMO_ERROR_WINDOW, PLACES = POSENC_DEMO_ERROR_PLACES };

static const int64_t farthest = 10000000;

/* Everything that is made and freed once. */
typedef struct measure {
    posenc_plan *plans[POSENC_DEMO_WAYS];
    double *truth; /* (WINDOW, DIM) */
    float *rows;   /* (WINDOW, DIM) */
} measure;

static bool begin(measure *m) {
    static const posenc_arithmetic arithmetic[] = {POSENC_ARITHMETIC_EXACT, POSENC_ARITHMETIC_FLOAT32,
                                                   POSENC_ARITHMETIC_FLOAT32_EXP, POSENC_ARITHMETIC_EXACT};
    posenc_sinusoidal_options options;
    posenc_sinusoidal_default(&options, sizeof options);
    options.dim = DIM;
    options.max_len = farthest;
    bool fine = true;
    for (int way = 0; way < POSENC_DEMO_WAYS; way++) {
        options.arithmetic = arithmetic[way];
        fine = fine && posenc_sinusoidal_create_with(NULL, &options, &m->plans[way], NULL) == POSENC_OK;
    }
    m->truth = malloc(sizeof *m->truth * WINDOW * DIM);
    m->rows = malloc(sizeof *m->rows * WINDOW * DIM);
    return fine && m->truth && m->rows;
}

static void end(measure *m) {
    for (int i = 0; i < POSENC_DEMO_WAYS; i++) posenc_plan_destroy(m->plans[i]);
    free(m->truth);
    free(m->rows);
}

/* bfloat16 keeps 8 bits: rounds to nearest, to even between two. */
static double to_bf16(int64_t position) {
    float value = (float)position; /* exact: below 2^24 */
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    bits = (bits + 0x7FFF + (bits >> 16 & 1)) & 0xFFFF0000u;
    memcpy(&value, &bits, sizeof value);
    return (double)value;
}

static bool write_rounded(const measure *m, int64_t first, int64_t n) {
    double ids[WINDOW];
    posenc_view id_view, out_view;
    posenc_positions positions;
    for (int64_t i = 0; i < n; i++) ids[i] = to_bf16(first + i);
    posenc_positions_default(&positions, sizeof positions);
    positions.ids = posenc_view_make(&id_view, ids, POSENC_F64, 1, &n, NULL);
    const int64_t shape[] = {n, DIM};
    DLTensor *out = posenc_view_make(&out_view, m->rows, POSENC_F32, 2, shape, NULL);
    return posenc_plan_write(m->plans[POSENC_DEMO_BF16], &positions, out, NULL) == POSENC_OK;
}

static bool write_truth(const measure *m, int64_t first, int64_t n) {
    posenc_view view;
    posenc_positions positions;
    posenc_positions_default(&positions, sizeof positions);
    positions.start = first;
    const int64_t shape[] = {n, DIM};
    DLTensor *out = posenc_view_make(&view, m->truth, POSENC_F64, 2, shape, NULL);
    return posenc_plan_write(m->plans[POSENC_DEMO_EXACT], &positions, out, NULL) == POSENC_OK;
}

/* Positions first..last, all ways. */
static bool measure_place(const measure *m, int64_t first, int64_t last, posenc_demo_errors *errors) {
    int64_t n = last - first + 1;
    if (!write_truth(m, first, n)) return false;
    for (int way = 0; way < POSENC_DEMO_WAYS; way++) {
        bool fine = way == POSENC_DEMO_BF16 ? write_rounded(m, first, n)
                                            : posenc_plan_write_f32(m->plans[way], first, n, m->rows) == POSENC_OK;
        if (!fine) return false;
        double largest = 0;
        for (int64_t i = 0; i < n * DIM; i++) largest = fmax(largest, fabs((double)m->rows[i] - m->truth[i]));
        errors->largest[way][errors->n] = largest;
    }
    errors->position[errors->n++] = (double)last;
    return true;
}

bool posenc_demo_errors_measure(posenc_demo_errors *errors) {
    measure m = {.truth = NULL};
    bool fine = begin(&m);
    errors->n = 0;
    int64_t done = 0;
    for (int k = 0; fine && k < PLACES; k++) {
        int64_t last = llround(pow((double)farthest, (double)k / (PLACES - 1)));
        if (last == done) continue; /* places lie closer than positions at first */
        int64_t first = last - done > WINDOW ? last - WINDOW + 1 : done + 1;
        fine = measure_place(&m, first, last, errors);
        done = last;
    }
    end(&m);
    return fine;
}
