/* Position ids of text, images and video, from segments: text counts on in all three coordinates, a grid counts its
 * frames, rows and columns from one common start, and what follows begins one past the largest id (Wang et al. 2024,
 * Qwen2-VL). Every check, and every sum that might not fit, comes before the first id is written. */
#include "schemes/position_ids.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/checked.h"
#include "base/error.h"
#include "base/fpenv.h"
#include "base/options.h"
#include "base/tensor.h"

/* ---- options ---- */

void posenc_position_ids_default(posenc_position_ids_options *options, size_t size) {
    posenc_position_ids_options all = {
        .size = size,
        .rule = POSENC_VISION_QWEN2_VL,
        .spatial_merge_size = 2,
        .tokens_per_second = 2,
        .image_token_id = 151655,
        .video_token_id = 151656,
        .vision_start_token_id = 151652,
        .padding_id = 1,
    };
    posenc_options_write(options, size, &all, sizeof all);
}

static posenc_status check_options(const posenc_position_ids_options *o, posenc_error *error) {
    if ((unsigned)o->rule > POSENC_VISION_QWEN3_VL)
        return posenc_fail(error, POSENC_ERROR_ARGUMENT, "rule", "expected 0..2, got %d", (int)o->rule);
    if (o->spatial_merge_size < 1 || o->spatial_merge_size > INT64_C(1) << 20)
        return posenc_fail(error, POSENC_ERROR_ARGUMENT, "spatial_merge_size", "expected 1..2^20, got %lld",
                           (long long)o->spatial_merge_size);
    if (!(o->tokens_per_second >= 0) || isinf(o->tokens_per_second))
        return posenc_fail(error, POSENC_ERROR_ARGUMENT, "tokens_per_second",
                           "expected a finite number of 0 or more, got %g", o->tokens_per_second);
    if (o->image_token_id >= 0 && o->image_token_id == o->video_token_id)
        return posenc_fail(error, POSENC_ERROR_ARGUMENT, "video_token_id",
                           "expected another id than image_token_id, got %lld", (long long)o->video_token_id);
    return POSENC_OK;
}

posenc_status posenc_position_ids_options_read(const posenc_position_ids_options *given,
                                               posenc_position_ids_options *all, posenc_error *error) {
    posenc_position_ids_default(all, sizeof *all);
    posenc_status status = posenc_options_read(given, all, sizeof *all, "options.size", error);
    return status == POSENC_OK ? check_options(all, error) : status;
}

/* ---- one grid ---- */

static posenc_status check_extents(const posenc_position_ids_options *o, posenc_segment_kind kind, const int64_t thw[3],
                                   const char *name, posenc_error *error) {
    static const char axes[] = "thw";
    for (int i = 0; i < 3; i++) {
        char member[80];
        snprintf(member, sizeof member, "%s.%c", name, axes[i]);
        if (thw[i] < 1)
            return posenc_fail(error, POSENC_ERROR_ARGUMENT, member, "expected 1 or more, got %lld", (long long)thw[i]);
        if (i > 0 && thw[i] % o->spatial_merge_size != 0)
            return posenc_fail(error, POSENC_ERROR_ARGUMENT, member,
                               "expected a multiple of spatial_merge_size %lld, got %lld",
                               (long long)o->spatial_merge_size, (long long)thw[i]);
        if (i == 0 && kind == POSENC_SEGMENT_VIDEO && o->rule == POSENC_VISION_QWEN3_VL && thw[i] != 1)
            return posenc_fail(error, POSENC_ERROR_ARGUMENT, member,
                               "expected 1, since frames of Qwen3-VL are segments with their timestamps between, "
                               "got %lld",
                               (long long)thw[i]);
    }
    return POSENC_OK;
}

static posenc_status check_seconds(double seconds, const char *name, posenc_error *error) {
    char member[80];
    if (seconds > 0 && !isinf(seconds)) return POSENC_OK;
    snprintf(member, sizeof member, "%s.seconds_per_grid", name);
    return posenc_fail(error, POSENC_ERROR_ARGUMENT, member, "expected a finite number above 0, got %g", seconds);
}

/* The time of the last frame is the largest. It is kept to what int64 holds. */
static posenc_status check_times(const posenc_vision_grid *grid, const char *name, posenc_error *error) {
    double last = (double)grid->t * (double)grid->seconds * (double)grid->per_second;
    if (!grid->timed || last < 0x1p62) return POSENC_OK;
    return posenc_fail(error, POSENC_ERROR_POSITION, name, "expected times below 2^62, got %g", last);
}

