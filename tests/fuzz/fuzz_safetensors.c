/* Feeds bytes to the .safetensors reader and holds it to its promises:
 *   nothing is kept, and memory stays in proportion to what is there;
 *   a refusal names a byte of the file, and is not "no memory": what the scan lets through, jansson understands;
 *   what is accepted tiles the file, is found by its names, and survives being written and read again.
 * A broken promise aborts, as a sanitizer does. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../formats/memory_io.h"
#include "formats/output.h"
#include "formats/safetensors.h"
#include "meter.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n);

/* ---- an output into memory ---- */

typedef struct sink {
    posenc_io io;
    uint8_t *bytes;
    size_t n, capacity;
} sink;

static int sink_info_at(void *user, const char *path, posenc_io_info *out) {
    (void)user, (void)path;
    *out = (posenc_io_info){.kind = POSENC_IO_STREAM, .bytes_left = -1};
    return 0;
}

static int sink_open(void *user, const char *path, posenc_io_how how, uint32_t permissions) {
    (void)user, (void)path, (void)how, (void)permissions;
    return 9;
}

static int64_t sink_write(void *user, int file, const void *data, size_t bytes) {
    sink *s = user;
    (void)file;
    if (s->n + bytes > s->capacity) {
        s->capacity = 2 * (s->n + bytes);
        s->bytes = realloc(s->bytes, s->capacity);
        must(s->bytes != NULL);
    }
    memcpy(s->bytes + s->n, data, bytes);
    s->n += bytes;
    return (int64_t)bytes;
}

static int sink_close(void *user, int file) {
    (void)user, (void)file;
    return 0;
}

/* ---- the promises ---- */

static posenc_safetensors *open_bytes(memory_file *memory, posenc_context *context, const uint8_t *bytes, size_t n,
                                      size_t piece) {
    posenc_safetensors *file = NULL;
    posenc_error error = {.offset = -1};
    posenc_status status =
        posenc_safetensors_open_with(memory_file_io(memory, bytes, n, false, piece), context, "input", &file, &error);
    must((status == POSENC_OK) == (file != NULL));
    must(status == POSENC_OK || memory->open == 0);
    if (status == POSENC_OK) return file;
    must(error.status == status && strlen(error.message) > 0);
    if (status == POSENC_ERROR_UNSUPPORTED) return NULL; /* too long, or a build without jansson */
    must(status == POSENC_ERROR_FORMAT || status == POSENC_ERROR_SHAPE);
    must(error.offset >= 0 && (uint64_t)error.offset <= n);
    return NULL;
}

static void must_read(const posenc_safetensors *file, const posenc_tensor_info *info, const uint8_t *bytes, size_t n) {
    posenc_array *array = NULL;
    posenc_error error = {.offset = -1};
    posenc_status status = posenc_safetensors_read(file, info, &array, &error);
    must((status == POSENC_OK) == (array != NULL));
    if (info->dtype == POSENC_DTYPE_COUNT) must(status == POSENC_ERROR_DTYPE);
    if (status == POSENC_ERROR_FORMAT) must(info->dtype == POSENC_BOOL && bytes[error.offset] > 1);
    if (status == POSENC_OK)
        must(info->bytes == 0 || memcmp(posenc_array_tensor(array)->data, bytes + info->offset, info->bytes) == 0);
    posenc_array_destroy(array);
    must(info->offset + info->bytes <= n);
}

static void must_tile(const posenc_safetensors *file, const uint8_t *bytes, size_t n) {
    uint64_t end = 0;
    const posenc_tensor_info *info;
    for (size_t i = 0; (info = posenc_safetensors_at(file, i)); i++) {
        must(i == 0 || info->offset == end);
        must(posenc_safetensors_find(file, info->name) == info && strlen(info->name) == info->name_bytes);
        must_read(file, info, bytes, n);
        end = info->offset + info->bytes;
    }
    must(posenc_safetensors_count(file) == 0 || end == n);
}

