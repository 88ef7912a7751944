/* Weights converted between rotary pairings: where each row goes, for every dtype and any strides, in place and out of
 * place; there and back is where it was; and what the rotated queries are then. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <posenc/pairing.h>

#include "support/guard.h"
#include "support/isa.h"
#include "support/refusal.h"
#include "support/strided.h"
#include "support/tensors.h"
#include "support/test.h"

static posenc_pairing_options random_options(random_state *r) {
    posenc_pairing_options o;
    posenc_pairing_default(&o, sizeof o);
    o.heads = random_between(r, 1, 5);
    o.dim = 2 * random_between(r, 1, 9);
    o.rotary_start = random_between(r, 0, 3);
    o.head_dim = o.rotary_start + o.dim + random_between(r, 0, 3);
    o.from = (posenc_pairing)random_between(r, 0, 2);
    o.to = (posenc_pairing)random_between(r, 0, 2);
    return o;
}

/* Row of a head that channel part of pair j is made by. */
static int64_t row_of(const posenc_pairing_options *o, posenc_pairing pairing, int64_t j, int64_t part) {
    return o->rotary_start + (pairing == POSENC_PAIRING_HALVES ? j + part * o->dim / 2 : 2 * j + part);
}

/* Pair by pair, byte by byte. */
static void derive(const posenc_pairing_options *o, const unsigned char *in, unsigned char *out, size_t row_bytes) {
    memcpy(out, in, (size_t)(o->heads * o->head_dim) * row_bytes);
    for (int64_t h = 0; h < o->heads; h++)
        for (int64_t j = 0; j < o->dim / 2; j++)
            for (int64_t part = 0; part < 2; part++)
                memcpy(out + (size_t)(h * o->head_dim + row_of(o, o->to, j, part)) * row_bytes,
                       in + (size_t)(h * o->head_dim + row_of(o, o->from, j, part)) * row_bytes, row_bytes);
}

static void must_convert(const posenc_context *context, const posenc_pairing_options *o, const DLTensor *in,
                         DLTensor *out) {
    posenc_error error = error_blank();
    check(posenc_pairing_convert(context, o, in, out, &error) == POSENC_OK, "%s", error.message);
}

static void fill_bytes(random_state *r, unsigned char *out, size_t n) {
    for (size_t i = 0; i < n; i++) out[i] = (unsigned char)random_u64(r);
}

static void test_rows(void **state) {
    (void)state;
    random_state r = random_start("pairing rows");
    for (int round = 0; round < 400; round++) {
        posenc_pairing_options o = random_options(&r);
        posenc_dtype dtype = (posenc_dtype)random_between(&r, 0, POSENC_DTYPE_COUNT - 1);
        int rank = (int)random_between(&r, 1, 2);
        int64_t columns = rank == 2 ? random_between(&r, 0, 40) : 1, shape[] = {o.heads * o.head_dim, columns};
        size_t row_bytes = (size_t)columns * posenc_dtype_bytes(dtype), bytes = (size_t)shape[0] * row_bytes;
        unsigned char *in = must_allocate(bytes + 1), *want = must_allocate(bytes + 1), *got = must_allocate(bytes + 1);
        fill_bytes(&r, in, bytes);
        derive(&o, in, want, row_bytes);
        strided a, b;
        strided_make(&a, &r, dtype, rank, shape, false);
        strided_make(&b, &r, dtype, rank, shape, false);
        strided_put(&a, in);
        posenc_pairing_options given = o;
        if (random_between(&r, 0, 1)) given.head_dim = 0; /* worked out from the rows */
        if (o.rotary_start + o.dim == o.head_dim && random_between(&r, 0, 1)) given.dim = 0;
        must_convert(NULL, &given, a.tensor, b.tensor);
        strided_get(&b, got);
        check(memcmp(got, want, bytes) == 0, "round %d: out of place", round);
        strided_get(&a, got);
        check(memcmp(got, in, bytes) == 0, "round %d: the input was written", round);
        must_convert(NULL, &given, a.tensor, a.tensor);
        strided_get(&a, got);
        check(memcmp(got, want, bytes) == 0, "round %d: in place", round);
        given.from = o.to, given.to = o.from;
        must_convert(NULL, &given, a.tensor, a.tensor);
        strided_get(&a, got);
        check(memcmp(got, in, bytes) == 0, "round %d: there and back", round);
        strided_check_gaps(&a, "weights");
        strided_check_gaps(&b, "out");
        strided_free(&a);
        strided_free(&b);
        free(in), free(want), free(got);
    }
}

/* Large enough for the scratch to hold a part of the columns only, and for several threads. */
static void test_large(void **state) {
    (void)state;
    random_state r = random_start("pairing large");
    enum { HEADS = 6, HEAD_DIM = 130, DIM = 128, COLUMNS = 5003 };
    posenc_pairing_options o;
    posenc_pairing_default(&o, sizeof o);
    o.heads = HEADS, o.dim = DIM, o.rotary_start = 1;
    size_t bytes = (size_t)HEADS * HEAD_DIM * COLUMNS * 4;
    unsigned char *in = must_allocate(bytes), *want = must_allocate(bytes), *got = must_allocate(bytes);
    fill_bytes(&r, in, bytes);
    posenc_view a, b;
    int64_t shape[] = {HEADS * HEAD_DIM, COLUMNS};
    DLTensor *from = posenc_view_make(&a, in, POSENC_F32, 2, shape, NULL);
    DLTensor *to = posenc_view_make(&b, got, POSENC_F32, 2, shape, NULL);
    o.head_dim = HEAD_DIM;
    derive(&o, in, want, COLUMNS * 4);
    for (int threads = 1; threads <= 4; threads += 3) {
        posenc_context *context = isa_context(0, threads);
        memset(got, 0, bytes);
        must_convert(context, &o, from, to);
        check(memcmp(got, want, bytes) == 0, "%d threads, out of place", threads);
        memcpy(got, in, bytes);
        must_convert(context, &o, to, to);
        check(memcmp(got, want, bytes) == 0, "%d threads, in place", threads);
        posenc_context_destroy(context);
    }
    free(in), free(want), free(got);
}

