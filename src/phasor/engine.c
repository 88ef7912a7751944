#include "phasor/engine.h"

#include <math.h>
#include <string.h>

#include "base/checked.h"
#include "base/context.h"
#include "base/error.h"
#include "base/memory.h"

/* ---- making an engine ---- */

/* Places and rows that positions up to max_len need: every place below the top one is whole. */
static void count_rows(posenc_engine *engine, int64_t max_len) {
    engine->places = 0;
    do {
        int digit, l = engine->places++;
        int64_t rest = posenc_split_digit(max_len, &digit);
        engine->rows[l] = rest != 0 ? POSENC_DIGIT_ROWS : (int)max_len + 1;
        max_len = rest;
    } while (max_len != 0);
}

static size_t total_rows(const posenc_engine *engine) {
    size_t rows = 0;
    for (int l = 0; l < engine->places; l++) rows += (size_t)engine->rows[l];
    return rows;
}

posenc_status posenc_engine_create(posenc_engine *engine, const posenc_context *context, size_t n, int64_t max_len,
                                   posenc_error *error) {
    *engine = (posenc_engine){.context = context, .n = n, .padded = posenc_padded_pairs(n)};
    engine->kernels = posenc_kernels_of(posenc_context_isa_index(context));
    count_rows(engine, max_len);
    size_t row_bytes, turn_bytes;
    if (!posenc_size_multiply(engine->padded, 2 * sizeof(double), &row_bytes) ||
        !posenc_size_multiply(row_bytes, total_rows(engine), &engine->memory_bytes) ||
        !posenc_size_multiply(engine->padded, sizeof(posenc_wide), &turn_bytes) ||
        !posenc_size_add(engine->memory_bytes, turn_bytes, &engine->memory_bytes))
        return posenc_fail(error, POSENC_ERROR_ARGUMENT, "dim",
                           "expected a plan that fits into memory, got a larger one");
    engine->memory = posenc_allocate(context, engine->memory_bytes);
    if (!engine->memory) return posenc_fail_memory(error, "plan", engine->memory_bytes);
    double *next = engine->memory;
    for (int l = 0; l < engine->places; l++) {
        engine->digits[l] = next;
        next += 2 * engine->padded * (size_t)engine->rows[l];
    }
    engine->turns = (posenc_wide *)(void *)next;
    return POSENC_OK;
}

posenc_status posenc_engine_prepare(posenc_engine *engine, posenc_error *error) {
    size_t bytes = (posenc_seed_doubles(engine->padded) + 2 * engine->padded) * sizeof(double);
    double *memory = posenc_allocate(engine->context, bytes);
    if (!memory) return posenc_fail_memory(error, "plan", bytes);
    posenc_seed seed = posenc_seed_over(memory, engine->padded);
    for (int l = 0; l < engine->places; l++) {
        posenc_place_seed(engine->kernels, engine->turns, engine->n, l, seed,
                          memory + posenc_seed_doubles(engine->padded));
        engine->kernels->digit_rows(&seed, engine->padded, engine->rows[l], engine->digits[l], 2 * engine->padded);
    }
    posenc_release(engine->context, memory);
    return POSENC_OK;
}

posenc_status posenc_engine_set_origin(posenc_engine *engine, double origin, posenc_error *error) {
    size_t array_bytes = engine->padded * sizeof(double);
    double *work = posenc_allocate(engine->context, 6 * array_bytes);
    double *kept = work ? posenc_allocate(engine->context, 2 * array_bytes) : NULL;
    if (kept) {
        posenc_fraction_phasors(engine->kernels, engine->turns, engine->n, -origin, work);
        memcpy(kept, work, 2 * array_bytes);
        engine->origin = kept;
        engine->memory_bytes += 2 * array_bytes;
    }
    posenc_release(engine->context, work);
    return kept ? POSENC_OK : posenc_fail_memory(error, "plan", 6 * array_bytes);
}

