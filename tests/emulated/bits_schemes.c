/* The bits of the schemes that are not sinusoidal: time steps, Fourier features, the first values of learned tables;
 * whole and real positions, written and added. And of posenc_resize, in each mode. */
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "bits.h"

enum { MOST_PARAMETERS = 6, IDS = 24 };

static const posenc_dtype dtypes[] = {POSENC_F32, POSENC_F64, POSENC_F16, POSENC_BF16};

/* ---- plans ---- */

typedef struct scheme_case {
    const char *scheme, *kind, *arithmetic;               /* of the line */
    posenc_parameter parameters[MOST_PARAMETERS];         /* ends with a NULL name; dim comes first, by itself */
    enum { ANY_POSITION, COORDINATES, WHOLE_ROWS } where; /* which real positions; WHOLE_ROWS: none, and few whole */
    bool even;                                            /* even widths only */
} scheme_case;

static const scheme_case cases[] = {
    {"timestep", "shift0", "exact", {{"shift", "0"}}, ANY_POSITION, false},
    {"timestep", "shift1", "exact", {{"shift", "1"}, {"cos-first", "false"}}, ANY_POSITION, false},
    {"timestep", "scaled", "exact", {{"angle-scale", "1000"}, {"max-period", "100"}}, ANY_POSITION, false},
    {"timestep", "shift1", "float32", {{"shift", "1"}, {"arithmetic", "float32"}}, ANY_POSITION, false},
    {"timestep",
     "scaled",
     "float32-exp",
     {{"angle-scale", "1000"}, {"arithmetic", "float32-exp"}},
     ANY_POSITION,
     false},
    {"fourier", "bands", "exact", {{"kind", "bands"}, {"resolution", "224"}}, COORDINATES, true},
    {"fourier", "log", "exact", {{"kind", "log"}, {"resolution", "1024"}}, COORDINATES, true},
    {"fourier",
     "gaussian",
     "exact",
     {{"kind", "gaussian"}, {"sigma", "10"}, {"frequency-seed", "7"}},
     COORDINATES,
     true},
    {"learned", "uniform", "exact", {{"init", "uniform"}, {"init-seed", "5"}}, WHOLE_ROWS, false},
    {"learned", "normal", "exact", {{"init", "normal"}, {"init-seed", "5"}}, WHOLE_ROWS, false},
};

static const int widths[] = {4, 7, 16, 33, 64, 130};

static void make_plan(bits_bench *b, const scheme_case *c, int dim) {
    char width[16];
    posenc_error error;
    posenc_parameter parameters[MOST_PARAMETERS + 1] = {{"dim", width}};
    size_t n = 1;
    snprintf(width, sizeof width, "%d", dim);
    for (int i = 0; i < MOST_PARAMETERS && c->parameters[i].name; i++) parameters[n++] = c->parameters[i];
    if (posenc_plan_create(b->context, c->scheme, parameters, n, &b->plan, &error)) bits_stop("plan", &error);
}

static void write_from(bits_bench *b, posenc_dtype dtype, int dim, int64_t start) {
    posenc_view view;
    posenc_positions positions;
    posenc_error error;
    DLTensor *out = posenc_view_make(&view, b->y, dtype, 2, (int64_t[]){BITS_TOKENS, dim}, NULL);
    posenc_positions_default(&positions, sizeof positions);
    positions.start = start;
    if (posenc_plan_write(b->plan, &positions, out, &error)) bits_stop("write", &error);
    bits_hash_elements(&b->hash, b->y, (size_t)(BITS_TOKENS * dim), posenc_dtype_bytes(dtype));
}

/* Real positions of either sign, from tiny to far: products of integers and powers of two, so exact everywhere. */
static void make_reals(double *reals, double largest) {
    static const double special[] = {0, -0.0, 0.5, -0.5, 1, 0x1p-30, -0x1p-150, 0x1p-210, 0.9999999999999999};
    enum { SPECIAL = sizeof special / sizeof *special };
    uint64_t seed = 17;
    for (int i = 0; i < IDS; i++) {
        double unit = (double)(bits_next_random(&seed) >> 11) * 0x1p-53;
        reals[i] = i < SPECIAL ? special[i] : ldexp(i % 2 ? unit : -unit, -(i % 5) * 7) * largest;
    }
}

static void make_rows(int64_t *rows) {
    uint64_t seed = 19;
    for (int i = 0; i < IDS; i++) rows[i] = (int64_t)(bits_next_random(&seed) % 512);
}

static const DLTensor *make_ids(const scheme_case *c, posenc_view *view, double *reals, int64_t *rows) {
    const int64_t shape[] = {IDS};
    if (c->where == WHOLE_ROWS) {
        make_rows(rows);
        return posenc_view_make(view, rows, POSENC_I64, 1, shape, NULL);
    }
    make_reals(reals, c->where == COORDINATES ? 1 : 1024);
    return posenc_view_make(view, reals, POSENC_F64, 1, shape, NULL);
}

