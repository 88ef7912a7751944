#include "grid_oracle.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "support/oracle.h"
#include "support/test.h"

static const char *const names[][2] = {{"sinusoidal-2d", "mae"},
                                       {"sinusoidal-2d", "detr"},
                                       {"sinusoidal-3d", "cogvideox"},
                                       {"sinusoidal-nd", "tensor2tensor"},
                                       {"sinusoidal-nd", "multidim"}};

/* ---- options ---- */

static int64_t random_dim(random_state *random, grid_convention convention) {
    static const int64_t multiples[] = {4, 2, 16, 1, 1};
    return multiples[convention] * random_between(random, 1, convention == GRID_COGVIDEOX ? 5 : 40);
}

static int64_t random_axes(random_state *random, grid_convention convention) {
    if (convention == GRID_COGVIDEOX) return 3;
    return convention <= GRID_DETR ? 2 : random_between(random, 1, 8);
}

grid_case grid_random(random_state *random, grid_convention convention) {
    static const double bases[] = {10000, 10000, 10000, 20, 1, 1e-6, 1e30, 123.456},
                        scales[] = {1, 1, 2, 0.001, 1e6, 1.5, 0.3};
    grid_case c = {.convention = convention, .base_size = 0, .scale = 1, .temporal = 1};
    int64_t cells = 1;
    c.dim = random_dim(random, convention);
    c.axes = random_axes(random, convention);
    c.base = bases[random_between(random, 0, 7)];
    c.prefix = random_between(random, 0, 2) ? 0 : random_between(random, 1, 5);
    for (int a = 0; a < c.axes; a++) {
        c.extents[a] = random_between(random, 1, cells > 100 ? 2 : random_between(random, 1, 3) == 1 ? 70 : 7);
        cells *= c.extents[a];
    }
    if (convention == GRID_MAE && random_between(random, 0, 1)) c.base_size = random_between(random, 1, 100);
    if (convention == GRID_MAE || convention == GRID_COGVIDEOX) c.scale = scales[random_between(random, 0, 6)];
    if (convention == GRID_COGVIDEOX) c.temporal = scales[random_between(random, 0, 6)];
    if (convention == GRID_DETR) c.normalize = random_between(random, 0, 1) != 0;
    return c;
}

static void grid_extents(const grid_case *c, char text[64]) {
    text[0] = '\0';
    for (int a = 0; a < c->axes; a++)
        snprintf(text + strlen(text), 64 - strlen(text), "%s%" PRId64, a ? "x" : "", c->extents[a]);
}

const char *grid_text(const grid_case *c) {
    static char text[300];
    char extents[64];
    grid_extents(c, extents);
    snprintf(text, sizeof text,
             "%s dim %" PRId64 " grid %s prefix %" PRId64 " base %.17g base-size %" PRId64 " scales %.17g %.17g%s",
             names[c->convention][1], c->dim, extents, c->prefix, c->base, c->base_size, c->scale, c->temporal,
             c->normalize ? " normalized" : "");
    return text;
}

posenc_plan *grid_plan(const posenc_context *context, const grid_case *c) {
    char texts[8][64];
    posenc_parameter p[9] = {{"convention", names[c->convention][1]},
                             {"grid", texts[1]},
                             {"dim", texts[2]},
                             {"prefix", texts[3]},
                             {"base", texts[4]}};
    size_t n = 5;
    grid_extents(c, texts[1]);
    snprintf(texts[2], 64, "%" PRId64, c->dim);
    snprintf(texts[3], 64, "%" PRId64, c->prefix);
    snprintf(texts[4], 64, "%.17g", c->base);
    snprintf(texts[5], 64, "%" PRId64, c->base_size);
    snprintf(texts[6], 64, "%.17g", c->scale);
    snprintf(texts[7], 64, "%.17g", c->temporal);
    if (c->base_size) p[n++] = (posenc_parameter){"base-size", texts[5]};
    if (c->scale != 1) p[n++] = (posenc_parameter){"interpolation-scale", texts[6]};
    if (c->temporal != 1) p[n++] = (posenc_parameter){"temporal-interpolation-scale", texts[7]};
    if (c->normalize) p[n++] = (posenc_parameter){"normalize", "true"};
    posenc_plan *plan = NULL;
    posenc_error error = {0};
    check(posenc_plan_create(context, names[c->convention][0], p, n, &plan, &error) == POSENC_OK, "%s: %s",
          grid_text(c), error.message);
    return plan;
}

