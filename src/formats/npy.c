/* Reads .npy files. What the file says is compared with the bytes that are there before anything is allocated:
 *   a regular file   its length is known, a shape that needs other than the bytes that remain is refused at once;
 *   a stream         (pipe, device) memory grows with what has arrived, at most to three times as much.
 * Offsets in errors: where the file ends, if it is too short; else the byte where what it says goes wrong.
 * Bytes behind the data are refused: a header that speaks of less than is there is as wrong as one that speaks of more.
 * So one array per file, and a stream is read to its end. */
#include "formats/npy.h"

#include <string.h>

#include "base/checked.h"
#include "base/error.h"
#include "base/memory.h"
#include "formats/array.h"
#include "formats/bytes.h"
#include "formats/escape.h"
#include "formats/order.h"

static const size_t first_piece = (size_t)1 << 16; /* of memory for a stream */

typedef struct source {
    const posenc_io *io;
    const posenc_context *context;
    int file;
    int64_t offset; /* bytes read so far */
    int64_t left;   /* bytes that follow, or -1 for a stream */
    const char *name;
    posenc_error *error;
} source;

static posenc_status fail_io(const source *s, int code, const char *what) {
    char words[96];
    return posenc_fail(s->error, POSENC_ERROR_IO, s->name, "expected %s, got \"%s\"", what,
                       posenc_io_words(code, words));
}

static bool is_stdin(const char *path) { return strcmp(path, "-") == 0 || strcmp(path, "/dev/stdin") == 0; }

static posenc_status open_source(source *s, const char *path) {
    s->file = is_stdin(path) ? POSENC_IO_STDIN : s->io->open(s->io->user, path, POSENC_IO_READ, 0);
    return s->file < 0 ? fail_io(s, s->file, "a file to read") : POSENC_OK;
}

static void close_source(source *s, const char *path) {
    if (!is_stdin(path)) s->io->close(s->io->user, s->file); /* all has been read: nothing is left to be lost */
}

static posenc_status measure_source(source *s) {
    posenc_io_info info;
    int code = s->io->info(s->io->user, s->file, &info);
    if (code < 0) return fail_io(s, code, "a file to read");
    if (info.kind == POSENC_IO_FOLDER)
        return posenc_fail(s->error, POSENC_ERROR_IO, s->name, "expected a file to read, got a folder");
    s->left = info.bytes_left;
    return POSENC_OK;
}

/* Reads up to bytes; fewer only where the file ends. */
static posenc_status read_some(source *s, void *data, size_t bytes, size_t *got) {
    int code = posenc_io_read_all(s->io, s->file, data, bytes, got);
    s->offset += (int64_t)*got;
    if (s->left >= 0) s->left = (int64_t)*got < s->left ? s->left - (int64_t)*got : 0;
    if (code == 0) return POSENC_OK;
    char words[96];
    return posenc_fail_at(s->error, POSENC_ERROR_IO, s->name, s->offset, "expected bytes to read, got \"%s\"",
                          posenc_io_words(code, words));
}

static posenc_status too_short(const source *s, int64_t end, int64_t bytes, const char *what) {
    return posenc_fail_at(s->error, POSENC_ERROR_FORMAT, s->name, end,
                          "expected %lld bytes of %s, got the end of the file", (long long)bytes, what);
}

static posenc_status read_exactly(source *s, void *data, size_t bytes, const char *what) {
    size_t got;
    posenc_status status = read_some(s, data, bytes, &got);
    if (status == POSENC_OK && got < bytes) return too_short(s, s->offset, (int64_t)bytes, what);
    return status;
}

/* Twice the memory, or what is wanted in all if that is less; what is there is kept. */
static bool grow(const posenc_context *context, void **memory, size_t *capacity, size_t bytes) {
    size_t more = *capacity < bytes - *capacity ? 2 * *capacity : bytes;
    void *larger = posenc_allocate(context, more);
    if (!larger) return false;
    memcpy(larger, *memory, *capacity);
    posenc_release(context, *memory);
    *memory = larger;
    *capacity = more;
    return true;
}

/* Reads bytes into *memory, piece by piece. *memory is released by the caller, on failure too. */
static posenc_status read_pieces(source *s, size_t bytes, size_t capacity, const char *what, void **memory) {
    for (size_t have = 0;;) {
        size_t got;
        posenc_status status = read_some(s, (char *)*memory + have, capacity - have, &got);
        if (status != POSENC_OK) return status;
        have += got;
        if (have == bytes) return POSENC_OK;
        if (have < capacity) return too_short(s, s->offset, (int64_t)bytes, what);
        if (!grow(s->context, memory, &capacity, bytes)) return posenc_fail_memory(s->error, s->name, bytes);
    }
}

/* Reads exactly bytes into new memory, if the file has them. */
static posenc_status read_new(source *s, int64_t wanted, const char *what, void **out) {
    size_t bytes;
    if (s->left >= 0 && s->left < wanted) return too_short(s, s->offset + s->left, wanted, what);
    if (!posenc_bytes_of(wanted, 1, &bytes)) return posenc_fail_memory(s->error, s->name, SIZE_MAX);
    size_t capacity = s->left >= 0 || bytes < first_piece ? bytes : first_piece;
    void *memory = posenc_allocate(s->context, capacity);
    if (!memory) return posenc_fail_memory(s->error, s->name, capacity);
    posenc_status status = read_pieces(s, bytes, capacity, what, &memory);
    if (status == POSENC_OK)
        *out = memory;
    else
        posenc_release(s->context, memory);
    return status;
}

