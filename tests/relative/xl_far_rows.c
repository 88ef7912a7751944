/* Scores of Transformer-XL further apart than 2^31 elements, as in a square of 46342: the rows that are written and
 * read lie where 64-bit strides put them. Pages between them are never touched, so that little memory holds them. */
#define _DEFAULT_SOURCE /* mmap of no file */
#include <stdlib.h>
#include <string.h>

#include "support/tensors.h"
#include "support/test.h"
#include "xl_calls.h"

#if defined(__linux__)
#include <sys/mman.h>

enum { Q = 3, K = 500, D = 4, MODEL = 6 };
static const int64_t apart = (INT64_C(1) << 31) + 6; /* elements */

static void test_far_rows(void **state) {
    (void)state;
    if (sizeof(size_t) < 8 || TEST_UNDER_TSAN || TEST_UNDER_ASAN) skip();
    const size_t bytes = (size_t)(2 * apart + K) * sizeof(uint16_t);
    uint16_t *all = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (all == MAP_FAILED) skip();
    random_state random = random_start("xl far rows");
    xl_case c = xl_sized(POSENC_BF16, 1, 1, Q, K, D, MODEL);
    posenc_view views[XL_TENSORS], out_views[XL_INPUTS], far_view;
    DLTensor *in[XL_TENSORS], *out[XL_INPUTS];
    static uint16_t data[XL_TENSORS][Q * K + K * D], first[XL_INPUTS][K * D], second[XL_INPUTS][K * D];
    for (int t = 0; t < XL_TENSORS; t++) {
        random_fill(&random, POSENC_BF16, data[t], Q * K + K * D);
        in[t] = xl_view(&c, t, &views[t], data[t]);
    }
    DLTensor *near = in[XL_SCORES];
    DLTensor *far = posenc_view_make(&far_view, all, POSENC_BF16, 4, (int64_t[]){1, 1, Q, K},
                                     (int64_t[]){Q * apart, Q * apart, apart, 1});
    for (int i = 0; i < Q; i++) memcpy(all + i * apart, data[XL_SCORES] + i * K, K * sizeof *all);
    for (int pass = 0; pass < 2; pass++) { /* gradients read from both */
        in[XL_SCORES] = pass ? far : near;
        for (int t = 0; t < XL_INPUTS; t++) out[t] = xl_view(&c, t, &out_views[t], pass ? second[t] : first[t]);
        assert_int_equal(xl_backward(NULL, &c, in, out, NULL), POSENC_OK);
    }
    assert_memory_equal(first, second, sizeof first);
    for (int pass = 0; pass < 2; pass++) { /* scores written to both */
        in[XL_SCORES] = pass ? far : near;
        assert_int_equal(xl_forward(NULL, &c, in, NULL), POSENC_OK);
    }
    for (int i = 0; i < Q; i++) must_equal("a far row", POSENC_BF16, data[XL_SCORES] + i * K, all + i * apart, K);
    munmap(all, bytes);
}

#else

static void test_far_rows(void **state) {
    (void)state;
    skip();
}

#endif

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_far_rows)};
    return TEST_RUN(tests);
}
