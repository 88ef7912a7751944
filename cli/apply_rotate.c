/* apply rotary: turns queries and keys in place of adding rows. A part of a file is a call of its own: tokens do not
 * look at each other. */
#include <string.h>

#include "apply.h"
#include "rotary.h"

/* ---- options ---- */

static const char *const of_adding[] = {"scale", "dropout", "seed", "stream", "video"};
static const char *const of_rotating[] = {"direction", "role"};

int posenc_cli_apply_check_effect(const posenc_cli_apply_job *job) {
    bool rotates = posenc_cli_rotates(job->arguments);
    const char *const *others = rotates ? of_adding : of_rotating;
    size_t n = rotates ? sizeof of_adding / sizeof *of_adding : sizeof of_rotating / sizeof *of_rotating;
    for (size_t i = 0; i < n; i++)
        if (posenc_cli_given(job->arguments, others[i]))
            return posenc_cli_fail("%s: expected a scheme that %s beside it, got %s", others[i],
                                   rotates ? "adds rows" : "rotates pairs", posenc_cli_scheme(job->arguments)->name);
    return POSENC_CLI_FINE;
}

static posenc_rotary_direction direction_of(const posenc_cli_apply_job *job) {
    const char *text = posenc_cli_text(job->arguments, "direction");
    return strcmp(text, "backward") == 0   ? POSENC_ROTARY_BACKWARD
           : strcmp(text, "unrotate") == 0 ? POSENC_ROTARY_UNROTATE
                                           : POSENC_ROTARY_FORWARD;
}

/* Keys differ from queries with xPos alone. */
static bool is_key(const posenc_cli_apply_job *job, const posenc_cli_apply_tensor *x) {
    const char *role = posenc_cli_text(job->arguments, "role");
    return strcmp(role, "key") == 0 || (strcmp(role, "by-name") == 0 && x->is_k);
}

/* ---- before anything is written ---- */

static void shape_text(const DLTensor *tensor, char *text, size_t capacity) {
    size_t used = 0;
    for (int i = 0; i < tensor->ndim && used < capacity; i++)
        used += (size_t)snprintf(text + used, capacity - used, "%s%lld", i ? ", " : "", (long long)tensor->shape[i]);
}

/* The forms that the positions of x may have; with one coordinate a token has no axis for it. */
static int refuse_ids(const posenc_cli_apply_job *job, const posenc_cli_apply_tensor *x) {
    char got[160];
    int64_t batch = posenc_cli_apply_batches(x), tokens = posenc_cli_apply_tokens(x), axes = job->coordinates;
    const DLTensor *ids = job->positions.ids;
    bool unclear = ids->ndim == 2 && ids->shape[0] == batch && ids->shape[1] == tokens; /* else it would have done */
    shape_text(ids, got, sizeof got);
    const char *path = posenc_cli_text(job->arguments, "positions");
    if (axes == 1)
        return posenc_cli_fail("%s: expected positions of shape (%lld) or (%lld, %lld) for %s, got (%s)", path,
                               (long long)tokens, (long long)batch, (long long)tokens, x->name, got);
    return posenc_cli_fail(
        "%s: expected positions of shape (%lld), (%lld, %lld), (%lld, %lld) or (%lld, %lld, %lld) for %s, got (%s)%s",
        path, (long long)tokens, (long long)batch, (long long)tokens, (long long)tokens, (long long)axes,
        (long long)batch, (long long)tokens, (long long)axes, x->name, got,
        unclear ? ", which may be (batch, tokens) or (tokens, axes)" : "");
}

int posenc_cli_apply_check_rotary(posenc_cli_apply_job *job, const posenc_cli_apply_tensor *x) {
    posenc_rotary_info info;
    int status = posenc_cli_rotary_facts(job->arguments, job->plan, &info);
    if (status != POSENC_CLI_FINE) return status;
    job->coordinates = info.axes;
    if (!job->positions.ids ||
        posenc_cli_rotary_ids_fit(job->positions.ids, posenc_cli_apply_batches(x), posenc_cli_apply_tokens(x),
                                  info.axes, &job->ids_by_batch, &job->ids_by_axis))
        return POSENC_CLI_FINE;
    return refuse_ids(job, x);
}