/* ---- values ---- */

/* What a column shows: sin or cos of u base^(-numerator/denominator), u of an axis; axis -1: zero. */
typedef struct slot {
    int64_t axis, numerator, denominator;
    bool cosine;
} slot;

static slot halves(int64_t axis, int64_t j, int64_t m) { return (slot){axis, j % (m / 2), m / 2, j >= m / 2}; }

static slot in_turn(int64_t axis, int64_t j, int64_t m) { return (slot){axis, j - j % 2, m, j % 2 != 0}; }

static slot slot_of(const grid_case *c, int64_t column) {
    int64_t d = c->dim, n = d / (2 * c->axes), m = 2 * ((d + 2 * c->axes - 1) / (2 * c->axes));
    switch (c->convention) {
        case GRID_MAE:
            return halves(column < d / 2 ? 1 : 0, column % (d / 2), d / 2);
        case GRID_DETR:
            return in_turn(column < d / 2 ? 0 : 1, column % (d / 2), d / 2);
        case GRID_COGVIDEOX:
            if (column < d / 4) return halves(0, column, d / 4);
            return halves(column < d / 4 + 3 * d / 8 ? 2 : 1, (column - d / 4) % (3 * d / 8), 3 * d / 8);
        case GRID_TENSOR2TENSOR:
            if (column >= 2 * n * c->axes) return (slot){-1, 0, 1, false};
            return (slot){column / (2 * n), column % n, n > 1 ? n - 1 : 1, column % (2 * n) >= n};
        case GRID_MULTIDIM:
            break;
    }
    return in_turn(column / m, column % m, m);
}

/* u *= what the options say of coordinates. */
static void scale_coordinate(const grid_case *c, int64_t axis, mpfr_t u) {
    if (c->convention == GRID_MAE && c->base_size) {
        mpfr_mul_si(u, u, (long)c->base_size, MPFR_RNDN);
        mpfr_div_si(u, u, (long)c->extents[axis], MPFR_RNDN);
    }
    mpfr_div_d(u, u, c->convention == GRID_COGVIDEOX && axis == 0 ? c->temporal : c->scale, MPFR_RNDN);
    if (!c->normalize) return;
    mpfr_t x;
    mpfr_init2(x, ORACLE_BITS);
    mpfr_set_si(x, 1, MPFR_RNDN);
    mpfr_div_si(x, x, 1000000, MPFR_RNDN);
    mpfr_add_si(x, x, (long)c->extents[axis], MPFR_RNDN);
    mpfr_div(u, u, x, MPFR_RNDN);
    mpfr_const_pi(x, MPFR_RNDN);
    mpfr_mul(u, u, x, MPFR_RNDN);
    mpfr_mul_si(u, u, 2, MPFR_RNDN);
    mpfr_clear(x);
}

void grid_point_value(const grid_case *c, const double *point, int64_t column, mpfr_t out) {
    slot s = slot_of(c, column);
    mpfr_set_zero(out, 1);
    if (s.axis < 0) return;
    mpfr_t u, omega;
    mpfr_inits2(ORACLE_BITS, u, omega, (mpfr_ptr)0);
    mpfr_set_d(u, point[s.axis], MPFR_RNDN);
    scale_coordinate(c, s.axis, u);
    mpfr_set_d(omega, c->base, MPFR_RNDN);
    mpfr_log(omega, omega, MPFR_RNDN);
    mpfr_mul_si(omega, omega, -(long)s.numerator, MPFR_RNDN);
    mpfr_div_si(omega, omega, (long)s.denominator, MPFR_RNDN);
    mpfr_exp(omega, omega, MPFR_RNDN);
    mpfr_mul(u, u, omega, MPFR_RNDN);
    if (s.cosine)
        mpfr_cos(out, u, MPFR_RNDN);
    else
        mpfr_sin(out, u, MPFR_RNDN);
    mpfr_clears(u, omega, (mpfr_ptr)0);
}

void grid_value(const grid_case *c, int64_t token, int64_t column, mpfr_t out) {
    double point[8];
    int64_t rest = token - c->prefix;
    mpfr_set_zero(out, 1);
    if (rest < 0) return;
    for (int a = (int)c->axes - 1; a >= 0; a--) {
        point[a] = (double)(rest % c->extents[a] + (c->convention == GRID_DETR));
        rest /= c->extents[a];
    }
    grid_point_value(c, point, column, out);
}
