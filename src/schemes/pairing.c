/* Weights of one rotary pairing for another: each head's rows are permuted. Out of place, rows are copied from where
 * they were. In place, the rotated rows of a head are gathered in their new order, some columns at a time, and copied
 * back, so that little memory is needed and no cycle of the permutation must be followed. */
#include "schemes/pairing.h"

#include <string.h>

#include "base/checked.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/options.h"
#include "base/tensor.h"
#include "base/threads.h"

static const int64_t most_heads = INT64_C(1) << 24;
static const size_t scratch_bytes = (size_t)1 << 20; /* of a thread: fits a second-level cache */

void posenc_pairing_default(posenc_pairing_options *options, size_t size) {
    posenc_pairing_options all = {.size = size, .from = POSENC_PAIRING_HALVES, .to = POSENC_PAIRING_INTERLEAVED};
    posenc_options_write(options, size, &all, sizeof all);
}

/* ---- the permutation ---- */

static bool is_halves(posenc_pairing pairing) { return pairing == POSENC_PAIRING_HALVES; }

bool posenc_pairing_moves(const posenc_pairing_options *o) { return is_halves(o->from) != is_halves(o->to); }

int64_t posenc_pairing_source(const posenc_pairing_options *o, int64_t i) {
    int64_t k = i - o->rotary_start, half = o->dim / 2;
    if (!posenc_pairing_moves(o) || k < 0 || k >= o->dim) return i;
    if (is_halves(o->from))
        return o->rotary_start + k / 2 + (k % 2) * half; /* out[2j] = in[j], out[2j+1] = in[j+half] */
    return o->rotary_start + (k < half ? 2 * k : 2 * (k - half) + 1);
}

/* ---- the door ---- */

static posenc_status check_numbers(const posenc_pairing_options *o, posenc_error *error) {
    if ((unsigned)o->from > POSENC_PAIRING_INTERLEAVED_IN_HALVES_OUT)
        return posenc_fail(error, POSENC_ERROR_ARGUMENT, "from", "expected 0..2, got %d", (int)o->from);
    if ((unsigned)o->to > POSENC_PAIRING_INTERLEAVED_IN_HALVES_OUT)
        return posenc_fail(error, POSENC_ERROR_ARGUMENT, "to", "expected 0..2, got %d", (int)o->to);
    if (o->heads < 1 || o->heads > most_heads)
        return posenc_fail(error, POSENC_ERROR_ARGUMENT, "heads", "expected 1..2^24, got %lld", (long long)o->heads);
    if (o->head_dim < 0 || o->head_dim > most_heads)
        return posenc_fail(error, POSENC_ERROR_ARGUMENT, "head_dim",
                           "expected 1..2^24, or 0 for rows / heads, got %lld", (long long)o->head_dim);
    return POSENC_OK;
}

/* head_dim from the rows, or the rows against it. */
static posenc_status find_head_dim(posenc_pairing_options *o, int64_t rows, posenc_error *error) {
    if (o->head_dim == 0) {
        if (rows % o->heads != 0 || rows / o->heads > most_heads)
            return posenc_fail(error, POSENC_ERROR_SHAPE, "weights",
                               "expected rows that divide into %lld heads, got %lld rows", (long long)o->heads,
                               (long long)rows);
        o->head_dim = rows / o->heads;
    }
    if (rows == o->heads * o->head_dim) return POSENC_OK; /* 2^48 at most */
    return posenc_fail(
        error, POSENC_ERROR_SHAPE, "weights", "expected %lld rows, %lld heads of head_dim %lld, got %lld rows",
        (long long)(o->heads * o->head_dim), (long long)o->heads, (long long)o->head_dim, (long long)rows);
}

static posenc_status find_extent(posenc_pairing_options *o, posenc_error *error) {
    if (o->rotary_start < 0 || o->rotary_start > o->head_dim)
        return posenc_fail(error, POSENC_ERROR_ARGUMENT, "rotary_start", "expected 0..head_dim %lld, got %lld",
                           (long long)o->head_dim, (long long)o->rotary_start);
    int64_t room = o->head_dim - o->rotary_start;
    if (o->dim == 0) o->dim = room;
    if (o->dim < 0 || o->dim > room)
        return posenc_fail(error, POSENC_ERROR_ARGUMENT, "dim",
                           "expected at most %lld, what head_dim %lld has from row %lld on, got %lld", (long long)room,
                           (long long)o->head_dim, (long long)o->rotary_start, (long long)o->dim);
    if (o->dim % 2 == 0) return POSENC_OK;
    return posenc_fail(error, POSENC_ERROR_ARGUMENT, "dim", "expected an even number of rotated rows, got %lld",
                       (long long)o->dim);
}

