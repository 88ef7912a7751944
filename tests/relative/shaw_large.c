/* 46342 queries and keys: more than 2^31 scores. They are read through a stride of 0, and written to memory whose pages
 * repeat, so that little memory holds them. */
#define _DEFAULT_SOURCE /* mmap of no file, syscall */
#include <stdlib.h>
#include <string.h>

#include "shaw_calls.h"
#include "support/tensors.h"
#include "support/test.h"

#if defined(__linux__)
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>
#endif

enum { L = 46342, CLIP = 3, ROWS = 2 * CLIP + 1 };

static DLTensor *view_of(posenc_view *view, void *data, posenc_dtype dtype, int64_t rows, int64_t columns,
                         const int64_t *strides) {
    return posenc_view_make(view, data, dtype, 4, (int64_t[]){1, 1, rows, columns}, strides);
}

/* Attention of ones: the sums count keys. Key j of query i: rows 1 .. 2K-1 once each where they exist. */
static void test_read(void **state) {
    (void)state;
    float *ones = must_allocate(L * sizeof *ones), *out = must_allocate(L * sizeof *out), table[ROWS];
    posenc_view views[3];
    shaw_case c = shaw_sized(POSENC_F32, 1, 1, L, L, 1, CLIP);
    for (int i = 0; i < L; i++) ones[i] = 1;
    for (int row = 0; row < ROWS; row++) {
        for (int r = 0; r < ROWS; r++) table[r] = r == row;
        if (row > 0 && row < ROWS - 1 && row != CLIP) continue;
        assert_int_equal(
            posenc_shaw_values(NULL, &c.options, view_of(&views[0], ones, POSENC_F32, L, L, (int64_t[]){0, 0, 0, 1}),
                               posenc_view_make(&views[1], table, POSENC_F32, 2, (int64_t[]){ROWS, 1}, NULL),
                               view_of(&views[2], out, POSENC_F32, L, 1, NULL), NULL),
            POSENC_OK);
        for (int i = 0; i < L; i++) {
            int behind = i - CLIP + 1 > 0 ? i - CLIP + 1 : 0, ahead = L - CLIP - i > 0 ? L - CLIP - i : 0;
            float want = (float)(row == 0 ? behind : row == ROWS - 1 ? ahead : 1);
            check(out[i] == want, "row %d, query %d: expected %g, got %g", row, i, (double)want, (double)out[i]);
        }
    }
    free(ones), free(out);
}

#if defined(__linux__) && defined(SYS_memfd_create)

/* bytes of addresses, every piece of which is the same memory; behind the last piece, nobody may write. */
static char *repeated(size_t bytes, size_t piece, int *file) {
    *file = (int)syscall(SYS_memfd_create, "scores", 0);
    if (*file < 0 || ftruncate(*file, (off_t)piece) != 0) return NULL;
    char *all = mmap(NULL, bytes + piece, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (all == MAP_FAILED) return NULL;
    for (size_t at = 0; at < bytes; at += piece)
        if (mmap(all + at, piece, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, *file, 0) == MAP_FAILED) return NULL;
    return all;
}

/* Scores of bf16, 4.3 GB of them. The last rows stay. */
static void test_write(void **state) {
    (void)state;
    const size_t piece = 64 << 20, bytes = (size_t)L * L * sizeof(uint16_t);
    int file;
    if (sizeof(size_t) < 8 || TEST_UNDER_TSAN || TEST_UNDER_ASAN) skip();
    char *all = repeated(bytes, piece, &file);
    if (!all) skip();
    uint16_t *q = must_allocate(L * sizeof *q), table[ROWS] = {0x3F80, 0x4000, 0x4040, 0x4080, 0x40A0, 0x40C0, 0x40E0};
    posenc_view views[3];
    shaw_case c = shaw_sized(POSENC_BF16, 1, 1, L, L, 1, CLIP);
    for (int i = 0; i < L; i++) q[i] = 0x3F80; /* 1 */
    assert_int_equal(posenc_shaw_scores(NULL, &c.options, view_of(&views[0], q, POSENC_BF16, L, 1, NULL),
                                        posenc_view_make(&views[1], table, POSENC_BF16, 2, (int64_t[]){ROWS, 1}, NULL),
                                        view_of(&views[2], all, POSENC_BF16, L, L, NULL), NULL),
                     POSENC_OK);
    const uint16_t *scores = (const uint16_t *)(const void *)all;
    for (int64_t i = L - 100; i < L; i++)
        for (int64_t j = 0; j < L; j++) {
            int64_t row = j - i < -CLIP ? 0 : j - i > CLIP ? ROWS - 1 : j - i + CLIP;
            check(scores[i * L + j] == table[row], "query %lld key %lld: expected row %lld", (long long)i, (long long)j,
                  (long long)row);
        }
    free(q);
    munmap(all, bytes + piece);
    close(file);
}

#else

static void test_write(void **state) {
    (void)state;
    skip();
}

#endif

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_read), cmocka_unit_test(test_write)};
    return TEST_RUN(tests);
}
