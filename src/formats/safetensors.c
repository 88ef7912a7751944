/* Reads .safetensors files: the header whole and checked when the file is opened, data by position when they are asked
 * for. A mapping would be no faster for what is read once, and a file that shrinks would end the process. */
#include "formats/safetensors.h"

#include <string.h>

#include "base/checked.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/tensor.h"
#include "formats/array.h"
#include "formats/bytes.h"
#include "formats/escape.h"
#include "formats/order.h"

enum { SHOWN_NAME = 72, NO_FILE = -1 };

struct posenc_safetensors {
    const posenc_io *io;
    const posenc_context *context;
    int file;
    int64_t bytes; /* of the whole file */
    posenc_safetensors_table table;
    char name[POSENC_SHOWN_PATH];
};

static posenc_status fail_io(const posenc_safetensors *f, posenc_error *error, int code, const char *what) {
    char words[96];
    return posenc_fail(error, POSENC_ERROR_IO, f->name, "expected %s, got \"%s\"", what, posenc_io_words(code, words));
}

/* ---- opening ---- */

/* Data are read by position, so a pipe will not do; and to open one could wait forever. */
static posenc_status check_kind(const posenc_safetensors *f, const posenc_io_info *info, posenc_error *error) {
    if (info->kind == POSENC_IO_FILE) return POSENC_OK;
    return posenc_fail(error, POSENC_ERROR_IO, f->name, "expected a regular file, got a %s",
                       info->kind == POSENC_IO_FOLDER ? "folder" : "pipe or device");
}

static posenc_status open_file(posenc_safetensors *f, const char *path, posenc_error *error) {
    posenc_io_info info;
    if (strcmp(path, "-") == 0)
        return posenc_fail(error, POSENC_ERROR_IO, f->name, "expected a regular file, got standard input");
    int code = f->io->info_at(f->io->user, path, &info);
    if (code < 0) return fail_io(f, error, code, "a file to read");
    posenc_status status = check_kind(f, &info, error);
    if (status != POSENC_OK) return status;
    f->file = f->io->open(f->io->user, path, POSENC_IO_READ, 0);
    if (f->file < 0) return fail_io(f, error, f->file, "a file to read");
    code = f->io->info(f->io->user, f->file, &info); /* of what was opened, should it have been replaced */
    if (code < 0) return fail_io(f, error, code, "a file to read");
    f->bytes = info.bytes_left;
    return check_kind(f, &info, error);
}

/* Bytes that were there when the file was opened. */
static posenc_status read_at(const posenc_safetensors *f, int64_t offset, void *data, size_t bytes,
                             posenc_error *error) {
    size_t got;
    char words[96];
    int code = posenc_io_read_all_at(f->io, f->file, data, bytes, offset, &got);
    if (code == 0 && got == bytes) return POSENC_OK;
    return posenc_fail_at(
        error, POSENC_ERROR_IO, f->name, offset + (int64_t)got, "expected bytes to read, got %s%s%s", code ? "\"" : "",
        code ? posenc_io_words(code, words) : "the end of a file that was longer before", code ? "\"" : "");
}

/* Other files begin otherwise, and their first bytes make no length. */
static const char *kind_of(const uint8_t head[POSENC_SAFETENSORS_PREFIX]) {
    static const struct {
        const char *magic, *kind;
    } kinds[] = {{"PK\x03\x04", ": a zip archive, as .pt and .npz are"},
                 {"\x80\x02\x8a", ": a Python pickle"},
                 {"\x80\x04\x95", ": a Python pickle"},
                 {"\x93NUMPY", ": a .npy file"},
                 {"GGUF", ": a GGUF file"},
                 {"version ", ": a Git LFS pointer, get the file itself"}};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (memcmp(head, kinds[i].magic, strlen(kinds[i].magic)) == 0) return kinds[i].kind;
    return "";
}

