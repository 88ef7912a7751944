/* Rank: of rows and channels spread over the table, how many dimensions do they use? */
#include <float.h>
#include <math.h>

#include "base/checked.h"
#include "base/memory.h"
#include "diagnose/look.h"
#include "diagnose/principal.h"
#include "diagnose/walk.h"

enum { MOST_SIDE = 1024, FEWEST_SIDE = 16, WIDEST = 1 << 16 };

static const int64_t low = 8;  /* a rank below 1 / 8 of what it could be */
static const int64_t well = 4; /* ... below 1 / 4 of what the exact table has */

/* Which rows and channels, and where they go. */
typedef struct spread {
    int64_t rows, channels, row_step, channel_step;
    posenc_principal principal;
} spread;

static void spread_out(const posenc_table *table, spread *s) {
    s->rows = table->rows < MOST_SIDE ? table->rows : MOST_SIDE;
    s->channels = table->dim < MOST_SIDE ? table->dim : MOST_SIDE;
    s->row_step = table->rows / s->rows;
    s->channel_step = table->dim / s->channels;
}

static bool is_useful(const double *row, int64_t dim) {
    int odd = 0, any = 0;
    for (int64_t k = 0; k < dim; k++) odd |= !(fabs(row[k]) <= DBL_MAX), any |= row[k] != 0;
    return any && !odd;
}

/* Rows without zeros and with finite values; theirs is the rank. row: room for one. */
static int64_t gather(const posenc_table *table, const spread *s, double *row, double *rows) {
    int64_t n = 0;
    for (int64_t i = 0; i < s->rows; i++) {
        posenc_table_row(table, i * s->row_step, row);
        if (!is_useful(row, table->dim)) continue;
        for (int64_t k = 0; k < s->channels; k++) rows[n * s->channels + k] = row[k * s->channel_step];
        n++;
    }
    return n;
}

/* The longer side first. to: as large as rows. */
static void lay(spread *s, double *rows, int64_t n, double *to) {
    posenc_principal *p = &s->principal;
    p->sides_are_rows = n <= s->channels;
    p->length = p->sides_are_rows ? s->channels : n;
    p->side = p->sides_are_rows ? n : s->channels;
    p->values = p->sides_are_rows ? to : rows;
    for (int64_t i = 0; p->sides_are_rows && i < n; i++)
        for (int64_t k = 0; k < s->channels; k++) to[k * n + i] = rows[i * s->channels + k];
}

static posenc_status find_rank(const posenc_context *context, const posenc_table *table, spread *s,
                               posenc_error *error) {
    size_t bytes;
    int64_t values = s->rows * s->channels, all;
    s->principal = (posenc_principal){.dtype = table->dtype, .rank = -1, .effective = (double)NAN};
    if (!posenc_i64_add(2 * values, table->dim, &all) || !posenc_bytes_of(all, sizeof(double), &bytes))
        return posenc_fail_memory(error, "table", SIZE_MAX);
    double *rows = posenc_allocate(context, bytes);
    if (!rows) return posenc_fail_memory(error, "table", bytes);
    int64_t n = gather(table, s, rows + 2 * values, rows);
    lay(s, rows, n, rows + values);
    posenc_status status = n > 0 ? posenc_principal_find(context, &s->principal, error) : POSENC_OK;
    posenc_release(context, rows);
    return status;
}

/* The rank that the exact table has, in the same dtype and of as many rows. */
static posenc_status exact_rank(const posenc_checkup *c, const spread *s, int64_t *rank, posenc_error *error) {
    int64_t ids[MOST_SIDE];
    size_t bytes;
    spread own = *s;
    posenc_table exact = {.dtype = c->table.dtype, .rows = s->rows, .dim = c->table.dim, .row_stride = c->table.dim};
    exact.column_stride = own.row_step = 1;
    if (!posenc_bytes_of(s->rows * exact.dim, posenc_dtype_bytes(exact.dtype), &bytes))
        return posenc_fail_memory(error, "table", SIZE_MAX);
    char *data = posenc_allocate(c->context, bytes);
    if (!data) return posenc_fail_memory(error, "table", bytes);
    for (int64_t i = 0; i < s->rows; i++) ids[i] = c->formula.start + i * s->row_step;
    exact.data = data;
    posenc_status status = posenc_exact_rows(c->formula.exact, ids, s->rows, exact.dtype, data, error);
    if (status == POSENC_OK) status = find_rank(c->context, &exact, &own, error);
    posenc_release(c->context, data);
    *rank = own.principal.rank;
    return status;
}

/* Below it a rank is low; -1: it never is. A table without broken rows has the rank that it should have. */
static posenc_status least_rank(const posenc_checkup *c, const spread *s, int64_t *least, posenc_error *error) {
    const posenc_principal *p = &s->principal;
    int64_t exact;
    *least = -1;
    if (p->rank < 0 || p->side < FEWEST_SIDE || c->table.dim < FEWEST_SIDE) return POSENC_OK;
    if (c->stands_still || c->turned || c->scaled) return POSENC_OK;
    if (!c->formula.known && c->turns.are) return POSENC_OK; /* slow pairs are nearly one */
    if (!c->formula.known) {
        *least = (p->side + low - 1) / low;
        return POSENC_OK;
    }
    if (c->rows.all.odd.n == 0 || c->table.dim > WIDEST) return POSENC_OK;
    posenc_status status = exact_rank(c, s, &exact, error);
    if (status == POSENC_OK) *least = exact / well;
    return status;
}

posenc_status posenc_look_rank(posenc_checkup *c, posenc_error *error) {
    spread s;
    int64_t least;
    spread_out(&c->table, &s);
    c->report.looked_at |= 1u << POSENC_LOOK_RANK;
    posenc_status status = find_rank(c->context, &c->table, &s, error);
    if (status == POSENC_OK) status = least_rank(c, &s, &least, error);
    if (status != POSENC_OK) return status;
    c->report.rank = s.principal.rank;
    c->report.effective_dimension = c->table.rows > 1 ? s.principal.effective : (double)NAN;
    if (s.principal.rank < 0 || s.principal.rank >= least) return POSENC_OK;
    posenc_found(c, POSENC_FINDING_LOW_RANK, POSENC_LEVEL_WARNING, (posenc_place){-1, -1}, (double)s.principal.rank,
                 "%lld rows of %lld channels span %lld dimensions only: most channels are mixtures of a few, so that "
                 "positions are told apart by little",
                 (long long)(s.principal.sides_are_rows ? s.principal.side : s.principal.length),
                 (long long)c->table.dim, (long long)s.principal.rank);
    return POSENC_OK;
}
