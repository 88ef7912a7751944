/* The element types of .safetensors. Those that fill no whole byte, and the 8-bit floats, are listed and not decoded:
 * no encoding is made in them. */
#include <string.h>

#include "base/checked.h"
#include "formats/safetensors.h"

static const posenc_safetensors_type types[] = {
    {"F32", POSENC_F32, 1, 4},
    {"F64", POSENC_F64, 1, 8},
    {"F16", POSENC_F16, 1, 2},
    {"BF16", POSENC_BF16, 1, 2},
    {"I8", POSENC_I8, 1, 1},
    {"I16", POSENC_I16, 1, 2},
    {"I32", POSENC_I32, 1, 4},
    {"I64", POSENC_I64, 1, 8},
    {"U8", POSENC_U8, 1, 1},
    {"U16", POSENC_U16, 1, 2},
    {"U32", POSENC_U32, 1, 4},
    {"U64", POSENC_U64, 1, 8},
    {"BOOL", POSENC_BOOL, 1, 1},
    {"C64", POSENC_DTYPE_COUNT, 1, 8}, /* two f32 */
    {"F8_E4M3", POSENC_DTYPE_COUNT, 1, 1},
    {"F8_E5M2", POSENC_DTYPE_COUNT, 1, 1},
    {"F8_E8M0", POSENC_DTYPE_COUNT, 1, 1},
    {"F8_E4M3FNUZ", POSENC_DTYPE_COUNT, 1, 1},
    {"F8_E5M2FNUZ", POSENC_DTYPE_COUNT, 1, 1},
    {"F6_E2M3", POSENC_DTYPE_COUNT, 4, 3},
    {"F6_E3M2", POSENC_DTYPE_COUNT, 4, 3},
    {"F4", POSENC_DTYPE_COUNT, 2, 1},
};
enum { TYPES = sizeof types / sizeof *types };

const posenc_safetensors_type *posenc_safetensors_type_find(const char *text) {
    for (int i = 0; i < TYPES; i++)
        if (strcmp(types[i].text, text) == 0) return &types[i];
    return NULL;
}

const posenc_safetensors_type *posenc_safetensors_type_of(posenc_dtype dtype) {
    for (int i = 0; i < TYPES; i++)
        if (types[i].dtype == dtype && dtype != POSENC_DTYPE_COUNT) return &types[i];
    return NULL;
}

bool posenc_safetensors_bytes(const posenc_safetensors_type *type, int rank, const int64_t *shape, uint64_t *bytes,
                              bool *whole) {
    int64_t product = 1;
    bool empty = false;
    *whole = true;
    for (int k = 0; k < rank; k++) {
        empty = empty || shape[k] == 0;
        if (shape[k] > 0 && !posenc_i64_multiply(product, shape[k], &product)) return false;
    }
    int64_t total = empty ? 0 : product, groups = product / type->elements;
    *whole = total % type->elements == 0;
    if (!*whole || !posenc_i64_multiply(groups, type->bytes, &groups)) return false;
    *bytes = empty ? 0 : (uint64_t)groups;
    return true;
}
