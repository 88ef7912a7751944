/* Spectrum: how much of each channel swings at which wavelength, channel across, wavelength up on a logarithmic axis. A
 * cell is the share of the channel's energy within a quarter of an octave each way: bands of one relative width, so
 * that a pure wave is equally bright wherever it lies. Where a formula made the table its wavelengths are drawn over
 * it. */
#include <math.h>

#include "base/checked.h"
#include "base/memory.h"
#include "report/plot.h"

enum {
    LEVELS = 160,     /* rows of the image */
    LOOKED_AT = 4096, /* positions at most: some turns of all but the slowest channels */
    FEW_POSITIONS = 8 /* below, wavelengths are hardly told apart */
};

static const double shortest = 2; /* tokens: the fastest swing that integer positions can show */
static const double quarter_octave = 1.189207115002721;

/* What was seen on the way. */
typedef struct tally {
    int64_t missing; /* values */
    int64_t still;   /* channels that do not vary */
    int64_t blank;   /* channels without a finite value */
} tally;

typedef struct work {
    const posenc_table *table;
    int64_t positions;
    double longest;
    posenc_power *power;
    double *values; /* [positions] */
    tally seen;
} work;

/* ---- One channel ---- */

/* Copies a channel; what is not finite takes the mean of the rest, which swings nowhere. Returns how much is finite. */
static int64_t read_channel(const work *w, int64_t channel) {
    posenc_table one = *w->table;
    double sum = 0;
    int64_t finite = 0;
    one.data = posenc_table_element(w->table, 0, channel);
    one.dim = 1;
    for (int64_t p = 0; p < w->positions; p++) {
        posenc_table_row(&one, p, &w->values[p]);
        w->values[p] = posenc_plot_clamp(w->values[p]);
        if (!isfinite(w->values[p])) continue;
        sum += w->values[p];
        finite++;
    }
    for (int64_t p = 0; p < w->positions; p++)
        if (!isfinite(w->values[p])) w->values[p] = sum / (double)finite;
    return finite;
}

static double wavelength_of(const work *w, int64_t level) {
    return shortest * pow(w->longest / shortest, ((double)level + 0.5) / LEVELS);
}

static void fill_column(work *w, int64_t channel, float *out, int64_t stride) {
    int64_t finite = read_channel(w, channel);
    bool swings = finite > 0 && posenc_power_measure(w->power, w->values);
    w->seen.missing += w->positions - finite;
    w->seen.blank += finite == 0;
    w->seen.still += finite > 0 && !swings;
    for (int64_t level = 0; level < LEVELS; level++) {
        double frequency = 1 / wavelength_of(w, level);
        double low = frequency / quarter_octave, high = fmin(frequency * quarter_octave, 0.5);
        out[level * stride] = swings ? (float)posenc_power_share(w->power, low, high) : NAN;
    }
}

static posenc_status open_work(const posenc_plot_source *source, work *w, posenc_error *error) {
    int64_t positions = source->table.rows < LOOKED_AT ? source->table.rows : LOOKED_AT;
    *w = (work){.table = &source->table, .positions = positions, .longest = 2 * fmax(2, (double)positions)};
    w->values = posenc_allocate(source->context, (size_t)positions * sizeof(double));
    w->power = posenc_power_create(source->context, positions);
    if (w->values && w->power) return POSENC_OK;
    return posenc_fail_memory(error, "spectrum", (size_t)positions * sizeof(double));
}

static void close_work(const posenc_plot_source *source, work *w) {
    posenc_power_destroy(w->power);
    posenc_release(source->context, w->values);
}

static posenc_status fill(const posenc_plot_source *source, posenc_plot_sheet *sheet, work *w, posenc_error *error) {
    int64_t columns = posenc_plot_cells(source->table.dim);
    posenc_status status = open_work(source, w, error);
    if (status == POSENC_OK) status = posenc_plot_sheet_image(sheet, LEVELS, columns, error);
    for (int64_t j = 0; status == POSENC_OK && j < columns; j++)
        fill_column(w, posenc_i64_share(j, source->table.dim, columns), sheet->cells + j, columns);
    close_work(source, w);
    return status;
}

/* ---- The formula's wavelengths ---- */

/* Whether a row's second half begins between two channels, where wavelengths start anew. */
static bool starts_anew(const posenc_match *match, int64_t dim, int64_t before, int64_t channel) {
    return match->layout != POSENC_LAYOUT_INTERLEAVED && before < dim / 2 && channel >= dim / 2;
}

