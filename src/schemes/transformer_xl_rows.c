/* Rows of positions: sines of every distance times a head's part of W. */
#include "base/checked.h"
#include "base/fpenv.h"
#include "base/memory.h"
#include "base/threads.h"
#include "schemes/scheme.h"
#include "schemes/transformer_xl.h"

#include <math.h>
#include <posenc/sinusoidal.h>
#include <string.h>

/* Bytes that are kept for a group of heads, unless a single one has more: as many as the call's tensors have, within
 * these. */
enum { SINES = POSENC_XL_SINES, PART = POSENC_XL_PART, LEAST_KEPT = 1 << 18, MOST_KEPT = 16 << 20 };

static int64_t least(int64_t a, int64_t b) { return a < b ? a : b; }

static posenc_status make_plan(posenc_xl_pass *pass, posenc_error *error) {
    const posenc_xl_call *call = pass->call;
    posenc_sinusoidal_options o;
    posenc_sinusoidal_default(&o, sizeof o);
    o.dim = call->model;
    o.layout = POSENC_LAYOUT_HALVES;
    o.max_len = posenc_relative_clip(call->memories.highest + call->queries, 1, 1 << 20);
    posenc_status status = posenc_sinusoidal_create_with(call->work.context, &o, &pass->sines, error);
    if (status == POSENC_OK) status = posenc_row_scratch_create(&pass->scratch, &pass->sines->rows, error);
    if (status != POSENC_OK) posenc_plan_destroy(pass->sines);
    return status;
}

/* Heads of a group: those whose W r and W fit in. */
static int64_t heads_of_group(const posenc_xl_call *call) {
    double reals = (double)call->rows * (double)call->d + (double)call->d * (double)call->model + 1;
    double lines = (double)call->batch * (double)call->heads, queries = (double)call->queries;
    double tensors = lines * ((queries + (double)call->keys) * (double)call->d + queries * (double)call->keys);
    double kept = fmax(LEAST_KEPT, fmin(MOST_KEPT, tensors * (double)call->work.loops->bytes));
    return posenc_relative_clip((int64_t)(kept / (reals * (double)call->work.loops->bytes)), 1, call->heads);
}

posenc_status posenc_xl_pass_begin(posenc_xl_pass *pass, const posenc_xl_call *call, int64_t block,
                                   posenc_error *error) {
    *pass = (posenc_xl_pass){.call = call};
    double scores = (double)call->batch * (double)call->heads * (double)call->queries * (double)call->keys;
    pass->group = call->heads > 0 ? heads_of_group(call) : 0;
    pass->blocks = call->queries > 0 ? (call->queries - 1) / block + 1 : 0;
    pass->n_workers = posenc_relative_slices(call->work.context, scores,
                                             2 * scores * (double)call->d + (double)call->rows * (double)call->heads *
                                                                                (double)call->d * (double)call->model);
    pass->row = posenc_relative_take(&pass->shared, 1, call->model, call->work.loops->bytes);
    pass->sine_rows =
        posenc_relative_take(&pass->shared, least(SINES, call->rows), call->model, call->work.loops->bytes);
    return make_plan(pass, error);
}

posenc_status posenc_xl_pass_allocate(posenc_xl_pass *pass, posenc_error *error) {
    pass->memory =
        posenc_relative_allocate(pass->call->work.context, &pass->shared, &pass->worker, pass->n_workers, error);
    if (pass->memory) return POSENC_OK;
    posenc_xl_pass_end(pass);
    return POSENC_ERROR_MEMORY;
}

void posenc_xl_pass_end(posenc_xl_pass *pass) {
    posenc_release(pass->call->work.context, pass->memory);
    posenc_row_scratch_destroy(&pass->scratch);
    posenc_plan_destroy(pass->sines);
}

/* Sines of position i - j, minus the distance, held within clamp_len. */
void posenc_xl_make_sines(posenc_xl_pass *pass, int64_t first, int64_t n) {
    const posenc_xl_call *call = pass->call;
    posenc_dtype dtype = call->work.dtype == POSENC_F64 ? POSENC_F64 : POSENC_F32;
    int64_t clamp = call->options.clamp_len > 0 ? call->options.clamp_len : INT64_MAX, before = 0;
    size_t bytes = posenc_xl_bytes(pass, call->model);
    char *to = pass->memory + pass->sine_rows;
    for (int64_t i = 0; i < n; i++, to += bytes) {
        int64_t distance = posenc_relative_clip(call->low + first + i, -clamp, clamp);
        if (i > 0 && distance == before)
            memcpy(to, to - bytes, bytes);
        else
            posenc_rows_emit_run(&pass->scratch, dtype, -distance, 1, (posenc_row_target){.out = to}, false);
        before = distance;
    }
    pass->first = first;
    pass->n = n;
}

