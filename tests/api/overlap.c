/* Whether two tensors share a byte, beside a map of all bytes of a small memory. */
#include <string.h>

#include "base/tensor.h"
#include "support/test.h"

enum { MEMORY = 4096, MOST_RANK = 4 };

static char memory[MEMORY];

/* Calls touch with each byte of each element. */
static bool each_byte(const DLTensor *t, bool (*touch)(bool *map, size_t at), bool *map) {
    int64_t elements = 1, bytes = t->dtype.bits / 8;
    for (int i = 0; i < t->ndim; i++) elements *= t->shape[i];
    for (int64_t n = 0; n < elements; n++) {
        int64_t at = 0, rest = n;
        for (int i = t->ndim - 1; i >= 0; rest /= t->shape[i--]) at += rest % t->shape[i] * t->strides[i];
        const char *element = (const char *)t->data + at * bytes;
        for (int64_t b = 0; b < bytes; b++)
            if (touch(map, (size_t)(element + b - memory))) return true;
    }
    return false;
}

static bool mark(bool *map, size_t at) {
    map[at] = true;
    return false;
}

static bool is_marked(bool *map, size_t at) { return map[at]; }

static bool really_meet(const DLTensor *a, const DLTensor *b) {
    bool map[MEMORY] = {false};
    each_byte(a, mark, map);
    return each_byte(b, is_marked, map);
}

/* A tensor somewhere in the memory; false where it does not fit. */
static bool place(random_state *random, posenc_view *view, int rank, const int64_t *shape, const int64_t *strides) {
    static const posenc_dtype dtypes[] = {POSENC_F32, POSENC_F32, POSENC_F32, POSENC_F64, POSENC_BF16};
    posenc_dtype dtype = dtypes[random_between(random, 0, 4)];
    int64_t bytes = (int64_t)posenc_dtype_bytes(dtype), low = 0, high = 1;
    for (int i = 0; i < rank; i++) *(strides[i] < 0 ? &low : &high) += (shape[i] - 1) * strides[i];
    if ((high - low) * bytes > MEMORY / 2) return false;
    int64_t first = random_between(random, 0, MEMORY / 2 / bytes) - low;
    posenc_view_make(view, memory + first * bytes, dtype, rank, shape, strides);
    return true;
}

static bool strides_agree(const DLTensor *a, const DLTensor *b) {
    if (a->dtype.bits != b->dtype.bits) return false;
    for (int i = 0; i < a->ndim; i++)
        if (a->shape[i] > 1 && b->shape[i] > 1 && a->strides[i] != b->strides[i]) return false;
    return true;
}

/* Never apart where they share a byte; apart where they do not, if their strides agree and are nested. */
static void test_any_two(void **state) {
    (void)state;
    random_state random = random_start("overlap");
    int meet = 0, between = 0;
    for (int round = 0; round < 40000; round++) {
        int rank = (int)random_between(&random, 1, MOST_RANK);
        int64_t shape[2][MOST_RANK], strides[2][MOST_RANK], step = 1;
        for (int i = rank - 1; i >= 0; i--) {
            int64_t longest = 1;
            for (int t = 0; t < 2; t++) {
                shape[t][i] = random_between(&random, 1, 5);
                if (shape[t][i] > longest) longest = shape[t][i];
            }
            strides[0][i] = strides[1][i] = random_u64(&random) & 7 ? step : -step;
            if ((random_u64(&random) & 31) == 0) strides[1][i] = random_between(&random, -9, 9);
            step *= random_between(&random, 1, 3) * longest;
        }
        posenc_view a, b;
        if (!place(&random, &a, rank, shape[0], strides[0]) || !place(&random, &b, rank, shape[1], strides[1]))
            continue;
        bool want = really_meet(&a.tensor, &b.tensor), got = posenc_tensors_meet(&a.tensor, &b.tensor);
        check(got || !want, "round %d: said to be apart, and share a byte", round);
        check(got == posenc_tensors_meet(&b.tensor, &a.tensor), "round %d: another answer the other way round", round);
        if (!strides_agree(&a.tensor, &b.tensor) || posenc_tensor_folds(&a.tensor) || posenc_tensor_folds(&b.tensor))
            continue;
        check(got == want, "round %d: said to meet, and share no byte", round);
        const char *a_first, *a_end, *b_first, *b_end;
        posenc_tensor_span(&a.tensor, &a_first, &a_end);
        posenc_tensor_span(&b.tensor, &b_first, &b_end);
        if (want)
            meet++;
        else if (a_first < b_end && b_first < a_end)
            between++;
    }
    check(meet > 1000 && between > 1000, "%d that meet, %d that lie between each other: too few", meet, between);
}

/* q, k and v of one projection (batch, tokens, 3, heads, d), and with fewer heads of k and v than of q. */
static void test_packed_projection(void **state) {
    (void)state;
    posenc_view view[3];
    const int64_t d = 6, tokens = 4;
    for (int64_t kv_heads = 1; kv_heads <= 3; kv_heads++) {
        int64_t row = (3 + 2 * kv_heads) * d, strides[] = {tokens * row, row, d, 1};
        const int64_t begin[] = {0, 3 * d, (3 + kv_heads) * d};
        for (int i = 0; i < 3; i++)
            posenc_view_make(&view[i], memory + 4 * begin[i], POSENC_F32, 4,
                             (int64_t[]){2, tokens, i ? kv_heads : 3, d}, strides);
        for (int i = 0; i < 3; i++)
            for (int k = 0; k < 3; k++) assert_int_equal(posenc_tensors_meet(&view[i].tensor, &view[k].tensor), i == k);
        view[1].tensor.byte_offset = -4ull; /* one element too early */
        assert_true(posenc_tensors_meet(&view[0].tensor, &view[1].tensor));
    }
}

/* Steps of memory that does not exist must not overflow, and no elements share nothing. */
static void test_extremes(void **state) {
    (void)state;
    posenc_view a, b;
    posenc_dtype dtype;
    const int64_t far[] = {1, 2}, wide[] = {INT64_MAX, 1}, empty[] = {1ll << 40, 1ll << 40, 0};
    posenc_view_make(&a, memory, POSENC_F32, 2, far, wide);
    posenc_view_make(&b, memory + 4, POSENC_F32, 2, far, wide);
    assert_true(posenc_tensors_meet(&a.tensor, &b.tensor));
    posenc_view_make(&b, memory + 8, POSENC_F32, 2, far, wide);
    assert_false(posenc_tensors_meet(&a.tensor, &b.tensor));
    posenc_view_make(&b, memory, POSENC_F32, 3, empty, NULL);
    assert_int_equal(posenc_tensor_check(&b.tensor, "x", &dtype, NULL), POSENC_OK);
    assert_false(posenc_tensors_meet(&b.tensor, &b.tensor));
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_any_two), cmocka_unit_test(test_packed_projection),
                                       cmocka_unit_test(test_extremes)};
    return TEST_RUN(tests);
}
