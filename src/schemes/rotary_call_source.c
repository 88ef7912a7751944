/* Opening what a rotary call stands on: its plan, positions and lengths. */
#include "base/error.h"
#include "base/memory.h"
#include "base/tensor.h"
#include "schemes/rotary_call_rows.h"

posenc_status posenc_rotary_must(const posenc_plan *plan, const char *name, posenc_error *error) {
    if (!plan) return posenc_fail(error, POSENC_ERROR_ARGUMENT, name, "expected a plan, got NULL");
    if (posenc_rotary_of(plan)) return POSENC_OK;
    return posenc_fail(error, POSENC_ERROR_ARGUMENT, name, "expected a rotary plan, got %s", posenc_plan_scheme(plan));
}

/* ---- xPos ---- */

typedef struct reach {
    double lowest, highest;
} reach;

static void include(reach *r, double position) {
    if (position < r->lowest) r->lowest = position;
    if (position > r->highest) r->highest = position;
}

static void include_run(reach *r, const posenc_position_run *run) {
    if (run->kind == POSENC_POSITION_NONE) return;
    if (run->kind == POSENC_POSITION_REAL) {
        include(r, run->real);
        return;
    }
    include(r, (double)run->whole);
    include(r, (double)(run->whole + (run->count - 1)));
}

/* Powers grow with the distance from the centre, so the two positions at the ends tell for all. */
static posenc_status check_powers(const posenc_rotary_source *s, int64_t batch, int64_t tokens, double *powers,
                                  posenc_error *error) {
    reach r = {0x1p100, -0x1p100};
    for (int axis = 0; axis < s->positions.n; axis++) {
        const posenc_token_positions *p = &s->positions.axis[axis];
        for (int64_t b = 0; b < (p->shared && batch > 0 ? 1 : batch); b++)
            for (int64_t t = 0; t < tokens;) {
                posenc_position_run run = posenc_position_run_at(p, b, t, tokens - t);
                include_run(&r, &run);
                t += run.count;
            }
    }
    if (r.lowest > r.highest) return POSENC_OK;
    posenc_status status = posenc_rotary_xpos(s->rotary, r.lowest, powers, error);
    return status == POSENC_OK ? posenc_rotary_xpos(s->rotary, r.highest, powers, error) : status;
}

static posenc_status check_xpos(const posenc_rotary_source *s, int64_t batch, int64_t tokens, posenc_error *error) {
    if (s->rotary->xpos_scale_base == 0) return POSENC_OK;
    size_t bytes = posenc_padded_pairs(s->rotary->pairs) * sizeof(double);
    double *powers = posenc_allocate(s->plan->context, bytes);
    if (!powers) return posenc_fail_memory(error, "scratch", bytes);
    posenc_status status = check_powers(s, batch, tokens, powers, error);
    posenc_release(s->plan->context, powers);
    return status;
}

/* ---- opening ---- */

posenc_status posenc_rotary_source_open(const posenc_plan *plan, const posenc_positions *positions,
                                        const DLTensor *lengths, int64_t batch, int64_t tokens,
                                        posenc_rotary_source *out, posenc_error *error) {
    posenc_positions given;
    posenc_rotary_source s = {.plan = plan, .rotary = plan->rotary};
    posenc_status status = posenc_positions_read(positions, &given, error);
    if (status == POSENC_OK)
        status = posenc_axis_positions_open(plan->context, &given, s.rotary->axes, batch, tokens, &s.positions, error);
    if (status != POSENC_OK) return status;
    status = posenc_rotary_spectra_open(plan, lengths, given.cu_seqlens, batch, &s.spectra, error);
    if (status != POSENC_OK) {
        posenc_axis_positions_close(&s.positions);
        return status;
    }
    status = check_xpos(&s, batch, tokens, error);
    if (status == POSENC_OK)
        *out = s;
    else
        posenc_rotary_source_close(&s);
    return status;
}

void posenc_rotary_source_close(posenc_rotary_source *source) {
    posenc_rotary_spectra_close(&source->spectra);
    posenc_axis_positions_close(&source->positions);
}

posenc_status posenc_rotary_source_check_apart(const posenc_positions *positions, const DLTensor *lengths,
                                               const DLTensor *out, const char *name, posenc_error *error) {
    posenc_positions given;
    posenc_status status = posenc_positions_read(positions, &given, error);
    if (status == POSENC_OK) status = posenc_positions_check_apart(&given, out, name, error);
    if (status != POSENC_OK || !lengths || !posenc_tensors_meet(lengths, out)) return status;
    return posenc_fail(error, POSENC_ERROR_OVERLAP, name, "expected memory apart from lengths, got an overlap");
}

bool posenc_rotary_source_shared(const posenc_rotary_source *source) {
    return posenc_axis_positions_shared(&source->positions) && source->spectra.n <= 1;
}

bool posenc_rotary_is_padding(const posenc_rotary_source *source, int64_t batch, int64_t token, int64_t count,
                              int64_t *alike) {
    const posenc_token_positions *p = &source->positions.axis[0];
    *alike = count;
    if (!p->skips) return false;
    posenc_position_run run = posenc_position_run_at(p, batch, token, count);
    *alike = run.count;
    return run.kind == POSENC_POSITION_NONE;
}
