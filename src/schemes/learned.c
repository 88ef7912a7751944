/* Learned positions (Gehring et al. 2017; Devlin et al. 2019): row p of a table that training changes. What is computed
 * here is how the table begins: value e = p dim + c of stream 2^64 - 1 of Philox4x32-10 with the key seed, so that it
 * depends on nothing else.
 *     uniform  s (2u - 1), u = (word (e mod 4) of block (e div 4) + 1/2) 2^-32
 *     normal   s z_e, z as in phasor/normal.h */
#include <math.h>

#include "base/context.h"
#include "base/memory.h"
#include "phasor/normal.h"
#include "schemes/schemes.h"

enum { DIM, MAX_LEN, INIT, INIT_SCALE, INIT_SEED, N_PARAMETERS };
enum { UNIFORM, NORMAL };

static const char *const inits[] = {"uniform", "normal", NULL};

static const posenc_parameter_info parameters[N_PARAMETERS] = {
    [DIM] = {"dim", POSENC_PARAMETER_INTEGER, NULL, 1, 16777216, NULL, "channels", "Width of a row."},
    [MAX_LEN] = {"max-len", POSENC_PARAMETER_INTEGER, "512", 1, 549755813888.0, NULL, "rows",
                 "Rows of the table: only positions 0..max_len-1 have one."},
    [INIT] = {"init", POSENC_PARAMETER_CHOICE, "uniform", 0, 0, inits, "",
              "How the table begins: uniform in (-s, s), or normal with standard deviation s."},
    [INIT_SCALE] = {"init-scale", POSENC_PARAMETER_REAL, "0.02", 0, 1e9, NULL, "", "The s of the first values."},
    [INIT_SEED] = {"init-seed", POSENC_PARAMETER_INTEGER, "0", 0, 9223372036854774784.0, NULL, "",
                   "Which random first values."},
};

/* Not one that a step of training could have, so that no dropout has the same words. */
static const uint64_t stream = UINT64_MAX;

/* Values at a time. */
enum { PART = 256 };

static uint64_t seed_of(const posenc_value *values) { return (uint64_t)values[INIT_SEED].integer; }

/* -1 < 2u - 1 < 1, exactly. */
static double symmetric(uint32_t word) { return ((double)word * 2 - 4294967295.0) * 0x1p-32; }

/* n values, n <= PART, from element e on. */
static void uniforms(const posenc_kernels *kernels, uint64_t seed, uint64_t e, size_t n, double *out) {
    uint32_t words[PART + 4 + POSENC_PHILOX_PAD];
    size_t early = e % 4;
    kernels->philox(seed, stream, e / 4, (early + n + 3) / 4, words);
    for (size_t i = 0; i < n; i++) out[i] = symmetric(words[early + i]);
}

static void normals(const posenc_kernels *kernels, uint64_t seed, uint64_t e, size_t n, double *out) {
    double numbers[PART + 1];
    size_t early = e % 2;
    posenc_normals(kernels, seed, stream, e / 2, early + n, numbers);
    for (size_t i = 0; i < n; i++) out[i] = numbers[early + i];
}

static void make_row(const posenc_rows *rows, int64_t position, double *row) {
    const posenc_value *values = rows->own;
    size_t dim = (size_t)rows->dim;
    uint64_t first = (uint64_t)position * (uint64_t)dim;
    for (size_t i = 0; i < dim; i += PART) {
        size_t n = dim - i < PART ? dim - i : PART;
        (values[INIT].integer == NORMAL ? normals : uniforms)(rows->engine.kernels, seed_of(values), first + i, n,
                                                              row + i);
        for (size_t k = i; k < i + n; k++) row[k] *= values[INIT_SCALE].real;
    }
}

static posenc_status make(posenc_plan *plan, posenc_error *error) {
    (void)error;
    plan->rows = (posenc_rows){.dim = plan->values[DIM].integer,
                               .length = plan->values[MAX_LEN].integer,
                               .maker = make_row,
                               .own = plan->values};
    plan->rows.engine.context = plan->context;
    plan->rows.engine.kernels = posenc_kernels_of(posenc_context_isa_index(plan->context));
    return POSENC_OK;
}

/* Word i of the block that holds element e, where a block has so many elements. */
static uint32_t word_of(const posenc_plan *plan, uint64_t e, uint64_t elements, size_t i) {
    uint32_t words[4 + POSENC_PHILOX_PAD];
    plan->rows.engine.kernels->philox(seed_of(plan->values), stream, e / elements, 1, words);
    return words[i];
}

static double equation(const posenc_plan *plan, double position, int64_t column) {
    uint64_t e = (uint64_t)position * (uint64_t)plan->values[DIM].integer + (uint64_t)column;
    long double scale = (long double)plan->values[INIT_SCALE].real;
    if (plan->values[INIT].integer == UNIFORM)
        return (double)(scale * (2 * ((long double)word_of(plan, e, 4, e % 4) + 0.5L) * 0x1p-32L - 1));
    uint64_t high = (uint64_t)word_of(plan, e, 2, 0) << 32 | word_of(plan, e, 2, 1);
    uint64_t low = (uint64_t)word_of(plan, e, 2, 2) << 32 | word_of(plan, e, 2, 3);
    long double u = ((long double)(high >> 11) + 1) * 0x1p-53L, turn = (long double)low * 0x1p-64L;
    long double angle = 8 * atanl(1) * (turn - rintl(turn)), radius = sqrtl(-2 * logl(u));
    return (double)(scale * radius * (e % 2 ? sinl(angle) : cosl(angle)));
}

const posenc_scheme posenc_scheme_learned = {
    .info = {"learned", "Adds the rows of a table that training changes; computed are its seeded first values.",
             "Gehring et al. 2017, Convolutional sequence to sequence learning; Devlin et al. 2019, BERT",
             POSENC_EFFECT_ADDS_ROWS,
             "first values depend on seed and place only: uniform in (-s, s), or normal with standard deviation s",
             parameters, N_PARAMETERS},
    .make = make,
    .equation = equation,
    .trained = true,
};
