/* Dtypes and views. */
#include <string.h>

#include <posenc/tensor.h>

#include "support/test.h"

typedef struct dtype_fact {
    posenc_dtype dtype;
    const char *name;
    size_t bytes;
    DLDataType dl;
} dtype_fact;

static const dtype_fact facts[] = {
    {POSENC_F32, "f32", 4, {kDLFloat, 32, 1}}, {POSENC_F64, "f64", 8, {kDLFloat, 64, 1}},
    {POSENC_F16, "f16", 2, {kDLFloat, 16, 1}}, {POSENC_BF16, "bf16", 2, {kDLBfloat, 16, 1}},
    {POSENC_I8, "i8", 1, {kDLInt, 8, 1}},      {POSENC_I16, "i16", 2, {kDLInt, 16, 1}},
    {POSENC_I32, "i32", 4, {kDLInt, 32, 1}},   {POSENC_I64, "i64", 8, {kDLInt, 64, 1}},
    {POSENC_U8, "u8", 1, {kDLUInt, 8, 1}},     {POSENC_U16, "u16", 2, {kDLUInt, 16, 1}},
    {POSENC_U32, "u32", 4, {kDLUInt, 32, 1}},  {POSENC_U64, "u64", 8, {kDLUInt, 64, 1}},
};

static void test_dtypes(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof facts / sizeof *facts; i++) {
        posenc_dtype parsed = POSENC_DTYPE_COUNT, found = POSENC_DTYPE_COUNT;
        posenc_view view;
        int64_t extent = 1;
        char memory[8];
        assert_string_equal(posenc_dtype_name(facts[i].dtype), facts[i].name);
        assert_int_equal(posenc_dtype_bytes(facts[i].dtype), facts[i].bytes);
        assert_int_equal(posenc_dtype_parse(facts[i].name, &parsed), POSENC_OK);
        assert_int_equal(parsed, facts[i].dtype);
        DLTensor *tensor = posenc_view_make(&view, memory, facts[i].dtype, 1, &extent, NULL);
        assert_memory_equal(&tensor->dtype, &facts[i].dl, sizeof tensor->dtype);
        assert_int_equal(posenc_dtype_of(tensor, &found), POSENC_OK);
        assert_int_equal(found, facts[i].dtype);
    }
    assert_string_equal(posenc_dtype_name(POSENC_BOOL), "bool");
    assert_int_equal(posenc_dtype_bytes(POSENC_BOOL), 1);
}

static void test_unknown_dtypes(void **state) {
    (void)state;
    assert_string_equal(posenc_dtype_name(POSENC_DTYPE_COUNT), "unknown");
    assert_string_equal(posenc_dtype_name((posenc_dtype)-1), "unknown");
    assert_int_equal(posenc_dtype_bytes(POSENC_DTYPE_COUNT), 0);
    assert_int_equal(posenc_dtype_bytes((posenc_dtype)-1), 0);
    static const char *const names[] = {"", "F32", "f8", "float", "f32 ", "unknown"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        posenc_dtype dtype = POSENC_U64;
        assert_int_equal(posenc_dtype_parse(names[i], &dtype), POSENC_ERROR_UNKNOWN);
        assert_int_equal(dtype, POSENC_U64);
    }
    const DLDataType strange[] = {
        {kDLFloat, 32, 2}, {kDLComplex, 64, 1}, {kDLFloat, 80, 1}, {kDLInt, 4, 1}, {kDLBfloat, 64, 1}};
    for (size_t i = 0; i < sizeof strange / sizeof *strange; i++) {
        DLTensor tensor = {.dtype = strange[i]};
        posenc_dtype dtype = POSENC_U64;
        assert_int_equal(posenc_dtype_of(&tensor, &dtype), POSENC_ERROR_DTYPE);
        assert_int_equal(dtype, POSENC_U64);
    }
}

static void test_views(void **state) {
    (void)state;
    posenc_view view;
    float data[6];
    const int64_t shape[8] = {1, 2, 3, 1, 1, 1, 1, 1}, strides[8] = {6, 3, 1, 1, 1, 1, 1, 1};
    DLTensor *t = posenc_view_make(&view, data, POSENC_F32, 3, shape, strides);
    assert_ptr_equal(t, &view.tensor);
    assert_ptr_equal(t->data, data);
    assert_int_equal(t->ndim, 3);
    assert_int_equal(t->byte_offset, 0);
    assert_int_equal(t->device.device_type, kDLCPU);
    assert_memory_equal(t->shape, shape, 3 * sizeof *shape);
    assert_memory_equal(t->strides, strides, 3 * sizeof *strides);
    assert_ptr_not_equal(t->shape, shape); /* a copy: the caller's arrays may go */
    assert_null(posenc_view_make(&view, data, POSENC_F32, 3, shape, NULL)->strides);
    assert_non_null(posenc_view_make(&view, data, POSENC_F32, POSENC_MAX_RANK, shape, NULL));
    assert_non_null(posenc_view_make(&view, data, POSENC_F32, 0, NULL, NULL));
    assert_null(posenc_view_make(&view, data, POSENC_F32, POSENC_MAX_RANK + 1, shape, NULL));
    assert_null(posenc_view_make(&view, data, POSENC_F32, -1, shape, NULL));
    assert_null(posenc_view_make(&view, data, POSENC_DTYPE_COUNT, 1, shape, NULL));
    assert_null(posenc_view_make(&view, data, (posenc_dtype)-1, 1, shape, NULL));
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_dtypes), cmocka_unit_test(test_unknown_dtypes),
                                       cmocka_unit_test(test_views)};
    return TEST_RUN(tests);
}
