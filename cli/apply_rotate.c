/* apply rotary: turns queries and keys in place of adding rows. A part of a file is a call of its own: tokens do not
 * look at each other. */
#include <string.h>

#include "apply.h"
#include "rotary.h"

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

int posenc_cli_apply_check_rotary(posenc_cli_apply_job *job, const posenc_cli_apply_tensor *x) {
    posenc_rotary_info info;
    int status = posenc_cli_rotary_facts(job->arguments, job->plan, &info);
    return status == POSENC_CLI_FINE ? posenc_cli_apply_check_points(job, x, info.axes) : status;
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

int posenc_cli_apply_rotate(const posenc_cli_apply_job *job, const posenc_cli_apply_tensor *x,
                            const posenc_cli_apply_part *part, void *data) {
    posenc_view view, ids;
    posenc_positions positions;
    posenc_error error;
    if (posenc_cli_apply_part_is_empty(x, part)) return POSENC_CLI_FINE;
    DLTensor *heads = view_of(x, part, data, &view), *q = is_key(job, x) ? NULL : heads, *k = q ? NULL : heads;
    posenc_cli_apply_place(job, x, part, &positions, &ids);
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
