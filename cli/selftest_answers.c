/* Known answers: values that anybody can check with a calculator of many digits. */
#include <math.h>
#include <string.h>

#include "numbers.h"
#include "selftest_parts.h"

/* Whole rows at position 1, as `posenc table` prints them. */
static const struct {
    const char *layout, *dim, *row;
} printed[] = {
    {"interleaved", "7", "0.841470985,0.540302306,0.0719064568,0.99741138,0.00517945152,0.999986587,0.000372759363"},
    {"interleaved", "8",
     "0.841470985,0.540302306,0.0998334166,0.995004165,0.00999983333,0.99995,0.000999999833,0.9999995"},
    {"tensor2tensor", "8",
     "0.841470985,0.0463992235,0.00215443302,9.99999998e-05,0.540302306,0.998922976,0.999997679,0.999999995"},
    {"tensor2tensor", "1", "0"},
    {"halves", "1", "0"},
};

/* Single values, sin and cos of p * 10000^(-2i/dim), rounded from 50 digits. */
static const struct {
    const char *layout, *dim;
    int64_t position;
    int column;
    double value;
} single[] = {
    {"interleaved", "512", 1, 0, 0.841470984807896506653},
    {"interleaved", "512", 1, 1, 0.540302305868139717401},
    {"interleaved", "512", 16777217, 2, 0.973747952604453704289},
    {"interleaved", "512", 2147483647, 0, -0.724916555144556390548},
    {"interleaved", "512", 2147483647, 1, -0.68883669187794383468},
    {"interleaved", "512", 2147483647, 510, 0.921081838937467126138},
    {"interleaved", "512", INT64_C(9007199254740991), 0, -0.0139493245880329108421},
    {"interleaved", "512", INT64_C(9007199254740991), 257, -0.612796822827580949915},
    {"interleaved", "512", -1048577, 1, 0.231841463516241251017},
    {"interleaved", "512", -1048577, 511, -0.308863685789910975337},
    {"interleaved", "7", 2147483647, 6, -0.908468757651529325764},
    {"interleaved", "7", INT64_C(9007199254740991), 6, 0.0539052129713276451855},
    {"halves", "512", 2147483647, 255, 0.921081838937467126138},
    {"halves", "512", 16777217, 510, 0.928177711269176098722},
    {"halves", "7", INT64_C(9007199254740991), 2, -0.0634906763246897984382},
    {"halves", "7", -1048577, 5, -0.959507986806306489631},
};

/* Single values of other schemes at real positions, rounded from 50 digits. */
static const struct {
    const char *scheme;
    posenc_parameter parameters[3]; /* ends with a NULL name */
    double position;
    int column;
    double value;
} real[] = {
    {"timestep", {{"dim", "256"}}, 500, 1, 0.94594257982013232917},
    {"timestep", {{"dim", "256"}}, 999.5, 255, 0.107200658646693828834},
    {"timestep", {{"dim", "7"}}, 999.5, 4, 0.667770369856794827744},
    {"timestep", {{"dim", "7"}}, 0.25, 5, 0.000538608646466304641507},
    {"timestep", {{"dim", "256"}, {"shift", "1"}}, 500, 129, 0.0667106129865839610446},
    {"timestep", {{"dim", "256"}, {"shift", "1"}}, 999.5, 129, -0.325463700546582991294},
    {"timestep", {{"dim", "8"}, {"shift", "1"}}, 0.25, 7, 0.0000249999999973958333334},
    {"fourier", {{"dim", "8"}, {"resolution", "32"}}, 0.25, 0, 0.707106781186547524401},
    {"fourier", {{"dim", "8"}, {"resolution", "32"}}, -1, 7, 1},
    {"fourier", {{"dim", "8"}, {"resolution", "32"}}, 0.25, 6, -0.707106781186547524401},
};

