#include "schemes/rotary_call_lengths.h"

#include <string.h>

#include "base/checked.h"
#include "base/elements.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/tensor.h"
#include "schemes/rotary_parts.h"

/* (rows) or (1), integers above 0. */
static posenc_status check_lengths(const DLTensor *lengths, int64_t rows, posenc_error *error) {
    posenc_dtype dtype;
    char shape[96];
    posenc_status status = posenc_tensor_check(lengths, "lengths", &dtype, error);
    if (status != POSENC_OK) return status;
    if (dtype != POSENC_I32 && dtype != POSENC_I64)
        return posenc_fail(error, POSENC_ERROR_DTYPE, "lengths", "expected i32 or i64, got %s",
                           posenc_dtype_name(dtype));
    posenc_shape_text(lengths->ndim, lengths->shape, shape);
    if (lengths->ndim != 1 || (lengths->shape[0] != rows && lengths->shape[0] != 1))
        return posenc_fail(error, POSENC_ERROR_SHAPE, "lengths", "expected (%lld,) or (1,), got %s", (long long)rows,
                           shape);
    for (int64_t i = 0; i < lengths->shape[0]; i++)
        if (posenc_vector_element(lengths, i) < 1)
            return posenc_fail(error, POSENC_ERROR_ARGUMENT, "lengths", "expected lengths above 0, got %lld at %lld",
                               (long long)posenc_vector_element(lengths, i), (long long)i);
    return POSENC_OK;
}

/* Groups the rows by equal spectra: fills which, and first[0..n-1], a length of each group. */
static void group(posenc_rotary_spectra *s, const DLTensor *lengths, int64_t *first) {
    for (int64_t row = 0; row < s->n_rows; row++) {
        int64_t length = posenc_vector_element(lengths, lengths->shape[0] == 1 ? 0 : row);
        size_t k = 0;
        while (k < s->n && !posenc_rotary_same_length(s->plan, first[k], length)) k++;
        if (k == s->n) first[s->n++] = length;
        s->which[row] = k;
    }
}

static posenc_status make_spectra(posenc_rotary_spectra *s, const int64_t *first, posenc_error *error) {
    int64_t own = posenc_rotary_own_length(s->plan->values);
    for (size_t k = 0; k < s->n; k++) {
        s->at[k] = &s->plan->rotary->spectrum;
        if (own > 0 && posenc_rotary_same_length(s->plan, first[k], own)) continue;
        posenc_rotary_spectrum made;
        posenc_status status = posenc_rotary_spectrum_at(s->plan, first[k], &made, error);
        if (status != POSENC_OK) return status;
        s->made[k] = made;
        s->at[k] = &s->made[k];
    }
    return POSENC_OK;
}

/* A block of memory for what depends on the number of rows; NULL with the error told. */
static void *for_rows(const posenc_rotary_spectra *s, size_t n, size_t element, posenc_error *error) {
    size_t bytes;
    if (!posenc_size_multiply(n, element, &bytes)) bytes = SIZE_MAX;
    void *memory = bytes == SIZE_MAX ? NULL : posenc_allocate(s->plan->context, bytes);
    if (!memory) posenc_fail_memory(error, "lengths", bytes);
    return memory;
}

static posenc_status open_lengths(posenc_rotary_spectra *s, const DLTensor *lengths, posenc_error *error) {
    size_t rows = (size_t)s->n_rows;
    int64_t *first = for_rows(s, rows, sizeof *first, error);
    s->which = first ? for_rows(s, rows, sizeof *s->which, error) : NULL;
    posenc_status status = s->which ? POSENC_OK : POSENC_ERROR_MEMORY;
    if (status == POSENC_OK) {
        group(s, lengths, first);
        s->at = for_rows(s, s->n, sizeof *s->at, error);
        s->made = s->at ? for_rows(s, s->n, sizeof *s->made, error) : NULL;
        status = s->made ? POSENC_OK : POSENC_ERROR_MEMORY;
    }
    if (status == POSENC_OK) {
        memset(s->made, 0, s->n * sizeof *s->made);
        status = make_spectra(s, first, error);
    }
    posenc_release(s->plan->context, first);
    return status;
}

/* Where each packed sequence ends. */
static posenc_status open_ends(posenc_rotary_spectra *s, const DLTensor *cu_seqlens, posenc_error *error) {
    s->ends = for_rows(s, (size_t)s->n_rows, sizeof *s->ends, error);
    if (!s->ends) return POSENC_ERROR_MEMORY;
    for (int64_t i = 0; i < s->n_rows; i++) s->ends[i] = posenc_vector_element(cu_seqlens, i + 1);
    return POSENC_OK;
}

posenc_status posenc_rotary_spectra_open(const posenc_plan *plan, const DLTensor *lengths, const DLTensor *cu_seqlens,
                                         int64_t batch, posenc_rotary_spectra *out, posenc_error *error) {
    const posenc_rotary *rotary = plan->rotary;
    posenc_rotary_spectra s = {.plan = plan, .only = &rotary->spectrum};
    s.n_rows = cu_seqlens ? cu_seqlens->shape[0] - 1 : batch;
    if (!rotary->by_length && lengths)
        return posenc_fail(error, POSENC_ERROR_ARGUMENT, "lengths",
                           "expected NULL for frequencies that do not depend on the length, got a tensor");
    if (rotary->by_length && !lengths)
        return posenc_fail(error, POSENC_ERROR_ARGUMENT, "lengths",
                           "expected the length of each sequence, since the frequencies depend on it, got NULL");
    posenc_status status = lengths ? check_lengths(lengths, s.n_rows, error) : POSENC_OK;
    if (status == POSENC_OK && lengths) status = open_lengths(&s, lengths, error);
    if (status == POSENC_OK && s.n > 1 && cu_seqlens) status = open_ends(&s, cu_seqlens, error);
    if (status != POSENC_OK) {
        posenc_rotary_spectra_close(&s);
        return status;
    }
    if (s.n > 0) s.only = s.at[0];
    *out = s;
    return POSENC_OK;
}

void posenc_rotary_spectra_close(posenc_rotary_spectra *s) {
    const posenc_context *context = s->plan->context;
    for (size_t k = 0; s->made && k < s->n; k++)
        if (s->made[k].n_blocks > 0) posenc_rotary_spectrum_destroy(s->plan, &s->made[k]);
    posenc_release(context, s->made);
    posenc_release(context, (void *)s->at);
    posenc_release(context, s->which);
    posenc_release(context, s->ends);
    *s = (posenc_rotary_spectra){.plan = s->plan};
}

/* The sequence that a token stands in: the first one that ends behind it. */
static int64_t sequence_of(const posenc_rotary_spectra *s, int64_t token) {
    int64_t low = 0, high = s->n_rows - 1;
    while (low < high) {
        int64_t middle = low + (high - low) / 2;
        if (s->ends[middle] > token)
            high = middle;
        else
            low = middle + 1;
    }
    return low;
}

const posenc_rotary_spectrum *posenc_rotary_spectrum_of(const posenc_rotary_spectra *s, int64_t batch, int64_t token,
                                                        int64_t count, int64_t *shared) {
    *shared = count;
    if (s->n <= 1) return s->only;
    int64_t row = s->ends ? sequence_of(s, token) : batch;
    if (s->ends && s->ends[row] - token < count) *shared = s->ends[row] - token;
    return s->at[s->which[row]];
}
