/* A counting sort of tokens by row. Consecutive positions need none: in every batch row, a row of the table is read by
 * one token at most, or by those that are clamped to it. */
#include "encoder/token_lists.h"

#include <string.h>

#include "base/checked.h"
#include "base/error.h"
#include "base/memory.h"

/* ---- every reading of a row ---- */

typedef void reading(posenc_token_lists *lists, int64_t row, int64_t entry);

static void read_resized(posenc_token_lists *l, int64_t row, int64_t token, reading *read) {
    int64_t parts[2];
    double weights[2];
    int n = posenc_resized_row_parts(l->resized, row, parts, weights);
    for (int i = 0; i < n; i++) read(l, parts[i], 2 * token + i);
}

static void read_run(posenc_token_lists *l, const posenc_stored_run *run, int64_t token, reading *read) {
    for (int64_t i = 0; i < run->count; i++) {
        if (l->resized->rows > 0)
            read_resized(l, run->row + i, token + i, read);
        else
            read(l, run->row + i * run->step, token + i);
    }
}

static void each_reading(posenc_token_lists *l, reading *read) {
    const posenc_stored_rows *as_if = l->resized->rows > 0 ? &l->resized->as_if : l->stored;
    for (int64_t b = 0; b < l->batch; b++)
        for (int64_t t = 0; t < l->tokens;) {
            posenc_stored_run run = posenc_stored_run_at(as_if, l->positions, b, t, l->tokens - t);
            if (run.kind == POSENC_STORED_ROWS) read_run(l, &run, b * l->tokens + t, read);
            t += run.count;
        }
}

/* ---- sorting ---- */

/* Counts a row one place further on, so that sums of counts are where rows begin. */
static void count(posenc_token_lists *l, int64_t row, int64_t entry) {
    (void)entry;
    l->begin[row + 1]++;
}

/* While entries are put in, begin[row] is the place of the row's next one. */
static void put(posenc_token_lists *l, int64_t row, int64_t entry) { l->entries[l->begin[row]++] = entry; }

static void sort(posenc_token_lists *l) {
    int64_t rows = l->stored->rows;
    each_reading(l, count);
    for (int64_t r = 0; r < rows; r++) l->begin[r + 1] += l->begin[r];
    each_reading(l, put);
    memmove(l->begin + 1, l->begin, (size_t)rows * sizeof *l->begin); /* each row's end is the next one's beginning */
    l->begin[0] = 0;
}

/* The row that the first token of a batch row asks for, which the table need not have. */
static int64_t first_row(const posenc_token_lists *l, int64_t b) {
    return posenc_stored_row_of(l->stored, posenc_position_run_at(l->positions, b, 0, 1).whole);
}

static int64_t within(int64_t row, int64_t rows) { return row < 0 ? 0 : row < rows ? row : rows - 1; }

/* The rows that consecutive positions reach over, so that they can be shared out evenly. */
static void find_reach(posenc_token_lists *l) {
    int64_t rows = l->stored->rows;
    l->lowest = rows - 1, l->highest = 0;
    for (int64_t b = 0; b < l->batch; b++) {
        int64_t first = first_row(l, b), last = first < rows ? first + (l->tokens - 1) : first;
        if (within(first, rows) < l->lowest) l->lowest = within(first, rows);
        if (within(last, rows) > l->highest) l->highest = within(last, rows);
    }
}

posenc_status posenc_token_lists_create(posenc_token_lists *l, posenc_error *error) {
    const posenc_token_positions *p = l->positions;
    l->begin = l->entries = NULL;
    l->even = !p->ids && !p->resolved && l->resized->rows == 0;
    if (l->even) {
        find_reach(l);
        return POSENC_OK;
    }
    int64_t n;
    size_t begin_bytes, bytes;
    if (!posenc_i64_multiply(l->batch, l->tokens, &n) || !posenc_i64_multiply(n, l->resized->rows > 0 ? 2 : 1, &n) ||
        !posenc_bytes_of(n, sizeof *l->entries, &bytes) ||
        !posenc_bytes_of(l->stored->rows + 1, sizeof *l->begin, &begin_bytes))
        return posenc_fail(error, POSENC_ERROR_SHAPE, "dy", "expected a size that fits into memory, got a larger one");
    l->begin = posenc_allocate(l->context, begin_bytes);
    if (!l->begin) return posenc_fail_memory(error, "token lists", begin_bytes);
    l->entries = posenc_allocate(l->context, bytes);
    if (!l->entries) {
        posenc_token_lists_destroy(l);
        return posenc_fail_memory(error, "token lists", bytes);
    }
    memset(l->begin, 0, begin_bytes);
    sort(l);
    return POSENC_OK;
}