/* Weights of a resized table of 7 rows, those of PyTorch's interpolate. */
enum { OLD_ROWS = 7, MOST_NEW_ROWS = 11 };
static const struct {
    posenc_interpolation mode;
    int antialias, align_corners, new_rows, row;
    double weights[OLD_ROWS];
} resized[] = {
    {POSENC_INTERPOLATION_LINEAR, 0, 0, 11, 1, {0.545454545454545454545, 0.454545454545454545455}},
    {POSENC_INTERPOLATION_LINEAR, 1, 0, 4, 1, {0, 0.2, 0.52, 0.28}},
    {POSENC_INTERPOLATION_LINEAR, 0, 1, 11, 2, {0, 0.8, 0.2}},
    {POSENC_INTERPOLATION_CUBIC,
     0,
     0,
     11,
     1,
     {0.551089406461307287754, 0.533433508640120210368, -0.0845229151014274981217}},
    {POSENC_INTERPOLATION_CUBIC,
     1,
     0,
     4,
     1,
     {-0.0372078720787207872079, 0.205514555145551455515, 0.555658056580565805658, 0.316420664206642066421,
      -0.0173226732267322673227, -0.0230627306273062730627}},
};

static int make(const posenc_context *context, const char *layout, const char *dim, posenc_plan **plan) {
    const posenc_parameter parameters[] = {{"layout", layout}, {"dim", dim}};
    posenc_error error;
    if (posenc_plan_create(context, "sinusoidal", parameters, 2, plan, &error) == POSENC_OK) return POSENC_CLI_FINE;
    return posenc_cli_refuse(&error);
}

enum { WIDEST = 512 };

/* One row in the dtype of out. */
static int write_row(const posenc_plan *plan, int64_t position, posenc_dtype dtype, void *out) {
    const int64_t shape[] = {1, posenc_plan_dim(plan)};
    posenc_view view;
    posenc_positions positions;
    posenc_error error;
    posenc_positions_default(&positions, sizeof positions);
    positions.start = position;
    if (posenc_plan_write(plan, &positions, posenc_view_make(&view, out, dtype, 2, shape, NULL), &error) == POSENC_OK)
        return POSENC_CLI_FINE;
    return posenc_cli_refuse(&error);
}

static void row_text(const double *row, int64_t n, char *text, size_t capacity) {
    size_t used = 0;
    for (int64_t i = 0; i < n && used < capacity; i++)
        used += (size_t)snprintf(text + used, capacity - used, "%s%.9g", i ? "," : "", row[i]);
}

static int check_printed(const posenc_context *context, size_t i, posenc_cli_tally *tally) {
    posenc_plan *plan = NULL;
    double row[WIDEST];
    char text[256];
    int status = make(context, printed[i].layout, printed[i].dim, &plan);
    if (status == POSENC_CLI_FINE) status = write_row(plan, 1, POSENC_F64, row);
    if (status == POSENC_CLI_FINE) {
        row_text(row, posenc_plan_dim(plan), text, sizeof text);
        posenc_cli_tally_add(tally, strcmp(text, printed[i].row) == 0, "%s dim %s position 1: expected %s, got %s",
                             printed[i].layout, printed[i].dim, printed[i].row, text);
    }
    posenc_plan_destroy(plan);
    return status;
}

static int check_single(const posenc_context *context, size_t i, posenc_cli_tally *tally) {
    posenc_plan *plan = NULL;
    double wide[WIDEST];
    float narrow[WIDEST];
    int status = make(context, single[i].layout, single[i].dim, &plan);
    if (status == POSENC_CLI_FINE) status = write_row(plan, single[i].position, POSENC_F64, wide);
    if (status == POSENC_CLI_FINE) status = write_row(plan, single[i].position, POSENC_F32, narrow);
    if (status == POSENC_CLI_FINE) {
        double expected = single[i].value, got = wide[single[i].column];
        bool right = fabs(got - expected) <= 4e-15 && narrow[single[i].column] == (float)expected;
        posenc_cli_tally_add(tally, right,
                             "%s dim %s position %lld channel %d: expected %.17g, got %.17g and %.9g in f32",
                             single[i].layout, single[i].dim, (long long)single[i].position, single[i].column, expected,
                             got, (double)narrow[single[i].column]);
    }
    posenc_plan_destroy(plan);
    return status;
}

/* As check_single, at a double position. */
static int write_real(const posenc_plan *plan, double position, posenc_dtype dtype, void *out) {
    const int64_t one = 1, shape[] = {1, posenc_plan_dim(plan)};
    posenc_view ids, view;
    posenc_positions positions;
    posenc_error error;
    posenc_positions_default(&positions, sizeof positions);
    positions.ids = posenc_view_make(&ids, &position, POSENC_F64, 1, &one, NULL);
    if (posenc_plan_write(plan, &positions, posenc_view_make(&view, out, dtype, 2, shape, NULL), &error) == POSENC_OK)
        return POSENC_CLI_FINE;
    return posenc_cli_refuse(&error);
}

