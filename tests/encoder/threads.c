/* Sixty-four threads, one encoder: forward in every form, in training and past the table, and backward. Each result is
 * what one thread alone gets, and the one warning comes once. Run under ThreadSanitizer too. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "encoders.h"
#include "support/test.h"

enum { THREADS = 64, ROUNDS = 20, ROWS = 200, DIM = 48, TOKENS = 40, N = TOKENS * DIM, FORMS = 6 };

typedef struct shared {
    const posenc_encoder *encoder;
    float x[N], want[FORMS][N];
    atomic_int wrong;
} shared;

typedef struct one {
    shared *with;
    int index;
} one;

/* The call of a form into y. */
static posenc_status run_form(const posenc_encoder *encoder, int form, float *x, float *y) {
    posenc_view u, v, view;
    const int64_t shape[3] = {2, TOKENS / 2, DIM};
    int64_t offsets[2] = {150, 7}, ids[TOKENS / 2];
    unsigned char mask[TOKENS];
    posenc_step step = training_step(42, (uint64_t)form, 0);
    posenc_positions positions = positions_from(form == 5 ? 100000 : 0);
    for (int i = 0; i < TOKENS / 2; i++) ids[i] = (i * 37) % ROWS;
    for (int i = 0; i < TOKENS; i++) mask[i] = i % 3 != 0;
    if (form == 1) positions.offsets = posenc_view_make(&view, offsets, POSENC_I64, 1, (int64_t[]){2}, NULL);
    if (form == 2) positions.ids = posenc_view_make(&view, ids, POSENC_I64, 1, (int64_t[]){TOKENS / 2}, NULL);
    if (form == 3) positions.mask = posenc_view_make(&view, mask, POSENC_BOOL, 2, shape, NULL);
    DLTensor *tx = posenc_view_make(&u, x, POSENC_F32, 3, shape, NULL),
             *ty = posenc_view_make(&v, y, POSENC_F32, 3, shape, NULL);
    if (form == 4) return posenc_encoder_backward(encoder, &step, tx, ty, NULL);
    return posenc_encoder_forward(encoder, &positions, form % 2 ? &step : NULL, tx, ty, NULL);
}

/* cmocka's checks belong to the main thread: count only. */
static void *live(void *argument) {
    one *o = argument;
    shared *s = o->with;
    float *y = must_allocate(sizeof s->want[0]), *x = must_allocate(sizeof s->x);
    for (int round = 0; round < ROUNDS; round++) {
        int form = (o->index + round) % FORMS;
        bool in_place = round % 2;
        memcpy(in_place ? y : x, s->x, sizeof s->x);
        if (run_form(s->encoder, form, in_place ? y : x, y) != POSENC_OK ||
            memcmp(y, s->want[form], sizeof s->want[form]) != 0)
            atomic_fetch_add(&s->wrong, 1);
    }
    free(x);
    free(y);
    return NULL;
}

static void test_one_encoder_many_threads(void **state) {
    (void)state;
    for (int inner = 1; inner <= 2; inner++) {
        warnings heard = {0}, unheard = {0};
        posenc_context *context = warned_context(&heard, inner), *other = warned_context(&unheard, 1);
        posenc_encoder_options options = encoder_options(POSENC_F32);
        options.dropout = 0.3;
        const plan_shape shape = {.dim = DIM, .max_len = ROWS};
        posenc_encoder *encoder = must_encoder(context, &shape, &options),
                       *alone = must_encoder(other, &shape, &options);
        shared *s = must_allocate(sizeof *s);
        random_state random = random_start("encoder threads");
        random_fill_f32(&random, s->x, N);
        for (int form = 0; form < FORMS; form++)
            assert_int_equal(run_form(alone, form, s->x, s->want[form]), POSENC_OK);
        s->encoder = encoder;
        atomic_store(&s->wrong, 0);
        pthread_t threads[THREADS];
        one ones[THREADS];
        for (int i = 0; i < THREADS; i++) {
            ones[i] = (one){s, i};
            assert_int_equal(pthread_create(&threads[i], NULL, live, &ones[i]), 0);
        }
        for (int i = 0; i < THREADS; i++) pthread_join(threads[i], NULL);
        assert_int_equal(atomic_load(&s->wrong), 0);
        assert_int_equal(heard.n, 1);
        free(s);
        posenc_encoder_destroy(encoder);
        posenc_encoder_destroy(alone);
        posenc_context_destroy(context);
        posenc_context_destroy(other);
    }
}

/* All at once past the end for the first time: still one warning. */
static void *step_over(void *argument) {
    const posenc_encoder *encoder = argument;
    float y[DIM] = {0};
    posenc_positions positions = positions_from(ROWS);
    if (try_forward(encoder, &positions, NULL, POSENC_F32, 1, 1, y, y, NULL) != POSENC_OK) abort();
    return NULL;
}

static void test_one_warning_of_many_threads(void **state) {
    (void)state;
    for (int round = 0; round < 10; round++) {
        warnings heard = {0};
        posenc_context *context = warned_context(&heard, 1);
        posenc_encoder *encoder = must_encoder(context, &(plan_shape){.dim = DIM, .max_len = ROWS}, NULL);
        pthread_t threads[THREADS];
        for (int i = 0; i < THREADS; i++) assert_int_equal(pthread_create(&threads[i], NULL, step_over, encoder), 0);
        for (int i = 0; i < THREADS; i++) pthread_join(threads[i], NULL);
        assert_int_equal(heard.n, 1);
        posenc_encoder_destroy(encoder);
        posenc_context_destroy(context);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_one_encoder_many_threads),
                                       cmocka_unit_test(test_one_warning_of_many_threads)};
    return TEST_RUN(tests);
}
