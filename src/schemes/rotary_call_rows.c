#include "schemes/rotary_call_rows.h"

#include <string.h>

#include "base/error.h"
#include "base/memory.h"

/* Rows of one block that are made at a time where they are then spread. */
enum { PART_ROWS = 8 };

/* ---- one thread's part ---- */

static size_t part_bytes(const posenc_rotary *rotary) { return PART_ROWS * 2 * rotary->pairs * sizeof(double); }

posenc_status posenc_rotary_maker_create(posenc_rotary_maker *maker, const posenc_rotary_source *source,
                                         posenc_error *error) {
    const posenc_rotary_spectrum *spectrum = &source->rotary->spectrum;
    posenc_rotary_maker m = {.source = source,
                             .kernels = spectrum->blocks[0].rows.engine.kernels,
                             .plane = posenc_padded_pairs(source->rotary->pairs)};
    size_t part = (part_bytes(source->rotary) + 63) / 64 * 64, bytes = part + 2 * m.plane * sizeof(double);
    posenc_status status = POSENC_OK;
    for (; m.n_blocks < spectrum->n_blocks && status == POSENC_OK; m.n_blocks += status == POSENC_OK)
        status = posenc_row_scratch_create(&m.scratch[m.n_blocks], &spectrum->blocks[m.n_blocks].rows, error);
    if (status == POSENC_OK && !(m.part = posenc_allocate(source->plan->context, bytes)))
        status = posenc_fail_memory(error, "scratch", bytes);
    if (status != POSENC_OK) {
        posenc_rotary_maker_destroy(&m);
        return status;
    }
    m.powers = (double *)(void *)(m.part + part);
    *maker = m;
    return POSENC_OK;
}

void posenc_rotary_maker_destroy(posenc_rotary_maker *maker) {
    for (int i = 0; i < maker->n_blocks; i++) posenc_row_scratch_destroy(&maker->scratch[i]);
    posenc_release(maker->source->plan->context, maker->part);
}

/* Makes the scratch of a block serve a spectrum. Blocks of all spectra have the same pairs. */
static posenc_row_scratch *aim(posenc_rotary_maker *maker, const posenc_rotary_spectrum *spectrum, int block) {
    posenc_row_scratch *s = &maker->scratch[block];
    const posenc_rows *rows = &spectrum->blocks[block].rows;
    if (s->rows == rows) return s;
    s->rows = rows;
    s->phasors.engine = &rows->engine;
    s->phasors.has_block = false;
    return s;
}

/* ---- rows of one block ---- */

/* Where rows go: planes of sines and cosines of that many bytes. */
typedef struct row_place {
    char *out;
    ptrdiff_t row_bytes, plane_bytes;
    posenc_dtype dtype;
} row_place;

static void set_element(posenc_dtype dtype, char *row, size_t i, double value) {
    if (dtype == POSENC_F64)
        ((double *)(void *)row)[i] = value;
    else
        ((float *)(void *)row)[i] = (float)value;
}

/* Angle 0. */
static void write_still(const posenc_rotary_block *block, const row_place *at, int64_t count) {
    for (int64_t r = 0; r < count; r++)
        for (size_t k = 0; k < block->n; k++) {
            char *row = at->out + r * at->row_bytes;
            size_t i = block->at ? block->at[k] : block->first + k;
            set_element(at->dtype, row, i, 0);
            set_element(at->dtype, row + at->plane_bytes, i, 1);
        }
}

/* Straight to their places, which follow each other. */
static void write_straight(posenc_row_scratch *s, const posenc_rotary_block *block, const posenc_position_run *run,
                           const row_place *at) {
    ptrdiff_t first = (ptrdiff_t)(block->first * posenc_dtype_bytes(at->dtype));
    posenc_row_format format = {at->dtype, POSENC_PLANAR, block->n, block->n, first, at->plane_bytes + first, false};
    posenc_row_target target = {.out = at->out, .row_bytes = at->row_bytes};
    if (run->kind == POSENC_POSITION_WHOLE)
        posenc_emit_run(&s->phasors, &format, run->whole, run->count, target);
    else
        posenc_emit_real(&s->phasors, &format, run->real, target);
}

/* One plane of a row from [n sines | n cosines] to its places. */
static void spread_plane(const posenc_rotary_block *block, const char *part, char *row, size_t bytes) {
    if (!block->at) {
        memcpy(row + block->first * bytes, part, block->n * bytes);
        return;
    }
    for (size_t k = 0; k < block->n; k++) {
        if (bytes == sizeof(double))
            ((double *)(void *)row)[block->at[k]] = ((const double *)(const void *)part)[k];
        else
            ((float *)(void *)row)[block->at[k]] = ((const float *)(const void *)part)[k];
    }
}

