/* The door of posenc_rotary_apply and posenc_rotary_rerotate. */
#include "schemes/rotary_call.h"

#include <string.h>

#include "base/error.h"

static posenc_status open_tensor(const DLTensor *x, const DLTensor *y, const char *x_name, const char *y_name,
                                 const posenc_rotary *rotary, posenc_rotary_tensor *out, posenc_error *error) {
    if (!x && !y) return POSENC_OK;
    posenc_status status = posenc_heads_open(x, x_name, rotary->head_dim, &out->x, error);
    if (status == POSENC_OK) status = posenc_heads_open(y, y_name, rotary->head_dim, &out->y, error);
    if (status == POSENC_OK) status = posenc_heads_check_output(&out->x, &out->y, error);
    out->given = status == POSENC_OK;
    return status;
}

/* Queries and keys go together: batch, tokens, dtype, and whole groups of query heads for each key head. */
static posenc_status check_together(const posenc_rotary_tensor *q, const posenc_rotary_tensor *k, posenc_error *error) {
    if (!q->given || !k->given) return POSENC_OK;
    if (q->x.batch != k->x.batch || q->x.tokens != k->x.tokens)
        return posenc_fail(error, POSENC_ERROR_SHAPE, "k",
                           "expected the batch and tokens of q, (%lld, %lld), got (%lld, %lld)", (long long)q->x.batch,
                           (long long)q->x.tokens, (long long)k->x.batch, (long long)k->x.tokens);
    if (q->x.dtype != k->x.dtype)
        return posenc_fail(error, POSENC_ERROR_DTYPE, "k", "expected the dtype of q %s, got %s",
                           posenc_dtype_name(q->x.dtype), posenc_dtype_name(k->x.dtype));
    if (k->x.heads > 0 && q->x.heads % k->x.heads != 0)
        return posenc_fail(error, POSENC_ERROR_SHAPE, "k",
                           "expected a number of heads that divides the %lld of q, got %lld", (long long)q->x.heads,
                           (long long)k->x.heads);
    return POSENC_OK;
}

/* Each output may be its own input, and nothing else. */
static posenc_status check_apart(const posenc_rotary_tensor tensor[2], posenc_error *error) {
    posenc_status status = POSENC_OK;
    for (int i = 0; i < 2; i++)
        for (int k = 0; k < 2; k++) {
            if (!tensor[i].given || !tensor[k].given) continue;
            if (status == POSENC_OK) status = posenc_heads_check_apart(&tensor[i].y, &tensor[k].x, i == k, error);
            if (status == POSENC_OK && k < i)
                status = posenc_heads_check_apart(&tensor[i].y, &tensor[k].y, false, error);
        }
    return status;
}

static posenc_status check_ids_apart(const posenc_rotary_tensor tensor[2], const posenc_positions *positions,
                                     const DLTensor *lengths, posenc_error *error) {
    posenc_status status = POSENC_OK;
    for (int i = 0; i < 2 && status == POSENC_OK; i++)
        if (tensor[i].given)
            status = posenc_rotary_source_check_apart(positions, lengths, tensor[i].y.tensor, tensor[i].y.name, error);
    return status;
}

static posenc_status check_direction(posenc_rotary_direction direction, posenc_error *error) {
    if ((int)direction >= POSENC_ROTARY_FORWARD && (int)direction <= POSENC_ROTARY_UNROTATE) return POSENC_OK;
    return posenc_fail(error, POSENC_ERROR_ARGUMENT, "direction", "expected 0..2, got %d", (int)direction);
}

posenc_status posenc_rotary_apply(const posenc_plan *plan, posenc_rotary_direction direction,
                                  const posenc_positions *positions, const DLTensor *lengths, const DLTensor *q,
                                  const DLTensor *k, DLTensor *q_out, DLTensor *k_out, posenc_error *error) {
    posenc_rotary_call call = {.direction = direction, .tensor = {{.is_key = false}, {.is_key = true}}};
    posenc_rotary_tensor *t = call.tensor;
    posenc_status status = posenc_rotary_must(plan, "plan", error);
    if (status == POSENC_OK) status = check_direction(direction, error);
    if (status == POSENC_OK && !q && !k && !q_out && !k_out)
        status = posenc_fail(error, POSENC_ERROR_ARGUMENT, "q", "expected q or k, got neither");
    if (status == POSENC_OK) status = open_tensor(q, q_out, "q", "q_out", plan->rotary, &t[0], error);
    if (status == POSENC_OK) status = open_tensor(k, k_out, "k", "k_out", plan->rotary, &t[1], error);
    if (status == POSENC_OK) status = check_together(&t[0], &t[1], error);
    if (status == POSENC_OK) status = check_apart(t, error);
    if (status == POSENC_OK) status = check_ids_apart(t, positions, lengths, error);
    if (status != POSENC_OK) return status;
    const posenc_heads *shape = t[0].given ? &t[0].x : &t[1].x;
    status = posenc_rotary_source_open(plan, positions, lengths, shape->batch, shape->tokens, &call.source, error);
    if (status != POSENC_OK) return status;
    status = posenc_rotary_call_run(&call, error);
    posenc_rotary_source_close(&call.source);
    return status;
}

