/* The door of calls about relative vectors: tensors checked against each other, memory, threads. */
#include <stdio.h>
#include <string.h>

#include "base/checked.h"
#include "base/context.h"
#include "base/elements.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/tensor.h"
#include "base/threads.h"
#include "schemes/relative.h"

/* ---- tensors ---- */

static posenc_status check_dtype(posenc_relative_work *work, posenc_dtype dtype, const char *name, bool f32_too,
                                 posenc_error *error) {
    if (!work->open && dtype <= POSENC_BF16) {
        work->open = true;
        work->dtype = dtype;
        work->loops = dtype == POSENC_F64 ? &posenc_relative_f64 : &posenc_relative_f32;
        work->kernels = posenc_kernels_of(posenc_context_isa_index(work->context));
        return POSENC_OK;
    }
    if (!work->open)
        return posenc_fail(error, POSENC_ERROR_DTYPE, name, "expected f32, f64, f16 or bf16, got %s",
                           posenc_dtype_name(dtype));
    if (dtype == work->dtype || (f32_too && dtype == POSENC_F32 && work->dtype != POSENC_F64)) return POSENC_OK;
    return posenc_fail(
        error, POSENC_ERROR_DTYPE, name, "expected %s%s as the other tensors, got %s", posenc_dtype_name(work->dtype),
        f32_too && work->dtype != POSENC_F64 && work->dtype != POSENC_F32 ? " or f32" : "", posenc_dtype_name(dtype));
}

/* "4, 8, any, 64" within brackets. */
static void wanted_text(const posenc_relative_shape *shape, char text[96]) {
    size_t used = (size_t)snprintf(text, 96, "(");
    for (int i = 0; i < shape->rank && used < 70; i++) {
        const char *comma = i ? ", " : "";
        if (*shape->extent[i] < 0)
            used += (size_t)snprintf(text + used, 96 - used, "%sany", comma);
        else
            used += (size_t)snprintf(text + used, 96 - used, "%s%lld", comma, (long long)*shape->extent[i]);
    }
    snprintf(text + used, 96 - used, ")");
}

posenc_status posenc_relative_open(posenc_relative_work *work, const DLTensor *tensor, const char *name,
                                   const posenc_relative_shape *shape, bool f32_too, posenc_relative_tensor *out,
                                   posenc_error *error) {
    posenc_dtype dtype;
    posenc_status status = posenc_tensor_check(tensor, name, &dtype, error);
    if (status == POSENC_OK) status = check_dtype(work, dtype, name, f32_too, error);
    if (status != POSENC_OK) return status;
    bool fits = tensor->ndim == shape->rank;
    for (int i = 0; fits && i < shape->rank; i++) fits = *shape->extent[i] < 0 || *shape->extent[i] == tensor->shape[i];
    if (!fits) {
        char wanted[96], got[96];
        wanted_text(shape, wanted);
        posenc_shape_text(tensor->ndim, tensor->shape, got);
        return posenc_fail(error, POSENC_ERROR_SHAPE, name, "expected %s %s, got %s", shape->axes, wanted, got);
    }
    *out = (posenc_relative_tensor){.data = posenc_tensor_data(tensor), .dtype = dtype, .rank = shape->rank};
    for (int i = 0; i < shape->rank; i++) {
        *shape->extent[i] = tensor->shape[i];
        out->bytes[i] = posenc_tensor_step(tensor, i);
    }
    return POSENC_OK;
}

posenc_status posenc_relative_check_output(const DLTensor *out, const char *name, const posenc_relative_named *others,
                                           int n, posenc_error *error) {
    if (!out) return POSENC_OK;
    for (int i = 0; i < n; i++)
        if (others[i].tensor && posenc_tensors_meet(out, others[i].tensor))
            return posenc_fail(error, POSENC_ERROR_OVERLAP, name, "expected memory apart from %s, got some of it",
                               others[i].name);
    if (!posenc_tensor_folds(out)) return POSENC_OK;
    return posenc_fail(error, POSENC_ERROR_OVERLAP, name,
                       "expected strides that keep elements apart, got some that meet");
}