/* Not a byte beside the tensors is read or written. */
static void test_guard_pages(void **state) {
    (void)state;
    random_state r = random_start("pairing guards");
    for (int round = 0; round < 100; round++) {
        posenc_pairing_options o = random_options(&r);
        guard_side side = round % 2 ? GUARD_BEFORE : GUARD_BEHIND;
        int64_t columns = random_between(&r, 1, 70), shape[] = {o.heads * o.head_dim, columns};
        size_t bytes = (size_t)(shape[0] * columns) * 2;
        guard in = guard_make(bytes, side), out = guard_make(bytes, side);
        posenc_view a, b;
        DLTensor *from = posenc_view_make(&a, in.data, POSENC_BF16, 2, shape, NULL);
        DLTensor *to = posenc_view_make(&b, out.data, POSENC_BF16, 2, shape, NULL);
        guard_read_only(&in);
        must_convert(NULL, &o, from, to);
        must_convert(NULL, &o, to, to);
        guard_end(&in);
        guard_end(&out);
    }
}

/* ---- the check ---- */

/* A right conversion differs nowhere, a wrong one does: the other direction, another number of heads, a row too far. */
static void test_check(void **state) {
    (void)state;
    random_state r = random_start("pairing check");
    for (int round = 0; round < 60; round++) {
        posenc_pairing_options o = random_options(&r);
        posenc_dtype dtype = (posenc_dtype)random_between(&r, 0, POSENC_BF16);
        int64_t columns = random_between(&r, 1, 20), shape[] = {o.heads * o.head_dim, columns};
        strided a, b;
        strided_make(&a, &r, dtype, 2, shape, true);
        strided_make(&b, &r, dtype, 2, shape, false);
        void *values = must_allocate((size_t)(shape[0] * columns) * 8);
        random_fill(&r, dtype, values, shape[0] * columns);
        strided_put(&a, values);
        must_convert(NULL, &o, a.tensor, b.tensor);
        double difference = -1;
        posenc_error error = error_blank();
        check(posenc_pairing_check(NULL, &o, a.tensor, b.tensor, random_u64(&r), &difference, &error) == POSENC_OK,
              "%s", error.message);
        check(difference == 0, "round %d: %g", round, difference);
        free(values);
        strided_free(&a);
        strided_free(&b);
    }
}

static double difference_of(const posenc_pairing_options *o, const float *in, const float *out, int64_t columns) {
    posenc_view a, b;
    double difference = -1;
    posenc_error error = error_blank();
    int64_t shape[] = {o->heads * o->head_dim, columns};
    float *in_copy = must_allocate((size_t)(shape[0] * columns) * 4),
          *out_copy = must_allocate((size_t)(shape[0] * columns) * 4);
    memcpy(in_copy, in, (size_t)(shape[0] * columns) * 4);
    memcpy(out_copy, out, (size_t)(shape[0] * columns) * 4);
    posenc_view_make(&a, in_copy, POSENC_F32, 2, shape, NULL);
    posenc_view_make(&b, out_copy, POSENC_F32, 2, shape, NULL);
    check(posenc_pairing_check(NULL, o, &a.tensor, &b.tensor, 1, &difference, &error) == POSENC_OK, "%s",
          error.message);
    free(in_copy), free(out_copy);
    return difference;
}

static void test_check_finds(void **state) {
    (void)state;
    enum { HEADS = 4, HEAD_DIM = 12, COLUMNS = 9, N = HEADS * HEAD_DIM * COLUMNS };
    random_state r = random_start("pairing check finds");
    float in[N], out[N], wrong[N];
    random_fill_f32(&r, in, N);
    posenc_pairing_options o, other;
    posenc_pairing_default(&o, sizeof o);
    o.heads = HEADS, o.head_dim = HEAD_DIM, o.dim = HEAD_DIM;
    derive(&o, (unsigned char *)in, (unsigned char *)out, COLUMNS * 4);
    assert_true(difference_of(&o, in, out, COLUMNS) == 0);
    assert_true(difference_of(&o, in, in, COLUMNS) > 0.01); /* not converted at all */
    other = o, other.from = o.to, other.to = o.from;
    derive(&other, (unsigned char *)in, (unsigned char *)wrong, COLUMNS * 4);
    assert_true(difference_of(&o, in, wrong, COLUMNS) > 0.01);
    other = o, other.heads = 2, other.head_dim = other.dim = 2 * HEAD_DIM;
    derive(&other, (unsigned char *)in, (unsigned char *)wrong, COLUMNS * 4);
    assert_true(difference_of(&o, in, wrong, COLUMNS) > 0.01);
    memcpy(wrong, out, sizeof out);
    wrong[N - 1] += 0.5f; /* one number of the last row */
    assert_true(difference_of(&o, in, wrong, COLUMNS) > 1e-6);
    wrong[N - 1] = (float)NAN;
    assert_true(isinf(difference_of(&o, in, wrong, COLUMNS)));
    in[N - 1] = out[N - 1] = (float)NAN; /* on both sides: row 11 of a head stays where it is */
    assert_true(difference_of(&o, in, out, COLUMNS) == 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rows),  cmocka_unit_test(test_large),       cmocka_unit_test(test_guard_pages),
        cmocka_unit_test(test_check), cmocka_unit_test(test_check_finds),
    };
    return TEST_RUN(tests);
}
