/* Queries and keys rotated in one call, beside memcpy of both; and the usual way to do it: float32, the angle
 * multiplied up pair by pair. Both are held against long double at the last positions, where float32 is worst. */
#include "rotary.h"

#include <math.h>
#include <string.h>

#include "floors.h"
#include "pages.h"
#include "random_bits.h"
#include "works.h"

static const double BASE = 10000;

/* The shape of q, and of k: (tokens, heads, dim). One token is (heads, dim). */
typedef struct {
    int64_t tokens, heads, dim;
} sizes;

static sizes sizes_of(const posenc_bench_work *work, const int64_t *shape) {
    if (work->rank == 2) return (sizes){1, shape[0], shape[1]};
    return (sizes){shape[0], shape[1], shape[2]};
}

/* ---- the call ---- */

typedef struct {
    const posenc_plan *plan;
    posenc_rotary_direction direction;
    posenc_positions positions;
    DLTensor *q, *k, *q_out, *k_out;
    posenc_status status;
} call;

static void rotate(void *state) {
    call *c = state;
    c->status = posenc_rotary_apply(c->plan, c->direction, &c->positions, NULL, c->q, c->k, c->q_out, c->k_out, NULL);
}

static posenc_plan *plan_of(const posenc_context *context, const posenc_bench_work *work, const sizes *s,
                            posenc_bench_result *result) {
    const int64_t sections[3] = {s->dim / 2 - 2 * (s->dim / 6), s->dim / 6, s->dim / 6};
    posenc_plan *plan = NULL;
    posenc_error error;
    posenc_rotary_options o;
    posenc_rotary_default(&o, sizeof o);
    o.head_dim = s->dim;
    o.max_len = s->tokens > 1 ? s->tokens : 131072;
    o.dim = work->flags & POSENC_BENCH_PARTIAL ? s->dim / 2 : 0;
    o.pairing = work->flags & POSENC_BENCH_INTERLEAVED ? POSENC_PAIRING_INTERLEAVED : POSENC_PAIRING_HALVES;
    if (work->flags & POSENC_BENCH_SECTIONED) o.axes = POSENC_AXES_SECTIONED, o.sections = sections, o.n_sections = 3;
    if (posenc_rotary_create(context, &o, &plan, &error) == POSENC_OK) return plan;
    posenc_bench_skip(result, error.message);
    return NULL;
}

/* Four views over two buffers: q and then k in x, their outputs in y. */
typedef struct {
    posenc_view view[4];
} views;

static call call_of(const posenc_plan *plan, const posenc_bench_work *work, const sizes *s, void *x, void *y,
                    views *v) {
    const int64_t shape[4] = {1, s->tokens, s->heads, s->dim};
    size_t half = (size_t)(s->tokens * s->heads * s->dim) * posenc_dtype_bytes(work->dtype);
    char *in = x, *out = work->flags & POSENC_BENCH_IN_PLACE ? x : y;
    call c = {.plan = plan,
              .direction = work->flags & POSENC_BENCH_BACKWARD ? POSENC_ROTARY_BACKWARD : POSENC_ROTARY_FORWARD};
    posenc_positions_default(&c.positions, sizeof c.positions);
    c.q = posenc_view_make(&v->view[0], in, work->dtype, 4, shape, NULL);
    c.k = posenc_view_make(&v->view[1], in + half, work->dtype, 4, shape, NULL);
    c.q_out = posenc_view_make(&v->view[2], out, work->dtype, 4, shape, NULL);
    c.k_out = posenc_view_make(&v->view[3], out + half, work->dtype, 4, shape, NULL);
    return c;
}

/* ---- accuracy ---- */

/* Largest distance from the exact rotation over the first head of the last tokens, forward, halves, f32. */
static double worst_error(const sizes *s, const float *x, const float *y) {
    int64_t n = s->dim / 2;
    double worst = 0;
    for (int64_t t = s->tokens > 64 ? s->tokens - 64 : 0; t < s->tokens; t++)
        for (int64_t i = 0; i < n; i++) {
            const float *from = x + t * s->heads * s->dim, *to = y + t * s->heads * s->dim;
            long double angle = (long double)t * powl((long double)BASE, -2.0L * i / s->dim);
            long double a = (long double)from[i], b = (long double)from[n + i];
            double first = (double)fabsl((long double)to[i] - (a * cosl(angle) - b * sinl(angle)));
            double second = (double)fabsl((long double)to[n + i] - (b * cosl(angle) + a * sinl(angle)));
            worst = fmax(worst, fmax(first, second));
        }
    return worst;
}

static bool has_reference(const posenc_bench_work *work) {
    return work->dtype == POSENC_F32 && work->rank == 3 && work->flags == 0;
}

/* ---- runners ---- */

static void measure(posenc_bench_session *session, const posenc_bench_work *work, const sizes *s,
                    const posenc_plan *plan, void *x, void *y, size_t bytes, posenc_bench_result *result) {
    views v;
    posenc_bench_samples samples;
    call ours = call_of(plan, work, s, x, y, &v);
    posenc_bench_bytes floor = {y, x, bytes, session->options->threads};
    posenc_bench_contender contenders[] = {
        {rotate, &ours, 0, 0}, {posenc_bench_memcpy, &floor, 0, 0}, {posenc_bench_stream_copy, &floor, 0, 0}};
    result->floor = "memcpy";
    result->beside = posenc_bench_streams() && work->rank == 3 ? "streaming copy" : NULL;
    posenc_bench_file(session->effort, contenders, result->beside ? 3 : 2, result, &samples);
    if (has_reference(work)) {
        rotate(&ours);
        result->max_error = worst_error(s, x, y);
    }
    if (ours.status != POSENC_OK) posenc_bench_skip(result, posenc_status_name(ours.status));
}

