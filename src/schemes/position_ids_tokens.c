/* Position ids of text, images and video, from token ids: each image or video token that is not yet spoken for begins
 * the next grid. The batch is walked twice, first to check all of it, then to write, so that a refusal writes nothing.
 */
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/fpenv.h"
#include "base/options.h"
#include "schemes/position_ids_batch.h"

void posenc_vision_tokens_default(posenc_vision_tokens *tokens, size_t size) {
    posenc_vision_tokens all = {.size = size};
    posenc_options_write(tokens, size, &all, sizeof all);
}

/* One row on its way. */
typedef struct row {
    posenc_batch *b;
    int64_t index, at;      /* the next token */
    int64_t next, previous; /* id, and token id of the last real token */
} row;

static void put(const row *r, int64_t at, int64_t t, int64_t h, int64_t w) {
    const posenc_batch *b = r->b;
    if (b->writes)
        posenc_position_ids_put(b->ids + r->index * b->row_bytes + at * b->token_bytes, b->axis_bytes, t, h, w);
}

/* Moves on to a real token, and gives padding its ids. False at the end of the row. */
static bool find_real(row *r) {
    const posenc_batch *b = r->b;
    int64_t nothing = b->options.padding_id;
    for (; r->at < b->input_ids.columns; r->at++) {
        if (!b->mask.data || posenc_plane_integer(&b->mask, r->index, r->at) != 0) return true;
        put(r, r->at, nothing, nothing, nothing);
    }
    return false;
}

/* The next grid of a kind. Frames of Qwen3-VL are taken one at a time. */
static posenc_status take_grid(row *r, posenc_grid_supply *s, posenc_vision_grid *grid, posenc_error *error) {
    posenc_batch *b = r->b;
    char name[64];
    if (s->row >= s->grids.rows)
        return posenc_fail(error, POSENC_ERROR_ARGUMENT, s->name,
                           "expected a grid for the %s token at (%lld, %lld), got %lld grids, all used before it",
                           s->word, (long long)r->index, (long long)r->at, (long long)s->grids.rows);
    int64_t thw[3];
    for (int i = 0; i < 3; i++) thw[i] = posenc_plane_integer(&s->grids, s->row, i);
    snprintf(name, sizeof name, "%s[%lld]", s->name, (long long)s->row);
    double seconds = b->seconds.data && s->kind == POSENC_SEGMENT_VIDEO ? posenc_plane_real(&b->seconds, s->row) : 1;
    int64_t frames = 1;
    if (s->kind == POSENC_SEGMENT_VIDEO && b->options.rule == POSENC_VISION_QWEN3_VL && thw[0] > 0)
        frames = thw[0], thw[0] = 1;
    posenc_status status = posenc_vision_grid_make(&b->options, s->kind, thw, seconds, name, grid, error);
    if (status == POSENC_OK && ++s->frame >= frames) s->row++, s->frame = 0;
    return status;
}

static posenc_status check_start(const row *r, const posenc_grid_supply *s, posenc_error *error) {
    int64_t start = r->b->options.vision_start_token_id;
    if (start < 0 || r->previous == start) return POSENC_OK;
    return posenc_fail(error, POSENC_ERROR_ARGUMENT, "input_ids",
                       "expected vision_start %lld before the %s token at (%lld, %lld), got %lld", (long long)start,
                       s->word, (long long)r->index, (long long)r->at, (long long)r->previous);
}

/* One token of a grid: the next real one must be of its kind. */
static posenc_status place(row *r, int64_t id, int64_t done, const posenc_vision_grid *grid, int64_t t, int64_t h,
                           int64_t w, posenc_error *error) {
    if (!find_real(r) || posenc_plane_integer(&r->b->input_ids, r->index, r->at) != id)
        return posenc_fail(error, POSENC_ERROR_ARGUMENT, "input_ids",
                           "expected %lld tokens %lld for a grid of row %lld, got %lld up to token %lld",
                           (long long)grid->tokens, (long long)id, (long long)r->index, (long long)done,
                           (long long)r->at);
    put(r, r->at++, t, h, w);
    return POSENC_OK;
}

