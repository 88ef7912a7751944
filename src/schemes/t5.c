/* The relative position bias of T5 (Raffel et al. 2020, section 2.1): a trained table (buckets, heads) by the bucket of
 * the distance r = j - i.
 *     both ways   half the buckets for r <= 0, n = -r, the other half for r > 0, n = r
 *     causal      all buckets for n = max(-r, 0)
 * Of b such buckets the first e = b/2 hold one distance each, n < e. Further on
 *     bucket = e + min(b - 1 - e, floor(ln(n / e) / ln(max_distance / e) (b - e)))
 * in float32, as published; see log_buckets.h. */
#include <math.h>

#include "base/error.h"
#include "phasor/wide.h"
#include "schemes/bias.h"
#include "schemes/schemes.h"

enum { HEADS, BUCKETS, MAX_DISTANCE, BIDIRECTIONAL, N_PARAMETERS };

static const posenc_parameter_info parameters[N_PARAMETERS] = {
    [HEADS] = {"heads", POSENC_PARAMETER_INTEGER, NULL, 1, 65536, NULL, "heads", "Attention heads."},
    [BUCKETS] = {"buckets", POSENC_PARAMETER_INTEGER, "32", 2, 65536, NULL, "rows",
                 "Rows of the trained table; even, and at least 4, where bidirectional."},
    [MAX_DISTANCE] = {"max-distance", POSENC_PARAMETER_INTEGER, "128", 2, 1099511627776.0, NULL, "tokens",
                      "About here the last bucket begins, which holds all further distances."},
    [BIDIRECTIONAL] = {"bidirectional", POSENC_PARAMETER_FLAG, "true", 0, 0, NULL, "",
                       "Keys ahead have buckets of their own, as in an encoder; else they share that of distance 0."},
};

static int64_t half_of(const posenc_value *values) {
    return values[BIDIRECTIONAL].integer ? values[BUCKETS].integer / 2 : values[BUCKETS].integer;
}

static posenc_status check(const posenc_value *values, posenc_error *error) {
    int64_t buckets = values[BUCKETS].integer, own = half_of(values) / 2;
    if (values[BIDIRECTIONAL].integer && (buckets % 2 != 0 || buckets < 4))
        return posenc_fail(error, POSENC_ERROR_ARGUMENT, "buckets",
                           "expected an even number from 4 on, half for each side, got %lld", (long long)buckets);
    if (values[MAX_DISTANCE].integer > own) return POSENC_OK;
    return posenc_fail(error, POSENC_ERROR_ARGUMENT, "max-distance",
                       "expected more than the %lld distances that have a bucket of their own, got %lld",
                       (long long)own, (long long)values[MAX_DISTANCE].integer);
}

static posenc_status make(posenc_plan *plan, posenc_error *error) {
    const posenc_value *values = plan->values;
    posenc_status status = check(values, error);
    if (status == POSENC_OK) status = posenc_bias_create(plan, POSENC_BIAS_TABLE, values[HEADS].integer, error);
    if (status != POSENC_OK) return status;
    posenc_bias *bias = plan->bias;
    int64_t half = half_of(values), own = half / 2;
    bias->causal = !values[BIDIRECTIONAL].integer;
    bias->two_sided = !bias->causal;
    bias->half = half;
    bias->table_rows = values[BUCKETS].integer;
    bias->buckets =
        (posenc_log_buckets){.own = (uint64_t)(own - 1),
                             .unit = own,
                             .span = (float)posenc_wide_log((double)values[MAX_DISTANCE].integer / (double)own),
                             .steps = (float)(half - own),
                             .most = half - 1};
    return posenc_bias_make_buckets(plan, error);
}

/* The bucket of the distance position, j - i, with the published roundings to float32; the same for every head. */
static double equation(const posenc_plan *plan, double position, int64_t column) {
    (void)column;
    const posenc_value *values = plan->values;
    double half = (double)half_of(values), base = 0, n = -position;
    if (values[BIDIRECTIONAL].integer)
        base = position > 0 ? half : 0, n = fabs(position);
    else if (n < 0)
        n = 0;
    double own = floor(half / 2);
    if (n < own) return base + n;
    float share = (float)logl((long double)(float)((double)(float)n / own));
    share = (float)((double)share / (double)(float)logl((long double)((double)values[MAX_DISTANCE].integer / own)));
    double bucket = own + floor((double)(float)((double)share * (half - own)));
    return base + fmin(bucket, half - 1);
}

const posenc_scheme posenc_scheme_t5 = {
    .info = {"t5", "Biases scores by a trained table, whose row is the bucket of the distance.",
             "Raffel et al. 2020, Exploring the limits of transfer learning, section 2.1", POSENC_EFFECT_BIASES_SCORES,
             "a bias depends on the distance only; buckets widen with the logarithm of the distance up to max-distance",
             parameters, N_PARAMETERS},
    .make = make,
    .equation = equation,
    .end = posenc_bias_end,
};
