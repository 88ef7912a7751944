/* Known answers of relative encodings through vectors: sums of whole numbers for Shaw's, which show every row of the
 * table, and a small case of Transformer-XL worked out by its formula. */
#include <math.h>
#include <stdbool.h>

#include "selftest_parts.h"

/* ---- Shaw: clip 2, one channel, a query at position 4 of 9 keys ---- */

enum { CLIP = 2, ROWS = 2 * CLIP + 1, KEYS = 9, PLACE = 4 };

/* q = 1 and a table of 1, 10, 100 ...: the scores say which row they are from. Attention, and gradients of scores, of
 * 1, 2, 3 ... sum up to what each row of the table is worth. */
static const struct {
    posenc_direction direction;
    double scores[KEYS], sums[ROWS], value;
} shaw[] = {
    {POSENC_DIRECTION_KEY_MINUS_QUERY,
     {1, 1, 1, 10, 100, 1000, 10000, 10000, 10000},
     {1 + 2 + 3, 4, 5, 6, 7 + 8 + 9},
     246546},
    {POSENC_DIRECTION_QUERY_MINUS_KEY,
     {10000, 10000, 10000, 1000, 100, 10, 1, 1, 1},
     {7 + 8 + 9, 6, 5, 4, 1 + 2 + 3},
     64584},
};

/* What the calls gave, in double. */
typedef struct shaw_answer {
    double scores[KEYS], sums[ROWS], value;
} shaw_answer;

static posenc_status ask_shaw(const posenc_context *context, posenc_direction direction, shaw_answer *answer,
                              posenc_error *error) {
    double q = 1, table[ROWS] = {1, 10, 100, 1000, 10000}, attention[KEYS] = {1, 2, 3, 4, 5, 6, 7, 8, 9};
    const int64_t row[] = {1, 1, 1, KEYS}, vector[] = {1, 1, 1, 1}, rows[] = {ROWS, 1};
    posenc_view views[6];
    posenc_shaw_options o;
    posenc_shaw_default(&o, sizeof o);
    o.clip = CLIP, o.direction = direction, o.offset = PLACE;
    DLTensor *of_q = posenc_view_make(&views[0], &q, POSENC_F64, 4, vector, NULL);
    DLTensor *of_table = posenc_view_make(&views[1], table, POSENC_F64, 2, rows, NULL);
    DLTensor *given = posenc_view_make(&views[2], attention, POSENC_F64, 4, row, NULL);
    DLTensor *scores = posenc_view_make(&views[3], answer->scores, POSENC_F64, 4, row, NULL);
    DLTensor *sums = posenc_view_make(&views[4], answer->sums, POSENC_F64, 2, rows, NULL);
    DLTensor *value = posenc_view_make(&views[5], &answer->value, POSENC_F64, 4, vector, NULL);
    posenc_status status = posenc_shaw_scores(context, &o, of_q, of_table, scores, error);
    if (status == POSENC_OK)
        status = posenc_shaw_scores_backward(context, &o, of_q, of_table, given, NULL, sums, error);
    return status == POSENC_OK ? posenc_shaw_values(context, &o, given, of_table, value, error) : status;
}

static void compare(posenc_cli_tally *tally, const char *what, const double *expected, const double *got, int n,
                    double slack) {
    for (int i = 0; i < n; i++)
        posenc_cli_tally_add(tally, fabs(got[i] - expected[i]) <= slack, "%s %d: expected %.17g, got %.17g", what, i,
                             expected[i], got[i]);
}

static int check_shaw(const posenc_context *context, size_t i, posenc_cli_tally *tally) {
    shaw_answer got = {{0}, {0}, 0};
    posenc_error error;
    bool forward = shaw[i].direction == POSENC_DIRECTION_KEY_MINUS_QUERY;
    if (ask_shaw(context, shaw[i].direction, &got, &error) != POSENC_OK) return posenc_cli_refuse(&error);
    compare(tally, forward ? "shaw j - i, score" : "shaw i - j, score", shaw[i].scores, got.scores, KEYS, 0);
    compare(tally, forward ? "shaw j - i, sum" : "shaw i - j, sum", shaw[i].sums, got.sums, ROWS, 0);
    compare(tally, forward ? "shaw j - i, value" : "shaw i - j, value", &shaw[i].value, &got.value, 1, 0);
    return POSENC_CLI_FINE;
}