/* ---- turning ---- */

/* The data of a part as (batch, tokens, heads, head_dim); what the file has no axis for is 1. */
static DLTensor *view_of(const posenc_cli_apply_tensor *x, const posenc_cli_apply_part *part, void *data,
                         posenc_view *view) {
    static const char names[] = "bthd";
    int64_t shape[4], strides[4];
    for (int i = 0; i < 4; i++) {
        int axis = posenc_cli_apply_axis(x, names[i]);
        shape[i] = axis < 0 ? 1 : part->count[axis];
        strides[i] = 1;
        for (int behind = axis < 0 ? x->rank : axis + 1; behind < x->rank; behind++) strides[i] *= part->count[behind];
    }
    return posenc_view_make(view, data, x->dtype, 4, shape, strides);
}

static void place(const posenc_cli_apply_job *job, const posenc_cli_apply_tensor *x, const posenc_cli_apply_part *part,
                  posenc_positions *positions, posenc_view *view) {
    int batch = posenc_cli_apply_axis(x, 'b'), token = posenc_cli_apply_axis(x, 't');
    const int64_t first[] = {batch < 0 ? 0 : part->first[batch], part->first[token]};
    const int64_t shape[] = {batch < 0 ? 1 : part->count[batch], part->count[token], job->coordinates};
    posenc_positions_default(positions, sizeof *positions);
    if (job->positions.ids)
        positions->ids = posenc_cli_rotary_ids(job->positions.ids, job->ids_by_batch, job->ids_by_axis,
                                               posenc_cli_apply_tokens(x), first, shape, view);
    else
        positions->start = posenc_cli_integer(job->arguments, "offset") + first[1];
}

/* Extents beside one of 0 may be of any size, so that no stride of theirs fits. */
static bool is_empty(const posenc_cli_apply_tensor *x, const posenc_cli_apply_part *part) {
    for (int i = 0; i < x->rank; i++)
        if (part->count[i] == 0) return true;
    return false;
}

int posenc_cli_apply_rotate(const posenc_cli_apply_job *job, const posenc_cli_apply_tensor *x,
                            const posenc_cli_apply_part *part, void *data) {
    posenc_view view, ids;
    posenc_positions positions;
    posenc_error error;
    if (is_empty(x, part)) return POSENC_CLI_FINE;
    DLTensor *heads = view_of(x, part, data, &view), *q = is_key(job, x) ? NULL : heads, *k = q ? NULL : heads;
    place(job, x, part, &positions, &ids);
    if (posenc_rotary_apply(job->plan, direction_of(job), &positions, NULL, q, k, q, k, &error) == POSENC_OK)
        return POSENC_CLI_FINE;
    return posenc_cli_refuse(&error);
}

/* ---- q and k of one file ---- */

static int64_t extent(const posenc_cli_apply_tensor *x, char letter) {
    int axis = posenc_cli_apply_axis(x, letter);
    return axis < 0 ? 1 : x->shape[axis];
}

int posenc_cli_apply_check_pair(const posenc_cli_apply_job *job, const posenc_cli_apply_tensor *q,
                                const posenc_cli_apply_tensor *k) {
    static const struct {
        char letter;
        const char *what;
    } shared[] = {{'b', "sequences"}, {'t', "tokens"}, {'d', "channels in a head"}};
    for (int i = 0; i < 3; i++) {
        long long of_q = (long long)extent(q, shared[i].letter), of_k = (long long)extent(k, shared[i].letter);
        if (of_q != of_k)
            return posenc_cli_fail("%s: expected k with the %lld %s of q, got %lld", job->input.file, of_q,
                                   shared[i].what, of_k);
    }
    return POSENC_CLI_FINE;
}
