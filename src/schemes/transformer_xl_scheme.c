/* The scheme "transformer-xl" as others are listed: the options of its scores (Dai et al. 2019) as parameters. Its plan
 * holds values, and knows the sinusoid of a distance; posenc_xl_scores in transformer_xl_scores.c does the work. */
#include <math.h>

#include "base/error.h"
#include "schemes/relative.h"
#include "schemes/schemes.h"

enum { DIM, SCALE, MEMORY, CLAMP_LEN, BIDIRECTIONAL, N_PARAMETERS };

static const posenc_parameter_info parameters[N_PARAMETERS] = {
    [DIM] = {"dim", POSENC_PARAMETER_INTEGER, NULL, 1, 16777216, NULL, "channels",
             "Width of the sinusoid of a distance, which is that of the model."},
    [SCALE] = {"scale", POSENC_PARAMETER_REAL, "1", -1e30, 1e30, NULL, "",
               "Factor of the scores; 1/sqrt(d) in the paper."},
    [MEMORY] = {"memory", POSENC_PARAMETER_INTEGER, "0", -0x1p60, 0x1p60, NULL, "tokens",
                "Keys of earlier segments, before query 0."},
    [CLAMP_LEN] = {"clamp-len", POSENC_PARAMETER_INTEGER, "0", 0, 0x1p63, NULL, "tokens",
                   "Distances further than this count as this one; 0: none does."},
    [BIDIRECTIONAL] = {"bidirectional", POSENC_PARAMETER_FLAG, "false", 0, 0, NULL, "",
                       "Keys ahead of their query have scores too."},
};

static posenc_status make(posenc_plan *plan, posenc_error *error) {
    int64_t memory = plan->values[MEMORY].integer; /* the range above, which is in doubles, ends a little late */
    if (memory < -POSENC_RELATIVE_MOST || memory > POSENC_RELATIVE_MOST)
        return posenc_fail(error, POSENC_ERROR_ARGUMENT, "memory", "expected -2^60..2^60, got %lld", (long long)memory);
    posenc_plan_without_rows(plan, plan->values[DIM].integer);
    return POSENC_OK;
}

/* r of the clamped distance i - j, where position = j - i: sines, then cosines of (i - j) 10000^(-c / half), and a zero
 * where dim is odd. */
static double equation(const posenc_plan *plan, double position, int64_t column) {
    int64_t half = plan->values[DIM].integer / 2;
    if (column >= 2 * half) return 0;
    double clamp = plan->values[CLAMP_LEN].integer > 0 ? (double)plan->values[CLAMP_LEN].integer : HUGE_VAL;
    long double distance = (long double)fmax(-clamp, fmin(clamp, -position));
    long double angle = distance * powl(10000.0L, -(long double)(column % half) / (long double)half);
    return (double)(column < half ? sinl(angle) : cosl(angle));
}

const posenc_scheme posenc_scheme_transformer_xl = {
    .info = {"transformer-xl", "Gives scores the sinusoid of the distance through a trained matrix, and two biases.",
             "Dai et al. 2019, Transformer-XL: attentive language models beyond a fixed-length context, section 3.3",
             POSENC_EFFECT_RELATES_VECTORS, "scores depend on the distance only, whatever the memory", parameters,
             N_PARAMETERS},
    .make = make,
    .equation = equation,
};
