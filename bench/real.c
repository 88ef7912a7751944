/* A batch of real time steps, as diffusion samplers ask for: posenc_plan_write of a time-step plan, beside the float32
 * way of diffusion code. */
#include <math.h>

#include "baselines.h"
#include "pages.h"
#include "random_bits.h"
#include "works.h"

typedef struct {
    const posenc_plan *plan;
    posenc_positions positions;
    DLTensor *out;
    posenc_status status;
} call;

static void write_steps(void *state) {
    call *c = state;
    c->status = posenc_plan_write(c->plan, &c->positions, c->out, NULL);
}

/* Against the equation in long double, whose angles are off by 1e-16 at most. */
static double worst_error(const posenc_bench_steps *rows) {
    int64_t half = rows->dim / 2;
    double worst = 0;
    for (int64_t i = 0; i < half; i++) {
        long double frequency = powl(10000, -(long double)i / (long double)half);
        for (int64_t r = 0; r < rows->rows; r++) {
            long double angle = (long double)rows->steps[r] * frequency;
            const float *row = rows->out + r * rows->dim;
            worst = fmax(worst, fabs((double)(cosl(angle) - (long double)row[i])));
            worst = fmax(worst, fabs((double)(sinl(angle) - (long double)row[half + i])));
        }
    }
    return worst;
}

static void measure(posenc_bench_session *session, const posenc_plan *plan, const int64_t *shape, double *steps,
                    float *ours, float *theirs, posenc_bench_result *result) {
    posenc_view ids, out;
    posenc_bench_samples samples;
    uint64_t random = 5;
    call c = {.plan = plan, .out = posenc_view_make(&out, ours, POSENC_F32, 2, shape, NULL)};
    posenc_positions_default(&c.positions, sizeof c.positions);
    c.positions.ids = posenc_view_make(&ids, steps, POSENC_F64, 1, shape, NULL);
    for (int64_t r = 0; r < shape[0]; r++) steps[r] = 1000 * (double)(posenc_bench_random(&random) >> 11) * 0x1p-53;
    posenc_bench_steps rows = {steps, shape[0], shape[1], theirs, theirs + shape[0] * shape[1]};
    posenc_bench_contender contenders[] = {{write_steps, &c, 0, 0}, {posenc_bench_float32_steps, &rows, 0, 0}};
    result->floor = "float32 loop";
    posenc_bench_file(session->effort, contenders, 2, result, &samples);
    if (c.status != POSENC_OK) posenc_bench_skip(result, posenc_status_name(c.status));
    rows.out = ours;
    result->max_error = worst_error(&rows);
}

void posenc_bench_real(posenc_bench_session *session, const posenc_bench_work *work, const int64_t *shape,
                       posenc_bench_result *result) {
    size_t bytes = posenc_bench_work_bytes(work, shape), row = (size_t)shape[1] * sizeof(float);
    size_t steps_bytes = (size_t)shape[0] * sizeof(double);
    posenc_timestep_options options;
    posenc_plan *plan = NULL;
    posenc_error error;
    posenc_timestep_default(&options, sizeof options);
    options.dim = shape[1];
    if (posenc_timestep_create_with(session->context, &options, &plan, &error) != POSENC_OK)
        posenc_bench_skip(result, error.message);
    double *steps = plan ? posenc_bench_buffer(steps_bytes, result) : NULL;
    float *ours = steps ? posenc_bench_buffer(bytes, result) : NULL;
    float *theirs = ours ? posenc_bench_buffer(bytes + row, result) : NULL;
    if (theirs) measure(session, plan, shape, steps, ours, theirs, result);
    posenc_bench_unmap(theirs, bytes + row);
    posenc_bench_unmap(ours, bytes);
    posenc_bench_unmap(steps, steps_bytes);
    posenc_plan_destroy(plan);
}
