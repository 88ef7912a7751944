/* One tensor of apply: what it must be, and the adding itself. Turning is in apply_rotate.c, biases are in
 * apply_bias.c. */
#include "apply.h"
#include "bias_input.h"
#include "grid.h"
#include "numbers.h"
#include "plan.h"
#include "rotary.h"

static int64_t tokens(const posenc_cli_apply_tensor *x) { return posenc_cli_apply_tokens(x); }

static int check_dtype(const posenc_cli_apply_job *job, const posenc_cli_apply_tensor *x) {
    if (x->dtype == POSENC_F32 || x->dtype == POSENC_F64 || x->dtype == POSENC_F16 || x->dtype == POSENC_BF16)
        return POSENC_CLI_FINE;
    return posenc_cli_fail("%s: expected %sf16, f32 or f64, got %s", x->name, job->input.container ? "bf16, " : "",
                           x->type);
}

static int check_width(const posenc_cli_apply_job *job, const posenc_cli_apply_tensor *x) {
    int64_t dim = 0, width = posenc_cli_apply_width(job, x);
    const char *name = posenc_cli_rotates(job->arguments) ? "head-dim" : "dim";
    if (!posenc_cli_given(job->arguments, name)) {
        if (width > 0) return POSENC_CLI_FINE;
        return posenc_cli_fail("%s: expected at least one channel, got none", x->name);
    }
    const char *text = posenc_cli_text(job->arguments, name);
    bool number = posenc_cli_parse_integer(text, &dim);
    if (number && dim == width) return POSENC_CLI_FINE;
    return posenc_cli_fail(
        number ? "%s: expected %lld, the width of %s, got %s" : "%s: expected %lld, the width of %s, got \"%s\"", name,
        (long long)width, x->name, text);
}

static int refuse_heads(const posenc_cli_apply_tensor *x, const char *shape) {
    return posenc_cli_fail(
        "%s: expected shape (batch, tokens, heads, dim), (batch, tokens, dim), (tokens, heads, dim) or (tokens, dim), "
        "got %s",
        x->name, shape);
}

static int check_shape(const posenc_cli_apply_job *job, posenc_cli_apply_tensor *x) {
    char shape[200];
    int status = POSENC_CLI_FINE, most = posenc_cli_rotates(job->arguments) ? 4 : POSENC_CLI_APPLY_RANK;
    if (x->rank >= 2 && x->rank <= most) {
        status = posenc_cli_apply_axes(job, x);
        return status == POSENC_CLI_FINE ? check_width(job, x) : status;
    }
    posenc_cli_shape_text(x->rank, x->shape, shape, sizeof shape);
    if (posenc_cli_rotates(job->arguments)) return refuse_heads(x, shape);
    return posenc_cli_fail(
        "%s: expected shape (tokens, dim), (batch, tokens, dim), (batch, tokens, heads, dim) or (batch, frames, "
        "height, "
        "width, channels), got %s",
        x->name, shape);
}

/* Tensors of one width share a plan: what it is prepared for costs time and never changes the result. */
static int make_plan(posenc_cli_apply_job *job, const posenc_cli_apply_tensor *x) {
    if (posenc_cli_apply_learns(job)) return posenc_cli_apply_make_encoder(job, x);
    int64_t offset = posenc_cli_integer(job->arguments, "offset"), width = posenc_cli_apply_width(job, x);
    int64_t reach = job->positions.ids ? job->positions.reach : posenc_cli_reach(offset, tokens(x));
    posenc_dtype dtype = x->dtype == POSENC_F64 ? POSENC_F64 : POSENC_F32;
    bool drops = posenc_cli_apply_drops(job), same_encoder = !drops || job->encoder_dtype == dtype;
    if (job->plan && job->plan_dim == width && job->plan_reach >= reach && same_encoder) return POSENC_CLI_FINE;
    posenc_plan_destroy(job->plan);
    job->plan = NULL;
    job->plan_dim = width;
    job->plan_reach = reach;
    job->encoder_dtype = dtype;
    int status = posenc_cli_plan(job->arguments, width, reach, &job->plan);
    return status == POSENC_CLI_FINE && drops ? posenc_cli_apply_make_dropout(job) : status;
}