static posenc_status read_header(source *s, posenc_npy_layout *layout) {
    uint8_t head[POSENC_NPY_PREAMBLE], length_field[4];
    size_t got, length_bytes;
    posenc_status status = read_some(s, head, sizeof head, &got);
    if (status == POSENC_OK) status = posenc_npy_preamble(s->name, head, got, &length_bytes, s->error);
    if (status == POSENC_OK) status = read_exactly(s, length_field, length_bytes, "header length");
    if (status != POSENC_OK) return status;

    uint32_t length = length_bytes == 2 ? posenc_load_le_u16(length_field) : posenc_load_le_u32(length_field);
    if (length > POSENC_NPY_MOST_HEADER)
        return posenc_fail_at(s->error, POSENC_ERROR_FORMAT, s->name, POSENC_NPY_PREAMBLE,
                              "expected a header of at most %d bytes, got %lu", POSENC_NPY_MOST_HEADER,
                              (unsigned long)length);
    void *text;
    int64_t offset = s->offset;
    status = read_new(s, length, "header", &text);
    if (status != POSENC_OK) return status;
    status = posenc_npy_parse(s->name, text, length, offset, layout, s->error);
    posenc_release(s->context, text);
    return status;
}

/* After the data: a file must end here. */
static posenc_status expect_end(source *s) {
    uint8_t extra;
    size_t got;
    int64_t offset = s->offset;
    posenc_status status = read_some(s, &extra, 1, &got);
    if (status != POSENC_OK || got == 0) return status;
    return posenc_fail_at(s->error, POSENC_ERROR_FORMAT, s->name, offset,
                          "expected the end of the file, as the header says, got more bytes");
}

static posenc_status read_data(source *s, const posenc_npy_layout *layout, void **data) {
    if (s->left > layout->data_bytes)
        return posenc_fail_at(s->error, POSENC_ERROR_FORMAT, s->name, s->offset + layout->data_bytes,
                              "expected the end of the file, as the header says, got %lld more bytes",
                              (long long)(s->left - layout->data_bytes));
    posenc_status status = read_new(s, layout->data_bytes, "data", data);
    if (status != POSENC_OK) return status;
    status = expect_end(s);
    if (status != POSENC_OK) posenc_release(s->context, *data);
    return status;
}

/* A bool is 0 or 1: another byte would be neither to a compiler. */
static posenc_status check_bools(const source *s, const posenc_npy_layout *layout, const uint8_t *data) {
    if (layout->dtype != POSENC_BOOL) return POSENC_OK;
    for (int64_t i = 0; i < layout->elements; i++)
        if (data[i] > 1)
            return posenc_fail_at(s->error, POSENC_ERROR_FORMAT, s->name, s->offset - layout->elements + i,
                                  "expected a bool, 0 or 1, got %d", data[i]);
    return POSENC_OK;
}

/* To native byte order in place, to C order in new memory that takes the place of *data. */
static posenc_status put_in_order(const source *s, const posenc_npy_layout *layout, void **data) {
    size_t element_bytes = posenc_dtype_bytes(layout->dtype);
    if (layout->swapped) posenc_swap_elements(*data, (size_t)layout->elements, element_bytes);
    if (!layout->fortran || layout->rank < 2 || layout->elements == 0) return POSENC_OK;
    void *ordered = posenc_allocate(s->context, (size_t)layout->data_bytes);
    if (!ordered) return posenc_fail_memory(s->error, s->name, (size_t)layout->data_bytes);
    posenc_fortran_to_c(*data, ordered, element_bytes, layout->rank, layout->shape);
    posenc_release(s->context, *data);
    *data = ordered;
    return POSENC_OK;
}

static posenc_status read_array(source *s, posenc_array **out) {
    posenc_npy_layout layout;
    void *data;
    posenc_status status = measure_source(s);
    if (status == POSENC_OK) status = read_header(s, &layout);
    if (status == POSENC_OK) status = read_data(s, &layout, &data);
    if (status != POSENC_OK) return status;

    status = check_bools(s, &layout, data);
    if (status == POSENC_OK) status = put_in_order(s, &layout, &data);
    if (status == POSENC_OK) {
        posenc_array *array = posenc_array_create(s->context, data, layout.dtype, layout.rank, layout.shape);
        if (array) {
            *out = array;
            return POSENC_OK;
        }
        status = posenc_fail_memory(s->error, s->name, sizeof *array);
    }
    posenc_release(s->context, data);
    return status;
}

posenc_status posenc_npy_read_with(const posenc_io *io, const posenc_context *context, const char *path,
                                   posenc_array **out, posenc_error *error) {
    if (!path || !out)
        return posenc_fail(error, POSENC_ERROR_ARGUMENT, path ? "out" : "path", "expected a pointer, got NULL");
    char name[POSENC_SHOWN_PATH];
    source s = {.io = io, .context = context, .name = posenc_escape_path(path, name), .error = error};
    posenc_status status = open_source(&s, path);
    if (status != POSENC_OK) return status;
    status = read_array(&s, out);
    close_source(&s, path);
    return status;
}

posenc_status posenc_npy_read(const posenc_context *context, const char *path, posenc_array **out,
                              posenc_error *error) {
    return posenc_npy_read_with(&posenc_io_system, context, path, out, error);
}