/* Written, added beside, added in place. */
static void run_ids(bits_bench *b, const scheme_case *c, posenc_dtype dtype, int dim) {
    double reals[IDS];
    int64_t rows[IDS];
    posenc_view ids, from, to;
    posenc_positions positions;
    posenc_error error;
    const int64_t shape[] = {IDS, dim};
    const size_t n = (size_t)(IDS * dim), bytes = posenc_dtype_bytes(dtype);
    DLTensor *x = posenc_view_make(&from, b->x, dtype, 2, shape, NULL);
    DLTensor *y = posenc_view_make(&to, b->y, dtype, 2, shape, NULL);
    posenc_positions_default(&positions, sizeof positions);
    positions.ids = make_ids(c, &ids, reals, rows);
    if (posenc_plan_write(b->plan, &positions, y, &error)) bits_stop("write ids", &error);
    bits_hash_elements(&b->hash, b->y, n, bytes);
    bits_fill_random(b->x, n, dtype, 23);
    if (posenc_plan_add(b->plan, &positions, x, 1.5, y, &error)) bits_stop("add ids", &error);
    bits_hash_elements(&b->hash, b->y, n, bytes);
    if (posenc_plan_add(b->plan, &positions, x, 1, x, &error)) bits_stop("add ids in place", &error);
    bits_hash_elements(&b->hash, b->x, n, bytes);
}

static void run_scheme(bits_bench *b, const scheme_case *c, posenc_dtype dtype, int dim) {
    b->hash = BITS_HASH_START;
    make_plan(b, c, dim);
    write_from(b, dtype, dim, c->where == WHOLE_ROWS ? 400 : -60);
    run_ids(b, c, dtype, dim);
    bits_print_line(c->scheme, c->kind, c->arithmetic, dtype, dim, b->hash);
    posenc_plan_destroy(b->plan);
    b->plan = NULL;
}

/* ---- resize ---- */

typedef struct resize_case {
    const char *mode, *variant; /* of the line */
    posenc_interpolation interpolation;
    int antialias, align_corners;
} resize_case;

static const resize_case resizes[] = {
    {"linear", "plain", POSENC_INTERPOLATION_LINEAR, 0, 0},
    {"linear", "antialias", POSENC_INTERPOLATION_LINEAR, 1, 0},
    {"linear", "corners", POSENC_INTERPOLATION_LINEAR, 0, 1},
    {"cubic", "plain", POSENC_INTERPOLATION_CUBIC, 0, 0},
    {"cubic", "antialias", POSENC_INTERPOLATION_CUBIC, 1, 0},
    {"cubic", "corners", POSENC_INTERPOLATION_CUBIC, 0, 1},
};

/* From height x width to height x width behind a prefix of 1; a height of 0 is one axis. */
static const int64_t extents[][4] = {{0, 13, 0, 29}, {0, 29, 0, 13}, {3, 4, 7, 5}, {7, 6, 4, 3}};

static void run_extent(bits_bench *b, const resize_case *c, const int64_t *e, posenc_dtype dtype, int dim) {
    posenc_resize_options options;
    posenc_view from, to;
    posenc_error error;
    posenc_resize_default(&options, sizeof options);
    options.mode = c->interpolation;
    options.antialias = c->antialias, options.align_corners = c->align_corners, options.prefix = 1;
    if (e[0]) memcpy(options.from, e, sizeof options.from), memcpy(options.to, e + 2, sizeof options.to);
    const int64_t old_rows = 1 + (e[0] ? e[0] : 1) * e[1], new_rows = 1 + (e[2] ? e[2] : 1) * e[3];
    DLTensor *table = posenc_view_make(&from, b->x, dtype, 2, (int64_t[]){old_rows, dim}, NULL);
    DLTensor *out = posenc_view_make(&to, b->y, dtype, 2, (int64_t[]){new_rows, dim}, NULL);
    bits_fill_random(b->x, (size_t)(old_rows * dim), dtype, 29);
    if (posenc_resize(b->context, &options, table, out, &error)) bits_stop("resize", &error);
    bits_hash_elements(&b->hash, b->y, (size_t)(new_rows * dim), posenc_dtype_bytes(dtype));
}

static void run_resize(bits_bench *b, const resize_case *c, posenc_dtype dtype, int dim) {
    b->hash = BITS_HASH_START;
    for (size_t i = 0; i < sizeof extents / sizeof *extents; i++) run_extent(b, c, extents[i], dtype, dim);
    bits_print_line("resize", c->mode, c->variant, dtype, dim, b->hash);
}

/* ---- all ---- */

void bits_run_schemes(bits_bench *b) {
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        for (size_t w = 0; w < sizeof widths / sizeof *widths; w++)
            for (int d = 0; d < 4; d++)
                if (widths[w] <= b->most_dim && !(cases[i].even && widths[w] % 2))
                    run_scheme(b, &cases[i], dtypes[d], widths[w]);
    for (size_t i = 0; i < sizeof resizes / sizeof *resizes; i++)
        for (int d = 0; d < 4; d++) run_resize(b, &resizes[i], dtypes[d], 33);
}