static void pack_weights(const posenc_xl_pass *pass) {
    const posenc_xl_call *call = pass->call;
    char *row = pass->memory + pass->row;
    for (int64_t g = 0; g < pass->n_heads; g++)
        for (int64_t c = 0; c < call->d; c++) {
            char *panels =
                pass->memory + pass->weights + posenc_xl_bytes(pass, g * posenc_xl_padded(call->d) * call->model);
            int64_t at = (pass->head + g) * call->d + c;
            posenc_xl_load(call, &call->w, posenc_relative_at(&call->w, 0, 0, at), call->model, row);
            call->work.loops->pack_row(panels, call->model, c, row, call->model);
        }
}

/* W r of the distances first..first+n-1 of the sines of now: a product that is a panel of them, or a panel of channels
 * at a time. */
static void multiply_by_distance(const posenc_xl_pass *pass, int64_t g, const char *weights, int64_t first, int64_t n) {
    const posenc_xl_call *call = pass->call;
    posenc_relative_product product = {.terms = call->model, .a = weights, .a_rows = call->d, .c_stride = POSENC_PANEL};
    for (int64_t at = first; at < first + n; at += POSENC_PANEL) {
        product.b = pass->memory + pass->sine_panels + posenc_xl_bytes(pass, at * call->model);
        product.b_rows = least(POSENC_PANEL, first + n - at);
        product.c = posenc_xl_positions_at(pass, g, pass->first + at);
        call->work.loops->multiply(call->work.kernels, &product);
    }
}

static void multiply_by_channel(const posenc_xl_pass *pass, int64_t g, const char *weights, int64_t first, int64_t n) {
    const posenc_xl_call *call = pass->call;
    posenc_relative_product product = {.terms = call->model,
                                       .a = pass->memory + pass->sine_panels,
                                       .a_first = first,
                                       .a_rows = n,
                                       .c_stride = POSENC_PANEL};
    for (int64_t c = 0; c < call->d; c += POSENC_PANEL) {
        product.b = weights + posenc_xl_bytes(pass, c * call->model);
        product.b_rows = least(POSENC_PANEL, call->d - c);
        product.c = posenc_xl_positions_at(pass, g, pass->first + first) + posenc_xl_bytes(pass, c * call->rows);
        call->work.loops->multiply(call->work.kernels, &product);
    }
}

/* Some rows of sines times some head's weights. */
static void multiply_slice(void *argument, int index) {
    const posenc_xl_pass *pass = argument;
    const posenc_xl_call *call = pass->call;
    int64_t parts = (pass->n - 1) / PART + 1, units = parts * pass->n_heads;
    int64_t at = posenc_i64_share(index, units, pass->n_workers),
            end = posenc_i64_share(index + 1, units, pass->n_workers);
    for (; at < end; at++) {
        int64_t g = at / parts, row = at % parts * PART;
        const char *weights =
            pass->memory + pass->weights + posenc_xl_bytes(pass, g * posenc_xl_padded(call->d) * call->model);
        (pass->form == POSENC_XL_BY_DISTANCE ? multiply_by_distance : multiply_by_channel)(pass, g, weights, row,
                                                                                           least(PART, pass->n - row));
    }
}

void posenc_xl_make_positions(posenc_xl_pass *pass) {
    const posenc_xl_call *call = pass->call;
    pack_weights(pass);
    for (int64_t first = 0; first < call->rows; first += SINES) {
        posenc_xl_make_sines(pass, first, least(SINES, call->rows - first));
        for (int64_t i = 0; i < pass->n; i++)
            call->work.loops->pack_row(pass->memory + pass->sine_panels, call->model, i,
                                       pass->memory + pass->sine_rows + posenc_xl_bytes(pass, i * call->model),
                                       call->model);
        posenc_parallel(call->work.context, pass->n_workers, multiply_slice, pass);
    }
}

void posenc_xl_take_positions(posenc_xl_pass *pass, posenc_xl_form form) {
    const posenc_xl_call *call = pass->call;
    int64_t per_head = 0;
    pass->form = form;
    pass->sine_panels = posenc_relative_take_panels(&pass->shared, &call->work, least(SINES, call->rows), call->model);
    if (!posenc_i64_multiply(posenc_xl_padded(call->d), call->model, &per_head)) per_head = INT64_MAX;
    pass->weights = posenc_relative_take(&pass->shared, pass->group, per_head, call->work.loops->bytes);
    bool by_distance = form == POSENC_XL_BY_DISTANCE;
    if (!posenc_i64_multiply(by_distance ? posenc_xl_padded(call->rows) : call->rows,
                             by_distance ? call->d : posenc_xl_padded(call->d), &pass->per_head))
        pass->per_head = INT64_MAX;
    pass->positions = posenc_relative_take(&pass->shared, pass->group, pass->per_head, call->work.loops->bytes);
}

void posenc_xl_load_query(const posenc_xl_call *call, const posenc_relative_tensor *bias, int64_t batch, int64_t head,
                          int64_t query, char *to) {
    char *other = to + (size_t)call->d * call->work.loops->bytes;
    posenc_xl_load(call, &call->q, posenc_relative_at(&call->q, batch, head, query), call->d, to);
    posenc_xl_load(call, bias, posenc_relative_at(bias, 0, 0, head), call->d, other);
    call->work.loops->add(to, other, call->d, to);
}
