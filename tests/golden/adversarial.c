/* Positions chosen to hurt: powers of two and their neighbours, borders of the digit places, both ends of int64, and
 * positions whose angle comes closest to a multiple of a quarter turn, where one of the two values nearly vanishes.
 * All are held to the absolute bound of the contract. */
#include <inttypes.h>
#include <stdlib.h>

#include "support/isa.h"
#include "support/test.h"
#include "sweep.h"

#define COUNT(array) ((int64_t)(sizeof(array) / sizeof *(array)))

static const int64_t dims[] = {1, 2, 3, 4, 5, 6, 7, 8, 64, 127, 128, 512, 1024};
static const double bases[] = {1e-6, 0.5, 1, 2, 500, 1e4, 5e5, 1e30};
static const int64_t max_lens[] = {5000, INT64_C(1) << 53, INT64_C(1) << 60};

enum { MOST_POSITIONS = 1024 };

typedef struct position_list {
    int64_t n, ids[MOST_POSITIONS];
} position_list;

static void put(position_list *list, int64_t position) {
    if (list->n < MOST_POSITIONS) list->ids[list->n++] = position;
}

/* The position, its neighbours, and all three negated. The ends of int64 have no neighbour outside. */
static void put_around(position_list *list, int64_t position) {
    for (int64_t step = -1; step <= 1; step++) {
        if (step > 0 && position == INT64_MAX) continue;
        put(list, position + step);
        put(list, -(position + step));
    }
}

static void put_fixed(position_list *list) {
    for (int k = 0; k < 63; k++) put_around(list, INT64_C(1) << k);
    put_around(list, INT64_MAX);
    put(list, INT64_MIN);
    put(list, INT64_MIN + 1);
    put_around(list, 1000000);
    put_around(list, 5000);
    int64_t most = 0; /* largest position of so many balanced digits: 31 + 31 * 64 + ... */
    for (int64_t place = 1; place <= (INT64_C(1) << 54); place *= 64) {
        most += 31 * place;
        put_around(list, most);
        put_around(list, most + place); /* and the most negative one's mirror, 32 in the last place */
    }
}

/* Denominators q of the convergents of 2 omega / pi: no smaller position brings its angle as near to a quarter turn. */
static void put_near_quarter_turns(position_list *list, mpfr_srcptr omega) {
    mpfr_t x, whole;
    mpfr_inits2(ORACLE_BITS, x, whole, (mpfr_ptr)0);
    mpfr_const_pi(x, MPFR_RNDN);
    mpfr_div_2ui(x, x, 1, MPFR_RNDN);
    mpfr_div(x, omega, x, MPFR_RNDN);
    int64_t before = 0, now = 1; /* q_(-1), q_0 */
    for (;;) {
        mpfr_floor(whole, x);
        mpfr_sub(x, x, whole, MPFR_RNDN);
        if (mpfr_cmp_d(x, 1e-60) < 0) break;
        mpfr_ui_div(x, 1, x, MPFR_RNDN);
        double next = mpfr_get_d(x, MPFR_RNDD);
        if (next > 9e18 || (double)now * next + (double)before > 9e18) break;
        int64_t q = (int64_t)next * now + before;
        before = now;
        now = q;
        put(list, q);
        put(list, -q);
        if (q < INT64_MAX / 3) put(list, 3 * q);
    }
    mpfr_clears(x, whole, (mpfr_ptr)0);
}

