/* Attention with linear biases (Press et al. 2022, section 3): head h of n has the slope
 *     m = 2^(-8 (h + 1) / n)                    n a power of two
 * and otherwise the slopes of the power of two below n, followed by every other one of twice that power. The bias is
 * m (j - i); m j where rows may differ by a constant, as under a softmax with a causal mask; -m |i - j| both ways. */
#include <math.h>

#include "base/error.h"
#include "base/memory.h"
#include "phasor/wide.h"
#include "schemes/bias.h"
#include "schemes/schemes.h"

enum { HEADS, FORM, SLOPE_RULE, SLOPES, HEAD_START, ALL_HEADS, N_PARAMETERS };
enum { PUBLISHED, GEOMETRIC };

static const char *const forms[] = {"causal", "key", "symmetric", NULL}; /* as posenc_bias_form */
static const char *const rules[] = {"published", "geometric", NULL};

static const posenc_parameter_info parameters[N_PARAMETERS] = {
    [HEADS] = {"heads", POSENC_PARAMETER_INTEGER, NULL, 1, 65536, NULL, "heads", "Attention heads."},
    [FORM] = {"form", POSENC_PARAMETER_CHOICE, "causal", 0, 0, forms, "",
              "causal: m (j - i); key: m j, the same after a softmax with a causal mask; symmetric: -m |i - j|."},
    [SLOPE_RULE] = {"slope-rule", POSENC_PARAMETER_CHOICE, "published", 0, 0, rules, "",
                    "published: for a number of heads n that is no power of two, the slopes of the power of two below, "
                    "then every other one of twice that; geometric: 2^(-8 (h + 1) / n) for any n."},
    [SLOPES] = {"slopes", POSENC_PARAMETER_LIST, "", -1e9, 1e9, NULL, "",
                "Slopes of your own, one for each of all heads, instead of a rule."},
    [HEAD_START] = {"head-start", POSENC_PARAMETER_INTEGER, "0", 0, 65535, NULL, "heads",
                    "First head here, where the heads are shared out among devices."},
    [ALL_HEADS] = {"all-heads", POSENC_PARAMETER_INTEGER, "0", 0, 65536, NULL, "heads",
                   "Heads of all devices, which the slopes depend on; 0: those here are all."},
};

/* The exponent of head h of n, eighths of the whole: m = 2^(-8 numerator / denominator). */
static void exponent_of(int64_t rule, int64_t h, int64_t n, int64_t *numerator, int64_t *denominator) {
    int64_t power = 1;
    while (power * 2 <= n) power *= 2;
    bool beyond = rule == PUBLISHED && h >= power;
    *numerator = beyond ? 2 * (h - power) + 1 : h + 1;
    *denominator = rule == GEOMETRIC ? n : beyond ? 2 * power : power;
}

/* Rounded once: whole powers of two by their exponent, the part below 1 in wide fixed point. */
static double slope_of(int64_t rule, int64_t h, int64_t n) {
    int64_t numerator, denominator;
    exponent_of(rule, h, n, &numerator, &denominator);
    numerator *= 8;
    int64_t whole = numerator / denominator, rest = numerator % denominator;
    posenc_wide part = posenc_wide_power(2, (uint64_t)rest, (uint64_t)denominator);
    return ldexp(posenc_wide_to_double(&part), (int)-whole);
}

static int64_t all_heads(const posenc_value *values) {
    return values[ALL_HEADS].integer > 0 ? values[ALL_HEADS].integer : values[HEADS].integer;
}

static posenc_status check(const posenc_value *values, posenc_error *error) {
    int64_t all = all_heads(values), start = values[HEAD_START].integer, heads = values[HEADS].integer;
    size_t n = values[SLOPES].list.n;
    if (start + heads > all)
        return posenc_fail(error, POSENC_ERROR_ARGUMENT, "head-start",
                           "expected heads within the %lld of all, got %lld from head %lld on", (long long)all,
                           (long long)heads, (long long)start);
    if (n > 0 && n != (size_t)all)
        return posenc_fail(error, POSENC_ERROR_ARGUMENT, "slopes", "expected %lld numbers, one a head, got %zu",
                           (long long)all, n);
    return POSENC_OK;
}

static double slope_at(const posenc_value *values, int64_t h) {
    const posenc_list *own = &values[SLOPES].list;
    h += values[HEAD_START].integer;
    return own->n > 0 ? own->reals[h] : slope_of(values[SLOPE_RULE].integer, h, all_heads(values));
}

static posenc_status make(posenc_plan *plan, posenc_error *error) {
    const posenc_value *values = plan->values;
    int64_t heads = values[HEADS].integer;
    posenc_status status = check(values, error);
    if (status == POSENC_OK) status = posenc_bias_create(plan, POSENC_BIAS_SLOPES, heads, error);
    if (status != POSENC_OK) return status;
    posenc_bias *bias = plan->bias;
    size_t bytes = (size_t)heads * sizeof *bias->slopes;
    bias->form = (posenc_bias_form)values[FORM].integer;
    bias->causal = bias->form != POSENC_BIAS_SYMMETRIC;
    bias->slopes = posenc_allocate(plan->context, bytes);
    if (!bias->slopes) {
        posenc_bias_end(plan);
        return posenc_fail_memory(error, "plan", bytes);
    }
    bias->bytes += bytes;
    for (int64_t h = 0; h < heads; h++) bias->slopes[h] = slope_at(values, h);
    return POSENC_OK;
}

/* The paper's words: of n heads, or "the closest power of 2" and then those of twice that, left to right, one by one.
 */
static long double slope_in_words(const posenc_value *values, int64_t h) {
    const posenc_list *own = &values[SLOPES].list;
    int64_t n = all_heads(values), closest = (int64_t)exp2l(floorl(log2l((long double)n)));
    if (own->n > 0) return (long double)own->reals[h];
    if (values[SLOPE_RULE].integer == GEOMETRIC || closest == n)
        return powl(exp2l(-8.0L / (long double)n), (long double)(h + 1));
    if (h < closest) return powl(exp2l(-8.0L / (long double)closest), (long double)(h + 1));
    return powl(exp2l(-8.0L / (long double)(2 * closest)), (long double)(2 * (h - closest) + 1));
}

/* The bias of head column at distance j - i (form key: of key j). */
static double equation(const posenc_plan *plan, double position, int64_t column) {
    long double slope = slope_in_words(plan->values, column + plan->values[HEAD_START].integer);
    if (plan->bias->form == POSENC_BIAS_SYMMETRIC) return (double)(-slope * fabsl((long double)position));
    return (double)(slope * (long double)position);
}

const posenc_scheme posenc_scheme_alibi = {
    .info = {"alibi", "Biases scores by a slope times the distance, another slope for each head.",
             "Press et al. 2022, Train short, test long, section 3", POSENC_EFFECT_BIASES_SCORES,
             "a bias depends on the distance only and grows with it in a straight line; a rank's heads are a slice of "
             "all",
             parameters, N_PARAMETERS},
    .make = make,
    .equation = equation,
    .end = posenc_bias_end,
};