/* By way of the part, a few rows at a time. */
static void write_spread(posenc_rotary_maker *maker, posenc_row_scratch *s, const posenc_rotary_block *block,
                         const posenc_position_run *run, const row_place *at) {
    size_t bytes = posenc_dtype_bytes(at->dtype), plane = block->n * bytes;
    posenc_row_target part = {.out = maker->part, .row_bytes = (ptrdiff_t)(2 * plane)};
    for (int64_t done = 0, count; done < run->count; done += count) {
        count = run->count - done < PART_ROWS ? run->count - done : PART_ROWS;
        if (run->kind == POSENC_POSITION_WHOLE)
            posenc_rows_emit_run(s, at->dtype, run->whole + done, count, part, false);
        else
            posenc_rows_emit_real(s, at->dtype, run->real, part);
        for (int64_t r = 0; r < count; r++) {
            const char *from = maker->part + r * part.row_bytes;
            char *row = at->out + (done + r) * at->row_bytes;
            spread_plane(block, from, row, bytes);
            spread_plane(block, from + plane, row + at->plane_bytes, bytes);
        }
    }
}

static void write_run(posenc_rotary_maker *maker, const posenc_rotary_spectrum *spectrum, int b,
                      const posenc_position_run *run, const row_place *at) {
    const posenc_rotary_block *block = &spectrum->blocks[b];
    posenc_row_scratch *s = aim(maker, spectrum, b);
    if (run->kind == POSENC_POSITION_NONE)
        write_still(block, at, run->count);
    else if (block->at || block->rows.inv_freq)
        write_spread(maker, s, block, run, at);
    else
        write_straight(s, block, run, at);
}

void posenc_rotary_rows_write(posenc_rotary_maker *maker, posenc_dtype dtype, int64_t batch, int64_t token,
                              int64_t count, char *out) {
    row_place at = {out, (ptrdiff_t)posenc_rotary_row_bytes(maker->source->rotary, dtype),
                    (ptrdiff_t)(maker->plane * posenc_dtype_bytes(dtype)), dtype};
    while (count > 0) {
        int64_t here;
        const posenc_rotary_spectrum *spectrum =
            posenc_rotary_spectrum_of(&maker->source->spectra, batch, token, count, &here);
        for (int b = 0; b < spectrum->n_blocks; b++) {
            const posenc_token_positions *p = posenc_axis_at(&maker->source->positions, spectrum->blocks[b].axis);
            row_place next = at;
            for (int64_t t = 0; t < here;) {
                posenc_position_run run = posenc_position_run_at(p, batch, token + t, here - t);
                write_run(maker, spectrum, b, &run, &next);
                t += run.count, next.out += run.count * next.row_bytes;
            }
        }
        token += here, count -= here, at.out += here * at.row_bytes;
    }
}

/* ---- factors ---- */

static void finish_plane(const posenc_rotary_maker *maker, const double *in, double factor, const double *powers,
                         posenc_dtype dtype, char *out) {
    bool rounds = maker->source->rotary->spectrum.blocks[0].rows.inv_freq;
    if (rounds) factor = (double)(float)factor;
    maker->kernels->scale_row[dtype](in, powers, factor, out, maker->plane);
    if (!rounds || dtype != POSENC_F64) return;
    double *values = (double *)(void *)out;
    for (size_t i = 0; i < maker->plane; i++) values[i] = (double)(float)values[i];
}

void posenc_rotary_row_finish(const posenc_rotary_maker *maker, const double *row, const posenc_rotary_factor *factor,
                              posenc_dtype dtype, char *out) {
    finish_plane(maker, row, factor->back ? -factor->amplitude : factor->amplitude, factor->powers, dtype, out);
    finish_plane(maker, row + maker->plane, factor->amplitude, factor->powers, dtype,
                 out + maker->plane * posenc_dtype_bytes(dtype));
}

static double place_of(const posenc_position_run *run) {
    return run->kind == POSENC_POSITION_REAL ? run->real : (double)run->whole;
}

void posenc_rotary_powers(const posenc_rotary_maker *maker, int64_t batch, int64_t token, bool inverse,
                          double *powers) {
    const posenc_rotary_source *s = maker->source;
    const posenc_rotary_spectrum *spectrum = &s->rotary->spectrum;
    for (size_t i = 0; i < maker->plane; i++) powers[i] = 1;
    for (int b = 0; b < spectrum->n_blocks; b++) {
        const posenc_rotary_block *block = &spectrum->blocks[b];
        posenc_position_run run = posenc_position_run_at(posenc_axis_at(&s->positions, block->axis), batch, token, 1);
        if (run.kind == POSENC_POSITION_NONE) continue;
        posenc_status status = posenc_rotary_xpos(s->rotary, place_of(&run), maker->powers, NULL);
        (void)status; /* looked at when the source was opened */
        for (size_t k = 0; k < block->n; k++) {
            size_t i = block->at ? block->at[k] : block->first + k;
            powers[i] = inverse ? 1 / maker->powers[i] : maker->powers[i];
        }
    }
}
