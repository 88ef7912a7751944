/* Tries a conversion between pairings out on numbers: W x and W' x, each rotated in its own pairing by the code that a
 * model would use, must be the same channels in another order. The sums run over the columns in one order on both
 * sides, so where the rows are right nothing differs at all. */
#include <math.h>
#include <string.h>

#include "base/checked.h"
#include "base/elements.h"
#include "base/error.h"
#include "base/fpenv.h"
#include "base/memory.h"
#include "base/tensor.h"
#include "schemes/pairing.h"

enum { POSITIONS = 3 };

typedef struct trial {
    const posenc_context *context;
    const posenc_pairing_job *job;
    uint64_t seed;
    double *room;      /* all below, one allocation */
    double *x;         /* (columns) */
    double *plain[2];  /* (heads, head_dim): W x and W' x */
    double *turned[2]; /* (POSITIONS, heads, head_dim) */
} trial;

/* ---- W x ---- */

static double number_at(const char *at, posenc_dtype dtype) {
    union {
        int8_t i8;
        int16_t i16;
        uint16_t u16;
        uint32_t u32;
        uint64_t u64;
    } value;
    memcpy(&value, at, posenc_dtype_bytes(dtype));
    switch (dtype) {
        case POSENC_F32:
        case POSENC_F64:
        case POSENC_F16:
        case POSENC_BF16:
            return posenc_real_element(dtype, at);
        case POSENC_I8:
            return value.i8;
        case POSENC_I16:
            return value.i16;
        case POSENC_U16:
            return value.u16;
        case POSENC_U32:
            return value.u32;
        case POSENC_U64:
            return (double)value.u64;
        default:
            return (double)posenc_integer_element(dtype, at);
    }
}

/* Element column of x, in -1..1: the splitmix64 generator at its place column (Steele, Lea and Flood 2014). */
static double random_x(uint64_t seed, int64_t column) {
    uint64_t z = seed + ((uint64_t)column + 1) * UINT64_C(0x9E3779B97F4A7C15);
    z = (z ^ z >> 30) * UINT64_C(0xBF58476D1CE4E5B9);
    z = (z ^ z >> 27) * UINT64_C(0x94D049BB133111EB);
    z ^= z >> 31;
    return (double)(z >> 11) * 0x1p-52 - 1;
}

static void project(const trial *t, const posenc_weight_rows *w, double *out) {
    for (int64_t r = 0; r < w->rows; r++) {
        const char *at = w->data + r * w->row_bytes;
        double sum = 0;
        for (int64_t c = 0; c < w->columns; c++) sum += number_at(at + c * w->column_bytes, w->dtype) * t->x[c];
        out[r] = sum;
    }
}

/* ---- rotation ---- */

static posenc_status make_plan(const trial *t, posenc_pairing pairing, posenc_plan **plan, posenc_error *error) {
    posenc_rotary_options options;
    posenc_rotary_default(&options, sizeof options);
    options.head_dim = t->job->options.head_dim;
    options.dim = t->job->options.dim;
    options.rotary_start = t->job->options.rotary_start;
    options.pairing = pairing;
    return posenc_rotary_create(t->context, &options, plan, error);
}

/* One vector of heads at all positions: the tokens of the input are one, which a stride of 0 says. */
static posenc_status turn(const trial *t, const posenc_plan *plan, double *plain, double *turned, posenc_error *error) {
    const posenc_pairing_options *o = &t->job->options;
    int64_t places[POSITIONS] = {1, 4097, 1048575};
    int64_t shape[] = {1, POSITIONS, o->heads, o->head_dim};
    int64_t strides[] = {0, 0, o->head_dim, 1};
    posenc_view in, out, ids;
    posenc_positions positions;
    posenc_positions_default(&positions, sizeof positions);
    positions.ids = posenc_view_make(&ids, places, POSENC_I64, 1, (int64_t[]){POSITIONS}, NULL);
    posenc_view_make(&in, plain, POSENC_F64, 4, shape, strides);
    posenc_view_make(&out, turned, POSENC_F64, 4, shape, NULL);
    return posenc_rotary_apply(plan, POSENC_ROTARY_FORWARD, &positions, NULL, &in.tensor, NULL, &out.tensor, NULL,
                               error);
}

static posenc_status rotate_side(const trial *t, int side, posenc_error *error) {
    posenc_plan *plan = NULL;
    posenc_status status = make_plan(t, side ? t->job->options.to : t->job->options.from, &plan, error);
    if (status == POSENC_OK) status = turn(t, plan, t->plain[side], t->turned[side], error);
    posenc_plan_destroy(plan);
    return status;
}

