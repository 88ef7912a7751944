/* A learned table: gathered and added beside memcpy of the same bytes; its gradient beside reading that of y. */
#include <stdio.h>
#include <stdlib.h>

#include "floors.h"
#include "pages.h"
#include "random_bits.h"
#include "works.h"

typedef struct {
    posenc_encoder *encoder;
    posenc_positions positions;
    DLTensor *x, *y, *gradient;
    posenc_status status;
} call;

static void run_gather(void *state) {
    call *c = state;
    c->status = posenc_encoder_forward(c->encoder, &c->positions, NULL, c->x, c->y, NULL);
}

static void run_scatter(void *state) {
    call *c = state;
    c->status = posenc_encoder_backward_table(c->encoder, &c->positions, NULL, c->x, c->gradient, 0, NULL);
}

typedef struct {
    const char *from;
    size_t bytes;
    uint64_t sum;
} reading;

/* Whole lines, in eight sums so that none waits for another. */
static void read_all(void *state) {
    reading *r = state;
    const uint64_t *words = (const uint64_t *)(const void *)r->from;
    uint64_t sums[8] = {0};
    for (size_t i = 0; i + 8 <= r->bytes / sizeof *words; i += 8)
        for (int k = 0; k < 8; k++) sums[k] += words[i + (size_t)k];
    for (int k = 0; k < 8; k++) r->sum += sums[k];
}

static posenc_encoder *encoder_of(const posenc_context *context, int64_t dim, int64_t rows,
                                  posenc_bench_result *result) {
    char dim_text[24], rows_text[24];
    snprintf(dim_text, sizeof dim_text, "%lld", (long long)dim);
    snprintf(rows_text, sizeof rows_text, "%lld", (long long)rows);
    const posenc_parameter parameters[] = {{"dim", dim_text}, {"max-len", rows_text}};
    posenc_encoder *encoder = NULL;
    posenc_error error;
    if (posenc_encoder_create(context, "learned", parameters, 2, NULL, &encoder, &error) != POSENC_OK)
        posenc_bench_skip(result, error.message);
    return encoder;
}

static void measure(posenc_bench_session *session, const posenc_bench_work *work, call *ours, void *x, void *y,
                    size_t bytes, posenc_bench_result *result) {
    posenc_bench_samples samples;
    bool backward = work->flags & POSENC_BENCH_BACKWARD;
    posenc_bench_bytes copy = {y, x, bytes, session->options->threads};
    reading read = {x, bytes, 0};
    posenc_bench_contender gather[] = {{run_gather, ours, 0, 0}, {posenc_bench_memcpy, &copy, 0, 0}};
    posenc_bench_contender scatter[] = {{run_scatter, ours, 0, 0}, {read_all, &read, 0, 0}};
    result->floor = backward ? "reading" : "memcpy";
    posenc_bench_file(session->effort, backward ? scatter : gather, 2, result, &samples);
    if (ours->status != POSENC_OK) posenc_bench_skip(result, posenc_status_name(ours->status));
    if (read.sum == 1) result->seconds.runs++; /* so that the reading is not left out */
}

void posenc_bench_learned(posenc_bench_session *session, const posenc_bench_work *work, const int64_t *shape,
                          posenc_bench_result *result) {
    size_t bytes = posenc_bench_work_bytes(work, shape), table_bytes = (size_t)(shape[1] * shape[2]) * sizeof(float);
    int64_t tokens = shape[0] * shape[1], *ids = malloc((size_t)tokens * sizeof *ids);
    uint64_t random = 9;
    posenc_view views[4];
    call ours = {.encoder = encoder_of(session->context, shape[2], shape[1], result)};
    void *x = ours.encoder && ids ? posenc_bench_buffer(bytes, result) : NULL;
    void *y = x ? posenc_bench_buffer(bytes, result) : NULL;
    void *gradient = y ? posenc_bench_buffer(table_bytes, result) : NULL;
    if (gradient) {
        posenc_bench_ordinary(x, work->dtype, bytes / posenc_dtype_bytes(work->dtype));
        for (int64_t i = 0; i < tokens; i++) ids[i] = (int64_t)(posenc_bench_random(&random) % (uint64_t)shape[1]);
        posenc_positions_default(&ours.positions, sizeof ours.positions);
        if (work->flags & POSENC_BENCH_RANDOM)
            ours.positions.ids = posenc_view_make(&views[0], ids, POSENC_I64, 2, shape, NULL);
        ours.x = posenc_view_make(&views[1], x, work->dtype, 3, shape, NULL);
        ours.y = posenc_view_make(&views[2], work->flags & POSENC_BENCH_IN_PLACE ? x : y, work->dtype, 3, shape, NULL);
        ours.gradient = posenc_view_make(&views[3], gradient, POSENC_F32, 2, shape + 1, NULL);
        measure(session, work, &ours, x, y, bytes, result);
    } else if (!ids) {
        posenc_bench_skip(result, "out of memory");
    }
    posenc_bench_unmap(gradient, table_bytes);
    posenc_bench_unmap(y, bytes);
    posenc_bench_unmap(x, bytes);
    posenc_encoder_destroy(ours.encoder);
    free(ids);
}
