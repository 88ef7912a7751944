/* A table from nothing: plan made, rows written, plan destroyed, all within the time. Once into memory that was touched
 * before, beside the naive loop; once with all memory fresh from the system, beside a memset of fresh memory. */
#include <stdio.h>

#include "baselines.h"
#include "floors.h"
#include "pages.h"
#include "works.h"

typedef struct {
    const posenc_context *context;
    int64_t length, dim;
    float *out;
    size_t bytes;
    posenc_status status;
} cold;

static void make_table(void *state) {
    cold *c = state;
    posenc_plan *plan = NULL;
    posenc_sinusoidal_options options;
    posenc_sinusoidal_default(&options, sizeof options);
    options.dim = c->dim;
    options.max_len = c->length;
    c->status = posenc_sinusoidal_create_with(c->context, &options, &plan, NULL);
    if (c->status == POSENC_OK) c->status = posenc_plan_write_f32(plan, 0, c->length, c->out);
    posenc_plan_destroy(plan);
}

static void set_up_only(void *state) {
    cold *c = state;
    posenc_plan *plan = NULL;
    posenc_sinusoidal_options options;
    posenc_sinusoidal_default(&options, sizeof options);
    options.dim = c->dim;
    options.max_len = c->length;
    c->status = posenc_sinusoidal_create_with(c->context, &options, &plan, NULL);
    posenc_plan_destroy(plan);
}

void posenc_bench_cold(posenc_bench_session *session, const posenc_bench_work *work, const int64_t *shape,
                       posenc_bench_result *result) {
    cold ours = {session->context, shape[0], shape[1], NULL, 0, POSENC_OK};
    ours.bytes = posenc_bench_work_bytes(work, shape);
    ours.out = posenc_bench_buffer(ours.bytes, result);
    if (!ours.out) return;
    posenc_bench_rows naive = {0, 1, ours.length, ours.dim, ours.out, NULL};
    posenc_bench_bytes floor = {ours.out, NULL, ours.bytes, 1};
    posenc_bench_contender contenders[] = {{make_table, &ours, 0, 0},
                                           {posenc_bench_naive, &naive, 0, 0},
                                           {posenc_bench_memset, &floor, 0, 0},
                                           {set_up_only, &ours, 0, 0}};
    posenc_bench_samples samples;
    result->floor = "naive loop";
    posenc_bench_file(session->effort, contenders, 4, result, &samples);
    result->beside = NULL; /* memset and the set-up are told in the note */
    snprintf(result->note, sizeof result->note, "set-up %.1f us of it; memset of the table %.1f us",
             1e6 * posenc_bench_spread_of(&samples, 3).median, 1e6 * posenc_bench_spread_of(&samples, 2).median);
    make_table(&ours);
    if (ours.status != POSENC_OK) posenc_bench_skip(result, posenc_status_name(ours.status));
    posenc_bench_file_error(session, shape, ours.out, work->dtype, 1, result);
    posenc_bench_unmap(ours.out, ours.bytes);
}

/* ---- Everything fresh ----------------------------------------------------------------------------------------------
 */

static void *allocate_fresh(void *user, size_t bytes, size_t alignment) {
    (void)user, (void)alignment; /* a page is aligned for everything */
    return posenc_bench_fresh(bytes);
}

static void release_fresh(void *user, void *pointer, size_t bytes) {
    (void)user;
    posenc_bench_unmap(pointer, bytes);
}

static posenc_context *fresh_context(const char *isa) {
    posenc_context *context = NULL;
    posenc_context_options options;
    posenc_context_default(&options, sizeof options);
    options.isa = isa;
    options.allocate = allocate_fresh;
    options.release = release_fresh;
    return posenc_context_create(&options, &context, NULL) == POSENC_OK ? context : NULL;
}

static void take_fresh(void *state) {
    cold *c = state;
    c->out = posenc_bench_fresh(c->bytes);
    if (!c->out) c->status = POSENC_ERROR_MEMORY;
}

static void give_back(void *state) {
    cold *c = state;
    posenc_bench_unmap(c->out, c->bytes);
}

static void make_fresh(void *state) {
    if (((cold *)state)->out) make_table(state);
}

static void set_fresh(void *state) {
    cold *c = state;
    posenc_bench_bytes all = {c->out, NULL, c->bytes, 1};
    if (c->out) posenc_bench_memset(&all);
}

void posenc_bench_cold_fresh(posenc_bench_session *session, const posenc_bench_work *work, const int64_t *shape,
                             posenc_bench_result *result) {
    posenc_context *context = fresh_context(session->isa);
    cold ours = {context, shape[0], shape[1], NULL, 0, POSENC_OK};
    ours.bytes = posenc_bench_work_bytes(work, shape);
    posenc_bench_contender contenders[] = {{make_fresh, &ours, take_fresh, give_back},
                                           {set_fresh, &ours, take_fresh, give_back}};
    posenc_bench_samples samples;
    result->floor = "fresh memset";
    result->threads = 1;
    if (context) posenc_bench_file(session->effort, contenders, 2, result, &samples);
    snprintf(result->note, sizeof result->note, "memset of the fresh table, page faults included, %.0f us",
             1e6 * result->floor_seconds.median);
    if (!context || ours.status != POSENC_OK) posenc_bench_skip(result, "out of memory");
    posenc_context_destroy(context);
}