posenc_status posenc_vision_grid_make(const posenc_position_ids_options *options, posenc_segment_kind kind,
                                      const int64_t thw[3], double seconds, const char *name, posenc_vision_grid *out,
                                      posenc_error *error) {
    posenc_vision_grid grid = {.timed = kind == POSENC_SEGMENT_VIDEO && options->rule == POSENC_VISION_QWEN2_5_VL};
    posenc_status status = check_extents(options, kind, thw, name, error);
    if (status == POSENC_OK && grid.timed) status = check_seconds(seconds, name, error);
    if (status != POSENC_OK) return status;
    grid.t = thw[0];
    grid.h = thw[1] / options->spatial_merge_size;
    grid.w = thw[2] / options->spatial_merge_size;
    if (!posenc_i64_multiply(grid.t, grid.h, &grid.tokens) || !posenc_i64_multiply(grid.tokens, grid.w, &grid.tokens))
        return posenc_fail(error, POSENC_ERROR_ARGUMENT, name, "expected a number of tokens below 2^63, got more");
    if (grid.timed) grid.seconds = (float)seconds, grid.per_second = (float)options->tokens_per_second;
    status = check_times(&grid, name, error);
    if (status == POSENC_OK) *out = grid;
    return status;
}

/* In float32 and in this order, as published. volatile keeps each product a float where the machine has wider ones. */
int64_t posenc_vision_time(const posenc_vision_grid *grid, int64_t frame) {
    if (!grid->timed) return frame;
    volatile float seconds = (float)frame * grid->seconds;
    volatile float time = seconds * grid->per_second;
    return (int64_t)time;
}

bool posenc_vision_advance(const posenc_vision_grid *grid, int64_t *next) {
    int64_t last = posenc_vision_time(grid, grid->t - 1), end;
    if (grid->h - 1 > last) last = grid->h - 1;
    if (grid->w - 1 > last) last = grid->w - 1;
    if (last == INT64_MAX || !posenc_i64_add(*next, last + 1, &end)) return false;
    *next = end;
    return true;
}

/* ---- outputs ---- */

void posenc_position_ids_put(char *at, int64_t axis_bytes, int64_t t, int64_t h, int64_t w) {
    memcpy(at, &t, sizeof t);
    memcpy(at + axis_bytes, &h, sizeof h);
    memcpy(at + 2 * axis_bytes, &w, sizeof w);
}

posenc_status posenc_position_ids_check_output(const DLTensor *out, const char *name, posenc_error *error) {
    posenc_dtype dtype;
    posenc_status status = posenc_tensor_check(out, name, &dtype, error);
    if (status != POSENC_OK) return status;
    if (dtype != POSENC_I64)
        return posenc_fail(error, POSENC_ERROR_DTYPE, name, "expected i64, got %s", posenc_dtype_name(dtype));
    if (!posenc_tensor_folds(out)) return POSENC_OK;
    return posenc_fail(error, POSENC_ERROR_OVERLAP, name,
                       "expected strides that keep elements apart, got some that meet");
}

/* ---- a list of segments ---- */

typedef struct sequence {
    posenc_position_ids_options options;
    const posenc_segment *segments;
    size_t n;
    char *at; /* of the next token */
    int64_t token_bytes, axis_bytes;
    int64_t tokens, next; /* so far */
} sequence;

static posenc_status check_kind(const posenc_segment *s, const char *name, posenc_error *error) {
    char member[80];
    if ((unsigned)s->kind > POSENC_SEGMENT_VIDEO) {
        snprintf(member, sizeof member, "%s.kind", name);
        return posenc_fail(error, POSENC_ERROR_ARGUMENT, member, "expected 0..2, got %d", (int)s->kind);
    }
    if (s->kind != POSENC_SEGMENT_TEXT || s->tokens >= 0) return POSENC_OK;
    snprintf(member, sizeof member, "%s.tokens", name);
    return posenc_fail(error, POSENC_ERROR_ARGUMENT, member, "expected 0 or more, got %lld", (long long)s->tokens);
}

/* Checks segment i and counts it, its ids too. Text leaves the grid as it is. */
static posenc_status count_segment(sequence *q, size_t i, posenc_vision_grid *grid, posenc_error *error) {
    const posenc_segment *s = &q->segments[i];
    char name[48];
    snprintf(name, sizeof name, "segments[%zu]", i);
    bool text = s->kind == POSENC_SEGMENT_TEXT;
    posenc_status status = check_kind(s, name, error);
    if (status == POSENC_OK && !text)
        status = posenc_vision_grid_make(&q->options, s->kind, (int64_t[]){s->t, s->h, s->w}, s->seconds_per_grid, name,
                                         grid, error);
    if (status != POSENC_OK) return status;
    if (!posenc_i64_add(q->tokens, text ? s->tokens : grid->tokens, &q->tokens))
        return posenc_fail(error, POSENC_ERROR_ARGUMENT, name, "expected fewer than 2^63 tokens in all, got more");
    if (text ? posenc_i64_add(q->next, s->tokens, &q->next) : posenc_vision_advance(grid, &q->next)) return POSENC_OK;
    return posenc_fail(error, POSENC_ERROR_POSITION, name, "expected ids below 2^63, got larger ones");
}