/* ---- Transformer-XL: two queries, three keys, one of them memory; two channels, so that r_n = (sin n, cos n) ---- */

enum { XL_QUERIES = 2, XL_KEYS = 3, XL_D = 2, XL_SCORES = XL_QUERIES * XL_KEYS, XL_QS = XL_QUERIES * XL_D };

static const double xl_q[XL_QS] = {1, 2, -1, 0.5}, xl_k[XL_KEYS * XL_D] = {3, -1, 0.5, 2, -2, 1};
static const double xl_u[XL_D] = {0.5, -1}, xl_v[XL_D] = {0.25, 0.75}, xl_w[XL_D * XL_D] = {1, 2, -1, 3};

/* With scale 1/2, and gradients of scores of 1; rounded from 50 digits. UNWRITTEN is what stood there before. */
#define UNWRITTEN 77
static const struct {
    int bidirectional;
    double scores[XL_SCORES], dq[XL_QS], dv[XL_D], dw[XL_D * XL_D];
} xl[] = {
    {0,
     {4.02302165543532860104, 6.75, UNWRITTEN, -1.87746261794121688077, -0.858630890706239324576, 1.375},
     {3.71103779827208797073, 2.38971796639826132278, 2.74953967513778643143, 1.81084899816470689458},
     {3.96057747340987440215, 2.70056696456296821736},
     {-0.13061878885765650911, 0.541130640172213324474, 2.25125286138184407293, 2.82051283889431544293}},
    {1,
     {4.02302165543532860104, 6.75, 2.53522813264717336102, -1.87746261794121688077, -0.858630890706239324576, 1.375},
     {2.8306046117362794348, 4.1209069176044191522, 2.74953967513778643143, 1.81084899816470689458},
     {4.08014428687406586623, 3.93175591576912604678},
     {-0.656538154362591825768, 0.87881958133980064785, 1.09423025727098637628, 3.56342850946300755435}},
};

/* What the calls gave, whatever their dtype. */
typedef struct xl_answer {
    double scores[XL_SCORES], dq[XL_QS], dv[XL_D], dw[XL_D * XL_D];
} xl_answer;

/* The tensors of a call: what goes in, what comes out. In f32 or f64, one behind the other. */
enum { Q, K, U, V, W, DSCORES, SCORES, DQ, DV, DW, N_TENSORS };
static const struct {
    int rank;
    int64_t shape[4];
} shapes[N_TENSORS] = {
    [Q] = {4, {1, 1, XL_QUERIES, XL_D}},
    [K] = {4, {1, 1, XL_KEYS, XL_D}},
    [U] = {2, {1, XL_D}},
    [V] = {2, {1, XL_D}},
    [W] = {2, {XL_D, XL_D}},
    [DSCORES] = {4, {1, 1, XL_QUERIES, XL_KEYS}},
    [SCORES] = {4, {1, 1, XL_QUERIES, XL_KEYS}},
    [DQ] = {4, {1, 1, XL_QUERIES, XL_D}},
    [DV] = {2, {1, XL_D}},
    [DW] = {2, {XL_D, XL_D}},
};

enum { MOST_ELEMENTS = XL_SCORES };

typedef struct xl_tensors {
    posenc_dtype dtype;
    double wide[N_TENSORS][MOST_ELEMENTS];
    float narrow[N_TENSORS][MOST_ELEMENTS];
    posenc_view views[N_TENSORS];
    DLTensor *of[N_TENSORS];
} xl_tensors;