/* ---- from one rotation to another ---- */

static posenc_status refuse_pair(const char *what, posenc_error *error) {
    return posenc_fail(error, POSENC_ERROR_ARGUMENT, "to", "expected the %s of from, got another", what);
}

static bool same_axes(const posenc_rotary *a, const posenc_rotary *b) {
    if (a->axes != b->axes || a->spectrum.n_blocks != b->spectrum.n_blocks) return false;
    for (int i = 0; i < a->spectrum.n_blocks; i++) {
        const posenc_rotary_block *u = &a->spectrum.blocks[i], *v = &b->spectrum.blocks[i];
        if (u->axis != v->axis || u->n != v->n) return false;
        for (size_t k = 0; k < u->n; k++)
            if ((u->at ? u->at[k] : u->first + k) != (v->at ? v->at[k] : v->first + k)) return false;
    }
    return true;
}

static posenc_status check_pair(const posenc_rotary *from, const posenc_rotary *to, posenc_error *error) {
    if (from->pairing == POSENC_PAIRING_INTERLEAVED_IN_HALVES_OUT)
        return posenc_fail(error, POSENC_ERROR_ARGUMENT, "from",
                           "expected pairing halves or interleaved, got interleaved-in-halves-out");
    if (from->head_dim != to->head_dim) return refuse_pair("head_dim", error);
    if (from->dim != to->dim) return refuse_pair("dim", error);
    if (from->start != to->start) return refuse_pair("rotary_start", error);
    if (from->pairing != to->pairing) return refuse_pair("pairing", error);
    if (!same_axes(from, to)) return refuse_pair("axes", error);
    if ((from->xpos_scale_base == 0) != (to->xpos_scale_base == 0)) return refuse_pair("use of xPos", error);
    return POSENC_OK;
}

static posenc_status run_rerotate(posenc_rotary_call *call, const posenc_plan *from,
                                  const posenc_positions *from_positions, const DLTensor *from_lengths,
                                  const posenc_plan *to, const posenc_positions *to_positions,
                                  const DLTensor *to_lengths, posenc_error *error) {
    posenc_rotary_source old;
    const posenc_heads *shape = &call->tensor[1].x;
    posenc_status status =
        posenc_rotary_source_open(from, from_positions, from_lengths, shape->batch, shape->tokens, &old, error);
    if (status != POSENC_OK) return status;
    status = posenc_rotary_source_open(to, to_positions, to_lengths, shape->batch, shape->tokens, &call->source, error);
    if (status == POSENC_OK) {
        call->from = &old;
        status = posenc_rotary_call_run(call, error);
        posenc_rotary_source_close(&call->source);
    }
    posenc_rotary_source_close(&old);
    return status;
}

posenc_status posenc_rotary_rerotate(const posenc_plan *from, const posenc_positions *from_positions,
                                     const DLTensor *from_lengths, const posenc_plan *to,
                                     const posenc_positions *to_positions, const DLTensor *to_lengths,
                                     const DLTensor *k, DLTensor *out, posenc_error *error) {
    posenc_rotary_call call = {.direction = POSENC_ROTARY_FORWARD, .tensor = {{.is_key = false}, {.is_key = true}}};
    posenc_rotary_tensor *t = call.tensor;
    posenc_status status = posenc_rotary_must(from, "from", error);
    if (status == POSENC_OK) status = posenc_rotary_must(to, "to", error);
    if (status == POSENC_OK) status = check_pair(from->rotary, to->rotary, error);
    if (status == POSENC_OK && !k)
        status = posenc_fail(error, POSENC_ERROR_ARGUMENT, "k", "expected a tensor, got NULL");
    if (status == POSENC_OK) status = open_tensor(k, out, "k", "out", to->rotary, &t[1], error);
    if (status == POSENC_OK) status = check_apart(t, error);
    if (status == POSENC_OK) status = check_ids_apart(t, from_positions, from_lengths, error);
    if (status == POSENC_OK) status = check_ids_apart(t, to_positions, to_lengths, error);
    if (status != POSENC_OK) return status;
    return run_rerotate(&call, from, from_positions, from_lengths, to, to_positions, to_lengths, error);
}
