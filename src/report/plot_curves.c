/* Curves: a few channels along the positions, from the fastest to the slowest. Where a formula made the table its sines
 * are shown, at wavelengths that are spread evenly (in their logarithm) over what the picture can tell apart, and the
 * slowest one; else channels evenly spread. So many positions are shown that the fastest channel stays a curve. */
#include <math.h>
#include <stdio.h>

#include "base/checked.h"
#include "base/memory.h"
#include "report/plot.h"

enum {
    MOST = POSENC_PLOT_MOST_SERIES,
    FEWEST_POSITIONS = 128, /* 20 turns of the usual fastest channel, 2 pi tokens */
    TURNS = 20,
    MOST_POINTS = 8192, /* of a series, above: runs of positions, each by its least and its greatest value */
    LOOKED_AT = 4096    /* values that tell how far a channel swings */
};

/* What is shown. */
typedef struct choice {
    bool formula;
    posenc_match match;
    int64_t columns[MOST];
    int n;
    int64_t rows;
} choice;

static double value_at(const posenc_table *table, int64_t row, int64_t column) {
    posenc_table one = *table;
    double value;
    one.data = posenc_table_element(table, 0, column);
    one.dim = 1;
    posenc_table_row(&one, row, &value);
    return posenc_plot_clamp(value);
}

/* ---- Which positions ---- */

/* So many that the fastest channel makes some turns; all of them rather than half. */
static int64_t rows_for(double wanted, int64_t rows) {
    wanted = fmax(FEWEST_POSITIONS, wanted);
    return (double)rows <= 2 * wanted ? rows : (int64_t)wanted;
}

/* Mean and standard deviation of values spread over a channel; NaN where none is finite. */
static void measure(const posenc_table *table, int64_t column, double *mean, double *deviation) {
    int64_t n = table->rows < LOOKED_AT ? table->rows : LOOKED_AT, finite = 0;
    double sum = 0, squares = 0, origin = value_at(table, 0, column);
    for (int64_t i = 0; i < n; i++) {
        double value = value_at(table, posenc_i64_share(i, table->rows, n), column);
        if (!isfinite(value)) continue;
        if (!isfinite(origin)) origin = value; /* near the mean, so that the squares do not cancel */
        sum += value - origin;
        squares += (value - origin) * (value - origin);
        finite++;
    }
    *mean = origin + sum / (double)finite;
    *deviation = sqrt(fmax(squares / (double)finite - pow(sum / (double)finite, 2), 0));
}

/* Positions until a channel has swung so often that more swings would run together: from half a deviation below its
 * mean to half a one above, and back. What is smaller is ripple on a curve and may be as quick as it likes. */
static int64_t rows_of_turns(const posenc_table *table, int64_t column) {
    double mean, deviation;
    int turns = 0, side = 0;
    measure(table, column, &mean, &deviation);
    for (int64_t r = 0; r < table->rows; r++) {
        double off = value_at(table, r, column) - mean;
        int now = off > deviation / 2 ? 1 : off < -deviation / 2 ? -1 : side;
        turns += side != 0 && now != side;
        side = now;
        if (turns == 2 * TURNS) return r;
    }
    return table->rows;
}

/* ---- Which channels ---- */

static void choose_evenly(const posenc_table *table, choice *c) {
    int64_t wanted = table->rows;
    c->n = table->dim < MOST ? (int)table->dim : MOST;
    for (int k = 0; k < c->n; k++) {
        c->columns[k] = c->n > 1 ? k * (table->dim - 1) / (c->n - 1) : 0;
        int64_t rows = rows_of_turns(table, c->columns[k]);
        if (rows < wanted) wanted = rows;
    }
    c->rows = rows_for((double)wanted, table->rows);
}

static bool is_chosen(const choice *c, int64_t column) {
    for (int k = 0; k < c->n; k++)
        if (c->columns[k] == column) return true;
    return false;
}

