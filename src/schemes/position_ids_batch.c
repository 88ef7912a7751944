/* The door of the builder of position ids from token ids: every tensor's dtype, shape and memory, before the first
 * token is looked at. */
#include "schemes/position_ids_batch.h"
#include "base/elements.h"
#include "base/error.h"
#include "base/tensor.h"

/* ---- elements ---- */

int64_t posenc_plane_integer(const posenc_plane *p, int64_t row, int64_t column) {
    const char *at = p->data + row * p->row_bytes + column * p->column_bytes;
    return posenc_integer_element(p->dtype, at);
}

double posenc_plane_real(const posenc_plane *p, int64_t row) {
    return posenc_real_element(p->dtype, p->data + row * p->row_bytes);
}

/* ---- one tensor ---- */

static posenc_status check_dtype(posenc_dtype dtype, const posenc_dtype dtypes[4], const char *name, const char *words,
                                 posenc_error *error) {
    for (int i = 0; i < 4; i++)
        if (dtype == dtypes[i]) return POSENC_OK;
    return posenc_fail(error, POSENC_ERROR_DTYPE, name, "expected %s, got %s", words, posenc_dtype_name(dtype));
}

/* Opens a tensor of rank 1 or 2: rank 1 is one row where flat, else one column. */
static posenc_status open_plane(const DLTensor *t, const char *name, const posenc_dtype dtypes[4], const char *words,
                                bool flat, posenc_plane *p, posenc_error *error) {
    posenc_status status = posenc_tensor_check(t, name, &p->dtype, error);
    if (status == POSENC_OK) status = check_dtype(p->dtype, dtypes, name, words, error);
    if (status != POSENC_OK) return status;
    if (t->ndim != 1 && t->ndim != 2)
        return posenc_fail(error, POSENC_ERROR_SHAPE, name, "expected a rank of 1 or 2, got %d", t->ndim);
    int64_t first = posenc_tensor_step(t, 0);
    p->rows = t->shape[0], p->columns = 1;
    p->row_bytes = first, p->column_bytes = 0;
    if (t->ndim == 2) {
        p->columns = t->shape[1];
        p->column_bytes = posenc_tensor_step(t, 1);
    } else if (flat) {
        p->rows = 1, p->columns = t->shape[0];
        p->row_bytes = 0, p->column_bytes = first;
    }
    p->data = posenc_tensor_data(t);
    return POSENC_OK;
}

/* ---- all of them ---- */

static const posenc_dtype integers[4] = {POSENC_I32, POSENC_I64, POSENC_I64, POSENC_I64};
static const posenc_dtype masks[4] = {POSENC_BOOL, POSENC_U8, POSENC_I32, POSENC_I64};
static const posenc_dtype reals[4] = {POSENC_F32, POSENC_F64, POSENC_F64, POSENC_F64};

static posenc_status open_mask(const posenc_vision_tokens *given, posenc_batch *b, posenc_error *error) {
    const DLTensor *mask = given->attention_mask;
    if (!mask) return POSENC_OK;
    posenc_status status = open_plane(mask, "attention_mask", masks, "bool, u8, i32 or i64", true, &b->mask, error);
    if (status != POSENC_OK) return status;
    if (mask->ndim == given->input_ids->ndim && b->mask.rows == b->input_ids.rows &&
        b->mask.columns == b->input_ids.columns)
        return POSENC_OK;
    char want[96], got[96];
    posenc_shape_text(given->input_ids->ndim, given->input_ids->shape, want);
    posenc_shape_text(mask->ndim, mask->shape, got);
    return posenc_fail(error, POSENC_ERROR_SHAPE, "attention_mask", "expected the shape of input_ids %s, got %s", want,
                       got);
}

static posenc_status open_grids(const DLTensor *grids, posenc_grid_supply *s, posenc_error *error) {
    if (!grids) return POSENC_OK;
    posenc_status status = open_plane(grids, s->name, integers, "i32 or i64", false, &s->grids, error);
    if (status != POSENC_OK || (grids->ndim == 2 && s->grids.columns == 3)) return status;
    char shape[96];
    posenc_shape_text(grids->ndim, grids->shape, shape);
    return posenc_fail(error, POSENC_ERROR_SHAPE, s->name, "expected (%ss, 3), got %s", s->word, shape);
}

static posenc_status open_seconds(const posenc_vision_tokens *given, posenc_batch *b, posenc_error *error) {
    const char *name = "second_per_grid_ts";
    if (!given->second_per_grid_ts) return POSENC_OK;
    if (b->options.rule != POSENC_VISION_QWEN2_5_VL)
        return posenc_fail(error, POSENC_ERROR_ARGUMENT, name,
                           "expected NULL beside a rule other than Qwen2.5-VL, got a tensor");
    posenc_status status = open_plane(given->second_per_grid_ts, name, reals, "f32 or f64", false, &b->seconds, error);
    if (status != POSENC_OK) return status;
    if (given->second_per_grid_ts->ndim == 1 && b->seconds.rows == b->videos.grids.rows) return POSENC_OK;
    char shape[96];
    posenc_shape_text(given->second_per_grid_ts->ndim, given->second_per_grid_ts->shape, shape);
    return posenc_fail(error, POSENC_ERROR_SHAPE, name, "expected (%lld,), as video_grid_thw has videos, got %s",
                       (long long)b->videos.grids.rows, shape);
}

