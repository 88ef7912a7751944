/* Feeds bytes to the .npy reader and holds it to its promises:
 *   a file and a stream of the same bytes get the same answer, at the same offset, with the same elements;
 *   nothing is kept, and memory stays in proportion to what is there;
 *   what is accepted is exactly as long as it says, and survives being written and read again.
 * A broken promise aborts, as a sanitizer does. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "../formats/memory_io.h"
#include "formats/npy.h"
#include "meter.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n);

typedef struct outcome {
    posenc_status status;
    posenc_error error;
    posenc_array *array;
} outcome;

static outcome read_bytes(posenc_context *context, const uint8_t *bytes, size_t n, bool stream, size_t piece) {
    memory_file file;
    const posenc_io *io = memory_file_io(&file, bytes, n, stream, piece);
    outcome got = {.error = {.offset = -1}};
    got.status = posenc_npy_read_with(io, context, "input", &got.array, &got.error);
    must(file.open == 0);
    must((got.status == POSENC_OK) == (got.array != NULL));
    must(got.status == POSENC_OK || (got.error.status == got.status && got.error.offset >= 0 &&
                                     (uint64_t)got.error.offset <= n && strlen(got.error.message) > 0));
    return got;
}

static size_t data_bytes(const DLTensor *tensor) {
    size_t bytes = tensor->dtype.bits / 8;
    for (int k = 0; k < tensor->ndim; k++) bytes *= (size_t)tensor->shape[k];
    return bytes;
}

static void must_be_equal(posenc_array *a, posenc_array *b) {
    const DLTensor *x = posenc_array_tensor(a), *y = posenc_array_tensor(b);
    must(x->ndim == y->ndim && memcmp(&x->dtype, &y->dtype, sizeof x->dtype) == 0);
    for (int k = 0; k < x->ndim; k++) must(x->shape[k] == y->shape[k]);
    must(memcmp(x->data, y->data, data_bytes(x)) == 0);
}

/* Writes the array as a file in memory and reads that. */
static void must_survive(posenc_context *context, posenc_array *array, size_t n) {
    const DLTensor *tensor = posenc_array_tensor(array);
    size_t bytes = data_bytes(tensor), header_bytes;
    char header[256];
    posenc_dtype dtype;
    must(bytes < n);
    must(posenc_dtype_of(tensor, &dtype) == POSENC_OK);
    must(posenc_npy_header(dtype, tensor->ndim, tensor->shape, header, &header_bytes, NULL) == POSENC_OK);
    uint8_t *file = malloc(header_bytes + bytes);
    must(file != NULL);
    memcpy(file, header, header_bytes);
    memcpy(file + header_bytes, tensor->data, bytes);
    outcome again = read_bytes(context, file, header_bytes + bytes, false, 0);
    must(again.status == POSENC_OK);
    must_be_equal(array, again.array);
    posenc_array_destroy(again.array);
    free(file);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n) {
    meter m = {0};
    posenc_context *context = meter_context(&m);

    outcome file = read_bytes(context, bytes, n, false, 0);
    must(m.peak <= 4096 + 3 * n);
    outcome stream = read_bytes(context, bytes, n, true, n % 97);
    must(m.peak <= 2 * 65536 + 8192 + 5 * n);
    must(file.status == stream.status && file.error.offset == stream.error.offset);
    if (file.array) {
        must_be_equal(file.array, stream.array);
        must_survive(context, file.array, n);
    }
    posenc_array_destroy(stream.array);
    posenc_array_destroy(file.array);
    posenc_context_destroy(context);
    must(m.live == 0);
    return 0;
}