/* ---- comparison ---- */

/* Where the output of a pairing has channel part (0, 1) of pair j. */
static int64_t channel_of(const posenc_pairing_options *o, posenc_pairing pairing, int64_t j, int64_t part) {
    return o->rotary_start + (pairing == POSENC_PAIRING_INTERLEAVED ? 2 * j + part : j + part * (o->dim / 2));
}

/* Relative to the length of the pair. */
static double apart(double a, double b, double length) {
    if (isnan(a) && isnan(b)) return 0;
    if (a == b) return 0;
    return isnan(a) || isnan(b) || isinf(a) || isinf(b) ? (double)INFINITY : fabs(a - b) / length;
}

static double compare_head(const posenc_pairing_options *o, const double *a, const double *b) {
    double worst = 0;
    for (int64_t i = 0; i < o->head_dim; i++) {
        bool outside = i < o->rotary_start || i >= o->rotary_start + o->dim;
        double d = outside ? apart(a[i], b[i], fabs(a[i])) : 0;
        if (d > worst) worst = d;
    }
    for (int64_t j = 0; j < o->dim; j++) { /* both parts of each pair */
        const double *pair[2] = {a + channel_of(o, o->from, j / 2, 0), a + channel_of(o, o->from, j / 2, 1)};
        double length = hypot(*pair[0], *pair[1]);
        double d = apart(*pair[j % 2], b[channel_of(o, o->to, j / 2, j % 2)], length);
        if (d > worst) worst = d;
    }
    return worst;
}

static double compare(const trial *t) {
    const posenc_pairing_options *o = &t->job->options;
    double worst = 0;
    for (int64_t i = 0; i < POSITIONS * o->heads; i++) {
        double d = compare_head(o, t->turned[0] + i * o->head_dim, t->turned[1] + i * o->head_dim);
        if (d > worst) worst = d;
    }
    return worst;
}

/* ---- the door ---- */

static posenc_status allocate(trial *t, posenc_error *error) {
    size_t bytes = SIZE_MAX;
    int64_t rows = t->job->weights.rows, columns = t->job->weights.columns, n;
    if (posenc_i64_multiply(rows, 2 + 2 * POSITIONS, &n) && posenc_i64_add(n, columns, &n) &&
        posenc_bytes_of(n, sizeof(double), &bytes))
        t->room = posenc_allocate(t->context, bytes);
    if (!t->room) return posenc_fail_memory(error, "trial", bytes);
    for (int side = 0; side < 2; side++) {
        t->plain[side] = t->room + side * rows;
        t->turned[side] = t->room + 2 * rows + side * POSITIONS * rows;
    }
    t->x = t->room + (2 + 2 * POSITIONS) * rows;
    for (int64_t c = 0; c < columns; c++) t->x[c] = random_x(t->seed, c);
    return POSENC_OK;
}

/* Heads without rotated rows are compared as they are. */
static posenc_status run(trial *t, double *difference, posenc_error *error) {
    posenc_status status = POSENC_OK;
    bool rotates = t->job->options.dim > 0;
    for (int side = 0; side < 2; side++) {
        project(t, side ? &t->job->out : &t->job->weights, t->plain[side]);
        if (status == POSENC_OK && rotates) status = rotate_side(t, side, error);
        for (int i = 0; !rotates && i < POSITIONS; i++)
            memcpy(t->turned[side] + i * t->job->weights.rows, t->plain[side],
                   (size_t)t->job->weights.rows * sizeof(double));
    }
    if (status == POSENC_OK) *difference = compare(t);
    return status;
}

posenc_status posenc_pairing_check(const posenc_context *context, const posenc_pairing_options *options,
                                   const DLTensor *weights, const DLTensor *converted, uint64_t seed,
                                   double *difference, posenc_error *error) {
    posenc_pairing_job job;
    trial t = {.context = context, .job = &job, .seed = seed};
    posenc_status status = posenc_pairing_open(options, weights, converted, "converted", &job, error);
    if (status == POSENC_OK && !difference)
        status = posenc_fail(error, POSENC_ERROR_ARGUMENT, "difference", "expected a place for a number, got NULL");
    if (status != POSENC_OK) return status;
    if (job.weights.rows == 0) {
        *difference = 0;
        return POSENC_OK;
    }
    status = allocate(&t, error);
    if (status != POSENC_OK) return status;
    posenc_fpenv saved = posenc_fpenv_enter();
    status = run(&t, difference, error);
    posenc_fpenv_leave(saved);
    posenc_release(context, t.room);
    return status;
}