static posenc_status check_whole(const DLTensor *vector, const char *name, int64_t n, posenc_error *error) {
    posenc_dtype dtype;
    posenc_status status = posenc_tensor_check(vector, name, &dtype, error);
    if (status != POSENC_OK) return status;
    if (dtype != POSENC_I32 && dtype != POSENC_I64)
        return posenc_fail(error, POSENC_ERROR_DTYPE, name, "expected i32 or i64, got %s", posenc_dtype_name(dtype));
    char got[96];
    posenc_shape_text(vector->ndim, vector->shape, got);
    if (vector->ndim == 1 && vector->shape[0] == n) return POSENC_OK;
    return posenc_fail(error, POSENC_ERROR_SHAPE, name, "expected (batch) (%lld), got %s", (long long)n, got);
}

int64_t posenc_relative_offset(const posenc_relative_offsets *offsets, int64_t batch) {
    return offsets->vector ? posenc_vector_element(offsets->vector, batch) : offsets->one;
}

posenc_status posenc_relative_open_offsets(posenc_relative_offsets *offsets, const char *name, int64_t batch,
                                           posenc_error *error) {
    offsets->lowest = offsets->highest = offsets->one;
    if (!offsets->vector) return POSENC_OK;
    posenc_status status = check_whole(offsets->vector, name, batch, error);
    for (int64_t b = 0; status == POSENC_OK && b < batch; b++) {
        int64_t offset = posenc_relative_offset(offsets, b);
        if (offset < -POSENC_RELATIVE_MOST || offset > POSENC_RELATIVE_MOST)
            return posenc_fail(error, POSENC_ERROR_POSITION, name, "expected -2^60..2^60, got %lld at %lld",
                               (long long)offset, (long long)b);
        if (b == 0 || offset < offsets->lowest) offsets->lowest = offset;
        if (b == 0 || offset > offsets->highest) offsets->highest = offset;
    }
    return status;
}

/* ---- memory and threads ---- */

size_t posenc_relative_take(posenc_relative_room *room, int64_t rows, int64_t columns, size_t element_bytes) {
    int64_t elements;
    size_t bytes, begin = room->bytes, end;
    if (!posenc_i64_multiply(rows, columns, &elements) || !posenc_bytes_of(elements, element_bytes, &bytes) ||
        !posenc_size_add(begin, bytes, &end) || !posenc_size_add(end, POSENC_ALIGNMENT - 1, &end)) {
        room->bytes = SIZE_MAX;
        return 0;
    }
    room->bytes = end / POSENC_ALIGNMENT * POSENC_ALIGNMENT;
    return begin;
}

size_t posenc_relative_take_panels(posenc_relative_room *room, const posenc_relative_work *work, int64_t rows,
                                   int64_t terms) {
    int64_t padded;
    if (!posenc_i64_add(rows, POSENC_PANEL - 1, &padded)) padded = INT64_MAX;
    return posenc_relative_take(room, padded / POSENC_PANEL * POSENC_PANEL, terms, work->loops->bytes);
}

/* A product costs a sixteenth of an element's time. */
int posenc_relative_slices(const posenc_context *context, double elements, double products) {
    double bytes = 4 * elements + 0.25 * products;
    return posenc_slices(context, bytes < 0x1p30 ? (size_t)bytes : (size_t)1 << 30);
}

char *posenc_relative_allocate(const posenc_context *context, const posenc_relative_room *shared,
                               const posenc_relative_room *worker, int n, posenc_error *error) {
    size_t all;
    if (!posenc_size_multiply(worker->bytes, (size_t)n, &all) || !posenc_size_add(all, shared->bytes, &all))
        all = SIZE_MAX;
    char *memory = all < SIZE_MAX ? posenc_allocate(context, all) : NULL;
    if (memory)
        memset(memory, 0, all);
    else
        posenc_fail_memory(error, "scratch", all);
    return memory;
}
