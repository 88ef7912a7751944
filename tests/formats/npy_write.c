/* The writer of headers: what it refuses, when nothing is written, and that all else can be read. */
#include <string.h>

#include "formats/bytes.h"
#include "formats/npy.h"
#include "support/test.h"

static void header_refusals(void **state) {
    static const int64_t wide[9] = {1, 1, 1, 1, 1, 1, 1, 1, 1}, negative[2] = {3, -1};
    static const int64_t huge[2] = {INT64_C(4294967296), INT64_C(4294967296)}, beside[2] = {0, INT64_MAX};
    static const struct {
        posenc_dtype dtype;
        int rank;
        const int64_t *shape;
        posenc_status status;
        const char *message;
    } cases[] = {
        {POSENC_BF16, 1, wide, POSENC_ERROR_DTYPE,
         "dtype: expected a type that .npy can hold, got bf16: use .safetensors"},
        {POSENC_DTYPE_COUNT, 1, wide, POSENC_ERROR_DTYPE, "dtype: expected a type that .npy can hold, got unknown"},
        {(posenc_dtype)-1, 1, wide, POSENC_ERROR_DTYPE, "dtype: expected a type that .npy can hold, got unknown"},
        {POSENC_F32, 9, wide, POSENC_ERROR_SHAPE, "rank: expected 0..8, got 9"},
        {POSENC_F32, -1, wide, POSENC_ERROR_SHAPE, "rank: expected 0..8, got -1"},
        {POSENC_F32, 2, NULL, POSENC_ERROR_ARGUMENT, "shape: expected extents, got NULL"},
        {POSENC_F32, 2, negative, POSENC_ERROR_SHAPE, "shape: expected extents from 0 on, got -1"},
        {POSENC_F32, 2, huge, POSENC_ERROR_SHAPE, "shape: expected at most 2^63-1 bytes, got more"},
        {POSENC_F32, 2, beside, POSENC_ERROR_SHAPE, "shape: expected at most 2^63-1 bytes, got more"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char header[256], before[256];
        memset(header, 0x5A, sizeof header);
        memcpy(before, header, sizeof header);
        size_t n = 77;
        posenc_error error;
        check(posenc_npy_header(cases[i].dtype, cases[i].rank, cases[i].shape, header, &n, &error) == cases[i].status,
              "case %zu", i);
        assert_string_equal(error.message, cases[i].message);
        check(n == 77 && memcmp(header, before, sizeof header) == 0, "case %zu: written to", i);
    }
    size_t n;
    char header[256];
    assert_int_equal(posenc_npy_header(POSENC_F32, 1, wide, NULL, &n, NULL), POSENC_ERROR_ARGUMENT);
    assert_int_equal(posenc_npy_header(POSENC_F32, 1, wide, header, NULL, NULL), POSENC_ERROR_ARGUMENT);
}

/* Every shape that is not refused makes 128 bytes, ends in a newline and is read back. */
static void every_length(void **state) {
    int made = 0;
    (void)state;
    for (int rank = 0; rank <= POSENC_MAX_RANK; rank++) {
        for (int digits = 1; digits <= 19; digits++) {
            for (int wide = 0; wide <= rank; wide++) { /* so many extents have that many digits */
                int64_t extent[POSENC_MAX_RANK] = {0}, large = 0;
                char header[256];
                size_t n;
                for (int d = 0; d < digits; d++) large = 10 * large + 1;
                for (int k = 0; k < wide; k++) extent[k] = large;
                if (posenc_npy_header(POSENC_U8, rank, extent, header, &n, NULL) != POSENC_OK) continue;
                posenc_npy_layout layout;
                const uint8_t *text = (const uint8_t *)header + 10;
                posenc_error error = {.message = ""};
                check(n == 128 && header[n - 1] == '\n', "%zu bytes", n);
                check(posenc_load_le_u16(header + 8) == n - 10, "length field");
                check(posenc_npy_parse("x", text, n - 10, 10, &layout, &error) == POSENC_OK, "%s", error.message);
                check(layout.rank == rank && memcmp(layout.shape, extent, (size_t)rank * sizeof *extent) == 0, "shape");
                made++;
            }
        }
    }
    assert_true(made > 200);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(header_refusals),
        cmocka_unit_test(every_length),
    };
    return TEST_RUN(tests);
}