static void put(xl_tensors *t, int tensor, const double *values, int n) {
    for (int i = 0; i < n; i++) t->wide[tensor][i] = values[i], t->narrow[tensor][i] = (float)values[i];
}

static void get(const xl_tensors *t, int tensor, double *values, int n) {
    for (int i = 0; i < n; i++) values[i] = t->dtype == POSENC_F64 ? t->wide[tensor][i] : (double)t->narrow[tensor][i];
}

static void prepare(xl_tensors *t, posenc_dtype dtype) {
    static const double ones[XL_SCORES] = {1, 1, 1, 1, 1, 1};
    static const double before[XL_SCORES] = {UNWRITTEN, UNWRITTEN, UNWRITTEN, UNWRITTEN, UNWRITTEN, UNWRITTEN};
    t->dtype = dtype;
    for (int i = 0; i < N_TENSORS; i++) {
        void *data = dtype == POSENC_F64 ? (void *)t->wide[i] : (void *)t->narrow[i];
        t->of[i] = posenc_view_make(&t->views[i], data, dtype, shapes[i].rank, shapes[i].shape, NULL);
    }
    put(t, Q, xl_q, XL_QS), put(t, K, xl_k, XL_KEYS * XL_D);
    put(t, U, xl_u, XL_D), put(t, V, xl_v, XL_D), put(t, W, xl_w, XL_D * XL_D);
    put(t, DSCORES, ones, XL_SCORES), put(t, SCORES, before, XL_SCORES);
}

static posenc_status ask_xl(const posenc_context *context, int bidirectional, posenc_dtype dtype, xl_answer *answer,
                            posenc_error *error) {
    xl_tensors t;
    posenc_xl_options o;
    posenc_xl_default(&o, sizeof o);
    o.scale = 0.5, o.memory = 1, o.bidirectional = bidirectional;
    prepare(&t, dtype);
    DLTensor *const *of = t.of;
    const posenc_xl_gradients gradients = {.size = sizeof gradients, .dq = of[DQ], .dv = of[DV], .dw = of[DW]};
    posenc_status status = posenc_xl_scores(context, &o, of[Q], of[K], of[U], of[V], of[W], of[SCORES], error);
    if (status == POSENC_OK)
        status =
            posenc_xl_scores_backward(context, &o, of[Q], of[K], of[U], of[V], of[W], of[DSCORES], &gradients, error);
    if (status != POSENC_OK) return status;
    get(&t, SCORES, answer->scores, XL_SCORES);
    get(&t, DQ, answer->dq, XL_QS), get(&t, DV, answer->dv, XL_D), get(&t, DW, answer->dw, XL_D * XL_D);
    return POSENC_OK;
}

static int check_xl(const posenc_context *context, size_t i, posenc_cli_tally *tally) {
    static const posenc_dtype dtypes[] = {POSENC_F64, POSENC_F32};
    for (int d = 0; d < 2; d++) {
        const double slack = dtypes[d] == POSENC_F64 ? 1e-14 : 4e-6;
        xl_answer got;
        posenc_error error;
        if (ask_xl(context, xl[i].bidirectional, dtypes[d], &got, &error) != POSENC_OK)
            return posenc_cli_refuse(&error);
        compare(tally, "transformer-xl score", xl[i].scores, got.scores, XL_SCORES, slack);
        compare(tally, "transformer-xl dq", xl[i].dq, got.dq, XL_QS, slack);
        compare(tally, "transformer-xl dv", xl[i].dv, got.dv, XL_D, slack);
        compare(tally, "transformer-xl dw", xl[i].dw, got.dw, XL_D * XL_D, slack);
    }
    return POSENC_CLI_FINE;
}

static const posenc_cli_answers lists[] = {
    {check_shaw, sizeof shaw / sizeof *shaw},
    {check_xl, sizeof xl / sizeof *xl},
};

int posenc_cli_relative_answers(const posenc_context *context, posenc_cli_tally *tally) {
    return posenc_cli_check_answers(lists, sizeof lists / sizeof *lists, context, tally);
}