static const char **copy_metadata(const posenc_safetensors *file, size_t *n) {
    for (*n = 0; posenc_safetensors_key(file, *n); ++*n) continue;
    const char **pairs = malloc((*n + 1) * 2 * sizeof *pairs);
    must(pairs != NULL);
    for (size_t i = 0; i < *n; i++) {
        pairs[2 * i] = posenc_safetensors_key(file, i);
        pairs[2 * i + 1] = posenc_safetensors_metadata(file, pairs[2 * i]);
        must(pairs[2 * i + 1] != NULL);
    }
    return pairs;
}

static bool write_again(const posenc_safetensors *file, posenc_context *context, const uint8_t *bytes, sink *s) {
    size_t n = posenc_safetensors_count(file), n_pairs, empty_names = 0;
    posenc_tensor_entry *entries = malloc((n + 1) * sizeof *entries);
    const char **pairs = copy_metadata(file, &n_pairs);
    posenc_output *output;
    must(entries != NULL);
    for (size_t i = 0; i < n; i++) {
        const posenc_tensor_info *t = posenc_safetensors_at(file, i);
        entries[i] = (posenc_tensor_entry){t->name, t->dtype, t->rank, t->shape, t->dtype_text, t->bytes};
        empty_names += t->name_bytes == 0;
    }
    s->io =
        (posenc_io){.user = s, .info_at = sink_info_at, .open = sink_open, .write = sink_write, .close = sink_close};
    must(posenc_output_open_with(&s->io, context, "sink", &output, NULL) == POSENC_OK);
    posenc_status status = posenc_safetensors_header(output, entries, n, pairs, n_pairs, NULL);
    must(status == (empty_names > 0 ? POSENC_ERROR_ARGUMENT : POSENC_OK)); /* read, but not written */
    for (size_t i = 0; i < n && status == POSENC_OK; i++)
        must(posenc_output_write(output, bytes + posenc_safetensors_at(file, i)->offset, entries[i].bytes, NULL) ==
             POSENC_OK);
    must(posenc_output_commit(output, NULL) == POSENC_OK);
    free(entries);
    free((void *)pairs);
    return status == POSENC_OK;
}

static void must_be_equal(const posenc_safetensors *a, const posenc_safetensors *b) {
    const char *key;
    must(posenc_safetensors_count(a) == posenc_safetensors_count(b));
    for (size_t i = 0; i < posenc_safetensors_count(a); i++) {
        const posenc_tensor_info *x = posenc_safetensors_at(a, i), *y = posenc_safetensors_at(b, i);
        must(strcmp(x->name, y->name) == 0 && strcmp(x->dtype_text, y->dtype_text) == 0 && x->bytes == y->bytes);
        must(x->rank == y->rank &&
             (x->rank == 0 || memcmp(x->shape, y->shape, (size_t)x->rank * sizeof *x->shape) == 0));
    }
    for (size_t i = 0; (key = posenc_safetensors_key(a, i)); i++)
        must(strcmp(posenc_safetensors_metadata(a, key), posenc_safetensors_metadata(b, key)) == 0);
}

static void must_survive(const posenc_safetensors *file, posenc_context *context, const uint8_t *bytes) {
    sink s = {.n = 0};
    memory_file memory;
    if (write_again(file, context, bytes, &s)) {
        posenc_safetensors *again = open_bytes(&memory, context, s.bytes, s.n, 0);
        must(again != NULL);
        must_be_equal(file, again);
        posenc_safetensors_close(again);
    }
    free(s.bytes);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n) {
    meter m = {0};
    posenc_context *context = meter_context(&m);
    memory_file memory;
    posenc_safetensors *file = open_bytes(&memory, context, bytes, n, n % 97);
    must(m.peak <= 8192 + 12 * n);
    if (file) {
        must_tile(file, bytes, n);
        must_survive(file, context, bytes);
    }
    posenc_safetensors_close(file);
    must(memory.open == 0);
    posenc_context_destroy(context);
    must(m.live == 0);
    return 0;
}