static posenc_status check_length(const posenc_safetensors *f, const uint8_t head[POSENC_SAFETENSORS_PREFIX],
                                  uint64_t n, posenc_error *error) {
    if (n > POSENC_SAFETENSORS_MOST_HEADER)
        return posenc_fail_at(error, POSENC_ERROR_FORMAT, f->name, 0,
                              "expected a header of at most %d bytes, got %llu%s", POSENC_SAFETENSORS_MOST_HEADER,
                              (unsigned long long)n, kind_of(head));
    if (n > (uint64_t)(f->bytes - POSENC_SAFETENSORS_PREFIX))
        return posenc_fail_at(error, POSENC_ERROR_FORMAT, f->name, f->bytes,
                              "expected %llu bytes of header, got the end of the file%s", (unsigned long long)n,
                              kind_of(head));
    if (n > POSENC_SAFETENSORS_MOST_TEXT)
        return posenc_fail_at(error, POSENC_ERROR_UNSUPPORTED, f->name, 0,
                              "expected a header of at most %d bytes, the most that is read here, got %llu",
                              POSENC_SAFETENSORS_MOST_TEXT, (unsigned long long)n);
    return POSENC_OK;
}

static posenc_status read_text(posenc_safetensors *f, uint8_t *text, size_t n, posenc_error *error) {
    posenc_status status = read_at(f, POSENC_SAFETENSORS_PREFIX, text, n, error);
    if (status != POSENC_OK) return status;
    uint64_t data_bytes = (uint64_t)f->bytes - POSENC_SAFETENSORS_PREFIX - n;
    return posenc_safetensors_parse(f->context, f->name, text, n, data_bytes, &f->table, error);
}

static posenc_status read_header(posenc_safetensors *f, posenc_error *error) {
    uint8_t head[POSENC_SAFETENSORS_PREFIX];
    if (f->bytes < POSENC_SAFETENSORS_PREFIX)
        return posenc_fail_at(error, POSENC_ERROR_FORMAT, f->name, f->bytes,
                              "expected %d bytes of header length, got the end of the file", POSENC_SAFETENSORS_PREFIX);
    posenc_status status = read_at(f, 0, head, sizeof head, error);
    if (status != POSENC_OK) return status;
    uint64_t n = posenc_load_le_u64(head);
    status = check_length(f, head, n, error);
    if (status != POSENC_OK) return status;
    uint8_t *text = posenc_allocate(f->context, (size_t)n);
    if (!text) return posenc_fail_memory(error, f->name, (size_t)n);
    status = read_text(f, text, (size_t)n, error);
    posenc_release(f->context, text);
    return status;
}

posenc_status posenc_safetensors_open_with(const posenc_io *io, const posenc_context *context, const char *path,
                                           posenc_safetensors **out, posenc_error *error) {
    if (!path || !out)
        return posenc_fail(error, POSENC_ERROR_ARGUMENT, path ? "out" : "path", "expected a pointer, got NULL");
    posenc_safetensors *f = posenc_allocate(context, sizeof *f);
    if (!f) return posenc_fail_memory(error, "file", sizeof *f);
    *f = (posenc_safetensors){.io = io, .context = context, .file = NO_FILE};
    posenc_escape_path(path, f->name);
    posenc_status status = open_file(f, path, error);
    if (status == POSENC_OK) status = read_header(f, error);
    if (status == POSENC_OK)
        *out = f;
    else
        posenc_safetensors_close(f);
    return status;
}

posenc_status posenc_safetensors_open(const posenc_context *context, const char *path, posenc_safetensors **out,
                                      posenc_error *error) {
    return posenc_safetensors_open_with(&posenc_io_system, context, path, out, error);
}

void posenc_safetensors_close(posenc_safetensors *file) {
    if (!file) return;
    if (file->file >= 0) file->io->close(file->io->user, file->file);
    posenc_safetensors_table_end(file->context, &file->table);
    posenc_release(file->context, file);
}

/* ---- questions ---- */

size_t posenc_safetensors_count(const posenc_safetensors *file) { return file ? file->table.n_entries : 0; }

const posenc_tensor_info *posenc_safetensors_at(const posenc_safetensors *file, size_t index) {
    return file && index < file->table.n_entries ? &file->table.entries[index].info : NULL;
}

