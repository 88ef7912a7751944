/* An encoder's calls, x + stored table: forward and backward, with and without dropout, beside memcpy of the same
 * bytes; and the same with per-row offsets or packed sequences beside the plain call. */
#include <stdio.h>
#include <stdlib.h>

#include "floors.h"
#include "pages.h"
#include "random_bits.h"
#include "works.h"

typedef struct {
    const posenc_encoder *encoder;
    const posenc_positions *positions;
    posenc_step step;
    DLTensor *x, *y;
    posenc_status status;
} call;

static void run_forward(void *state) {
    call *c = state;
    c->status = posenc_encoder_forward(c->encoder, c->positions, &c->step, c->x, c->y, NULL);
}

static void run_backward(void *state) {
    call *c = state;
    c->status = posenc_encoder_backward(c->encoder, &c->step, c->x, c->y, NULL);
}

static posenc_encoder *encoder_of(const posenc_context *context, int64_t dim, int64_t max_len, bool drops,
                                  posenc_bench_result *result) {
    char dim_text[24], length_text[24];
    snprintf(dim_text, sizeof dim_text, "%lld", (long long)dim);
    snprintf(length_text, sizeof length_text, "%lld", (long long)max_len);
    const posenc_parameter parameters[] = {{"dim", dim_text}, {"max-len", length_text}};
    posenc_encoder_options options;
    posenc_encoder *encoder = NULL;
    posenc_error error;
    posenc_encoder_default(&options, sizeof options);
    if (drops) options.dropout = 0.1;
    if (posenc_encoder_create(context, "sinusoidal", parameters, 2, &options, &encoder, &error) == POSENC_OK)
        return encoder;
    posenc_bench_skip(result, error.message);
    return NULL;
}

/* What both runners have: an encoder, and two tensors of the work's shape. */
typedef struct {
    posenc_encoder *encoder;
    void *x, *y;
    size_t bytes;
    posenc_view view_x, view_y;
    call plain;
} scene;

static bool scene_make(scene *s, posenc_bench_session *session, const posenc_bench_work *work, const int64_t *shape,
                       int64_t max_len, posenc_bench_result *result) {
    bool drops = work->flags & POSENC_BENCH_DROPOUT;
    s->bytes = posenc_bench_work_bytes(work, shape);
    s->encoder = encoder_of(session->context, shape[2], max_len, drops, result);
    s->x = s->encoder ? posenc_bench_buffer(s->bytes, result) : NULL;
    s->y = s->x ? posenc_bench_buffer(s->bytes, result) : NULL;
    if (!s->y) return false;
    posenc_bench_ordinary(s->x, work->dtype, s->bytes / posenc_dtype_bytes(work->dtype));
    void *out = work->flags & POSENC_BENCH_IN_PLACE ? s->x : s->y;
    s->plain = (call){.encoder = s->encoder,
                      .x = posenc_view_make(&s->view_x, s->x, work->dtype, 3, shape, NULL),
                      .y = posenc_view_make(&s->view_y, out, work->dtype, 3, shape, NULL)};
    posenc_step_default(&s->plain.step, sizeof s->plain.step);
    s->plain.step.training = drops;
    s->plain.step.seed = 1;
    return true;
}

static void scene_end(scene *s) {
    posenc_bench_unmap(s->y, s->bytes);
    posenc_bench_unmap(s->x, s->bytes);
    posenc_encoder_destroy(s->encoder);
}

/* The floor copies from x to y also where the work is in place, so that both move the same bytes. */
void posenc_bench_encode(posenc_bench_session *session, const posenc_bench_work *work, const int64_t *shape,
                         posenc_bench_result *result) {
    scene s = {0};
    if (scene_make(&s, session, work, shape, shape[1], result)) {
        posenc_bench_samples samples;
        posenc_bench_bytes floor = {s.y, s.x, s.bytes, session->options->threads};
        posenc_bench_contender contenders[] = {
            {work->flags & POSENC_BENCH_BACKWARD ? run_backward : run_forward, &s.plain, 0, 0},
            {posenc_bench_memcpy, &floor, 0, 0},
            {posenc_bench_stream_copy, &floor, 0, 0}};
        result->floor = "memcpy";
        result->beside = posenc_bench_streams() ? "streaming copy" : NULL;
        posenc_bench_file(session->effort, contenders, result->beside ? 3 : 2, result, &samples);
        if (s.plain.status != POSENC_OK) posenc_bench_skip(result, posenc_status_name(s.plain.status));
    }
    scene_end(&s);
}

/* Lengths between 1 and 2047 that fill n tokens; returns how many entries lengths has. */
static int64_t fill_lengths(int64_t n, int64_t *lengths) {
    uint64_t state = 5;
    int64_t count = 1;
    lengths[0] = 0;
    while (lengths[count - 1] < n) {
        int64_t next = lengths[count - 1] + 1 + (int64_t)(posenc_bench_random(&state) % 2047);
        lengths[count++] = next < n ? next : n;
    }
    return count;
}

static void measure_beside_plain(posenc_bench_session *session, scene *s, call *ours, posenc_bench_result *result) {
    posenc_bench_samples samples;
    posenc_bench_contender contenders[] = {{run_forward, ours, 0, 0}, {run_forward, &s->plain, 0, 0}};
    result->floor = "plain call";
    posenc_bench_file(session->effort, contenders, 2, result, &samples);
    if (ours->status != POSENC_OK) posenc_bench_skip(result, posenc_status_name(ours->status));
}

/* Each row from an offset of its own, or rows that follow each other as packed sequences. The table holds all of them.
 */
void posenc_bench_encode_rows(posenc_bench_session *session, const posenc_bench_work *work, const int64_t *shape,
                              posenc_bench_result *result) {
    scene s = {0};
    int64_t tokens = shape[0] * shape[1], *numbers = malloc((size_t)(tokens + 1) * sizeof *numbers);
    if (!numbers) {
        posenc_bench_skip(result, "out of memory");
        return;
    }
    if (scene_make(&s, session, work, shape, 2 * shape[1], result)) {
        posenc_view view, one_x, one_y;
        posenc_positions positions;
        call ours = s.plain;
        posenc_positions_default(&positions, sizeof positions);
        ours.positions = &positions;
        if (work->flags & POSENC_BENCH_PACKED) {
            int64_t n = fill_lengths(tokens, numbers), one[3] = {1, tokens, shape[2]};
            positions.cu_seqlens = posenc_view_make(&view, numbers, POSENC_I64, 1, &n, NULL);
            ours.x = posenc_view_make(&one_x, s.x, work->dtype, 3, one, NULL);
            ours.y = posenc_view_make(&one_y, s.y, work->dtype, 3, one, NULL);
        } else {
            for (int64_t b = 0; b < shape[0]; b++) numbers[b] = b * 331 % shape[1];
            positions.offsets = posenc_view_make(&view, numbers, POSENC_I64, 1, shape, NULL);
        }
        measure_beside_plain(session, &s, &ours, result);
    }
    scene_end(&s);
    free(numbers);
}