static posenc_status open_rows(const DLTensor *t, const char *name, posenc_weight_rows *rows, posenc_error *error) {
    posenc_status status = posenc_tensor_check(t, name, &rows->dtype, error);
    if (status != POSENC_OK) return status;
    if (t->ndim != 1 && t->ndim != 2) {
        char shape[96];
        posenc_shape_text(t->ndim, t->shape, shape);
        return posenc_fail(error, POSENC_ERROR_SHAPE, name, "expected (rows, columns) or (rows), got %s", shape);
    }
    ptrdiff_t bytes = (ptrdiff_t)posenc_dtype_bytes(rows->dtype);
    rows->data = posenc_tensor_data(t);
    rows->element = (size_t)bytes;
    rows->rows = t->shape[0];
    rows->row_bytes = posenc_tensor_step(t, 0);
    rows->columns = t->ndim == 2 ? t->shape[1] : 1;
    rows->column_bytes = t->ndim == 2 ? posenc_tensor_step(t, 1) : bytes;
    return POSENC_OK;
}

static posenc_status check_alike(const DLTensor *weights, const DLTensor *out, const char *name,
                                 const posenc_pairing_job *job, posenc_error *error) {
    if (job->weights.dtype != job->out.dtype)
        return posenc_fail(error, POSENC_ERROR_DTYPE, name, "expected the dtype of weights %s, got %s",
                           posenc_dtype_name(job->weights.dtype), posenc_dtype_name(job->out.dtype));
    if (weights->ndim == out->ndim && job->weights.rows == job->out.rows && job->weights.columns == job->out.columns)
        return POSENC_OK;
    char want[96], got[96];
    posenc_shape_text(weights->ndim, weights->shape, want);
    posenc_shape_text(out->ndim, out->shape, got);
    return posenc_fail(error, POSENC_ERROR_SHAPE, name, "expected the shape of weights %s, got %s", want, got);
}

posenc_status posenc_pairing_open(const posenc_pairing_options *options, const DLTensor *weights, const DLTensor *out,
                                  const char *out_name, posenc_pairing_job *job, posenc_error *error) {
    posenc_pairing_options *o = &job->options;
    posenc_pairing_default(o, sizeof *o);
    posenc_status status = posenc_options_need(options, o, sizeof *o, error);
    if (status == POSENC_OK) status = check_numbers(o, error);
    if (status == POSENC_OK) status = open_rows(weights, "weights", &job->weights, error);
    if (status == POSENC_OK) status = find_head_dim(o, job->weights.rows, error);
    if (status == POSENC_OK) status = find_extent(o, error);
    if (status == POSENC_OK) status = open_rows(out, out_name, &job->out, error);
    return status == POSENC_OK ? check_alike(weights, out, out_name, job, error) : status;
}

static posenc_status check_memory(const DLTensor *weights, const DLTensor *out, posenc_error *error) {
    if (posenc_tensors_meet(weights, out) && !posenc_tensors_same(weights, out))
        return posenc_fail(error, POSENC_ERROR_OVERLAP, "out",
                           "expected weights itself or memory apart from it, got a partial overlap");
    if (!posenc_tensor_folds(out)) return POSENC_OK;
    return posenc_fail(error, POSENC_ERROR_OVERLAP, "out",
                       "expected strides that keep elements apart, got some that meet");
}

/* ---- the walk ---- */

typedef struct walk {
    const posenc_pairing_job *job;
    bool in_place;
    int n_slices;
    int64_t block; /* columns that the scratch of a slice holds */
    size_t slice_bytes;
    char *scratch;
} walk;

/* Elements of one row from place to place; strides in bytes. */
static void copy_elements(char *to, ptrdiff_t to_bytes, const char *from, ptrdiff_t from_bytes, size_t element,
                          int64_t n) {
    if (to_bytes == (ptrdiff_t)element && from_bytes == (ptrdiff_t)element) {
        memcpy(to, from, (size_t)n * element);
        return;
    }
    for (int64_t i = 0; i < n; i++) memcpy(to + i * to_bytes, from + i * from_bytes, element);
}