const posenc_tensor_info *posenc_safetensors_find(const posenc_safetensors *file, const char *name) {
    if (!file || !name) return NULL;
    size_t low = 0, high = file->table.n_entries;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        const posenc_tensor_info *info = &file->table.by_name[middle]->info;
        int order = strcmp(name, info->name);
        if (order == 0) return info;
        if (order < 0)
            high = middle;
        else
            low = middle + 1;
    }
    return NULL;
}

const char *posenc_safetensors_metadata(const posenc_safetensors *file, const char *key) {
    if (!file || !key) return NULL;
    size_t low = 0, high = file->table.n_pairs;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        const posenc_safetensors_pair *pair = file->table.by_key[middle];
        int order = strcmp(key, pair->key);
        if (order == 0) return pair->value;
        if (order < 0)
            high = middle;
        else
            low = middle + 1;
    }
    return NULL;
}

const char *posenc_safetensors_key(const posenc_safetensors *file, size_t index) {
    return file && index < file->table.n_pairs ? file->table.pairs[index].key : NULL;
}

/* ---- data ---- */

static posenc_status check_tensor(const posenc_safetensors *file, const posenc_tensor_info *tensor,
                                  posenc_error *error) {
    if (!file || !tensor)
        return posenc_fail(error, POSENC_ERROR_ARGUMENT, file ? "tensor" : "file", "expected a pointer, got NULL");
    if (posenc_safetensors_find(file, tensor->name) == tensor) return POSENC_OK;
    return posenc_fail(error, POSENC_ERROR_ARGUMENT, "tensor", "expected a tensor of this file, got another");
}

static posenc_status check_decoded(const posenc_safetensors *file, const posenc_tensor_info *tensor,
                                   posenc_error *error) {
    char name[SHOWN_NAME], type[SHOWN_NAME];
    if (tensor->dtype == POSENC_DTYPE_COUNT)
        return posenc_fail(error, POSENC_ERROR_DTYPE, file->name,
                           "expected BOOL, U8 to U64, I8 to I64, F16, BF16, F32 or F64 for \"%s\", got %s",
                           posenc_escape(tensor->name, tensor->name_bytes, name, sizeof name),
                           posenc_escape(tensor->dtype_text, strlen(tensor->dtype_text), type, sizeof type));
    return POSENC_OK;
}

/* A bool is 0 or 1: another byte would be neither to a compiler. */
static posenc_status check_bools(const posenc_safetensors *file, const uint8_t *data, size_t n, int64_t offset,
                                 posenc_error *error) {
    for (size_t i = 0; i < n; i++)
        if (data[i] > 1)
            return posenc_fail_at(error, POSENC_ERROR_FORMAT, file->name, offset + (int64_t)i,
                                  "expected a bool, 0 or 1, got %d", data[i]);
    return POSENC_OK;
}

/* n elements into native order. data: written on failure too. */
static posenc_status read_elements(const posenc_safetensors *file, const posenc_tensor_info *tensor, uint64_t first,
                                   size_t n, void *data, posenc_error *error) {
    size_t element_bytes = posenc_dtype_bytes(tensor->dtype);
    int64_t offset = (int64_t)(tensor->offset + first * element_bytes);
    posenc_status status = read_at(file, offset, data, n * element_bytes, error);
    if (status == POSENC_OK && tensor->dtype == POSENC_BOOL) status = check_bools(file, data, n, offset, error);
    if (status == POSENC_OK && !posenc_native_is_little()) posenc_swap_elements(data, n, element_bytes);
    return status;
}

