/* Gradient of a rotation with respect to its frequencies:
 *     domega[i] (+)= sum of p (g_a (-x_a s - x_b c) + g_b (x_a c - x_b s)) over batch, tokens, heads
 * One thread walks all of it in that order, so the sum has one value. */
#include <string.h>

#include "base/elements.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/threads.h"
#include "schemes/rotary_call.h"

/* A call and its one part. Arrays of pairs are padded. */
typedef struct gradient {
    posenc_rotary_source source;
    posenc_heads x, dy;
    bool is_key, accumulate;
    double *domega;
    posenc_rotary_maker maker;
    double *memory;
    double *sums, *position, *powers, *row, *factors; /* row: as made; factors: with amplitude and powers */
    double *x_first, *x_second, *dy_first, *dy_second;
} gradient;

static posenc_status allocate(gradient *g, posenc_error *error) {
    size_t plane = posenc_padded_pairs(g->source.rotary->pairs), bytes = 11 * plane * sizeof(double);
    double *m = g->memory = posenc_allocate(g->source.plan->context, bytes);
    if (!m) return posenc_fail_memory(error, "scratch", bytes);
    memset(m, 0, bytes);
    double **arrays[] = {&g->sums,     &g->position, &g->powers,    &g->x_first,
                         &g->x_second, &g->dy_first, &g->dy_second, &g->row};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++) *arrays[i] = m + i * plane;
    g->factors = g->row + 2 * plane;
    return POSENC_OK;
}

/* ---- channels of one head, widened ---- */

static void load(const gradient *g, posenc_dtype dtype, bool halves, const char *head, double *first, double *second) {
    size_t n = g->source.rotary->pairs, bytes = posenc_dtype_bytes(dtype);
    const char *at = head + (size_t)g->source.rotary->start * bytes;
    size_t step = halves ? bytes : 2 * bytes, gap = halves ? n * bytes : bytes;
    for (size_t i = 0; i < n; i++) first[i] = posenc_real_element(dtype, at + i * step);
    for (size_t i = 0; i < n; i++) second[i] = posenc_real_element(dtype, at + gap + i * step);
}

/* ---- sums ---- */

/* The position of each pair's axis. */
static void set_positions(gradient *g, int64_t batch, int64_t token) {
    const posenc_rotary_spectrum *spectrum = &g->source.rotary->spectrum;
    for (int b = 0; b < spectrum->n_blocks; b++) {
        const posenc_rotary_block *block = &spectrum->blocks[b];
        posenc_position_run run =
            posenc_position_run_at(posenc_axis_at(&g->source.positions, block->axis), batch, token, 1);
        double position = run.kind == POSENC_POSITION_REAL ? run.real : (double)run.whole;
        for (size_t k = 0; k < block->n; k++) g->position[block->at ? block->at[k] : block->first + k] = position;
    }
}

static void set_factors(gradient *g, int64_t batch, int64_t token) {
    int64_t shared;
    posenc_rotary_factor factor = {posenc_rotary_spectrum_of(&g->source.spectra, batch, token, 1, &shared)->amplitude,
                                   false, NULL};
    if (g->source.rotary->xpos_scale_base != 0) {
        posenc_rotary_powers(&g->maker, batch, token, g->is_key, g->powers);
        factor.powers = g->powers;
    }
    posenc_rotary_rows_write(&g->maker, POSENC_F64, batch, token, 1, (char *)g->row);
    posenc_rotary_row_finish(&g->maker, g->row, &factor, POSENC_F64, (char *)g->factors);
}

static void add_head(gradient *g) {
    const double *s = g->factors, *c = g->factors + g->maker.plane;
    for (size_t i = 0; i < g->source.rotary->pairs; i++) {
        double a = g->x_first[i], b = g->x_second[i];
        double turned = g->dy_first[i] * (-(a * s[i]) - b * c[i]) + g->dy_second[i] * (a * c[i] - b * s[i]);
        g->sums[i] += g->position[i] * turned;
    }
}

static void add_token(gradient *g, int64_t batch, int64_t token) {
    posenc_pairing pairing = g->source.rotary->pairing;
    set_positions(g, batch, token);
    set_factors(g, batch, token);
    for (int64_t h = 0; h < g->x.heads; h++) {
        load(g, g->x.dtype, pairing == POSENC_PAIRING_HALVES,
             posenc_heads_at(&g->x, batch, token) + h * g->x.head_bytes, g->x_first, g->x_second);
        load(g, g->dy.dtype, pairing != POSENC_PAIRING_INTERLEAVED,
             posenc_heads_at(&g->dy, batch, token) + h * g->dy.head_bytes, g->dy_first, g->dy_second);
        add_head(g);
    }
}

static void add_all(void *argument, int index) {
    gradient *g = argument;
    int64_t alike;
    (void)index;
    for (int64_t b = 0; b < g->x.batch; b++)
        for (int64_t t = 0; t < g->x.tokens; t++)
            if (!posenc_rotary_is_padding(&g->source, b, t, 1, &alike)) add_token(g, b, t);
    for (size_t i = 0; i < g->source.rotary->pairs; i++)
        g->domega[i] = g->accumulate ? g->domega[i] + g->sums[i] : g->sums[i];
}

/* ---- the call ---- */

static posenc_status sum_up(gradient *g, posenc_error *error) {
    posenc_status status = allocate(g, error);
    if (status != POSENC_OK) return status;
    status = posenc_rotary_maker_create(&g->maker, &g->source, error);
    if (status == POSENC_OK) {
        posenc_parallel(g->source.plan->context, 1, add_all, g);
        posenc_rotary_maker_destroy(&g->maker);
    }
    posenc_release(g->source.plan->context, g->memory);
    return status;
}

static posenc_status check_tensors(const posenc_rotary *rotary, const DLTensor *x, const DLTensor *dy, gradient *g,
                                   posenc_error *error) {
    posenc_status status = posenc_heads_open(x, "x", rotary->head_dim, &g->x, error);
    if (status == POSENC_OK) status = posenc_heads_open(dy, "dy", rotary->head_dim, &g->dy, error);
    return status == POSENC_OK ? posenc_heads_check_pair(&g->x, &g->dy, error) : status;
}

posenc_status posenc_rotary_frequency_gradient(const posenc_plan *plan, const posenc_positions *positions,
                                               const DLTensor *lengths, const DLTensor *x, const DLTensor *dy,
                                               int is_key, int accumulate, double *domega, posenc_error *error) {
    gradient g = {.is_key = is_key != 0, .accumulate = accumulate != 0, .domega = domega};
    posenc_status status = posenc_rotary_must(plan, "plan", error);
    if (status == POSENC_OK) status = check_tensors(plan->rotary, x, dy, &g, error);
    if (status == POSENC_OK && !domega)
        status = posenc_fail(error, POSENC_ERROR_ARGUMENT, "domega", "expected a pointer, got NULL");
    if (status == POSENC_OK)
        status = posenc_rotary_source_open(plan, positions, lengths, g.x.batch, g.x.tokens, &g.source, error);
    if (status != POSENC_OK) return status;
    status = sum_up(&g, error);
    posenc_rotary_source_close(&g.source);
    return status;
}
