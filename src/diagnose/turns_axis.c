/* Which axis of cosines and sines is the position: along it each pair turns by the same angle from step to step,
 * whatever its frequency. Along the other one the angles of one position fall from pair to pair, and evenly for small
 * positions only. */
#include <math.h>

#include "base/checked.h"
#include "diagnose/turns.h"

enum { LINES = 64, STEPS = 32, FEWEST = 4 };

static const double even =
    0.1; /* of a step's cosine and sine from those of the step before: bf16 makes a tenth of it */

typedef struct pair {
    double cosine, sine;
} pair;

static pair pair_at(const posenc_table *table, int64_t row, int64_t k) {
    double values[2];
    posenc_table part = *table;
    part.data = posenc_table_element(table, 0, 2 * k);
    part.dim = 2;
    posenc_table_row(&part, row, values);
    return (pair){values[0], values[1]};
}

/* The angle from a to b, as a pair of unit length. */
static pair step_of(pair a, pair b) {
    double size = hypot(a.cosine, a.sine) * hypot(b.cosine, b.sine);
    return (pair){(a.cosine * b.cosine + a.sine * b.sine) / size, (a.cosine * b.sine - a.sine * b.cosine) / size};
}

static bool is_even(pair a, pair b) { return hypot(a.cosine - b.cosine, a.sine - b.sine) <= even; }

/* Whether nearly all steps equal the one before, on lines along the rows or across them. */
static bool turns_evenly(const posenc_table *table, bool along_rows) {
    int64_t pairs = table->dim / 2, across = along_rows ? pairs : table->rows, along = along_rows ? table->rows : pairs;
    int64_t lines = across < LINES ? across : LINES, points = along < STEPS ? along : STEPS, uneven = 0;
    for (int64_t i = 0; i < lines; i++) {
        int64_t line = posenc_i64_share(i, across, lines);
        pair before = {0, 0}, last = {0, 0};
        for (int64_t k = 0; k < points; k++) {
            pair here = along_rows ? pair_at(table, k, line) : pair_at(table, line, k), step = step_of(last, here);
            if (k > 1) uneven += !is_even(before, step);
            before = step, last = here;
        }
    }
    return 20 * uneven <= lines * (points - 2);
}

bool posenc_turns_are_swapped(const posenc_table *table) {
    if (table->rows < FEWEST || table->dim / 2 < FEWEST) return false;
    return !turns_evenly(table, true) && turns_evenly(table, false);
}
