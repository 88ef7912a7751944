/* The head of a .npy file: magic, version, and a Python dict of exactly three keys in any order, for example
 *     {'descr': '<f4', 'fortran_order': False, 'shape': (5000, 512), }
 * A strict reader of that text and of nothing else of Python: no escapes in strings, no expressions, no nesting.
 * It looks at text[0..n) only and allocates nothing. The first trouble in reading order is the one that is reported. */
#include <string.h>

#include "base/checked.h"
#include "base/error.h"
#include "formats/escape.h"
#include "formats/npy.h"

enum { MAGIC_BYTES = 6 };
static const uint8_t magic[MAGIC_BYTES] = {0x93, 'N', 'U', 'M', 'P', 'Y'};

posenc_status posenc_npy_preamble(const char *name, const uint8_t *bytes, size_t n, size_t *length_bytes,
                                  posenc_error *error) {
    size_t m = n < MAGIC_BYTES ? n : MAGIC_BYTES;
    char got[48];
    if (memcmp(bytes, magic, m) != 0)
        return posenc_fail_at(error, POSENC_ERROR_FORMAT, name, 0, "expected a .npy file (\\x93NUMPY), got %s\"%s\"",
                              m > 1 && memcmp(bytes, "PK", 2) == 0 ? "a zip archive, as .npz is: " : "",
                              posenc_escape(bytes, m, got, sizeof got));
    if (n < POSENC_NPY_PREAMBLE)
        return posenc_fail_at(error, POSENC_ERROR_FORMAT, name, (int64_t)n,
                              "expected a .npy file's magic and version, 8 bytes, got the end after %zu", n);
    if (bytes[6] < 1 || bytes[6] > 3 || bytes[7] != 0)
        return posenc_fail_at(error, POSENC_ERROR_FORMAT, name, bytes[7] != 0 && bytes[6] >= 1 && bytes[6] <= 3 ? 7 : 6,
                              "expected .npy version 1.0, 2.0 or 3.0, got %d.%d", bytes[6], bytes[7]);
    *length_bytes = bytes[6] == 1 ? 2 : 4;
    return POSENC_OK;
}

/* A text being read, and where its messages go. */
typedef struct reader {
    const uint8_t *text;
    size_t n, at;
    int64_t offset; /* of text[0] in the file */
    const char *name;
    posenc_error *error;
} reader;

enum { DESCR, FORTRAN_ORDER, SHAPE, KEYS };
static const char *const keys[KEYS] = {"descr", "fortran_order", "shape"};

static bool ended(const reader *r) { return r->at >= r->n; }
static bool sees(const reader *r, char c) { return !ended(r) && r->text[r->at] == (uint8_t)c; }
static int64_t place(const reader *r, size_t at) { return r->offset + (int64_t)at; }

static void skip_blanks(reader *r) {
    while (sees(r, ' ') || sees(r, '\n') || sees(r, '\t') || sees(r, '\r')) r->at++;
}

/* Refuses the byte that is next. */
static posenc_status expected(const reader *r, const char *what) {
    char got[16];
    if (ended(r))
        return posenc_fail_at(r->error, POSENC_ERROR_FORMAT, r->name, place(r, r->at),
                              "expected %s, got the end of the header", what);
    return posenc_fail_at(r->error, POSENC_ERROR_FORMAT, r->name, place(r, r->at), "expected %s, got \"%s\"", what,
                          posenc_escape(r->text + r->at, 1, got, sizeof got));
}

/* A quoted text of one line without escapes: text[*start .. *start + *length). */
static posenc_status read_quoted(reader *r, const char *what, size_t *start, size_t *length) {
    if (!sees(r, '\'') && !sees(r, '"')) return expected(r, what);
    char quote = (char)r->text[r->at++];
    *start = r->at;
    while (!sees(r, quote)) {
        if (ended(r) || sees(r, '\n') || sees(r, '\\')) return expected(r, "a closing quote");
        r->at++;
    }
    *length = r->at++ - *start;
    return POSENC_OK;
}

static posenc_status read_descr(reader *r, posenc_npy_layout *layout) {
    size_t start = 0, length = 0, at = r->at;
    if (sees(r, '[') || sees(r, '('))
        return posenc_fail_at(
            r->error, POSENC_ERROR_DTYPE, r->name, place(r, at),
            "expected one number type such as '<f4', got a structured type: save each field by itself");
    posenc_status status = read_quoted(r, "a quoted type such as '<f4'", &start, &length);
    if (status != POSENC_OK) return status;
    return posenc_npy_dtype(r->name, r->text + start, length, place(r, at), layout, r->error);
}

static bool is_word(uint8_t c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c >= 0x80;
}

static bool take_word(reader *r, const char *word) {
    size_t length = strlen(word);
    if (r->n - r->at < length || memcmp(r->text + r->at, word, length) != 0) return false;
    if (r->n - r->at > length && is_word(r->text[r->at + length])) return false;
    r->at += length;
    return true;
}

static posenc_status read_fortran_order(reader *r, posenc_npy_layout *layout) {
    if (take_word(r, "True"))
        layout->fortran = true;
    else if (take_word(r, "False"))
        layout->fortran = false;
    else
        return expected(r, "True or False");
    return POSENC_OK;
}

