/* Known answers of rotary schemes: heads turned by hand, cosines far out, frequencies of the scaling families. */
#include <math.h>
#include <string.h>

#include "selftest_parts.h"

enum { MOST_PARAMETERS = 6, WIDTH = 4, BATCH = 2, MOST_PAIRS = 256 };

/* 1, 2, 3, 4 and ones, turned; rounded from 50 digits. Each batch row has one token. */
static const struct {
    const char *pairing;
    int64_t position;
    double x[WIDTH], y[WIDTH];
} turned[] = {
    {"halves",
     3,
     {1, 2, 3, 4},
     {-1.413352520780047123573, 1.8791180666879923894702, -2.828857481741469149713, 4.0581911354009413866256}},
    {"interleaved",
     3,
     {1, 2, 3, 4},
     {-1.272232512720179901473, -1.838864985141023692442, 2.8786681004369799057423, 4.0881866356034370473942}},
    {"interleaved-in-halves-out",
     3,
     {1, 2, 3, 4},
     {-1.272232512720179901473, 2.8786681004369799057423, -1.838864985141023692442, 4.0881866356034370473942}},
    {"halves",
     6,
     {1, 1, 1, 1},
     {1.2395857848492918933572, 0.9382365334557595663485, 0.6807547884514401477340, 1.0581645464146487647467}},
    {"interleaved",
     6,
     {1, 1, 1, 1},
     {1.2395857848492918933572, 0.6807547884514401477340, 0.9382365334557595663485, 1.0581645464146487647467}},
};

/* The first pair far out. A position that was rounded to bfloat16 or float32 on its way gives something else. */
static const struct {
    int64_t position;
    double cosine, sine;
} far[] = {
    {15962, -0.908015901251031995604, 0.4189357027937295673238},
    {131071, -0.817983499387949080713, -0.575241683754789371138},
    {1048575, 0.7880422395289274686725, -0.615621173058750884088},
    {16777217, 0.9943839639136522397685, 0.1058325673475436397319},
    {INT64_C(2147483647), -0.688836691877943834679, -0.724916555144556390548},
};

/* Frequencies and amplitudes, 8 or 9 digits. A pair of -1 is the amplitude. */
static const struct {
    posenc_parameter parameters[MOST_PARAMETERS]; /* ends with a NULL name */
    int pair;
    double value;
} spectra[] = {
    {{{"dim", "64"}, {"base", "150000"}, {"scaling", "yarn"}, {"factor", "32"}, {"original-length", "4096"}},
     -1,
     1.34657359028},
    {{{"dim", "64"}, {"base", "150000"}, {"scaling", "yarn"}, {"factor", "32"}, {"original-length", "4096"}},
     17,
     2.27947796e-4},
    {{{"dim", "64"},
      {"base", "150000"},
      {"scaling", "yarn"},
      {"factor", "32"},
      {"original-length", "4096"},
      {"truncate", "false"}},
     17,
     1.29318701e-4},
    {{{"dim", "128"}, {"scaling", "yarn"}, {"factor", "4"}, {"original-length", "4096"}}, 45, 4.29402589e-4},
    {{{"dim", "64"}, {"base", "500000"}, {"scaling", "llama3"}, {"factor", "32"}, {"original-length", "8192"}},
     16,
     4.2955680e-4},
    {{{"dim", "8"},
      {"scaling", "longrope"},
      {"factor", "32"},
      {"original-length", "4096"},
      {"short-factor", "1,1,1,1"},
      {"long-factor", "2,2,2,2"}},
     -1,
     1.19023807},
    {{{"head-dim", "512"}, {"base", "1e6"}, {"scaling", "proportional"}, {"fraction", "0.25"}}, 63, 0.033376247},
    {{{"head-dim", "512"}, {"base", "1e6"}, {"scaling", "proportional"}, {"fraction", "0.25"}}, 64, 0},
};

static int make(const posenc_context *context, const posenc_parameter *parameters, size_t most, posenc_plan **plan) {
    posenc_error error;
    size_t n = 0;
    while (n < most && parameters[n].name) n++;
    if (posenc_plan_create(context, "rotary", parameters, n, plan, &error) == POSENC_OK) return POSENC_CLI_FINE;
    return posenc_cli_refuse(&error);
}

