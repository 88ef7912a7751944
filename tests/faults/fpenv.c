/* The caller rounds upwards, or flushes subnormals to zero: the results have the same bits, and the caller's settings
 * are as they were afterwards, in threads and executors too. */
#include <fenv.h>
#include <stdlib.h>
#include <string.h>

#include <posenc/posenc.h>

#include "support/isa.h"
#include "support/number.h"
#include "support/tensors.h"
#include "support/test.h"

#if defined(__x86_64__) || defined(__SSE2__)
#include <xmmintrin.h>
typedef unsigned settings;
enum { FLUSH = 0x8040 }; /* flush to zero, denormals are zero */
static settings settings_get(void) { return _mm_getcsr() & ~0x3Fu; }
static void settings_flush(void) { _mm_setcsr(_mm_getcsr() | FLUSH); }
static void settings_plain(void) { _mm_setcsr(0x1F80); }
#elif defined(__aarch64__)
typedef uint64_t settings;
static settings settings_get(void) {
    settings s;
    __asm__ volatile("mrs %0, fpcr" : "=r"(s));
    return s;
}
static void settings_set(settings s) { __asm__ volatile("msr fpcr, %0" : : "r"(s) : "memory"); }
static void settings_flush(void) { settings_set(settings_get() | UINT64_C(1) << 24); }
static void settings_plain(void) { settings_set(0); }
#else
typedef int settings;
static settings settings_get(void) { return 0; }
static void settings_flush(void) {}
static void settings_plain(void) {}
#endif

static const int modes[] = {FE_TONEAREST, FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO};
static const char *const mode_names[] = {"nearest", "upward", "downward", "toward zero"};

/* Rounding mode m, and flushing if asked. */
static void enter(int m, bool flush) {
    fesetround(modes[m]);
    if (flush) settings_flush();
}

static void leave(int m, settings before, const char *what) {
    int mode = fegetround();
    settings after = settings_get();
    settings_plain();
    fesetround(FE_TONEAREST);
    check(mode == modes[m], "%s changed the rounding mode from %s", what, mode_names[m]);
    check(after == before, "%s changed the floating-point settings", what);
}

enum { ROWS = 700, DIM = 384, N = ROWS * DIM };

typedef struct work {
    plan_shape shape;
    posenc_dtype dtype;
    double scale;
} work;

/* x has subnormals and tiny numbers: with flushing they would vanish. */
static void fill(const work *w, void *x) {
    size_t bytes = posenc_dtype_bytes(w->dtype);
    for (int i = 0; i < N; i++) {
        uint64_t bits = i % 5 == 0 ? (uint64_t)(i % 97) : number_encode(w->dtype, (double)(i % 1000) / 300 - 1.5);
        number_store(w->dtype, bits, (char *)x + (size_t)i * bytes);
    }
}

/* Everything that a call gives: a plan made, rows written, added, a cursor's row, the slow equation, a parameter. */
typedef struct results {
    char rows[N * 8], sums[N * 8], base[64];
    float cursor[DIM];
    double equation[DIM];
} results;

static void run(const work *w, const posenc_context *context, const void *x, results *r) {
    static const char *const arithmetics[] = {"exact", "float32", "float32-exp"};
    const posenc_parameter parameters[] = {
        {"dim", "384"}, {"base", "1234.1"}, {"arithmetic", arithmetics[w->shape.arithmetic]}};
    posenc_plan *plan = NULL;
    posenc_cursor *cursor = NULL;
    if (posenc_plan_create(context, "sinusoidal", parameters, 3, &plan, NULL) != POSENC_OK) abort();
    must_write(plan, -350, ROWS, w->dtype, r->rows);
    must_add(plan, 123456789, 1, ROWS, w->dtype, x, w->scale, r->sums);
    if (posenc_cursor_create(plan, &cursor, NULL) != POSENC_OK) abort();
    posenc_cursor_write_f32(cursor, 77, r->cursor);
    posenc_cursor_add_f32(cursor, 78, r->cursor, r->cursor);
    for (int64_t i = 0; i < DIM; i++) posenc_plan_equation(plan, 1e6 + 0.1, i, &r->equation[i]);
    posenc_plan_parameter(plan, "base", r->base, sizeof r->base);
    posenc_cursor_destroy(cursor);
    posenc_plan_destroy(plan);
}

static void compare(const work *w, const results *a, const results *b, const char *mode) {
    must_equal(mode, w->dtype, a->rows, b->rows, N);
    must_equal(mode, w->dtype, a->sums, b->sums, N);
    must_equal(mode, POSENC_F32, a->cursor, b->cursor, DIM);
    must_equal(mode, POSENC_F64, a->equation, b->equation, DIM);
    check(strcmp(a->base, b->base) == 0, "%s: base reads %s and %s", mode, a->base, b->base);
}