static void sweep_list(tally *t, const posenc_plan *plan, oracle *o, const plan_shape *shape, const position_list *list,
                       int64_t only_frequency) {
    sweep_rows rows = sweep_write(plan, POSENC_I64, list->ids, list->n);
    char what[256];
    /* Every frequency of a narrow plan, about five spread over a wide one. */
    int64_t step = o->n_frequencies <= 8 ? 1 : o->n_frequencies / 4 - 1;
    for (int64_t r = 0; r < list->n; r++) {
        snprintf(what, sizeof what, "%s isa %s position %" PRId64, plan_text(shape), posenc_plan_isa(plan),
                 list->ids[r]);
        sweep_zero_column(o, &rows, r, what);
        for (int64_t i = 0; i < o->n_frequencies; i += step) {
            int64_t frequency = only_frequency >= 0 ? only_frequency : i;
            oracle_pair(o, list->ids[r], frequency);
            sweep_pair(t, o, &rows, r, frequency, what);
            if (only_frequency >= 0) break;
        }
    }
    sweep_free(&rows);
}

/* Both kinds of positions for one plan. */
static void sweep_shape(tally *t, const posenc_context *context, const plan_shape *shape) {
    static position_list list;
    posenc_plan *plan = must_plan(context, shape);
    oracle o;
    oracle_init(&o, shape->dim, shape->base, shape->layout, shape->cos_first);
    list.n = 0;
    put_fixed(&list);
    sweep_list(t, plan, &o, shape, &list, -1);
    for (int64_t i = 0; i < o.n_frequencies; i = 2 * i + 1) {
        list.n = 0;
        put_near_quarter_turns(&list, o.omega[i]);
        sweep_list(t, plan, &o, shape, &list, i);
    }
    oracle_clear(&o);
    posenc_plan_destroy(plan);
}

/* Every width and every base once with each layout; cos-first and the instruction sets take turns. */
static void test_every_shape(void **state) {
    (void)state;
    tally t = {{0}, {0}, {0}};
    posenc_context *contexts[8];
    size_t n = isa_count(), turn = 0;
    for (size_t i = 0; i < n; i++) contexts[i] = isa_context(i, 1);
    for (int64_t d = 0; d < COUNT(dims); d++)
        for (int layout = 0; layout < 3; layout++, turn++) {
            plan_shape shape = {.dim = dims[d],
                                .base = 10000,
                                .layout = (posenc_layout)layout,
                                .cos_first = turn % 2 != 0,
                                .max_len = max_lens[turn % 3]};
            sweep_shape(&t, contexts[turn / 2 % n], &shape);
        }
    for (int64_t b = 0; b < COUNT(bases); b++)
        for (int layout = 0; layout < 3; layout++, turn++) {
            plan_shape shape = {.dim = 64,
                                .base = bases[b],
                                .layout = (posenc_layout)layout,
                                .cos_first = turn % 2 != 0,
                                .max_len = max_lens[turn % 3]};
            sweep_shape(&t, contexts[turn / 2 % n], &shape);
        }
    tally_print("adversarial positions,", &t);
    check(t.values[0] > 100000, "only %" PRId64 " values were looked at", t.values[0]);
    for (size_t i = 0; i < n; i++) posenc_context_destroy(contexts[i]);
    mpfr_free_cache();
}

/* The positions near a quarter turn really are: the oracle's smaller value must fall far below a random one's. */
static void test_quarter_turns_are_near(void **state) {
    (void)state;
    static position_list list;
    oracle o;
    oracle_init(&o, 2, 10000, POSENC_LAYOUT_INTERLEAVED, false);
    list.n = 0;
    put_near_quarter_turns(&list, o.omega[0]);
    check(list.n >= 60, "only %" PRId64 " positions", list.n);
    double smallest = 1;
    for (int64_t i = 0; i < list.n; i++) {
        oracle_pair(&o, list.ids[i], 0);
        mpfr_srcptr least = mpfr_cmpabs(o.sine, o.cosine) < 0 ? o.sine : o.cosine;
        double size = mpfr_get_d(least, MPFR_RNDN);
        if (size < 0) size = -size;
        if (size < smallest) smallest = size;
    }
    check(smallest < 1e-17, "nearest miss is %g", smallest);
    oracle_clear(&o);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_quarter_turns_are_near),
                                       cmocka_unit_test(test_every_shape)};
    return TEST_RUN(tests);
}
