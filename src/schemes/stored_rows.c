#include "schemes/stored_rows.h"

#include <math.h>

#include "base/checked.h"
#include "base/error.h"

int64_t posenc_stored_row_of(const posenc_stored_rows *stored, int64_t position) {
    int64_t row = stored->offset < 0 ? INT64_MIN : INT64_MAX;
    posenc_i64_add(position, stored->offset, &row);
    return row;
}

static int64_t smaller(int64_t a, int64_t b) { return a < b ? a : b; }

/* Shortens a run of whole positions to the part that lies before the table, in it or behind it. */
static posenc_stored_run cut_at_ends(const posenc_stored_rows *stored, posenc_position_run position) {
    posenc_stored_run run = {POSENC_STORED_MADE, posenc_stored_row_of(stored, position.whole), 1, position,
                             position.count};
    if (run.row < 0) {
        if (run.row > -run.count) run.count = -run.row;
    } else if (run.row < stored->rows) {
        run.kind = POSENC_STORED_ROWS;
        run.count = smaller(run.count, stored->rows - run.row);
    }
    if (run.kind == POSENC_STORED_ROWS || stored->outside != POSENC_OUTSIDE_CLAMPED) return run;
    run.kind = POSENC_STORED_ROWS;
    run.row = run.row < 0 ? 0 : stored->rows - 1;
    run.step = 0;
    return run;
}

/* Shortens a run of stored rows where the one begins or ends that adds nothing. */
static void cut_at_padding(const posenc_stored_rows *stored, posenc_stored_run *run) {
    int64_t ahead = stored->padding - run->row;
    if (stored->padding < 0 || run->kind != POSENC_STORED_ROWS || ahead < 0 || ahead >= (run->step ? run->count : 1))
        return;
    if (ahead > 0) {
        run->count = ahead;
        return;
    }
    run->kind = POSENC_STORED_NONE;
    if (run->step) run->count = 1;
}

posenc_stored_run posenc_stored_run_at(const posenc_stored_rows *stored, const posenc_token_positions *positions,
                                       int64_t batch, int64_t token, int64_t most) {
    posenc_position_run position = posenc_position_run_at(positions, batch, token, most);
    posenc_stored_run run = {POSENC_STORED_MADE, 0, 1, position, position.count};
    if (position.kind == POSENC_POSITION_NONE) run.kind = POSENC_STORED_NONE;
    if (position.kind != POSENC_POSITION_WHOLE) return run;
    run = cut_at_ends(stored, position);
    cut_at_padding(stored, &run);
    run.position.count = run.count;
    return run;
}

/* ---- the door ---- */

/* Where a position stands, for messages. */
typedef struct place {
    int64_t batch, token;
} place;

static posenc_status refuse_outside_grid(const posenc_stored_rows *s, int64_t position, place at, posenc_error *error) {
    return posenc_fail(error, POSENC_ERROR_POSITION, "positions",
                       "expected 0..%lld, the %lld tokens of the grid and its prefix, got %lld at batch %lld, token "
                       "%lld",
                       (long long)(s->rows - 1), (long long)s->rows, (long long)position, (long long)at.batch,
                       (long long)at.token);
}

static posenc_status refuse_outside(const posenc_stored_rows *s, int64_t position, place at, posenc_error *error) {
    if (s->grid) return refuse_outside_grid(s, position, at, error);
    static const char *const advice[] = {
        "", "make the encoder with a larger max-len, or let it extend",
        "past_end is error; clamp and resize are the other policies, or make the table larger",
        "past_end resize makes a table longer, not earlier; clamp would take the first row",
        "these are first values of a table, which has no other rows"};
    int which = !s->data ? 4 : !s->whole ? 1 : s->outside == POSENC_OUTSIDE_RESIZED ? 3 : 2;
    return posenc_fail(error, POSENC_ERROR_POSITION, "positions",
                       "expected %lld..%lld, which the table's %lld rows hold, got %lld at batch %lld, token %lld; %s",
                       (long long)-s->offset, (long long)(s->rows - 1 - s->offset), (long long)s->rows,
                       (long long)position, (long long)at.batch, (long long)at.token, advice[which]);
}

static posenc_status refuse_fraction(const posenc_stored_rows *s, double position, place at, posenc_error *error) {
    return posenc_fail(error, POSENC_ERROR_POSITION, "positions",
                       "expected whole positions for a table of %lld rows, got %.17g at batch %lld, token %lld",
                       (long long)s->rows, position, (long long)at.batch, (long long)at.token);
}

/* Fractions lie between two positions, and both count. */
static posenc_status check_fraction(const posenc_stored_rows *s, double position, place at, int64_t *largest,
                                    posenc_error *error) {
    if (s->whole) return refuse_fraction(s, position, at, error);
    int64_t below = (int64_t)floor(position), above = below + 1;
    if (above > *largest) *largest = above;
    if (s->outside != POSENC_OUTSIDE_REFUSED || (below >= 0 && above < s->rows)) return POSENC_OK;
    return refuse_outside(s, below < 0 || below >= s->rows ? below : above, at, error);
}

static posenc_status check_run(const posenc_stored_rows *s, const posenc_position_run *run, place at, int64_t *largest,
                               posenc_error *error) {
    if (run->kind == POSENC_POSITION_NONE || run->kind == POSENC_POSITION_POINT) return POSENC_OK;
    if (run->kind == POSENC_POSITION_REAL) return check_fraction(s, run->real, at, largest, error);
    int64_t first = posenc_stored_row_of(s, run->whole), last = posenc_stored_row_of(s, run->whole + (run->count - 1));
    if (last > *largest) *largest = last;
    bool refuses = s->outside == POSENC_OUTSIDE_REFUSED || (s->outside == POSENC_OUTSIDE_RESIZED && first < 0);
    if (!refuses || (first >= 0 && last < s->rows)) return POSENC_OK;
    int64_t ahead = first < 0 || first >= s->rows ? 0 : s->rows - first;
    at.token += ahead;
    return refuse_outside(s, run->whole + ahead, at, error);
}

posenc_status posenc_stored_rows_check(const posenc_stored_rows *stored, const posenc_token_positions *positions,
                                       int64_t batch, int64_t *largest, posenc_error *error) {
    posenc_status status = POSENC_OK;
    *largest = -1;
    for (int64_t b = 0; b < (positions->shared ? 1 : batch); b++)
        for (int64_t t = 0; t < positions->tokens && status == POSENC_OK;) {
            posenc_position_run run = posenc_position_run_at(positions, b, t, positions->tokens - t);
            status = check_run(stored, &run, (place){b, t}, largest, error);
            t += run.count;
        }
    return status;
}
