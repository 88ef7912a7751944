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

int posenc_cli_known_answers(const posenc_context *context, posenc_cli_tally *tally) {
    int status = POSENC_CLI_FINE;
    for (size_t i = 0; status == POSENC_CLI_FINE && i < sizeof printed / sizeof *printed; i++)
        status = check_printed(context, i, tally);
    for (size_t i = 0; status == POSENC_CLI_FINE && i < sizeof single / sizeof *single; i++)
        status = check_single(context, i, tally);
    return status;
}