int posenc_cli_apply_check(posenc_cli_apply_job *job, posenc_cli_apply_tensor *x) {
    int status = check_dtype(job, x);
    if (status == POSENC_CLI_FINE && posenc_cli_biases(job->arguments)) return posenc_cli_apply_check_bias(job, x);
    if (status == POSENC_CLI_FINE) status = check_shape(job, x);
    bool learns = posenc_cli_apply_learns(job), rotates = posenc_cli_rotates(job->arguments);
    bool grid = posenc_cli_has_grid(job->arguments), several = rotates || grid;
    if (status == POSENC_CLI_FINE && !several) status = posenc_cli_apply_check_ids(job, x);
    if (status == POSENC_CLI_FINE && learns) status = posenc_cli_apply_check_offset(job, x);
    if (status == POSENC_CLI_FINE) status = make_plan(job, x);
    if (status == POSENC_CLI_FINE && rotates) status = posenc_cli_apply_check_rotary(job, x);
    if (status == POSENC_CLI_FINE && grid)
        status = posenc_cli_apply_check_points(job, x, posenc_cli_grid_axes(job->plan));
    if (status == POSENC_CLI_FINE) status = posenc_cli_check_grid(job->arguments, job->plan, x->name, tokens(x));
    if (status == POSENC_CLI_FINE && !learns) status = posenc_cli_apply_check_offset(job, x);
    return status;
}

static posenc_step step_of(const posenc_cli_apply_job *job, const posenc_cli_apply_tensor *x,
                           const posenc_cli_apply_part *part) {
    posenc_step step;
    posenc_step_default(&step, sizeof step);
    step.training = posenc_cli_apply_drops(job);
    step.seed = (uint64_t)posenc_cli_integer(job->arguments, "seed");
    step.stream = (uint64_t)posenc_cli_integer(job->arguments, "stream");
    step.first_element = (uint64_t)posenc_cli_apply_part_begin(x, part); /* in the library's order: see axes_to_cut */
    return step;
}

static posenc_status add(const posenc_cli_apply_job *job, const posenc_cli_apply_tensor *x,
                         const posenc_positions *positions, const posenc_step *step, DLTensor *rows,
                         posenc_error *error) {
    posenc_video form = posenc_cli_apply_flattens(job, x) ? POSENC_VIDEO_FLATTENED : POSENC_VIDEO_BROADCAST;
    double scale = posenc_cli_real(job->arguments, "scale");
    if (posenc_cli_apply_is_video(x))
        return job->encoder ? posenc_video_forward(job->encoder, form, positions, step, rows, rows, error)
                            : posenc_video_add(job->plan, form, positions, rows, scale, rows, error);
    return job->encoder ? posenc_encoder_forward(job->encoder, positions, step, rows, rows, error)
                        : posenc_plan_add(job->plan, positions, rows, scale, rows, error);
}

int posenc_cli_apply_add(posenc_cli_apply_job *job, const posenc_cli_apply_tensor *x, posenc_cli_apply_part part,
                         void *data) {
    posenc_positions positions;
    posenc_error error;
    posenc_view view, ids;
    if (posenc_cli_biases(job->arguments)) return posenc_cli_apply_bias(job, x, &part, data);
    int status = make_plan(job, x);
    if (status != POSENC_CLI_FINE) return status;
    if (posenc_cli_rotates(job->arguments)) return posenc_cli_apply_rotate(job, x, &part, data);
    DLTensor *rows = posenc_cli_apply_part_view(x, &part, data, &view);
    posenc_step step = step_of(job, x, &part);
    posenc_cli_apply_place(job, x, &part, &positions, &ids);
    return add(job, x, &positions, &step, rows, &error) == POSENC_OK ? POSENC_CLI_FINE : posenc_cli_refuse(&error);
}