static int check_real(const posenc_context *context, size_t i, posenc_cli_tally *tally) {
    posenc_plan *plan = NULL;
    posenc_error error;
    double wide[WIDEST];
    float narrow[WIDEST];
    size_t n = 0;
    while (n < 3 && real[i].parameters[n].name) n++;
    if (posenc_plan_create(context, real[i].scheme, real[i].parameters, n, &plan, &error) != POSENC_OK)
        return posenc_cli_refuse(&error);
    int status = write_real(plan, real[i].position, POSENC_F64, wide);
    if (status == POSENC_CLI_FINE) status = write_real(plan, real[i].position, POSENC_F32, narrow);
    if (status == POSENC_CLI_FINE) {
        double expected = real[i].value, got = wide[real[i].column], got_f32 = (double)narrow[real[i].column];
        bool right = fabs(got - expected) <= 4e-15 && got_f32 == (double)(float)expected;
        posenc_cli_tally_add(tally, right, "%s dim %s position %g channel %d: expected %.17g, got %.17g, %.9g in f32",
                             real[i].scheme, real[i].parameters[0].text, real[i].position, real[i].column, expected,
                             got, got_f32);
    }
    posenc_plan_destroy(plan);
    return status;
}

/* Of a table of rows 1 0 0 .., 0 1 0 .., what is resized are the weights themselves. */
static int check_resized(const posenc_context *context, size_t i, posenc_cli_tally *tally) {
    double old[OLD_ROWS * OLD_ROWS] = {0}, new[MOST_NEW_ROWS * OLD_ROWS];
    const int64_t shape[] = {OLD_ROWS, OLD_ROWS}, new_shape[] = {resized[i].new_rows, OLD_ROWS};
    posenc_view from, to;
    posenc_error error;
    posenc_resize_options options;
    posenc_resize_default(&options, sizeof options);
    options.mode = resized[i].mode;
    options.antialias = resized[i].antialias, options.align_corners = resized[i].align_corners;
    for (int k = 0; k < OLD_ROWS; k++) old[k * OLD_ROWS + k] = 1;
    if (posenc_resize(context, &options, posenc_view_make(&from, old, POSENC_F64, 2, shape, NULL),
                      posenc_view_make(&to, new, POSENC_F64, 2, new_shape, NULL), &error) != POSENC_OK)
        return posenc_cli_refuse(&error);
    const double *row = new + resized[i].row *OLD_ROWS;
    for (int k = 0; k < OLD_ROWS; k++)
        posenc_cli_tally_add(tally, fabs(row[k] - resized[i].weights[k]) <= 1e-15,
                             "resize mode %d 7 to %d rows, row %d, weight %d: expected %.17g, got %.17g",
                             (int)resized[i].mode, resized[i].new_rows, resized[i].row, k, resized[i].weights[k],
                             row[k]);
    return POSENC_CLI_FINE;
}

/* Each takes one of its list's answers. */
static const posenc_cli_answers lists[] = {
    {check_printed, sizeof printed / sizeof *printed},
    {check_single, sizeof single / sizeof *single},
    {check_real, sizeof real / sizeof *real},
    {check_resized, sizeof resized / sizeof *resized},
};

int posenc_cli_check_answers(const posenc_cli_answers *kinds, size_t n, const posenc_context *context,
                             posenc_cli_tally *tally) {
    int status = POSENC_CLI_FINE;
    for (size_t k = 0; k < n; k++)
        for (size_t i = 0; status == POSENC_CLI_FINE && i < kinds[k].n; i++) status = kinds[k].check(context, i, tally);
    return status;
}

/* Of schemes that have a file of their own. */
static int (*const others[])(const posenc_context *context, posenc_cli_tally *tally) = {
    posenc_cli_rotary_answers,
    posenc_cli_bias_answers,
    posenc_cli_relative_answers,
};

int posenc_cli_known_answers(const posenc_context *context, posenc_cli_tally *tally) {
    int status = posenc_cli_check_answers(lists, sizeof lists / sizeof *lists, context, tally);
    for (size_t i = 0; status == POSENC_CLI_FINE && i < sizeof others / sizeof *others; i++)
        status = others[i](context, tally);
    return status;
}