static posenc_status place_grid(row *r, int64_t id, const posenc_vision_grid *grid, posenc_error *error) {
    int64_t done = 0, start = r->next;
    if (!posenc_vision_advance(grid, &r->next))
        return posenc_fail(error, POSENC_ERROR_POSITION, "input_ids", "expected ids below 2^63, got larger ones");
    for (int64_t i = 0; i < grid->t; i++) {
        int64_t time = start + posenc_vision_time(grid, i);
        for (int64_t y = 0; y < grid->h; y++)
            for (int64_t x = 0; x < grid->w; x++) {
                posenc_status status = place(r, id, done++, grid, time, start + y, start + x, error);
                if (status != POSENC_OK) return status;
            }
    }
    r->previous = id;
    return POSENC_OK;
}

static posenc_status place_text(row *r, int64_t id, posenc_error *error) {
    if (r->next == INT64_MAX)
        return posenc_fail(error, POSENC_ERROR_POSITION, "input_ids", "expected ids below 2^63, got larger ones");
    put(r, r->at++, r->next, r->next, r->next);
    r->next++;
    r->previous = id;
    return POSENC_OK;
}

static posenc_grid_supply *supply_of(posenc_batch *b, int64_t id) {
    if (id < 0) return NULL;
    return id == b->options.image_token_id ? &b->images : id == b->options.video_token_id ? &b->videos : NULL;
}

static posenc_status walk_row(row *r, posenc_error *error) {
    posenc_batch *b = r->b;
    posenc_status status = POSENC_OK;
    while (status == POSENC_OK && find_real(r)) {
        int64_t id = posenc_plane_integer(&b->input_ids, r->index, r->at);
        posenc_grid_supply *s = supply_of(b, id);
        posenc_vision_grid grid;
        if (s) {
            status = check_start(r, s, error);
            if (status == POSENC_OK) status = take_grid(r, s, &grid, error);
            if (status == POSENC_OK) status = place_grid(r, id, &grid, error);
        } else {
            status = place_text(r, id, error);
        }
    }
    return status;
}

static posenc_status check_all_used(const posenc_grid_supply *s, posenc_error *error) {
    if (s->row >= s->grids.rows) return POSENC_OK;
    return posenc_fail(error, POSENC_ERROR_ARGUMENT, "input_ids",
                       "expected tokens for all %lld grids of %s, got them for %lld, and %lld frames more",
                       (long long)s->grids.rows, s->name, (long long)s->row, (long long)s->frame);
}

static posenc_status walk(posenc_batch *b, posenc_error *error) {
    b->images.row = b->videos.row = b->images.frame = b->videos.frame = 0;
    for (int64_t i = 0; i < b->input_ids.rows; i++) {
        row r = {.b = b, .index = i, .previous = -1};
        posenc_status status = walk_row(&r, error);
        if (status != POSENC_OK) return status;
        int64_t delta = r.next - b->input_ids.columns;
        if (b->writes && b->deltas) memcpy(b->deltas + i * b->delta_bytes, &delta, sizeof delta);
    }
    posenc_status status = check_all_used(&b->images, error);
    return status == POSENC_OK ? check_all_used(&b->videos, error) : status;
}

/* ---- the call ---- */

static posenc_status run(const posenc_position_ids_options *options, const posenc_vision_tokens *tokens, DLTensor *ids,
                         DLTensor *deltas, posenc_error *error) {
    posenc_batch b = {.images = {.name = "image_grid_thw", .word = "image", .kind = POSENC_SEGMENT_IMAGE},
                      .videos = {.name = "video_grid_thw", .word = "video", .kind = POSENC_SEGMENT_VIDEO}};
    posenc_vision_tokens given = {0};
    posenc_status status = posenc_position_ids_options_read(options, &b.options, error);
    if (status != POSENC_OK) return status;
    if (!tokens) return posenc_fail(error, POSENC_ERROR_ARGUMENT, "tokens", "expected what a model gets, got NULL");
    posenc_vision_tokens_default(&given, sizeof given);
    status = posenc_options_read(tokens, &given, sizeof given, "tokens.size", error);
    if (status == POSENC_OK) status = posenc_batch_open(&given, ids, deltas, &b, error);
    if (status == POSENC_OK) status = walk(&b, error);
    b.writes = true;
    return status == POSENC_OK ? walk(&b, error) : status;
}

posenc_status posenc_position_ids_of_tokens(const posenc_position_ids_options *options,
                                            const posenc_vision_tokens *tokens, DLTensor *ids, DLTensor *deltas,
                                            posenc_error *error) {
    posenc_fpenv saved = posenc_fpenv_enter();
    posenc_status status = run(options, tokens, ids, deltas, error);
    posenc_fpenv_leave(saved);
    return status;
}