void posenc_engine_destroy(posenc_engine *engine) {
    posenc_release(engine->context, engine->origin);
    posenc_release(engine->context, engine->memory);
    engine->origin = engine->memory = NULL;
}

/* ---- one call's scratch ---- */

enum { SCRATCH_ARRAYS = 10 };

posenc_status posenc_phasor_scratch_create(posenc_phasor_scratch *scratch, const posenc_engine *engine,
                                           posenc_error *error) {
    size_t p = engine->padded, bytes = SCRATCH_ARRAYS * p * sizeof(double);
    double *m = posenc_allocate(engine->context, bytes);
    if (!m) return posenc_fail_memory(error, "scratch", bytes);
    *scratch = (posenc_phasor_scratch){engine, m, m, m + p, m + 2 * p, m + 3 * p, m + 4 * p, 0, false};
    return POSENC_OK;
}

void posenc_phasor_scratch_destroy(posenc_phasor_scratch *scratch) {
    posenc_release(scratch->engine->context, scratch->memory);
}

/* ---- positions to rows ---- */

typedef struct digit_row {
    const double *sines, *cosines;
} digit_row;

/* The row of a digit, abs(digit) = r: from the engine where it keeps it, else made in the scratch. Either way the bits
 * are the same. */
static digit_row find_digit(posenc_phasor_scratch *s, int place, int r) {
    const posenc_engine *e = s->engine;
    if (place < e->places && r < e->rows[place]) {
        const double *row = e->digits[place] + (size_t)r * 2 * e->padded;
        return (digit_row){row, row + e->padded};
    }
    posenc_seed seed = posenc_seed_over(s->work, e->padded);
    posenc_place_seed(e->kernels, e->turns, e->n, place, seed, s->work + posenc_seed_doubles(e->padded));
    e->kernels->digit_row(&seed, e->padded, r, s->far_sin, s->far_cos);
    return (digit_row){s->far_sin, s->far_cos};
}

static void set_still(posenc_phasor_scratch *s) {
    for (size_t i = 0; i < s->engine->padded; i++) s->high_sin[i] = 0, s->high_cos[i] = 1;
}

/* high *= the phasor of a digit; as the first factor it is a copy, with the bits of a product by (1, 0). */
static void turn_by_digit(posenc_phasor_scratch *s, int place, int digit, bool first) {
    const posenc_engine *e = s->engine;
    digit_row row = find_digit(s, place, digit < 0 ? -digit : digit);
    double sign = digit < 0 ? -1 : 1;
    if (!first) {
        e->kernels->turn(s->high_sin, s->high_cos, row.sines, row.cosines, sign, e->padded);
        return;
    }
    for (size_t i = 0; i < e->padded; i++) s->high_sin[i] = sign * row.sines[i] + 0.0;
    memcpy(s->high_cos, row.cosines, e->padded * sizeof(double));
}

static void turn_to_origin(posenc_phasor_scratch *s) {
    const posenc_engine *e = s->engine;
    if (e->origin) e->kernels->turn(s->high_sin, s->high_cos, e->origin, e->origin + e->padded, 1, e->padded);
}

/* high = product of the phasors of the digits of block, lowest place first, and of the origin; digits of 0 take no
 * part.
 */
static void set_block(posenc_phasor_scratch *s, int64_t block) {
    if (s->has_block && s->block == block) return;
    s->block = block;
    s->has_block = true;
    bool first = true;
    for (int place = 1; block != 0; place++) {
        int digit;
        block = posenc_split_digit(block, &digit);
        if (digit == 0) continue;
        turn_by_digit(s, place, digit, first);
        first = false;
    }
    if (first) set_still(s);
    turn_to_origin(s);
}

posenc_row_target posenc_target_after(posenc_row_target target, int64_t n) {
    target.out += n * target.row_bytes;
    if (target.x) target.x += n * target.x_row_bytes;
    return target;
}

