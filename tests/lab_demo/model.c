/* What the demo claims about word order, held for many seeds. */
#include "demo_model.h"

#include <math.h>
#include <string.h>

#include "support/test.h"

enum { DIM = POSENC_DEMO_DIM, SEEDS = 20 };

static const posenc_demo_word cat = {"cat", 3}, chases = {"chases", 6}, mouse = {"mouse", 5};

typedef struct {
    double one[3 * DIM], two[3 * DIM]; /* outputs of cat chases mouse and of mouse chases cat */
} pair;

static void read_pair(uint64_t seed, bool with_positions, pair *out) {
    posenc_demo_word forwards[] = {cat, chases, mouse}, backwards[] = {mouse, chases, cat};
    posenc_demo_model model;
    assert_true(posenc_demo_model_begin(&model, seed));
    assert_true(posenc_demo_model_read(&model, forwards, 3, with_positions, out->one));
    assert_true(posenc_demo_model_read(&model, backwards, 3, with_positions, out->two));
    posenc_demo_model_end(&model);
}

static double pooled_distance(const pair *out) {
    double one[DIM], two[DIM];
    posenc_demo_pool(out->one, 3, one);
    posenc_demo_pool(out->two, 3, two);
    return posenc_demo_distance(one, two, DIM);
}

static void without_positions_order_is_lost(void **unused) {
    (void)unused;
    for (uint64_t seed = 0; seed < SEEDS; seed++) {
        pair out;
        read_pair(seed, false, &out);
        double pooled = pooled_distance(&out), cats = posenc_demo_distance(out.one, out.two + 2 * DIM, DIM);
        check(pooled < 1e-25, "seed %d: pooled outputs differ by %g", (int)seed, pooled);
        check(cats < 1e-25, "seed %d: the cat's outputs differ by %g", (int)seed, cats);
    }
}

/* How much depends on the seed; that it is far above rounding does not. */
static void with_positions_order_is_seen(void **unused) {
    (void)unused;
    for (uint64_t seed = 0; seed < SEEDS; seed++) {
        pair out;
        read_pair(seed, true, &out);
        double pooled = pooled_distance(&out), cats = posenc_demo_distance(out.one, out.two + 2 * DIM, DIM);
        check(pooled > 1e-4 && pooled < 0.2, "seed %d: pooled outputs differ by %g", (int)seed, pooled);
        check(cats > 1e-4, "seed %d: the cat's outputs differ by %g", (int)seed, cats);
    }
}

/* A word's vector depends on its letters and the seed only: reading it alone tells. */
static void words_have_their_own_vectors(void **unused) {
    posenc_demo_model model;
    posenc_demo_word capital = {"CAT", 3};
    double a[DIM], b[DIM], c[DIM];
    (void)unused;
    assert_true(posenc_demo_model_begin(&model, 3));
    assert_true(posenc_demo_model_read(&model, &cat, 1, false, a));
    assert_true(posenc_demo_model_read(&model, &capital, 1, false, b));
    assert_true(posenc_demo_model_read(&model, &mouse, 1, false, c));
    posenc_demo_model_end(&model);
    assert_memory_equal(a, b, sizeof a);
    assert_true(posenc_demo_distance(a, c, DIM) > 0.1);
}

static void distance_is_one_minus_cosine(void **unused) {
    static const double x[] = {3, 0}, y[] = {0, 2}, minus_x[] = {-1, 0}, diagonal[] = {1, 1}, near_x[] = {1, 1e-9};
    (void)unused;
    assert_true(posenc_demo_distance(x, x, 2) == 0);
    assert_true(fabs(posenc_demo_distance(x, y, 2) - 1) < 1e-15);
    assert_true(fabs(posenc_demo_distance(x, minus_x, 2) - 2) < 1e-15);
    assert_true(fabs(posenc_demo_distance(x, diagonal, 2) - (1 - sqrt(0.5))) < 1e-15);
    /* the angle's square halved; 1 - cosine computed as written would give 0 */
    assert_true(fabs(posenc_demo_distance(x, near_x, 2) - 5e-19) < 1e-25);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(without_positions_order_is_lost), cmocka_unit_test(with_positions_order_is_seen),
        cmocka_unit_test(words_have_their_own_vectors), cmocka_unit_test(distance_is_one_minus_cosine)};
    return TEST_RUN(tests);
}