void posenc_token_lists_destroy(posenc_token_lists *l) {
    posenc_release(l->context, l->begin);
    posenc_release(l->context, l->entries);
    l->begin = l->entries = NULL;
}

/* ---- walking ---- */

/* Tokens from the one returned to *end - 1 of a batch row read the row. */
static int64_t even_tokens(const posenc_token_lists *l, int64_t b, int64_t row, int64_t *end) {
    const posenc_stored_rows *s = l->stored;
    bool clamped = s->outside == POSENC_OUTSIDE_CLAMPED;
    int64_t start = first_row(l, b);
    *end = 0;
    if (row == s->padding) return 0;
    if (start < -l->tokens || start >= s->rows) { /* all lie on one side */
        if (clamped && row == (start < 0 ? 0 : s->rows - 1)) *end = l->tokens;
        return 0;
    }
    int64_t first = clamped && row == 0 ? 0 : row - start;
    int64_t last = clamped && row == s->rows - 1 ? l->tokens - 1 : row - start;
    if (last >= l->tokens) last = l->tokens - 1;
    if (first < 0 || first > last) return 0;
    *end = last + 1;
    return first;
}

posenc_token_walk posenc_token_walk_start(const posenc_token_lists *lists, int64_t row) {
    return (posenc_token_walk){.lists = lists,
                               .row = row,
                               .batch = -1,
                               .token = -1,
                               .next = lists->even ? 0 : lists->begin[row],
                               .weight = 1,
                               .r = lists->repeat};
}

/* next: the end of the tokens of this batch row. */
static bool step_even(posenc_token_walk *w) {
    if (w->batch >= 0 && ++w->token < w->next) return true;
    while (++w->batch < w->lists->batch) {
        w->token = even_tokens(w->lists, w->batch, w->row, &w->next);
        if (w->token < w->next) return true;
    }
    return false;
}

static bool step_listed(posenc_token_walk *w) {
    const posenc_token_lists *l = w->lists;
    if (w->next == l->begin[w->row + 1]) return false;
    int64_t entry = l->entries[w->next++];
    int64_t token = l->resized->rows > 0 ? entry / 2 : entry;
    w->batch = token / l->tokens;
    w->token = token % l->tokens;
    if (l->resized->rows > 0) {
        int64_t parts[2];
        double weights[2];
        posenc_stored_run run = posenc_stored_run_at(&l->resized->as_if, l->positions, w->batch, w->token, 1);
        posenc_resized_row_parts(l->resized, run.row, parts, weights);
        w->weight = weights[entry % 2];
    }
    return true;
}

bool posenc_token_walk_step(posenc_token_walk *w) {
    if (w->r + 1 < w->lists->repeat) {
        w->r++;
        return true;
    }
    bool more = w->lists->repeat > 0 && (w->lists->even ? step_even(w) : step_listed(w));
    w->r = more ? 0 : w->lists->repeat; /* past the end it stays there */
    return more;
}

/* ---- sharing out ---- */

int64_t posenc_token_lists_share(const posenc_token_lists *l, int n, int i) {
    int64_t rows = l->stored->rows;
    if (i == 0 || i == n) return i == 0 ? 0 : rows;
    if (l->even) return l->lowest + posenc_i64_share(i, l->highest - l->lowest + 1, n);
    int64_t goal = posenc_i64_share(i, l->begin[rows], n), low = 0, high = rows;
    while (low < high) { /* the first row that begins at or past the goal */
        int64_t middle = low + (high - low) / 2;
        if (l->begin[middle] < goal)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}