/* Digits without a leading zero, and Python 2's L behind them. */
static posenc_status read_extent(reader *r, int64_t *extent) {
    size_t start = r->at;
    bool fits = true;
    *extent = 0;
    for (; !ended(r) && r->text[r->at] >= '0' && r->text[r->at] <= '9'; r->at++) {
        if (r->at == start + 1 && r->text[start] == '0') return expected(r, "no leading zero");
        fits =
            fits && posenc_i64_multiply(*extent, 10, extent) && posenc_i64_add(*extent, r->text[r->at] - '0', extent);
    }
    if (r->at == start) return expected(r, "an extent of digits");
    if (!fits) {
        char got[48];
        return posenc_fail_at(r->error, POSENC_ERROR_FORMAT, r->name, place(r, start),
                              "expected an extent of at most 2^63-1, got %s",
                              posenc_escape(r->text + start, r->at - start, got, sizeof got));
    }
    if (sees(r, 'L')) r->at++;
    return POSENC_OK;
}

/* () or (3,) or (2, 3) or (2, 3,): as in Python, (3) would be a number and not a tuple. */
static posenc_status read_shape(reader *r, posenc_npy_layout *layout) {
    if (!sees(r, '(')) return expected(r, "a tuple of extents such as (2, 3)");
    r->at++;
    bool comma = true;
    for (layout->rank = 0;; comma = false) {
        skip_blanks(r);
        if (layout->rank > 0 && sees(r, ',')) {
            comma = true;
            r->at++;
            skip_blanks(r);
        }
        if (sees(r, ')')) break;
        if (!comma) return expected(r, "a comma or )");
        if (layout->rank == POSENC_MAX_RANK)
            return posenc_fail_at(r->error, POSENC_ERROR_SHAPE, r->name, place(r, r->at),
                                  "expected at most %d axes, got more", POSENC_MAX_RANK);
        posenc_status status = read_extent(r, &layout->shape[layout->rank]);
        if (status != POSENC_OK) return status;
        layout->rank++;
    }
    if (layout->rank == 1 && !comma) return expected(r, "a comma, as in (3,)");
    r->at++;
    return POSENC_OK;
}

static posenc_status read_key(reader *r, bool seen[KEYS], int *key) {
    size_t start = 0, length = 0, at = r->at;
    char got[48];
    posenc_status status = read_quoted(r, "a quoted key", &start, &length);
    if (status != POSENC_OK) return status;
    for (*key = 0; *key < KEYS; ++*key)
        if (length == strlen(keys[*key]) && memcmp(r->text + start, keys[*key], length) == 0) break;
    if (*key < KEYS && !seen[*key]) {
        seen[*key] = true;
        return POSENC_OK;
    }
    return posenc_fail_at(r->error, POSENC_ERROR_FORMAT, r->name, place(r, at),
                          "expected descr, fortran_order and shape once each, got %s'%s'",
                          *key < KEYS ? "another " : "", posenc_escape(r->text + start, length, got, sizeof got));
}

typedef posenc_status read_value(reader *r, posenc_npy_layout *layout);
static read_value *const read_values[KEYS] = {read_descr, read_fortran_order, read_shape};

static posenc_status read_entry(reader *r, bool seen[KEYS], posenc_npy_layout *layout, size_t *shape_at) {
    int key;
    posenc_status status = read_key(r, seen, &key);
    if (status != POSENC_OK) return status;
    skip_blanks(r);
    if (!sees(r, ':')) return expected(r, "a colon");
    r->at++;
    skip_blanks(r);
    if (key == SHAPE) *shape_at = r->at;
    return read_values[key](r, layout);
}

/* { entry, entry, entry } with or without a last comma. r->at ends at the closing brace. */
static posenc_status read_dict(reader *r, posenc_npy_layout *layout, size_t *shape_at) {
    bool seen[KEYS] = {false};
    skip_blanks(r);
    if (!sees(r, '{')) return expected(r, "{");
    r->at++;
    for (skip_blanks(r); !sees(r, '}'); skip_blanks(r)) {
        posenc_status status = read_entry(r, seen, layout, shape_at);
        if (status != POSENC_OK) return status;
        skip_blanks(r);
        if (sees(r, ','))
            r->at++;
        else if (!sees(r, '}'))
            return expected(r, "a comma or }");
    }
    for (int key = 0; key < KEYS; key++)
        if (!seen[key])
            return posenc_fail_at(r->error, POSENC_ERROR_FORMAT, r->name, place(r, r->at),
                                  "expected the key '%s', got the end of the dict", keys[key]);
    return POSENC_OK;
}

/* As NumPy does, a zero extent does not excuse the others: their product must fit, and with it every stride. */
static bool multiply_out(posenc_npy_layout *layout) {
    int64_t product = 1, bytes;
    bool empty = false;
    for (int k = 0; k < layout->rank; k++) {
        if (layout->shape[k] == 0)
            empty = true;
        else if (!posenc_i64_multiply(product, layout->shape[k], &product))
            return false;
    }
    if (!posenc_i64_multiply(product, (int64_t)posenc_dtype_bytes(layout->dtype), &bytes)) return false;
    layout->elements = empty ? 0 : product;
    layout->data_bytes = empty ? 0 : bytes;
    return true;
}

posenc_status posenc_npy_parse(const char *name, const uint8_t *text, size_t n, int64_t offset,
                               posenc_npy_layout *layout, posenc_error *error) {
    reader r = {.text = text, .n = n, .offset = offset, .name = name, .error = error};
    posenc_npy_layout made = {.rank = 0};
    size_t shape_at = 0;
    posenc_status status = read_dict(&r, &made, &shape_at);
    if (status != POSENC_OK) return status;
    r.at++;
    skip_blanks(&r);
    if (!ended(&r)) return expected(&r, "blanks up to the end of the header");
    if (!multiply_out(&made))
        return posenc_fail_at(error, POSENC_ERROR_FORMAT, name, place(&r, shape_at),
                              "expected a shape of at most 2^63-1 bytes, got more");
    *layout = made;
    return POSENC_OK;
}