static void copy_head(const walk *w, int64_t head) {
    const posenc_pairing_options *o = &w->job->options;
    const posenc_weight_rows *in = &w->job->weights, *out = &w->job->out;
    for (int64_t i = 0; i < o->head_dim; i++) {
        int64_t to = head * o->head_dim + i, from = head * o->head_dim + posenc_pairing_source(o, i);
        copy_elements(out->data + to * out->row_bytes, out->column_bytes, in->data + from * in->row_bytes,
                      in->column_bytes, in->element, in->columns);
    }
}

static void turn_head(const walk *w, int64_t head, char *scratch) {
    const posenc_pairing_options *o = &w->job->options;
    const posenc_weight_rows *t = &w->job->out;
    ptrdiff_t element = (ptrdiff_t)t->element;
    char *first = t->data + head * o->head_dim * t->row_bytes;
    for (int64_t c = 0; c < t->columns; c += w->block) {
        int64_t n = t->columns - c < w->block ? t->columns - c : w->block;
        char *at = first + c * t->column_bytes, *end = scratch;
        for (int64_t i = 0; i < o->dim; i++, end += n * element)
            copy_elements(end, element, at + posenc_pairing_source(o, o->rotary_start + i) * t->row_bytes,
                          t->column_bytes, t->element, n);
        end = scratch;
        for (int64_t i = 0; i < o->dim; i++, end += n * element)
            copy_elements(at + (o->rotary_start + i) * t->row_bytes, t->column_bytes, end, element, t->element, n);
    }
}

static void convert_slice(void *argument, int index) {
    const walk *w = argument;
    int64_t heads = w->job->options.heads, end = posenc_i64_share(index + 1, heads, w->n_slices);
    for (int64_t head = posenc_i64_share(index, heads, w->n_slices); head < end; head++)
        if (w->in_place)
            turn_head(w, head, w->scratch + (size_t)index * w->slice_bytes);
        else
            copy_head(w, head);
}

static posenc_status allocate_scratch(const posenc_context *context, walk *w, posenc_error *error) {
    size_t column = (size_t)w->job->options.dim * w->job->out.element, bytes = SIZE_MAX; /* 2^27 at most */
    w->block = column < scratch_bytes ? (int64_t)(scratch_bytes / column) : 1;
    if (w->block > w->job->out.columns) w->block = w->job->out.columns;
    w->slice_bytes = (size_t)w->block * column;
    if (posenc_size_multiply(w->slice_bytes, (size_t)w->n_slices, &bytes)) w->scratch = posenc_allocate(context, bytes);
    return w->scratch ? POSENC_OK : posenc_fail_memory(error, "scratch", bytes);
}

static posenc_status run(const posenc_context *context, const posenc_pairing_job *job, bool in_place,
                         posenc_error *error) {
    walk w = {.job = job, .in_place = in_place};
    size_t work = (size_t)job->out.rows * (size_t)job->out.columns * job->out.element; /* it is in memory, so it fits */
    w.n_slices = posenc_slices(context, work);
    if (w.n_slices > job->options.heads) w.n_slices = (int)job->options.heads;
    posenc_status status = in_place ? allocate_scratch(context, &w, error) : POSENC_OK;
    if (status == POSENC_OK) posenc_parallel(context, w.n_slices, convert_slice, &w);
    posenc_release(context, w.scratch);
    return status;
}

posenc_status posenc_pairing_convert(const posenc_context *context, const posenc_pairing_options *options,
                                     const DLTensor *weights, DLTensor *out, posenc_error *error) {
    posenc_pairing_job job;
    posenc_status status = posenc_pairing_open(options, weights, out, "out", &job, error);
    if (status == POSENC_OK) status = check_memory(weights, out, error);
    if (status != POSENC_OK || job.out.rows == 0 || job.out.columns == 0) return status;
    bool in_place = posenc_tensors_same(weights, out);
    if (in_place && (!posenc_pairing_moves(&job.options) || job.options.dim == 0)) return POSENC_OK;
    return run(context, &job, in_place, error);
}
