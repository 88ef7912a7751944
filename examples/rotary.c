/* Rotary as a language model uses it: queries and keys of a prompt are turned in one call, then token by token as it
 * decodes, into a cache of keys. Grouped heads: four of queries share one of keys. Position and frequencies decide on the
 * bits, not the call: what is decoded has those of a prompt that was longer by so much. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <posenc/posenc.h>

enum { PROMPT = 100, STEPS = 28, TOKENS = PROMPT + STEPS, HEADS = 8, KV_HEADS = 2, HEAD_DIM = 64 };

static float q[TOKENS][HEADS][HEAD_DIM], k[TOKENS][KV_HEADS][HEAD_DIM];         /* what the projections give */
static float q_all[TOKENS][HEADS][HEAD_DIM], k_all[TOKENS][KV_HEADS][HEAD_DIM]; /* turned in one call */
static float q_new[TOKENS][HEADS][HEAD_DIM], cache[TOKENS][KV_HEADS][HEAD_DIM]; /* turned as the model runs */

static int fail(const char *why) {
    fprintf(stderr, "%s\n", why);
    return EXIT_FAILURE;
}

static void fill(float *x, size_t n) {
    for (size_t i = 0; i < n; i++) x[i] = (float)((i * 2654435761u >> 8 & 0xFFFF) / 32768.0 - 1);
}

/* Turns tokens first .. first + n - 1 of q and k. */
static posenc_status turn(const posenc_plan *plan, int64_t first, int64_t n, float (*q_out)[HEADS][HEAD_DIM],
                          float (*k_out)[KV_HEADS][HEAD_DIM], posenc_error *error) {
    const int64_t q_shape[] = {1, n, HEADS, HEAD_DIM}, k_shape[] = {1, n, KV_HEADS, HEAD_DIM};
    posenc_view views[4];
    posenc_positions positions;
    posenc_positions_default(&positions, sizeof positions);
    positions.start = first;
    return posenc_rotary_apply(plan, POSENC_ROTARY_FORWARD, &positions, NULL,
                               posenc_view_make(&views[0], q[first], POSENC_F32, 4, q_shape, NULL),
                               posenc_view_make(&views[1], k[first], POSENC_F32, 4, k_shape, NULL),
                               posenc_view_make(&views[2], q_out[first], POSENC_F32, 4, q_shape, NULL),
                               posenc_view_make(&views[3], k_out[first], POSENC_F32, 4, k_shape, NULL), error);
}

int main(void) {
    posenc_rotary_options options;
    posenc_plan *plan;
    posenc_error error;
    posenc_rotary_default(&options, sizeof options);
    options.head_dim = HEAD_DIM, options.base = 500000;
    options.scaling = POSENC_SCALING_LLAMA3, options.factor = 8, options.original_length = 8192;
    if (posenc_rotary_create(NULL, &options, &plan, &error)) return fail(error.message);

    fill(&q[0][0][0], sizeof q / sizeof(float));
    fill(&k[0][0][0], sizeof k / sizeof(float));
    if (turn(plan, 0, TOKENS, q_all, k_all, &error)) return fail(error.message);
    if (turn(plan, 0, PROMPT, q_new, cache, &error)) return fail(error.message);
    for (int64_t token = PROMPT; token < TOKENS; token++)
        if (turn(plan, token, 1, q_new, cache, &error)) return fail(error.message);
    posenc_plan_destroy(plan);

    int same = memcmp(q_all, q_new, sizeof q_all) == 0 && memcmp(k_all, cache, sizeof k_all) == 0;
    printf("prompt of %d tokens, %d decoded one by one: %s\n", PROMPT, STEPS, same ? "the same bits" : "other bits");
    return same ? EXIT_SUCCESS : EXIT_FAILURE;
}
