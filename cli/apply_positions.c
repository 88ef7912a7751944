/* Where the tokens of x stand: --positions has one number a token, or one for each axis of a scheme that has several;
 * else they follow on from --offset. A part of a file gets the positions of its tokens. */
#include <string.h>

#include "apply.h"
#include "points.h"
#include "rotary.h"

int posenc_cli_apply_read_positions(posenc_cli_apply_job *job) {
    const char *path = posenc_cli_text(job->arguments, "positions");
    if (!path) return POSENC_CLI_FINE;
    if (posenc_cli_given(job->arguments, "offset"))
        return posenc_cli_fail("offset: expected either --offset or --positions, got both");
    if (strcmp(path, "-") == 0 && strcmp(job->input.file, "-") == 0)
        return posenc_cli_fail("positions: expected standard input for one file, got it for --input too");
    return posenc_cli_positions_read(posenc_cli_context(job->arguments), path, &job->positions);
}

/* ---- before anything is written ---- */

static const char *path_of(const posenc_cli_apply_job *job) { return posenc_cli_text(job->arguments, "positions"); }

int posenc_cli_apply_check_ids(posenc_cli_apply_job *job, const posenc_cli_apply_tensor *x) {
    const DLTensor *ids = job->positions.ids;
    if (!ids) return POSENC_CLI_FINE;
    const int64_t wanted[] = {posenc_cli_apply_batches(x), posenc_cli_apply_tokens(x)};
    bool fits = ids->ndim == 1 && ids->shape[0] == wanted[1];
    if (ids->ndim == 2 && x->rank > 2) fits = ids->shape[0] == wanted[0] && ids->shape[1] == wanted[1];
    job->coordinates = 1, job->ids_by_axis = false, job->ids_by_batch = ids->ndim == 2;
    if (fits) return POSENC_CLI_FINE;
    char of_x[200], of_ids[200];
    posenc_cli_shape_text(x->rank, x->shape, of_x, sizeof of_x);
    posenc_cli_shape_text(ids->ndim, ids->shape, of_ids, sizeof of_ids);
    return posenc_cli_fail("%s: expected one position for each %s of shape %s, got %s", path_of(job),
                           posenc_cli_apply_is_video(x) ? "frame" : "token", of_x, of_ids);
}

static void shape_text(const DLTensor *tensor, char *text, size_t capacity) {
    size_t used = 0;
    for (int i = 0; i < tensor->ndim && used < capacity; i++)
        used += (size_t)snprintf(text + used, capacity - used, "%s%lld", i ? ", " : "", (long long)tensor->shape[i]);
}

/* The forms that the positions of x may have; with one coordinate a token has no axis for it. */
static int refuse_points(const posenc_cli_apply_job *job, const posenc_cli_apply_tensor *x) {
    char got[160] = "";
    long long batch = posenc_cli_apply_batches(x), tokens = posenc_cli_apply_tokens(x), axes = job->coordinates;
    const DLTensor *ids = job->positions.ids;
    bool unclear = ids->ndim == 2 && ids->shape[0] == batch && ids->shape[1] == tokens; /* else it would have done */
    shape_text(ids, got, sizeof got);
    if (axes == 1)
        return posenc_cli_fail("%s: expected positions of shape (%lld) or (%lld, %lld) for %s, got (%s)", path_of(job),
                               tokens, batch, tokens, x->name, got);
    return posenc_cli_fail(
        "%s: expected positions of shape (%lld), (%lld, %lld), (%lld, %lld) or (%lld, %lld, %lld) for %s, got (%s)%s",
        path_of(job), tokens, batch, tokens, tokens, axes, batch, tokens, axes, x->name, got,
        unclear ? ", which may be (batch, tokens) or (tokens, axes)" : "");
}

int posenc_cli_apply_check_points(posenc_cli_apply_job *job, const posenc_cli_apply_tensor *x, int64_t axes) {
    job->coordinates = axes;
    if (!job->positions.ids ||
        posenc_cli_points_fit(job->positions.ids, posenc_cli_apply_batches(x), posenc_cli_apply_tokens(x), axes,
                              &job->ids_by_batch, &job->ids_by_axis))
        return POSENC_CLI_FINE;
    return refuse_points(job, x);
}

int posenc_cli_apply_check_offset(const posenc_cli_apply_job *job, const posenc_cli_apply_tensor *x) {
    int64_t offset = posenc_cli_integer(job->arguments, "offset"), n = posenc_cli_apply_tokens(x);
    if (job->positions.ids || n == 0 || offset <= INT64_MAX - (n - 1)) return POSENC_CLI_FINE;
    return posenc_cli_fail("offset: expected at most %lld for %lld tokens, got %lld", (long long)(INT64_MAX - (n - 1)),
                           (long long)n, (long long)offset);
}

/* ---- the positions of a part ---- */

/* One number a token: (tokens), or (batch, tokens). first: batch row and token; shape: how many. */
static const DLTensor *ids_of(const posenc_cli_apply_job *job, const posenc_cli_apply_tensor *x, const int64_t first[2],
                              const int64_t shape[2], posenc_view *view) {
    const DLTensor *ids = job->positions.ids;
    posenc_dtype dtype = POSENC_I64;
    if (!ids->data) return ids; /* no tokens */
    posenc_dtype_of(ids, &dtype);
    bool by_batch = job->ids_by_batch;
    int64_t tokens = posenc_cli_apply_tokens(x), at = (by_batch ? first[0] * tokens : 0) + first[1];
    const int64_t strides[] = {tokens, 1};
    char *data = (char *)ids->data + ids->byte_offset + at * (int64_t)posenc_dtype_bytes(dtype);
    return posenc_view_make(view, data, dtype, by_batch ? 2 : 1, by_batch ? shape : shape + 1,
                            by_batch ? strides : strides + 1);
}

void posenc_cli_apply_place(const posenc_cli_apply_job *job, const posenc_cli_apply_tensor *x,
                            const posenc_cli_apply_part *part, posenc_positions *positions, posenc_view *view) {
    int batch = posenc_cli_apply_axis(x, 'b'), token = x->axes[x->letters[0] == 'b'];
    const int64_t first[] = {batch < 0 ? 0 : part->first[batch], part->first[token]};
    const int64_t shape[] = {batch < 0 ? 1 : part->count[batch], part->count[token], job->coordinates};
    posenc_positions_default(positions, sizeof *positions);
    if (!job->positions.ids)
        positions->start = posenc_cli_integer(job->arguments, "offset") + first[1];
    else if (job->ids_by_axis || posenc_cli_rotates(job->arguments))
        positions->ids = posenc_cli_points_view(job->positions.ids, job->ids_by_batch, job->ids_by_axis,
                                                posenc_cli_apply_tokens(x), first, shape, view);
    else
        positions->ids = ids_of(job, x, first, shape, view);
}