static posenc_status open_inputs(const posenc_vision_tokens *given, posenc_batch *b, posenc_error *error) {
    posenc_status status =
        open_plane(given->input_ids, "input_ids", integers, "i32 or i64", true, &b->input_ids, error);
    if (status == POSENC_OK) status = open_mask(given, b, error);
    if (status == POSENC_OK) status = open_grids(given->image_grid_thw, &b->images, error);
    if (status == POSENC_OK) status = open_grids(given->video_grid_thw, &b->videos, error);
    return status == POSENC_OK ? open_seconds(given, b, error) : status;
}

static posenc_status open_ids(const DLTensor *ids, const DLTensor *input_ids, posenc_batch *b, posenc_error *error) {
    posenc_status status = posenc_position_ids_check_output(ids, "ids", error);
    if (status != POSENC_OK) return status;
    int rank = input_ids->ndim;
    bool fits = ids->ndim == rank + 1 && ids->shape[rank] == 3;
    for (int i = 0; fits && i < rank; i++) fits = ids->shape[i] == input_ids->shape[i];
    if (!fits) {
        char want[96], got[96];
        posenc_shape_text(rank, input_ids->shape, want);
        posenc_shape_text(ids->ndim, ids->shape, got);
        return posenc_fail(error, POSENC_ERROR_SHAPE, "ids", "expected the shape of input_ids %s and 3 axes, got %s",
                           want, got);
    }
    b->ids = posenc_tensor_data(ids);
    b->row_bytes = rank == 2 ? posenc_tensor_step(ids, 0) : 0;
    b->token_bytes = posenc_tensor_step(ids, rank - 1);
    b->axis_bytes = posenc_tensor_step(ids, rank);
    return POSENC_OK;
}

static posenc_status open_deltas(const DLTensor *deltas, posenc_batch *b, posenc_error *error) {
    if (!deltas) return POSENC_OK;
    posenc_status status = posenc_position_ids_check_output(deltas, "deltas", error);
    if (status != POSENC_OK) return status;
    if (deltas->ndim != 1 || deltas->shape[0] != b->input_ids.rows) {
        char shape[96];
        posenc_shape_text(deltas->ndim, deltas->shape, shape);
        return posenc_fail(error, POSENC_ERROR_SHAPE, "deltas", "expected (%lld,), a row of input_ids each, got %s",
                           (long long)b->input_ids.rows, shape);
    }
    b->deltas = posenc_tensor_data(deltas);
    b->delta_bytes = posenc_tensor_step(deltas, 0);
    return POSENC_OK;
}

static posenc_status check_apart(const DLTensor *out, const char *name, const DLTensor *other, const char *other_name,
                                 posenc_error *error) {
    if (!out || !other || !posenc_tensors_meet(out, other)) return POSENC_OK;
    return posenc_fail(error, POSENC_ERROR_OVERLAP, name, "expected memory apart from %s, got some of it", other_name);
}

static posenc_status check_overlaps(const posenc_vision_tokens *given, const DLTensor *ids, const DLTensor *deltas,
                                    posenc_error *error) {
    const struct {
        const DLTensor *tensor;
        const char *name;
    } inputs[] = {{given->input_ids, "input_ids"},
                  {given->attention_mask, "attention_mask"},
                  {given->image_grid_thw, "image_grid_thw"},
                  {given->video_grid_thw, "video_grid_thw"},
                  {given->second_per_grid_ts, "second_per_grid_ts"}};
    posenc_status status = check_apart(deltas, "deltas", ids, "ids", error);
    for (size_t i = 0; status == POSENC_OK && i < sizeof inputs / sizeof *inputs; i++) {
        status = check_apart(ids, "ids", inputs[i].tensor, inputs[i].name, error);
        if (status == POSENC_OK) status = check_apart(deltas, "deltas", inputs[i].tensor, inputs[i].name, error);
    }
    return status;
}

posenc_status posenc_batch_open(const posenc_vision_tokens *given, DLTensor *ids, DLTensor *deltas, posenc_batch *b,
                                posenc_error *error) {
    posenc_status status = open_inputs(given, b, error);
    if (status == POSENC_OK) status = open_ids(ids, given->input_ids, b, error);
    if (status == POSENC_OK) status = open_deltas(deltas, b, error);
    return status == POSENC_OK ? check_overlaps(given, ids, deltas, error) : status;
}