void posenc_bench_rotary(posenc_bench_session *session, const posenc_bench_work *work, const int64_t *shape,
                         posenc_bench_result *result) {
    sizes s = sizes_of(work, shape);
    size_t bytes = 2 * posenc_bench_work_bytes(work, shape);
    posenc_plan *plan = plan_of(session->context, work, &s, result);
    void *x = plan ? posenc_bench_buffer(bytes, result) : NULL;
    void *y = x ? posenc_bench_buffer(bytes, result) : NULL;
    result->scheme = "rotary";
    if (y) {
        posenc_bench_ordinary(x, work->dtype, bytes / posenc_dtype_bytes(work->dtype));
        measure(session, work, &s, plan, x, y, bytes, result);
    }
    posenc_bench_unmap(y, bytes);
    posenc_bench_unmap(x, bytes);
    posenc_plan_destroy(plan);
}

/* Two threads beside one. */
void posenc_bench_rotary_two_threads(posenc_bench_session *session, const posenc_bench_work *work, const int64_t *shape,
                                     posenc_bench_result *result) {
    sizes s = sizes_of(work, shape);
    size_t bytes = 2 * posenc_bench_work_bytes(work, shape);
    posenc_context *context[2] = {posenc_bench_context(session->isa, 1), posenc_bench_context(session->isa, 2)};
    posenc_plan *plan[2] = {plan_of(context[0], work, &s, result), plan_of(context[1], work, &s, result)};
    void *x = plan[0] && plan[1] ? posenc_bench_buffer(bytes, result) : NULL;
    void *y = x ? posenc_bench_buffer(bytes, result) : NULL;
    result->scheme = "rotary";
    if (y) {
        views v[2];
        posenc_bench_ordinary(x, work->dtype, bytes / posenc_dtype_bytes(work->dtype));
        call one = call_of(plan[0], work, &s, x, y, &v[0]), two = call_of(plan[1], work, &s, x, y, &v[1]);
        posenc_bench_file_two_threads(session, (posenc_bench_contender){rotate, &one, 0, 0},
                                      (posenc_bench_contender){rotate, &two, 0, 0}, y, bytes, result);
    }
    posenc_bench_unmap(y, bytes);
    posenc_bench_unmap(x, bytes);
    for (int i = 0; i < 2; i++) posenc_plan_destroy(plan[i]), posenc_context_destroy(context[i]);
}

/* The usual way, one thread. */
void posenc_bench_rotary_usual(posenc_bench_session *session, const posenc_bench_work *work, const int64_t *shape,
                               posenc_bench_result *result) {
    sizes s = sizes_of(work, shape);
    size_t bytes = 2 * posenc_bench_work_bytes(work, shape);
    float *x = posenc_bench_buffer(bytes, result), *y = x ? posenc_bench_buffer(bytes, result) : NULL;
    result->scheme = "rotary";
    if (y) {
        posenc_bench_samples samples;
        posenc_bench_heads heads = {s.tokens, s.heads, s.dim, x, y};
        posenc_bench_bytes floor = {y, x, bytes, 1};
        posenc_bench_contender contenders[] = {{work->baseline, &heads, 0, 0}, {posenc_bench_memcpy, &floor, 0, 0}};
        posenc_bench_ordinary(x, POSENC_F32, bytes / sizeof *x);
        result->floor = "memcpy";
        result->threads = 1;
        posenc_bench_file(session->effort, contenders, 2, result, &samples);
        work->baseline(&heads);
        result->max_error = worst_error(&s, x, y);
    }
    posenc_bench_unmap(y, bytes);
    posenc_bench_unmap(x, bytes);
}

/* One tensor: a row of cosines and sines for a token, in float32, then all of its heads. */
static void rotate_usually(const posenc_bench_heads *h, const float *x, float *y) {
    const float step = powf((float)BASE, -2.0f / (float)h->dim);
    float cosines[POSENC_BENCH_MOST_PAIRS], sines[POSENC_BENCH_MOST_PAIRS];
    int64_t n = h->dim / 2;
    for (int64_t t = 0; t < h->tokens; t++) {
        float theta = (float)t;
        for (int64_t i = 0; i < n; i++, theta *= step) cosines[i] = cosf(theta), sines[i] = sinf(theta);
        for (int64_t k = 0; k < h->heads; k++, x += h->dim, y += h->dim)
            for (int64_t i = 0; i < n; i++) {
                float a = x[i], b = x[n + i];
                y[i] = a * cosines[i] - b * sines[i];
                y[n + i] = a * sines[i] + b * cosines[i];
            }
    }
}

void posenc_bench_rotary_float32(void *heads) {
    const posenc_bench_heads *h = heads;
    size_t half = (size_t)(h->tokens * h->heads * h->dim);
    rotate_usually(h, h->x, h->y);
    rotate_usually(h, h->x + half, h->y + half);
}
