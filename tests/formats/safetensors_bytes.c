/* .safetensors files made in memory. */
#include "safetensors_bytes.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "formats/safetensors.h"
#include "memory_io.h"
#include "support/tensors.h"
#include "support/test.h"

safetensors_bytes safetensors_bytes_make(const void *header, size_t header_bytes, size_t n_data) {
    safetensors_bytes file = {.n = 8 + header_bytes + n_data, .data_at = 8 + header_bytes};
    file.bytes = must_allocate(file.n);
    for (size_t i = 0; i < 8; i++) file.bytes[i] = (uint8_t)((uint64_t)header_bytes >> (8 * i));
    memcpy(file.bytes + 8, header, header_bytes);
    for (size_t i = 0; i < n_data; i++) file.bytes[file.data_at + i] = (uint8_t)i;
    return file;
}

void safetensors_bytes_end(safetensors_bytes *file) { free(file->bytes); }

/* Every byte of the data belongs to one tensor, in order; every name is found. */
static void must_tile(const posenc_safetensors *file, size_t n) {
    uint64_t end = 0;
    for (size_t i = 0; i < posenc_safetensors_count(file); i++) {
        const posenc_tensor_info *info = posenc_safetensors_at(file, i);
        check(i == 0 || info->offset == end, "tensor %zu begins at %llu", i, (unsigned long long)info->offset);
        check(posenc_safetensors_find(file, info->name) == info, "tensor %zu is not found", i);
        check(strlen(info->name) == info->name_bytes, "tensor %zu: a name of another length", i);
        end = info->offset + info->bytes;
    }
    check(end == 0 || end == n, "the tensors end at %llu of %zu", (unsigned long long)end, n);
}

posenc_status safetensors_bytes_open(const uint8_t *bytes, size_t n, posenc_error *error) {
    allocator a;
    posenc_context_options options;
    posenc_context *context;
    memory_file memory;
    allocator_init(&a);
    posenc_context_default(&options, sizeof options);
    allocator_use(&a, &options);
    assert_int_equal(posenc_context_create(&options, &context, NULL), POSENC_OK);
    uint8_t *flush = must_allocate(n > 0 ? n : 1);
    memcpy(flush, bytes, n);
    posenc_safetensors *file = NULL;
    posenc_status status = posenc_safetensors_open_with(memory_file_io(&memory, flush, n, false, 0), context,
                                                        "x.safetensors", &file, error);
    check((status == POSENC_OK) == (file != NULL), "status %d and %p", (int)status, (void *)file);
    if (file) must_tile(file, n);
    posenc_safetensors_close(file);
    posenc_context_destroy(context);
    free(flush);
    check(a.live == 0 && a.mistakes == 0 && memory.open == 0, "something was kept");
    check(a.peak_bytes <= 8192 + 12 * n, "%zu bytes for a file of %zu", (size_t)a.peak_bytes, n);
    return status;
}

int safetensors_are_read(void) {
    safetensors_bytes file = safetensors_bytes_make("{}", 2, 0);
    posenc_error error;
    bool read = safetensors_bytes_open(file.bytes, file.n, &error) == POSENC_OK;
    safetensors_bytes_end(&file);
    if (!read) fprintf(stderr, "left out: this build reads no .safetensors\n");
    return read;
}