static posenc_status count_segments(sequence *q, posenc_error *error) {
    if (q->n > 0 && !q->segments)
        return posenc_fail(error, POSENC_ERROR_ARGUMENT, "segments", "expected %zu segments, got NULL", q->n);
    for (size_t i = 0; i < q->n; i++) {
        posenc_vision_grid grid;
        posenc_status status = count_segment(q, i, &grid, error);
        if (status != POSENC_OK) return status;
    }
    return POSENC_OK;
}

static void put(sequence *q, int64_t t, int64_t h, int64_t w) {
    posenc_position_ids_put(q->at, q->axis_bytes, t, h, w);
    q->at += q->token_bytes;
}

static void put_grid(sequence *q, const posenc_vision_grid *grid) {
    for (int64_t i = 0; i < grid->t; i++) {
        int64_t time = q->next + posenc_vision_time(grid, i);
        for (int64_t y = 0; y < grid->h; y++)
            for (int64_t x = 0; x < grid->w; x++) put(q, time, q->next + y, q->next + x);
    }
    posenc_vision_advance(grid, &q->next);
}

/* The segments are known to be good, so nothing here fails. */
static void put_segments(sequence *q) {
    for (size_t i = 0; i < q->n; i++) {
        const posenc_segment *s = &q->segments[i];
        posenc_vision_grid grid;
        if (s->kind == POSENC_SEGMENT_TEXT) {
            for (int64_t k = 0; k < s->tokens; k++, q->next++) put(q, q->next, q->next, q->next);
            continue;
        }
        posenc_vision_grid_make(&q->options, s->kind, (int64_t[]){s->t, s->h, s->w}, s->seconds_per_grid, "", &grid,
                                NULL);
        put_grid(q, &grid);
    }
}

static posenc_status open_ids(sequence *q, const DLTensor *ids, posenc_error *error) {
    posenc_status status = posenc_position_ids_check_output(ids, "ids", error);
    if (status != POSENC_OK) return status;
    if (ids->ndim != 2 || ids->shape[0] != q->tokens || ids->shape[1] != 3) {
        char shape[96];
        posenc_shape_text(ids->ndim, ids->shape, shape);
        return posenc_fail(error, POSENC_ERROR_SHAPE, "ids", "expected (%lld, 3), as the segments have tokens, got %s",
                           (long long)q->tokens, shape);
    }
    q->at = posenc_tensor_data(ids);
    q->token_bytes = posenc_tensor_step(ids, 0);
    q->axis_bytes = posenc_tensor_step(ids, 1);
    return POSENC_OK;
}

static posenc_status open_sequence(sequence *q, const posenc_position_ids_options *options,
                                   const posenc_segment *segments, size_t n_segments, posenc_error *error) {
    *q = (sequence){.segments = segments, .n = n_segments};
    posenc_status status = posenc_position_ids_options_read(options, &q->options, error);
    return status == POSENC_OK ? count_segments(q, error) : status;
}

posenc_status posenc_position_ids_count(const posenc_position_ids_options *options, const posenc_segment *segments,
                                        size_t n_segments, int64_t *tokens, posenc_error *error) {
    sequence q;
    if (!tokens) return posenc_fail(error, POSENC_ERROR_ARGUMENT, "tokens", "expected a place for a number, got NULL");
    posenc_fpenv saved = posenc_fpenv_enter();
    posenc_status status = open_sequence(&q, options, segments, n_segments, error);
    posenc_fpenv_leave(saved);
    if (status == POSENC_OK) *tokens = q.tokens;
    return status;
}

posenc_status posenc_position_ids_of_segments(const posenc_position_ids_options *options,
                                              const posenc_segment *segments, size_t n_segments, DLTensor *ids,
                                              int64_t *delta, posenc_error *error) {
    sequence q;
    posenc_fpenv saved = posenc_fpenv_enter();
    posenc_status status = open_sequence(&q, options, segments, n_segments, error);
    if (status == POSENC_OK) status = open_ids(&q, ids, error);
    if (status == POSENC_OK) {
        int64_t end = q.next;
        q.next = 0;
        put_segments(&q);
        if (delta) *delta = end - q.tokens;
    }
    posenc_fpenv_leave(saved);
    return status;
}