/* Adds the sine whose wavelength is nearest in its logarithm. */
static void choose_nearest(int64_t dim, double wavelength, choice *c) {
    double best = HUGE_VAL;
    int64_t nearest = -1;
    for (int64_t column = 0; column < dim; column++) {
        if (!posenc_plot_is_sine(&c->match, dim, column) || is_chosen(c, column)) continue;
        double distance = fabs(log(posenc_plot_wavelength(&c->match, dim, column) / wavelength));
        if (!(distance < best)) continue;
        best = distance;
        nearest = column;
    }
    if (nearest >= 0) c->columns[c->n++] = nearest;
}

static void sort_by_wavelength(int64_t dim, choice *c) {
    for (int i = 1; i < c->n; i++)
        for (int k = i; k > 0 && posenc_plot_wavelength(&c->match, dim, c->columns[k]) <
                                     posenc_plot_wavelength(&c->match, dim, c->columns[k - 1]);
             k--) {
            int64_t column = c->columns[k];
            c->columns[k] = c->columns[k - 1];
            c->columns[k - 1] = column;
        }
}

/* A swing of more than twice the positions shown looks like the next one: of those only the slowest is chosen. */
static void choose_by_wavelength(const posenc_table *table, choice *c) {
    double fastest = HUGE_VAL, slowest = 0;
    for (int64_t column = 0; column < table->dim; column++) {
        fastest = fmin(fastest, posenc_plot_wavelength(&c->match, table->dim, column));
        slowest = fmax(slowest, posenc_plot_wavelength(&c->match, table->dim, column));
    }
    c->rows = rows_for(TURNS * fastest, table->rows);
    double last = fmin(slowest, fmax(2 * (double)c->rows, 16 * fastest));
    int spread = last < slowest ? MOST - 1 : MOST;
    if (last < slowest) choose_nearest(table->dim, slowest, c);
    for (int k = 0; k < spread; k++)
        choose_nearest(table->dim, fastest * pow(last / fastest, (double)k / (spread - 1)), c);
    sort_by_wavelength(table->dim, c);
}

static posenc_status choose(const posenc_plot_source *source, choice *c, posenc_error *error) {
    *c = (choice){0};
    posenc_status status = posenc_match_table(source->context, &source->table, &c->match, error);
    if (status != POSENC_OK) return status;
    c->formula = c->match.scheme != NULL;
    if (c->formula && source->table.dim > MOST)
        choose_by_wavelength(&source->table, c);
    else
        choose_evenly(&source->table, c);
    return POSENC_OK;
}

/* ---- The points ---- */

typedef struct points {
    double *x, *y;
    int64_t missing;
    double least, most;
} points;

static void take(points *p, int64_t i, int64_t position, double value) {
    p->x[i] = (double)position;
    p->y[i] = value;
}

/* The least and the greatest value of a run, in their order; a gap where there is none. */
static void take_run(const posenc_plot_source *source, int64_t column, int64_t begin, int64_t end, int64_t i,
                     points *p) {
    int64_t least = begin, most = begin;
    double low = (double)NAN, high = (double)NAN;
    for (int64_t r = begin; r < end; r++) {
        double value = value_at(&source->table, r, column);
        if (!isfinite(value)) {
            p->missing++;
            continue;
        }
        if (!(value >= low)) low = value, least = r;
        if (!(value <= high)) high = value, most = r;
    }
    bool rising = least <= most;
    take(p, i, source->start + (rising ? least : most), rising ? low : high);
    take(p, i + 1, source->start + (rising ? most : least), rising ? high : low);
}

static size_t take_channel(const posenc_plot_source *source, int64_t column, int64_t rows, points *p) {
    if (rows > MOST_POINTS) {
        for (int64_t i = 0; i < MOST_POINTS / 2; i++)
            take_run(source, column, posenc_i64_share(i, rows, MOST_POINTS / 2),
                     posenc_i64_share(i + 1, rows, MOST_POINTS / 2), 2 * i, p);
        return MOST_POINTS;
    }
    for (int64_t r = 0; r < rows; r++) {
        double value = value_at(&source->table, r, column);
        p->missing += !isfinite(value);
        take(p, r, source->start + r, isfinite(value) ? value : (double)NAN);
    }
    return (size_t)rows;
}