static void check_work(const work *w, const posenc_context *context) {
    results *want = must_allocate(sizeof *want), *got = must_allocate(sizeof *got);
    void *x = must_allocate(N * 8);
    fill(w, x);
    run(w, context, x, want);
    for (int m = 0; m < 4; m++)
        for (int flush = 0; flush < 2; flush++) {
            enter(m, flush);
            settings before = settings_get();
            run(w, context, x, got);
            leave(m, before, "a call");
            compare(w, want, got, mode_names[m]);
        }
    free(want);
    free(got);
    free(x);
}

static void test_every_setting(void **state) {
    (void)state;
    for (size_t isa = 0; isa < isa_count(); isa++)
        for (int threads = 1; threads <= 4; threads += 3) {
            posenc_context *context = isa_context(isa, threads);
            for (int d = 0; d < 4; d++)
                for (int a = 0; a < 3; a++) {
                    work w = {{.dim = DIM, .arithmetic = (posenc_arithmetic)a}, encoding_dtypes[d], d & 1 ? 1 : 0.37};
                    check_work(&w, context);
                }
            posenc_context_destroy(context);
        }
}

/* What an encoder works out for itself: a gain as f32, the factors of both gradients. */
typedef struct learned_results {
    float rows[24], dtable[24];
    double dgain;
} learned_results;

static void run_learned(posenc_encoder *encoder, learned_results *r) {
    const int64_t shape[] = {4, 6};
    float zeros[24] = {0}, ones[24];
    posenc_view views[4];
    posenc_step step;
    posenc_step_default(&step, sizeof step);
    step.training = 1;
    for (int i = 0; i < 24; i++) ones[i] = 1;
    const DLTensor *x = posenc_view_make(&views[0], zeros, POSENC_F32, 2, shape, NULL),
                   *dy = posenc_view_make(&views[1], ones, POSENC_F32, 2, shape, NULL);
    DLTensor *y = posenc_view_make(&views[2], r->rows, POSENC_F32, 2, shape, NULL),
             *dtable = posenc_view_make(&views[3], r->dtable, POSENC_F32, 2, shape, NULL);
    if (posenc_encoder_forward(encoder, NULL, NULL, x, y, NULL) != POSENC_OK ||
        posenc_encoder_backward_table(encoder, NULL, &step, dy, dtable, 0, NULL) != POSENC_OK ||
        posenc_encoder_backward_gain(encoder, NULL, &step, dy, &r->dgain, NULL) != POSENC_OK)
        abort();
}

static void test_gains_and_gradients(void **state) {
    (void)state;
    static const posenc_parameter parameters[] = {{"dim", "6"}, {"max-len", "4"}};
    for (int i = 1; i <= 20; i++) {
        learned_results want, got;
        posenc_encoder_options options;
        posenc_encoder_default(&options, sizeof options);
        options.gain = i / 10.0;
        options.dropout = i / 30.0;
        posenc_encoder *encoder = NULL;
        assert_int_equal(posenc_encoder_create(NULL, "learned", parameters, 2, &options, &encoder, NULL), POSENC_OK);
        run_learned(encoder, &want);
        for (int m = 0; m < 4; m++) {
            enter(m, false);
            settings before = settings_get();
            run_learned(encoder, &got);
            leave(m, before, "an encoder");
            must_equal(mode_names[m], POSENC_F32, want.rows, got.rows, 24);
            must_equal(mode_names[m], POSENC_F32, want.dtable, got.dtable, 24);
            must_equal(mode_names[m], POSENC_F64, &want.dgain, &got.dgain, 1);
        }
        posenc_encoder_destroy(encoder);
    }
}

/* An executor whose own threads have odd settings: a task brings the right ones along and puts the old ones back. */
static bool settings_kept = true;

static void execute_upward(void *user, posenc_task *task, void *argument, int n_tasks) {
    (void)user;
    for (int i = 0; i < n_tasks; i++) {
        enter(1, true);
        settings before = settings_get();
        task(argument, i);
        if (settings_get() != before || fegetround() != FE_UPWARD) settings_kept = false;
        settings_plain();
        fesetround(FE_TONEAREST);
    }
}

static void test_executor_with_other_settings(void **state) {
    (void)state;
    enum { MANY = 4000 };
    float *want = must_allocate(MANY * DIM * sizeof *want), *got = must_allocate(MANY * DIM * sizeof *got);
    posenc_context_options options;
    posenc_context_default(&options, sizeof options);
    options.threads = 4;
    options.execute = execute_upward;
    posenc_context *context;
    assert_int_equal(posenc_context_create(&options, &context, NULL), POSENC_OK);
    posenc_plan *plain = must_plan(NULL, &(plan_shape){.dim = DIM}),
                *odd = must_plan(context, &(plan_shape){.dim = DIM});
    must_write(plain, 1000, MANY, POSENC_F32, want);
    must_write(odd, 1000, MANY, POSENC_F32, got);
    must_equal("executor", POSENC_F32, want, got, MANY * DIM);
    assert_true(settings_kept);
    posenc_plan_destroy(plain);
    posenc_plan_destroy(odd);
    posenc_context_destroy(context);
    free(want);
    free(got);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_every_setting), cmocka_unit_test(test_gains_and_gradients),
                                       cmocka_unit_test(test_executor_with_other_settings)};
    return TEST_RUN(tests);
}