/* x in each batch row; y in f64, and in f32. */
static int turn(const posenc_plan *plan, size_t i, double *y, float *y_f32) {
    const int64_t shape[] = {BATCH, 1, WIDTH};
    posenc_view wide, narrow;
    posenc_positions positions;
    posenc_error error;
    for (int c = 0; c < BATCH * WIDTH; c++) y[c] = turned[i].x[c % WIDTH], y_f32[c] = (float)y[c];
    DLTensor *x = posenc_view_make(&wide, y, POSENC_F64, 3, shape, NULL);
    DLTensor *x_f32 = posenc_view_make(&narrow, y_f32, POSENC_F32, 3, shape, NULL);
    posenc_positions_default(&positions, sizeof positions);
    positions.start = turned[i].position;
    posenc_status status = posenc_rotary_apply(plan, POSENC_ROTARY_FORWARD, &positions, NULL, x, NULL, x, NULL, &error);
    if (status == POSENC_OK)
        status = posenc_rotary_apply(plan, POSENC_ROTARY_FORWARD, &positions, NULL, NULL, x_f32, NULL, x_f32, &error);
    return status == POSENC_OK ? POSENC_CLI_FINE : posenc_cli_refuse(&error);
}

static int check_turned(const posenc_context *context, size_t i, posenc_cli_tally *tally) {
    const posenc_parameter parameters[] = {{"dim", "4"}, {"pairing", turned[i].pairing}};
    posenc_plan *plan = NULL;
    double y[BATCH * WIDTH];
    float y_f32[BATCH * WIDTH];
    int status = make(context, parameters, 2, &plan);
    if (status == POSENC_CLI_FINE) status = turn(plan, i, y, y_f32);
    for (int c = 0; status == POSENC_CLI_FINE && c < BATCH * WIDTH; c++) {
        double expected = turned[i].y[c % WIDTH];
        bool right = fabs(y[c] - expected) <= 4e-15 * 8 && y_f32[c] == (float)expected;
        posenc_cli_tally_add(tally, right, "rotary %s position %lld channel %d: expected %.17g, got %.17g, %.9g in f32",
                             turned[i].pairing, (long long)turned[i].position, c, expected, y[c], (double)y_f32[c]);
    }
    posenc_plan_destroy(plan);
    return status;
}

static int check_far(const posenc_context *context, size_t i, posenc_cli_tally *tally) {
    const posenc_parameter parameters[] = {{"dim", "2"}};
    const int64_t shape[] = {1, 1};
    posenc_plan *plan = NULL;
    posenc_view cosines, sines;
    posenc_positions positions;
    posenc_error error;
    double c = 0, s = 0;
    int status = make(context, parameters, 1, &plan);
    if (status != POSENC_CLI_FINE) return status;
    posenc_positions_default(&positions, sizeof positions);
    positions.start = far[i].position;
    if (posenc_rotary_cos_sin(plan, &positions, NULL, POSENC_ROTARY_TABLE_PAIRS,
                              posenc_view_make(&cosines, &c, POSENC_F64, 2, shape, NULL),
                              posenc_view_make(&sines, &s, POSENC_F64, 2, shape, NULL), &error) != POSENC_OK)
        status = posenc_cli_refuse(&error);
    else
        posenc_cli_tally_add(tally, fabs(c - far[i].cosine) <= 4e-15 && fabs(s - far[i].sine) <= 4e-15,
                             "rotary position %lld: expected %.17g and %.17g, got %.17g and %.17g",
                             (long long)far[i].position, far[i].cosine, far[i].sine, c, s);
    posenc_plan_destroy(plan);
    return status;
}

static int check_spectrum(const posenc_context *context, size_t i, posenc_cli_tally *tally) {
    posenc_plan *plan = NULL;
    posenc_rotary_info info = {.size = sizeof info};
    posenc_error error;
    double omega[MOST_PAIRS];
    int status = make(context, spectra[i].parameters, MOST_PARAMETERS, &plan);
    if (status != POSENC_CLI_FINE) return status;
    if (posenc_rotary_describe(plan, 0, &info, omega, NULL, &error) != POSENC_OK) {
        status = posenc_cli_refuse(&error);
    } else {
        double expected = spectra[i].value, got = spectra[i].pair < 0 ? info.amplitude : omega[spectra[i].pair];
        posenc_cli_tally_add(tally, fabs(got - expected) <= 1e-8 * expected,
                             "rotary list %zu pair %d: expected %.9g, got %.17g", i, spectra[i].pair, expected, got);
    }
    posenc_plan_destroy(plan);
    return status;
}

static const posenc_cli_answers lists[] = {
    {check_turned, sizeof turned / sizeof *turned},
    {check_far, sizeof far / sizeof *far},
    {check_spectrum, sizeof spectra / sizeof *spectra},
};

int posenc_cli_rotary_answers(const posenc_context *context, posenc_cli_tally *tally) {
    return posenc_cli_check_answers(lists, sizeof lists / sizeof *lists, context, tally);
}
