/* Files made by NumPy itself: they are read right, and the library writes the same headers. */
#include <stdio.h>
#include <string.h>

#include "formats/bytes.h"
#include "formats/npy.h"
#include "support/test.h"

/* numpy/make.py says what these hold. The last column: the writer must give the same header. */
static const struct {
    const char *file;
    posenc_dtype dtype;
    int rank;
    int64_t extent[8];
    bool as_ours;
} numpy_files[] = {
    {"f4-le", POSENC_F32, 2, {3, 5}, true},
    {"f4-be", POSENC_F32, 2, {3, 5}, false},
    {"f8-fortran", POSENC_F64, 2, {4, 3}, false},
    {"f8-be-fortran", POSENC_F64, 3, {2, 3, 4}, false},
    {"f2", POSENC_F16, 1, {7}, true},
    {"i1", POSENC_I8, 2, {2, 2}, true},
    {"i2-be", POSENC_I16, 1, {6}, false},
    {"i4", POSENC_I32, 1, {1}, true},
    {"i8-fortran-4d", POSENC_I64, 4, {2, 3, 4, 5}, false},
    {"u1", POSENC_U8, 1, {11}, true},
    {"u2", POSENC_U16, 2, {3, 3}, true},
    {"u4-be", POSENC_U32, 2, {5, 2}, false},
    {"u8", POSENC_U64, 1, {9}, true},
    {"bool", POSENC_BOOL, 2, {3, 3}, true},
    {"scalar", POSENC_F64, 0, {0}, true},
    {"empty", POSENC_F32, 2, {0, 512}, true},
    {"table", POSENC_F32, 2, {50, 16}, true},
    {"version-2", POSENC_F32, 2, {3, 5}, false},
    {"version-3", POSENC_F32, 2, {3, 5}, false},
    {"rank-8", POSENC_U16, 8, {2, 1, 2, 1, 2, 1, 2, 3}, false},
};

static double element_of(const DLTensor *tensor, posenc_dtype dtype, size_t i) {
    static const double halves[] = {0, 1, 2, 3, 4, 5, 6}; /* by their bits below */
    static const uint16_t half_bits[] = {0, 0x3C00, 0x4000, 0x4200, 0x4400, 0x4500, 0x4600};
    switch (dtype) {
        case POSENC_F32:
            return (double)((const float *)tensor->data)[i];
        case POSENC_F64:
            return ((const double *)tensor->data)[i];
        case POSENC_I8:
            return ((const int8_t *)tensor->data)[i];
        case POSENC_I16:
            return ((const int16_t *)tensor->data)[i];
        case POSENC_I32:
            return ((const int32_t *)tensor->data)[i];
        case POSENC_I64:
            return (double)((const int64_t *)tensor->data)[i];
        case POSENC_U16:
            return ((const uint16_t *)tensor->data)[i];
        case POSENC_U32:
            return ((const uint32_t *)tensor->data)[i];
        case POSENC_U64:
            return (double)((const uint64_t *)tensor->data)[i];
        case POSENC_F16:
            for (size_t k = 0; k < 7; k++)
                if (half_bits[k] == ((const uint16_t *)tensor->data)[i]) return halves[k];
            return -1;
        default:
            return ((const uint8_t *)tensor->data)[i];
    }
}

static void must_have_our_header(const char *path, posenc_dtype dtype, int rank, const int64_t *extent) {
    char header[256], theirs[256];
    size_t n;
    FILE *file = fopen(path, "rb");
    assert_int_equal(posenc_npy_header(dtype, rank, extent, header, &n, NULL), POSENC_OK);
    check(file && fread(theirs, 1, n, file) == n && memcmp(header, theirs, n) == 0, "%s: another header", path);
    fclose(file);
}

static void files_by_numpy(void **state) {
    (void)state;
    for (size_t f = 0; f < sizeof numpy_files / sizeof *numpy_files; f++) {
        char path[64];
        posenc_array *array;
        posenc_error error = {.message = ""};
        posenc_dtype dtype;
        size_t n = 1;
        snprintf(path, sizeof path, "numpy/%s.npy", numpy_files[f].file);
        check(posenc_npy_read(NULL, path, &array, &error) == POSENC_OK, "%s", error.message);
        DLTensor *tensor = posenc_array_tensor(array);
        check(posenc_dtype_of(tensor, &dtype) == POSENC_OK && dtype == numpy_files[f].dtype, "%s", path);
        check(tensor->ndim == numpy_files[f].rank, "%s: rank %d", path, tensor->ndim);
        for (int k = 0; k < tensor->ndim; k++) {
            check(tensor->shape[k] == numpy_files[f].extent[k], "%s: extent %d", path, k);
            n *= (size_t)tensor->shape[k];
        }
        for (size_t i = 0; i < n; i++) {
            double expected = (double)(dtype == POSENC_BOOL ? i % 2 : i);
            check(element_of(tensor, dtype, i) == expected, "%s: element %zu", path, i);
        }
        posenc_array_destroy(array);
        if (numpy_files[f].as_ours && posenc_native_is_little())
            must_have_our_header(path, dtype, numpy_files[f].rank, numpy_files[f].extent);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(files_by_numpy),
    };
    return TEST_RUN(tests);
}