posenc_status posenc_safetensors_read_bytes(const posenc_safetensors *file, const posenc_tensor_info *tensor,
                                            uint64_t first, void *data, size_t bytes, posenc_error *error) {
    posenc_status status = check_tensor(file, tensor, error);
    if (status != POSENC_OK) return status;
    if (!data && bytes > 0) return posenc_fail(error, POSENC_ERROR_ARGUMENT, "data", "expected a pointer, got NULL");
    if (first > tensor->bytes || bytes > tensor->bytes - first)
        return posenc_fail(error, POSENC_ERROR_ARGUMENT, "bytes",
                           "expected bytes within the tensor's %llu, got %zu from %llu on",
                           (unsigned long long)tensor->bytes, bytes, (unsigned long long)first);
    return read_at(file, (int64_t)(tensor->offset + first), data, bytes, error);
}

posenc_status posenc_safetensors_read_elements(const posenc_safetensors *file, const posenc_tensor_info *tensor,
                                               uint64_t first, void *data, size_t elements, posenc_error *error) {
    posenc_status status = check_tensor(file, tensor, error);
    if (status == POSENC_OK) status = check_decoded(file, tensor, error);
    if (status != POSENC_OK) return status;
    uint64_t there = tensor->bytes / posenc_dtype_bytes(tensor->dtype);
    if (!data && elements > 0) return posenc_fail(error, POSENC_ERROR_ARGUMENT, "data", "expected a pointer, got NULL");
    if (first > there || elements > there - first)
        return posenc_fail(error, POSENC_ERROR_ARGUMENT, "elements",
                           "expected elements within the tensor's %llu, got %zu from %llu on",
                           (unsigned long long)there, elements, (unsigned long long)first);
    return read_elements(file, tensor, first, elements, data, error);
}

/* The file as it is now must still have the tensor, before memory is asked for. */
static posenc_status check_still_there(const posenc_safetensors *file, const posenc_tensor_info *tensor,
                                       posenc_error *error) {
    posenc_io_info info;
    int code = file->io->info(file->io->user, file->file, &info);
    if (code < 0) return fail_io(file, error, code, "a file to read");
    if (info.bytes_left >= 0 && (uint64_t)info.bytes_left >= tensor->offset + tensor->bytes) return POSENC_OK;
    return posenc_fail_at(error, POSENC_ERROR_IO, file->name, info.bytes_left,
                          "expected bytes to read, got the end of a file that was longer before");
}

static posenc_status read_array(const posenc_safetensors *file, const posenc_tensor_info *tensor, void *data,
                                posenc_array **out, posenc_error *error) {
    size_t n = (size_t)(tensor->bytes / posenc_dtype_bytes(tensor->dtype));
    posenc_status status = read_elements(file, tensor, 0, n, data, error);
    if (status != POSENC_OK) return status;
    posenc_array *array = posenc_array_create(file->context, data, tensor->dtype, tensor->rank, tensor->shape);
    if (!array) return posenc_fail_memory(error, file->name, sizeof *array);
    *out = array;
    return POSENC_OK;
}

posenc_status posenc_safetensors_read(const posenc_safetensors *file, const posenc_tensor_info *tensor,
                                      posenc_array **out, posenc_error *error) {
    size_t bytes;
    if (!out) return posenc_fail(error, POSENC_ERROR_ARGUMENT, "out", "expected a pointer, got NULL");
    posenc_status status = check_tensor(file, tensor, error);
    if (status == POSENC_OK) status = check_decoded(file, tensor, error);
    if (status != POSENC_OK) return status;
    if (tensor->rank > POSENC_MAX_RANK) {
        char name[SHOWN_NAME];
        return posenc_fail(error, POSENC_ERROR_SHAPE, file->name, "expected at most %d axes for \"%s\", got %d",
                           POSENC_MAX_RANK, posenc_escape(tensor->name, tensor->name_bytes, name, sizeof name),
                           tensor->rank);
    }
    status = check_still_there(file, tensor, error);
    if (status != POSENC_OK) return status;
    if (!posenc_bytes_of((int64_t)tensor->bytes, 1, &bytes)) return posenc_fail_memory(error, file->name, SIZE_MAX);
    void *data = posenc_allocate(file->context, bytes);
    if (!data) return posenc_fail_memory(error, file->name, bytes);
    status = read_array(file, tensor, data, out, error);
    if (status != POSENC_OK) posenc_release(file->context, data);
    return status;
}
