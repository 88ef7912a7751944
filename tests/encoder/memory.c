/* Each allocation of each encoder call fails: the k-th alone, and the k-th and all later ones, for every k. The status
 * must be POSENC_ERROR_MEMORY with outputs as they were, or the call must have done without and be right. Nothing
 * leaks, and the encoder stays as it was and usable. */
#include <stdlib.h>
#include <string.h>

#include "encoders.h"
#include "support/allocator.h"
#include "support/refusal.h"
#include "support/test.h"

/* Work for three threads. */
enum { BATCH = 2, TOKENS = 2000, DIM = 200, PLACES = BATCH * TOKENS, N = PLACES * DIM };

typedef struct world {
    allocator memory;
    posenc_context *context;
    posenc_encoder *encoder;
    float *x, *y, *before, *want;
    int64_t *ids;
    unsigned char *mask;
} world;

typedef posenc_status act(world *w, posenc_error *error);

static world *world_make(void) {
    world *w = must_allocate(sizeof *w);
    posenc_context_options options;
    posenc_context_default(&options, sizeof options);
    options.threads = 3;
    allocator_init(&w->memory);
    allocator_use(&w->memory, &options);
    assert_int_equal(posenc_context_create(&options, &w->context, NULL), POSENC_OK);
    posenc_encoder_options o = encoder_options(POSENC_F32);
    o.dropout = 0.2;
    w->encoder = must_encoder(w->context, &(plan_shape){.dim = DIM, .max_len = TOKENS}, &o);
    random_state random = random_start("encoder memory");
    w->x = must_allocate(N * sizeof(float));
    w->y = must_allocate(N * sizeof(float));
    w->before = must_allocate(N * sizeof(float));
    w->want = must_allocate(N * sizeof(float));
    w->ids = must_allocate(PLACES * sizeof(int64_t));
    w->mask = must_allocate(PLACES);
    random_fill_f32(&random, w->x, N);
    random_fill_f32(&random, w->before, N);
    for (int i = 0; i < PLACES; i++) w->ids[i] = random_position(&random), w->mask[i] = random_u64(&random) & 1;
    return w;
}

static void world_end(world *w) {
    posenc_encoder_destroy(w->encoder);
    posenc_context_destroy(w->context);
    check(atomic_load(&w->memory.live) == 0, "%ld blocks leak", atomic_load(&w->memory.live));
    check(atomic_load(&w->memory.mistakes) == 0, "%ld blocks given back wrongly", atomic_load(&w->memory.mistakes));
    free(w->x);
    free(w->y);
    free(w->before);
    free(w->want);
    free(w->ids);
    free(w->mask);
    free(w);
}

/* One call with allocation k refused. Returns whether it was asked for at all. */
static bool one_failure(world *w, act *call, const char *name, long k, bool from_there_on) {
    long live = atomic_load(&w->memory.live);
    memcpy(w->y, w->before, N * sizeof(float));
    posenc_error error = error_blank(), untouched = error;
    allocator_fail(&w->memory, k, from_there_on);
    posenc_status status = call(w, &error);
    bool refused = allocator_refused(&w->memory);
    allocator_fail(&w->memory, -1, false);
    check(atomic_load(&w->memory.live) == live, "%s, allocation %ld: %ld blocks leak", name, k,
          atomic_load(&w->memory.live) - live);
    if (status == POSENC_OK) {
        must_equal(name, POSENC_F32, w->want, w->y, N);
        check(memcmp(&error, &untouched, sizeof error) == 0, "%s wrote the error detail of a success", name);
        return refused;
    }
    check(refused, "%s: status %s without a failure", name, posenc_status_name(status));
    must_refuse(name, status, POSENC_ERROR_MEMORY, &error, NULL);
    check(memcmp(w->y, w->before, N * sizeof(float)) == 0, "%s, allocation %ld: the output was written", name, k);
    return true;
}

/* ---- the calls ---- */

static posenc_status forward(world *w, const posenc_positions *positions, const int64_t *strides, bool training,
                             float *x, posenc_error *error) {
    posenc_view u, v;
    const int64_t shape[3] = {BATCH, TOKENS, DIM};
    posenc_step step = training_step(1, 2, 3);
    DLTensor *tx = posenc_view_make(&u, x, POSENC_F32, 3, shape, strides);
    DLTensor *ty = posenc_view_make(&v, w->y, POSENC_F32, 3, shape, strides);
    return posenc_encoder_forward(w->encoder, positions, training ? &step : NULL, tx, ty, error);
}

