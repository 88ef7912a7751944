/* The buckets of DeBERTa (He et al. 2021, v2 and v3 of the published code): r = i - j, mid = buckets / 2,
 *     |r| <= mid    r
 *     else          sign(r) (mid + ceil(ln(|r| / mid) / ln((max_distance - 1) / mid) (mid - 1)))
 * in float32, as published; see log_buckets.h. They are not clipped: whoever looks up a table does that. The scores of
 * DeBERTa are products with vectors; what is here are the buckets alone. */
#include <math.h>

#include "base/error.h"
#include "schemes/bias.h"
#include "schemes/schemes.h"

enum { BUCKETS, MAX_DISTANCE, N_PARAMETERS };

static const posenc_parameter_info parameters[N_PARAMETERS] = {
    [BUCKETS] = {"buckets", POSENC_PARAMETER_INTEGER, "256", 4, 65536, NULL, "rows",
                 "Buckets of each side, half of them of one distance each; even."},
    [MAX_DISTANCE] = {"max-distance", POSENC_PARAMETER_INTEGER, "512", 3, 1099511627776.0, NULL, "tokens",
                      "The distance before this one has the bucket before the last."},
};

static posenc_status check(const posenc_value *values, posenc_error *error) {
    int64_t buckets = values[BUCKETS].integer, mid = buckets / 2;
    if (buckets % 2 != 0)
        return posenc_fail(error, POSENC_ERROR_ARGUMENT, "buckets", "expected an even number, got %lld",
                           (long long)buckets);
    if (values[MAX_DISTANCE].integer - 1 > mid) return POSENC_OK;
    return posenc_fail(error, POSENC_ERROR_ARGUMENT, "max-distance",
                       "expected more than %lld, since distances up to %lld have a bucket of their own, got %lld",
                       (long long)mid + 1, (long long)mid, (long long)values[MAX_DISTANCE].integer);
}

static float ratio_of(double n, double mid) { return (float)((double)(float)n / mid); }

static posenc_status make(posenc_plan *plan, posenc_error *error) {
    const posenc_value *values = plan->values;
    posenc_status status = check(values, error);
    if (status == POSENC_OK) status = posenc_bias_create(plan, POSENC_BIAS_SIGNED, 1, error);
    if (status != POSENC_OK) return status;
    int64_t mid = values[BUCKETS].integer / 2;
    float end = (float)((double)(values[MAX_DISTANCE].integer - 1) / (double)mid);
    if (end <= 1) { /* so near mid that float32 does not tell them apart */
        posenc_bias_end(plan);
        return posenc_fail(error, POSENC_ERROR_ARGUMENT, "max-distance", "expected more than %lld, got %lld",
                           (long long)mid + 1, (long long)values[MAX_DISTANCE].integer);
    }
    plan->bias->buckets = (posenc_log_buckets){.own = (uint64_t)mid,
                                               .unit = mid,
                                               .span = posenc_log_f32(end),
                                               .steps = (float)(mid - 1),
                                               .ceiling = true,
                                               .most = INT64_MAX};
    return posenc_bias_make_buckets(plan, error);
}

/* The signed bucket of the distance position, j - i. */
static double equation(const posenc_plan *plan, double position, int64_t column) {
    (void)column;
    double mid = floor((double)plan->values[BUCKETS].integer / 2), n = fabs(position);
    if (n <= mid) return -position;
    float end = (float)((double)(plan->values[MAX_DISTANCE].integer - 1) / mid);
    float share = (float)logl((long double)ratio_of(n, mid));
    share = (float)((double)share / (double)(float)logl((long double)end));
    double bucket = mid + ceil((double)(float)((double)share * (mid - 1)));
    return position > 0 ? -bucket : bucket;
}

const posenc_scheme posenc_scheme_deberta = {
    .info = {"deberta", "Puts distances into signed buckets, for scores by vectors.",
             "He et al. 2021, DeBERTa: decoding-enhanced BERT with disentangled attention; log buckets of version 2",
             POSENC_EFFECT_BIASES_SCORES, "a bucket depends on the distance only, and changes its sign with it",
             parameters, N_PARAMETERS},
    .make = make,
    .equation = equation,
    .end = posenc_bias_end,
};
