/* The part of a plan that biases scores: made, asked for buckets, ended. */
#include "schemes/bias.h"

#include <string.h>

#include "base/error.h"
#include "base/memory.h"

posenc_status posenc_bias_create(posenc_plan *plan, posenc_bias_source source, int64_t heads, posenc_error *error) {
    posenc_bias *bias = posenc_allocate(plan->context, sizeof *bias);
    if (!bias) return posenc_fail_memory(error, "plan", sizeof *bias);
    memset(bias, 0, sizeof *bias);
    bias->source = source;
    bias->heads = heads;
    bias->bytes = sizeof *bias;
    plan->bias = bias;
    posenc_plan_without_rows(plan, heads);
    return POSENC_OK;
}

posenc_status posenc_bias_make_buckets(posenc_plan *plan, posenc_error *error) {
    posenc_bias *bias = plan->bias;
    if (!posenc_log_buckets_make(plan->context, &bias->buckets)) {
        posenc_bias_end(plan);
        return posenc_fail_memory(error, "plan", sizeof(uint64_t));
    }
    bias->bytes += bias->buckets.n * sizeof *bias->buckets.first;
    return POSENC_OK;
}

void posenc_bias_end(posenc_plan *plan) {
    if (!plan->bias) return;
    posenc_log_buckets_end(plan->context, &plan->bias->buckets);
    posenc_release(plan->context, plan->bias->slopes);
    posenc_release(plan->context, plan->bias);
    plan->bias = NULL;
}

/* The size of any int64, and back with a sign; the size of INT64_MIN is 2^63. */
static uint64_t size_of(int64_t distance) { return distance < 0 ? 0 - (uint64_t)distance : (uint64_t)distance; }
static int64_t minus(uint64_t size) { return (int64_t)(0 - size); }
static int64_t plus(uint64_t size) { return size > INT64_MAX ? INT64_MAX : (int64_t)size; }

int64_t posenc_bias_bucket_run(const posenc_bias *bias, int64_t distance, int64_t *last) {
    uint64_t begin, end;
    bool ahead = distance > 0, one_sided = bias->source == POSENC_BIAS_TABLE && !bias->two_sided;
    if (one_sided && distance >= 0) { /* keys ahead all count as distance 0 */
        *last = INT64_MAX;
        return 0;
    }
    int64_t bucket = posenc_log_buckets_at(&bias->buckets, size_of(distance), &begin, &end);
    *last = ahead ? plus(end) : minus(begin);
    if (bias->source == POSENC_BIAS_SIGNED) return ahead ? -bucket : bucket;
    return bias->two_sided && ahead ? bias->half + bucket : bucket;
}
