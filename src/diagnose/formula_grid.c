/* Grids: whether one of the two-dimensional encodings made a table, which no plan says. Each convention is tried with
 * every height and width whose product is the number of its rows, squares and what is nearly square first; rows of
 * zeros in front are the prefix. A few rows are compared before all are. */
#include <math.h>
#include <stdio.h>

#include "base/checked.h"
#include "base/memory.h"
#include "diagnose/formula.h"
#include "diagnose/walk.h"

enum { MOST_CELLS = 1 << 20, WIDEST = 1 << 14, MOST_PREFIX = 16, MOST_SIDES = 64, FEW = 4 };

static const double near_one = 0.9; /* that a table with a cosine of 0 reaches */
static const double coarse = 0x1p-6;

typedef struct convention {
    const char *scheme;
    posenc_parameter parameters[2];
} convention;

static const convention conventions[] = {
    {"sinusoidal-2d", {{"convention", "mae"}, {"normalize", "false"}}},
    {"sinusoidal-2d", {{"convention", "detr"}, {"normalize", "false"}}},
    {"sinusoidal-2d", {{"convention", "detr"}, {"normalize", "true"}}},
    {"sinusoidal-nd", {{"convention", "tensor2tensor"}, {"base", "10000"}}},
    {"sinusoidal-nd", {{"convention", "multidim"}, {"base", "10000"}}},
};

enum { N_CONVENTIONS = sizeof conventions / sizeof *conventions };

/* The values of sines and cosines, in rows that are few enough. */
static bool may_be_grid(const posenc_checkup *c) {
    const posenc_survey *s = &c->survey;
    bool waves = s->maximum >= near_one && s->maximum <= 1 + coarse && s->minimum >= -1 - coarse;
    return waves && !c->turns.are && !c->all_zero && !c->stands_still && c->table.dim >= FEW &&
           c->table.dim <= WIDEST && c->table.rows >= FEW && c->table.rows <= MOST_CELLS;
}

/* Rows of zeros in front. */
static int64_t prefix_of(const posenc_checkup *c, double *row) {
    int64_t n = 0;
    for (; n < MOST_PREFIX && n < c->table.rows; n++) {
        posenc_table_row(&c->table, n, row);
        for (int64_t k = 0; k < c->table.dim; k++)
            if (row[k] != 0) return n;
    }
    return n;
}

static bool is_near(const double *row, const double *exact, int64_t dim) {
    int64_t wrong = 0;
    for (int64_t k = 0; k < dim; k++) wrong += !(fabs(row[k] - exact[k]) <= coarse);
    return 10 * wrong <= dim;
}

/* Half of a few rows that tell grids apart. room: a row, and FEW more. */
static posenc_status looks_alike(const posenc_checkup *c, const posenc_plan *plan, int64_t prefix, int64_t width,
                                 double *room, bool *alike, posenc_error *error) {
    int64_t last = c->table.rows - 1, dim = c->table.dim, fits = 0;
    const int64_t ids[FEW] = {prefix, prefix + width - 1, prefix + width < last ? prefix + width : last, last};
    posenc_status status = posenc_exact_rows(plan, ids, FEW, POSENC_F64, room + dim, error);
    for (int i = 0; i < FEW && status == POSENC_OK; i++) {
        posenc_table_row(&c->table, ids[i], room);
        fits += is_near(room, room + dim * (i + 1), dim);
    }
    *alike = 2 * fits >= FEW;
    return status;
}

typedef struct size {
    int64_t height, width, prefix;
} size;

/* Leaves *plan NULL where the convention has no such grid. */
static posenc_status make_plan(const posenc_checkup *c, const convention *k, const size *s, posenc_plan **plan,
                               posenc_error *error) {
    char dim[24], grid[48], prefix[24];
    posenc_error why;
    snprintf(dim, sizeof dim, "%lld", (long long)c->table.dim);
    snprintf(grid, sizeof grid, "%lldx%lld", (long long)s->height, (long long)s->width);
    snprintf(prefix, sizeof prefix, "%lld", (long long)s->prefix);
    const posenc_parameter parameters[] = {
        {"dim", dim}, {"grid", grid}, {"prefix", prefix}, k->parameters[0], k->parameters[1]};
    *plan = NULL;
    posenc_status status = posenc_plan_create(c->context, k->scheme, parameters, 5, plan, &why);
    if (status != POSENC_ERROR_MEMORY) return POSENC_OK;
    if (error) *error = why;
    return status;
}

static posenc_status try_grid(const posenc_checkup *c, const convention *k, const size *s, double *room,
                              posenc_plan **found, posenc_error *error) {
    posenc_plan *plan;
    const posenc_match match = {.scheme = k->scheme};
    bool about = false, throughout = false;
    posenc_status status = make_plan(c, k, s, &plan, error);
    if (status != POSENC_OK || !plan) return status;
    status = looks_alike(c, plan, s->prefix, s->width, room, &about, error);
    if (status == POSENC_OK && about) status = posenc_formula_agrees(c, plan, &match, &about, &throughout, error);
    if (status == POSENC_OK && about && throughout)
        *found = plan;
    else
        posenc_plan_destroy(plan);
    return status;
}

/* Both ways round of one pair of sides, in every convention. */
static posenc_status try_sides(const posenc_checkup *c, int64_t a, int64_t b, int64_t prefix, double *room,
                               posenc_plan **found, posenc_error *error) {
    const size sizes[] = {{a, b, prefix}, {b, a, prefix}};
    posenc_status status = POSENC_OK;
    for (int i = 0; i < (a == b ? 1 : 2); i++)
        for (int k = 0; k < N_CONVENTIONS && status == POSENC_OK && !*found; k++)
            status = try_grid(c, &conventions[k], &sizes[i], room, found, error);
    return status;
}

static posenc_status try_all(const posenc_checkup *c, double *room, posenc_plan **found, posenc_error *error) {
    int64_t prefix = prefix_of(c, room), cells = c->table.rows - prefix;
    posenc_status status = POSENC_OK;
    int tried = 0;
    for (int64_t side = (int64_t)sqrt((double)cells) + 1; side > 1 && tried < MOST_SIDES; side--) {
        if (cells % side != 0 || side > cells / side) continue;
        status = try_sides(c, side, cells / side, prefix, room, found, error);
        if (status != POSENC_OK || *found) return status;
        tried++;
    }
    return status;
}

posenc_status posenc_formula_grid(const posenc_checkup *c, posenc_plan **found, posenc_error *error) {
    size_t bytes = SIZE_MAX;
    double *room = NULL;
    *found = NULL;
    if (!may_be_grid(c)) return POSENC_OK;
    if (posenc_bytes_of(c->table.dim, (FEW + 1) * sizeof *room, &bytes)) room = posenc_allocate(c->context, bytes);
    if (!room) return posenc_fail_memory(error, "table", bytes);
    posenc_status status = try_all(c, room, found, error);
    posenc_release(c->context, room);
    return status;
}
