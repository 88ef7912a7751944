/* Whether a table is that of a plan at all, looked at as a whole. */
#include <float.h>
#include <math.h>

#include "base/checked.h"
#include "base/memory.h"
#include "diagnose/formula.h"
#include "diagnose/match_parts.h"
#include "diagnose/walk.h"

enum { HEAD_ROWS = 64, SPREAD_ROWS = 960, CHUNK_VALUES = 1 << 16 };

static const double coarse = 0x1p-7; /* two units of bf16 */
static const double lost = 1;        /* an angle that may be that far off says nothing */

typedef struct agreement {
    const posenc_checkup *c;
    const posenc_plan *exact;
    const posenc_match *match;
    int64_t chunk;
    double size;                     /* of the largest values, at least 1 */
    double *speed;                   /* (dim): radians per position, or a little more */
    double *room;                    /* a row, and chunk exact ones */
    int64_t compared, about, within; /* rows */
} agreement;

/* The frequency of a channel; 1 where nothing better is known. An exponential loses more the larger its argument is. */
static double speed_of(const posenc_match *match, int64_t dim, int64_t channel) {
    if (!posenc_is_sinusoidal(match)) return 1;
    posenc_columns columns = posenc_columns_of(dim, posenc_layout_is_planar(match->layout), match->cos_first != 0);
    int64_t i = posenc_column_frequency(&columns, channel);
    double fall = i > 0 ? log(match->base) * (double)i / posenc_layout_rungs(match->layout, dim) : 0;
    return exp(-fall) * fmax(1, fabs(fall) / 4);
}

/* Channels that stand still are judged by themselves; those whose angles float32 code loses are not judged, unless
 * allowed is 0. Returns how many were. */
static int64_t judge_row(const agreement *a, double position, const double *exact, double rounding, double allowed,
                         int64_t *wrong) {
    const posenc_checkup *c = a->c;
    int64_t judged = 0;
    *wrong = 0;
    for (int64_t k = 0; k < c->table.dim; k++) {
        double angles = allowed * posenc_float32_limit(position * a->speed[k]) * a->size;
        if ((c->table.rows > 1 && posenc_channel_is_still(&c->survey, k)) || angles > lost) continue;
        judged++;
        *wrong += !(fabs(a->room[k] - exact[k]) <= rounding + angles);
    }
    return judged;
}

/* So far out that float32 code has lost every channel, a table is exact or none. */
static bool row_fits(const agreement *a, double position, const double *exact, double rounding) {
    int64_t wrong, judged = judge_row(a, position, exact, rounding, 1, &wrong);
    if (judged == 0) judged = judge_row(a, position, exact, rounding, 0, &wrong);
    return 10 * wrong <= judged;
}

static bool counts(const double *values, int64_t dim) {
    int any = 0, odd = 0;
    for (int64_t k = 0; k < dim; k++) any |= values[k] != 0, odd |= !(fabs(values[k]) <= DBL_MAX);
    return any && !odd;
}

static posenc_status compare(agreement *a, const int64_t *rows, int64_t n, posenc_error *error) {
    const posenc_checkup *c = a->c;
    int64_t ids[HEAD_ROWS] = {0}, dim = c->table.dim;
    for (int64_t i = 0; i < n; i++) ids[i] = a->match->start + rows[i];
    posenc_status status = posenc_exact_rows(a->exact, ids, n, POSENC_F64, a->room + dim, error);
    for (int64_t i = 0; i < n && status == POSENC_OK; i++) {
        const double *exact = a->room + dim * (i + 1);
        posenc_table_row(&c->table, rows[i], a->room);
        if (!counts(a->room, dim)) continue;
        a->compared++;
        a->about += row_fits(a, (double)ids[i], exact, coarse * a->size);
        a->within += row_fits(a, (double)ids[i], exact, posenc_held_limit(c->survey.held) * a->size);
    }
    return status;
}

/* n rows from 0 on, step apart, a few at a time. */
static posenc_status compare_rows(agreement *a, int64_t n, int64_t step, posenc_error *error) {
    int64_t rows[HEAD_ROWS];
    posenc_status status = POSENC_OK;
    a->compared = a->about = a->within = 0;
    for (int64_t i = 0; i < n && status == POSENC_OK; i += a->chunk) {
        int64_t part = n - i < a->chunk ? n - i : a->chunk;
        for (int64_t j = 0; j < part; j++) rows[j] = (i + j) * step;
        status = compare(a, rows, part, error);
    }
    return status;
}

static posenc_status compare_both(agreement *a, bool *about, bool *throughout, posenc_error *error) {
    int64_t rows = a->c->table.rows, head = rows < HEAD_ROWS ? rows : HEAD_ROWS;
    int64_t spread = rows < SPREAD_ROWS ? rows : SPREAD_ROWS;
    posenc_status status = compare_rows(a, head, 1, error);
    *about = 4 * a->about >= 3 * a->compared;
    if (status == POSENC_OK) status = compare_rows(a, spread, rows / spread, error);
    *about = *about || 2 * a->about >= a->compared;
    *throughout = 10 * a->within >= 9 * a->compared;
    return status;
}

posenc_status posenc_formula_agrees(const posenc_checkup *c, const posenc_plan *exact, const posenc_match *match,
                                    bool *about, bool *throughout, posenc_error *error) {
    int64_t dim = c->table.dim, chunk = dim < CHUNK_VALUES / HEAD_ROWS ? HEAD_ROWS : CHUNK_VALUES / dim;
    size_t bytes = SIZE_MAX;
    if (chunk < 1) chunk = 1;
    agreement a = {
        .c = c, .exact = exact, .match = match, .chunk = chunk, .size = fmax(1, posenc_formula_amplitude(exact))};
    if (posenc_bytes_of(dim, (size_t)(chunk + 2) * sizeof(double), &bytes))
        a.speed = posenc_allocate(c->context, bytes);
    if (!a.speed) return posenc_fail_memory(error, "table", bytes);
    a.room = a.speed + dim;
    for (int64_t k = 0; k < dim; k++) a.speed[k] = speed_of(match, dim, k);
    posenc_status status = compare_both(&a, about, throughout, error);
    posenc_release(c->context, a.speed);
    return status;
}
