/* The text of a .npy dtype: a byte order (<, >, | or = for this machine's), a kind, a width in bytes; or "?" for bool.
 * NumPy takes more (names, aliases, structures): those are refused, with a sentence for each kind that is seen in
 * files. */
#include "base/error.h"
#include "formats/bytes.h"
#include "formats/escape.h"
#include "formats/npy.h"

static const struct {
    char kind, width;
    posenc_dtype dtype;
} known[] = {
    {'f', '2', POSENC_F16}, {'f', '4', POSENC_F32}, {'f', '8', POSENC_F64}, {'i', '1', POSENC_I8},
    {'i', '2', POSENC_I16}, {'i', '4', POSENC_I32}, {'i', '8', POSENC_I64}, {'u', '1', POSENC_U8},
    {'u', '2', POSENC_U16}, {'u', '4', POSENC_U32}, {'u', '8', POSENC_U64}, {'b', '1', POSENC_BOOL},
};

static const struct {
    char kind;
    const char *why;
} refused[] = {
    {'O', "objects are pickled Python code, which is never loaded"},
    {'c', "complex numbers have no place in an encoding; save the real and imaginary parts"},
    {'U', "text is not numbers"},
    {'S', "text is not numbers"},
    {'a', "text is not numbers"},
    {'T', "text is not numbers"},
    {'V', "raw records have no number type; bfloat16 belongs into .safetensors"},
    {'M', "dates are not numbers; save them as int64"},
    {'m', "durations are not numbers; save them as int64"},
    {'f', "floating point of this width is not supported"},
    {'i', "integers of this width are not supported"},
    {'u', "integers of this width are not supported"},
};

static bool is_order(uint8_t c) { return c == '<' || c == '>' || c == '|' || c == '='; }

/* Without an order, "float32" and the like are names; the last three lines are about widths and do not fit them. */
static const char *reason(const uint8_t *text, size_t n) {
    size_t at = n > 0 && is_order(text[0]) ? 1 : 0;
    size_t lines = sizeof refused / sizeof *refused - (at ? 0 : 3);
    for (size_t i = 0; at < n && i < lines; i++)
        if (text[at] == (uint8_t)refused[i].kind) return refused[i].why;
    return "a byte order, a kind and a width belong here";
}

static bool find(uint8_t kind, uint8_t width, posenc_dtype *out) {
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        if (kind != (uint8_t)known[i].kind || width != (uint8_t)known[i].width) continue;
        *out = known[i].dtype;
        return true;
    }
    return false;
}

posenc_status posenc_npy_dtype(const char *name, const uint8_t *text, size_t n, int64_t offset,
                               posenc_npy_layout *layout, posenc_error *error) {
    posenc_dtype dtype = POSENC_BOOL;
    bool ordered = n > 0 && is_order(text[0]);
    bool flag = n == (ordered ? 2u : 1u) && text[n - 1] == '?';
    if (!flag && !(ordered && n == 3 && find(text[1], text[2], &dtype))) {
        char got[48];
        return posenc_fail_at(error, POSENC_ERROR_DTYPE, name, offset,
                              "expected f2, f4, f8, i1 to i8, u1 to u8 or bool, got '%s': %s",
                              posenc_escape(text, n, got, sizeof got), reason(text, n));
    }
    uint8_t foreign = posenc_native_is_little() ? '>' : '<';
    layout->dtype = dtype;
    layout->swapped = ordered && text[0] == foreign && posenc_dtype_bytes(dtype) > 1;
    return POSENC_OK;
}