/* Emits digits first..first+count-1 of the lowest place, whose rows begin at digits, below the current high phasor. */
static void emit_digits(posenc_phasor_scratch *s, const posenc_row_format *f, const double *digits, int first,
                        int count, posenc_row_target target) {
    const posenc_engine *e = s->engine;
    posenc_rows_job job = {
        .high_sin = s->high_sin,
        .high_cos = s->high_cos,
        .digit = digits,
        .digit_stride = 2 * e->padded,
        .first = first,
        .count = count,
        .out = target.out,
        .row_bytes = target.row_bytes,
        .n_first = f->n_first,
        .n_second = f->n_second,
        .first_bytes = f->first_bytes,
        .second_bytes = f->second_bytes,
        .stream = f->stream,
        .x = target.x,
        .x_row_bytes = target.x_row_bytes,
        .scale = target.scale,
    };
    if (target.x)
        e->kernels->add_rows[f->dtype][f->order](&job);
    else
        e->kernels->rows[f->dtype][f->order](&job);
}

/* One digit. Where max_len is below 32 the lowest place may lack its row, which is then made in the scratch: high and
 * far arrays follow each other there, like rows 0 and 1 of a place. */
static void emit_digit(posenc_phasor_scratch *s, const posenc_row_format *f, int digit, posenc_row_target target) {
    int size = digit < 0 ? -digit : digit;
    if (size < s->engine->rows[0]) {
        emit_digits(s, f, s->engine->digits[0], digit, 1, target);
        return;
    }
    find_digit(s, 0, size);
    emit_digits(s, f, s->high_sin, digit < 0 ? -1 : 1, 1, target);
}

/* Last digit of the block that a position stands in. Below 0 blocks are mirrored, and the one at 0 ends before it. */
static int last_digit(int64_t position, int64_t block) {
    if (position >= 0) return POSENC_RADIX / 2 - 1;
    return block == 0 ? -1 : POSENC_RADIX / 2;
}

void posenc_emit_run(posenc_phasor_scratch *s, const posenc_row_format *f, int64_t start, int64_t count,
                     posenc_row_target target) {
    bool whole = s->engine->rows[0] == POSENC_DIGIT_ROWS;
    while (count > 0) {
        int digit;
        int64_t block = posenc_split_digit(start, &digit), here = 1;
        set_block(s, block);
        if (whole) {
            here = last_digit(start, block) - digit + 1;
            if (here > count) here = count;
            emit_digits(s, f, s->engine->digits[0], digit, (int)here, target);
        } else {
            emit_digit(s, f, digit, target);
        }
        count -= here;
        target = posenc_target_after(target, here);
        if (count > 0) start += here;
    }
}

/* Positions so small that every angle is its own sine, to double's last bit. */
static void set_tiny(posenc_phasor_scratch *s, double position) {
    set_still(s);
    for (size_t i = 0; i < s->engine->n; i++)
        s->high_sin[i] = position * (posenc_wide_to_double(&s->engine->turns[i]) * 0x1.921fb54442d18p+2);
    turn_to_origin(s);
}

/* The whole part by digits, the rest by one more phasor. */
void posenc_emit_real(posenc_phasor_scratch *s, const posenc_row_format *f, double position, posenc_row_target target) {
    double size = fabs(position), whole = floor(size), rest = size - whole;
    int digit;
    int64_t block = posenc_split_digit(position < 0 ? -(int64_t)whole : (int64_t)whole, &digit);
    if (rest != 0 && size < 0x1p-200) {
        set_tiny(s, position);
        s->has_block = false;
    } else {
        set_block(s, block);
    }
    if (rest != 0 && size >= 0x1p-200) {
        const posenc_engine *e = s->engine;
        posenc_fraction_phasors(e->kernels, e->turns, e->n, position < 0 ? -rest : rest, s->work);
        e->kernels->turn(s->high_sin, s->high_cos, s->work, s->work + e->padded, 1, e->padded);
        s->has_block = false;
    }
    emit_digit(s, f, digit, target);
}