static posenc_status call_create(world *w, posenc_error *error) {
    posenc_encoder *encoder = NULL;
    const posenc_parameter parameters[] = {{"dim", "64"}, {"max-len", "100"}};
    posenc_status status = posenc_encoder_create(w->context, "sinusoidal", parameters, 2, NULL, &encoder, error);
    check((status == POSENC_OK) == (encoder != NULL), "encoder and status differ");
    posenc_encoder_destroy(encoder);
    return status;
}

static posenc_status call_forward(world *w, posenc_error *error) { return forward(w, NULL, NULL, false, w->x, error); }
static posenc_status call_in_place(world *w, posenc_error *error) { return forward(w, NULL, NULL, false, w->y, error); }
static posenc_status call_training(world *w, posenc_error *error) { return forward(w, NULL, NULL, true, w->x, error); }

static posenc_status call_strided(world *w, posenc_error *error) {
    return forward(w, NULL, (int64_t[]){1, BATCH, BATCH * TOKENS}, true, w->x, error);
}

static posenc_status call_far(world *w, posenc_error *error) {
    posenc_positions positions = positions_from(INT64_MAX - TOKENS);
    return forward(w, &positions, NULL, false, w->x, error);
}

static posenc_status call_ids(world *w, posenc_error *error) {
    posenc_view view;
    posenc_positions positions = positions_from(0);
    positions.ids = posenc_view_make(&view, w->ids, POSENC_I64, 2, (int64_t[]){BATCH, TOKENS}, NULL);
    return forward(w, &positions, NULL, false, w->x, error);
}

static posenc_status call_mask(world *w, posenc_error *error) {
    posenc_view view, other;
    int64_t offsets[BATCH] = {5, 10000};
    posenc_positions positions = positions_from(0);
    positions.mask = posenc_view_make(&view, w->mask, POSENC_BOOL, 2, (int64_t[]){BATCH, TOKENS}, NULL);
    positions.offsets = posenc_view_make(&other, offsets, POSENC_I64, 1, (int64_t[]){BATCH}, NULL);
    return forward(w, &positions, NULL, true, w->x, error);
}

/* The two batch rows as one row of sequences. */
static posenc_status call_packed(world *w, posenc_error *error) {
    posenc_view u, v, view;
    int64_t lengths[4] = {0, 100, 100, PLACES};
    const int64_t shape[2] = {PLACES, DIM};
    posenc_positions positions = positions_from(0);
    positions.cu_seqlens = posenc_view_make(&view, lengths, POSENC_I64, 1, (int64_t[]){4}, NULL);
    DLTensor *tx = posenc_view_make(&u, w->x, POSENC_F32, 2, shape, NULL);
    return posenc_encoder_forward(w->encoder, &positions, NULL, tx,
                                  posenc_view_make(&v, w->y, POSENC_F32, 2, shape, NULL), error);
}

static posenc_status call_backward(world *w, posenc_error *error) {
    posenc_view u, v;
    const int64_t shape[3] = {BATCH, TOKENS, DIM};
    posenc_step step = training_step(1, 2, 3);
    DLTensor *dy = posenc_view_make(&u, w->x, POSENC_F32, 3, shape, NULL);
    return posenc_encoder_backward(w->encoder, &step, dy, posenc_view_make(&v, w->y, POSENC_F32, 3, shape, NULL),
                                   error);
}

static const struct {
    const char *name;
    act *call;
    long at_least; /* allocations that the call is known to need */
} cases[] = {
    {"create", call_create, 3},     {"forward", call_forward, 1}, {"in place", call_in_place, 1},
    {"training", call_training, 1}, {"strided", call_strided, 1}, {"far", call_far, 1},
    {"ids", call_ids, 1},           {"mask", call_mask, 2},       {"packed", call_packed, 2},
    {"backward", call_backward, 1},
};

/* First once without any failure, to know what is right; then for every k; then without failure again. */
static void test_every_allocation_of_every_call(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        world *w = world_make();
        memcpy(w->y, w->before, N * sizeof(float));
        assert_int_equal(cases[i].call(w, NULL), POSENC_OK);
        memcpy(w->want, w->y, N * sizeof(float));
        for (int on = 0; on < 2; on++) {
            long k = 0;
            while (one_failure(w, cases[i].call, cases[i].name, k, on)) k++;
            check(k >= cases[i].at_least, "%s asked for %ld blocks only", cases[i].name, k);
        }
        one_failure(w, cases[i].call, cases[i].name, -1, false);
        world_end(w);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_every_allocation_of_every_call)};
    return TEST_RUN(tests);
}
