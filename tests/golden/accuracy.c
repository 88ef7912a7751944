/* The accuracy contract over random plans and positions below 2^31, against MPFR:
 * f32, f16, bf16 within half an ulp + 1e-15 and 99.9999 % correctly rounded, f64 within 4e-15.
 * The argument is the number of values per dtype; a million unless given. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "support/isa.h"
#include "support/test.h"
#include "sweep.h"

static int64_t wanted = 1000000;

static const int64_t dims[] = {1, 2, 3, 4, 5, 6, 7, 8, 64, 127, 128, 512, 1024};
static const double bases[] = {1e-6, 0.5, 1, 2, 500, 1e4, 5e5, 1e30};

enum { ROWS = 128, PAIRS_PER_ROW = 32 };

#define COUNT(array) ((int64_t)(sizeof(array) / sizeof *(array)))

/* Half of the plans are the usual kind, so that its share of rounded values is measured well. */
static plan_shape random_shape(random_state *random) {
    plan_shape shape = {.dim = random_between(random, 0, 3) ? dims[random_between(random, 0, COUNT(dims) - 1)]
                                                            : random_between(random, 1, 1024)};
    shape.base = random_u64(random) & 1 ? 1e4 : bases[random_between(random, 0, COUNT(bases) - 1)];
    shape.layout = (posenc_layout)random_between(random, 0, 2);
    shape.cos_first = (int)random_between(random, 0, 1);
    /* Places beyond max_len are made anew for each row, with the same bits but slowly: a few plans are enough for that.
     */
    shape.max_len = (int64_t)1 << (random_between(random, 0, 15) ? 31 : random_between(random, 0, 31));
    return shape;
}

static void sweep_plan(tally *t, random_state *random, const posenc_context *context, const plan_shape *shape) {
    posenc_plan *plan = must_plan(context, shape);
    oracle o;
    oracle_init(&o, shape->dim, shape->base, shape->layout, shape->cos_first);
    int64_t ids[ROWS];
    char what[256];
    for (int r = 0; r < ROWS; r++) ids[r] = random_between(random, -(INT64_C(1) << 31) + 1, (INT64_C(1) << 31) - 1);
    sweep_rows rows = sweep_write(plan, POSENC_I64, ids, ROWS);
    for (int r = 0; r < ROWS; r++) {
        snprintf(what, sizeof what, "%s isa %s position %" PRId64, plan_text(shape), posenc_plan_isa(plan), ids[r]);
        sweep_zero_column(&o, &rows, r, what);
        int64_t n = o.n_frequencies < PAIRS_PER_ROW ? o.n_frequencies : PAIRS_PER_ROW;
        for (int64_t k = 0; k < n; k++) {
            int64_t i = n < PAIRS_PER_ROW ? k : random_between(random, 0, o.n_frequencies - 1);
            oracle_pair(&o, ids[r], i);
            sweep_pair(t, &o, &rows, r, i, what);
        }
    }
    sweep_free(&rows);
    oracle_clear(&o);
    posenc_plan_destroy(plan);
}

/* One in a million may be rounded the other way; small samples get three standard deviations on top. */
static void check_share(const tally *t) {
    for (int d = 0; d < 4; d++) {
        double share = 1e-6 * (double)t->values[d];
        double allowed = share + (t->values[d] < 10000000 ? 3 * sqrt(share) : 0);
        if (encoding_dtypes[d] == POSENC_F64) continue;
        check((double)t->wrong[d] <= allowed, "%s: %" PRId64 " of %" PRId64 " values are not correctly rounded",
              posenc_dtype_name(encoding_dtypes[d]), t->wrong[d], t->values[d]);
    }
}

static void test_random_positions(void **state) {
    (void)state;
    random_state random = random_start("accuracy");
    posenc_context *contexts[8];
    size_t n = isa_count(), turn = 0;
    for (size_t i = 0; i < n; i++) contexts[i] = isa_context(i, 1);
    tally t = {{0}, {0}, {0}};
    while (t.values[0] < wanted) {
        plan_shape shape = random_shape(&random);
        sweep_plan(&t, &random, contexts[turn++ % n], &shape);
    }
    tally_print("random positions below 2^31,", &t);
    check_share(&t);
    for (size_t i = 0; i < n; i++) posenc_context_destroy(contexts[i]);
    mpfr_free_cache();
}

int main(int argc, char **argv) {
    if (argc > 1) wanted = strtoll(argv[1], NULL, 10);
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_random_positions)};
    return TEST_RUN(tests);
}