static posenc_status take_all(const posenc_plot_source *source, const choice *c, posenc_plot_sheet *sheet, points *p,
                              posenc_error *error) {
    size_t room = (size_t)(c->rows < MOST_POINTS ? c->rows : MOST_POINTS);
    size_t bytes = 2 * room * (size_t)c->n * sizeof(double);
    sheet->numbers = posenc_allocate(sheet->context, bytes);
    if (!sheet->numbers) return posenc_fail_memory(error, "curves", bytes);
    *p = (points){.x = sheet->numbers, .y = sheet->numbers + room, .least = HUGE_VAL, .most = -HUGE_VAL};
    for (int k = 0; k < c->n; k++, p->x += 2 * room, p->y += 2 * room) {
        size_t n = take_channel(source, c->columns[k], c->rows, p);
        for (size_t i = 0; i < n; i++) {
            p->least = fmin(p->least, p->y[i]);
            p->most = fmax(p->most, p->y[i]);
        }
        sheet->series[k] = (posenc_series){.name = sheet->names[k],
                                           .x = p->x,
                                           .y = p->y,
                                           .n = n,
                                           .stroke = n > 1 ? POSENC_STROKE_LINE : POSENC_STROKE_POINTS};
    }
    sheet->figure.n_series = (size_t)c->n;
    return POSENC_OK;
}

/* ---- The words ---- */

static void name_channels(const choice *c, int64_t dim, posenc_plot_sheet *sheet) {
    char text[32];
    for (int k = 0; k < c->n; k++) {
        double wavelength = c->formula ? posenc_plot_wavelength(&c->match, dim, c->columns[k]) : (double)NAN;
        int n = snprintf(sheet->names[k], sizeof sheet->names[k], "channel %lld", (long long)c->columns[k]);
        if (isfinite(wavelength))
            snprintf(sheet->names[k] + n, sizeof sheet->names[k] - (size_t)n, " (wavelength %s tokens)",
                     posenc_plot_number(wavelength, 3, text));
    }
}

static void write_note(const choice *c, const posenc_table *table, int64_t missing, posenc_plot_sheet *sheet) {
    char run[32];
    if (c->n < table->dim)
        posenc_plot_sheet_note(sheet, "%d of %lld channels, %s.", c->n, (long long)table->dim,
                               c->formula ? "sines from the fastest to the slowest" : "evenly spaced");
    if (c->rows < table->rows)
        posenc_plot_sheet_note(sheet, "The first %lld of %lld positions.", (long long)c->rows, (long long)table->rows);
    if (c->rows > MOST_POINTS)
        posenc_plot_sheet_note(sheet, "Of each run of %s positions the least and the greatest value are drawn.",
                               posenc_plot_number((double)c->rows / (MOST_POINTS / 2), 4, run));
    if (missing == c->n * c->rows)
        posenc_plot_sheet_note(sheet, "No value is finite: all are missing.");
    else if (missing > 0)
        posenc_plot_sheet_note(sheet, "%lld %s not finite and left out.", (long long)missing,
                               missing == 1 ? "value is" : "values are");
}

static posenc_axis axis_around(double least, double most) {
    if (!(least <= most)) least = -1, most = 1;
    double margin = most > least ? 0.05 * (most - least) : most != 0 ? 0.5 * fabs(most) : 1;
    return (posenc_axis){.label = "value", .first = least - margin, .last = most + margin};
}

/* From the first position to the last; a single one stands in the middle. */
static posenc_axis axis_along(int64_t start, int64_t rows) {
    if (rows == 1) return posenc_plot_axis_across("position (tokens)", start, 1);
    return (posenc_axis){"position (tokens)", (double)start, (double)(start + rows - 1), 0};
}

posenc_status posenc_plot_curves(const posenc_plot_source *source, posenc_plot_sheet *sheet, posenc_error *error) {
    choice c;
    points p = {0};
    posenc_status status = choose(source, &c, error);
    if (status == POSENC_OK) status = take_all(source, &c, sheet, &p, error);
    if (status != POSENC_OK) return status;
    name_channels(&c, source->table.dim, sheet);
    sheet->figure.x = axis_along(source->start, c.rows);
    sheet->figure.y = axis_around(p.least, p.most);
    write_note(&c, &source->table, p.missing, sheet);
    return POSENC_OK;
}