/* One point for each column of the image, and a gap where wavelengths start anew. */
static posenc_status add_formula(const posenc_plot_source *source, const posenc_match *match, posenc_plot_sheet *sheet,
                                 posenc_error *error) {
    int64_t dim = source->table.dim, columns = sheet->image.columns, before = 0;
    size_t room = (size_t)columns + 1, n = 0, bytes = 2 * room * sizeof(double);
    sheet->numbers = posenc_allocate(sheet->context, bytes);
    if (!sheet->numbers) return posenc_fail_memory(error, "wavelengths", bytes);
    double *x = sheet->numbers, *y = sheet->numbers + room;
    for (int64_t j = 0; j < columns; j++) {
        int64_t channel = posenc_i64_share(j, dim, columns);
        x[n] = (double)channel;
        if (starts_anew(match, dim, before, channel)) y[n++] = (double)NAN;
        x[n] = (double)channel;
        y[n++] = posenc_plot_wavelength(match, dim, channel);
        before = channel;
    }
    sheet->series[0] = (posenc_series){.name = "formula", .x = x, .y = y, .n = n, .stroke = POSENC_STROKE_DASHED};
    sheet->figure.n_series = 1;
    return POSENC_OK;
}

/* ---- The note ---- */

static void note_slow(const work *w, const posenc_match *match, posenc_plot_sheet *sheet) {
    int64_t slow = 0;
    double slowest = 0;
    char text[32];
    for (int64_t channel = 0; channel < w->table->dim; channel++) {
        double wavelength = posenc_plot_wavelength(match, w->table->dim, channel);
        slow += wavelength > (double)w->positions;
        slowest = fmax(slowest, wavelength);
    }
    if (slow > 0)
        posenc_plot_sheet_note(
            sheet, "%lld channels swing slower than %lld positions can show, up to a wavelength of %s tokens.",
            (long long)slow, (long long)w->positions, posenc_plot_number(slowest, 3, text));
}

static void write_note(const work *w, posenc_plot_sheet *sheet) {
    const posenc_table *table = w->table;
    if (w->positions < table->rows)
        posenc_plot_sheet_note(sheet, "The first %lld of %lld positions.", (long long)w->positions,
                               (long long)table->rows);
    if (sheet->image.columns < table->dim)
        posenc_plot_sheet_note(sheet, "%lld of %lld channels, evenly spaced.", (long long)sheet->image.columns,
                               (long long)table->dim);
    if (w->positions < FEW_POSITIONS)
        posenc_plot_sheet_note(sheet, "%lld %s not enough to tell wavelengths apart.", (long long)w->positions,
                               w->positions == 1 ? "position is" : "positions are");
    if (w->seen.still > 0)
        posenc_plot_sheet_note(sheet, "%lld %s not vary and %s marked as missing.", (long long)w->seen.still,
                               w->seen.still == 1 ? "channel does" : "channels do", w->seen.still == 1 ? "is" : "are");
    if (w->seen.blank == sheet->image.columns)
        posenc_plot_sheet_note(sheet, "No value is finite: all are missing.");
    else if (w->seen.blank > 0)
        posenc_plot_sheet_note(sheet, "%lld %s no finite value and %s marked as missing.", (long long)w->seen.blank,
                               w->seen.blank == 1 ? "channel has" : "channels have", w->seen.blank == 1 ? "is" : "are");
    int64_t others = w->seen.missing - w->seen.blank * w->positions;
    if (others > 0)
        posenc_plot_sheet_note(sheet, "%lld other %s not finite and taken as the channel's mean.", (long long)others,
                               others == 1 ? "value is" : "values are");
}

posenc_status posenc_plot_spectrum(const posenc_plot_source *source, posenc_plot_sheet *sheet, posenc_error *error) {
    work w;
    posenc_match match;
    posenc_status status = posenc_match_table(source->context, &source->table, &match, error);
    if (status == POSENC_OK) status = fill(source, sheet, &w, error);
    if (status != POSENC_OK) return status;
    bool formula = match.scheme && w.positions >= FEW_POSITIONS;
    if (formula) status = add_formula(source, &match, sheet, error);
    if (status != POSENC_OK) return status;
    sheet->image.low = 0;
    sheet->image.high = 1;
    sheet->image.label = "share of energy within a quarter octave";
    sheet->figure.x = posenc_plot_axis_across("channel", 0, source->table.dim);
    sheet->figure.y = (posenc_axis){"wavelength (tokens)", shortest, w.longest, 1};
    write_note(&w, sheet);
    if (formula) note_slow(&w, &match, sheet);
    return POSENC_OK;
}
