#include "support/spectra.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "support/test.h"

/* ---- options ---- */

void spectra_start(spectra_case *c, posenc_scaling scaling, int64_t head_dim, int64_t dim) {
    memset(c, 0, sizeof *c);
    posenc_rotary_options *o = &c->options;
    posenc_rotary_default(o, sizeof *o);
    o->head_dim = head_dim;
    o->dim = dim;
    o->scaling = scaling;
    o->max_len = 8;
    if (scaling != POSENC_SCALING_DEFAULT && scaling != POSENC_SCALING_CUSTOM) o->factor = 4;
    if (scaling >= POSENC_SCALING_DYNAMIC && scaling <= POSENC_SCALING_LLAMA3) o->original_length = 4096;
    for (int i = 0; i < SPECTRA_MOST_PAIRS; i++) c->lists[0][i] = 1 + i / 8.0, c->lists[1][i] = 2 + i / 4.0;
    if (scaling == POSENC_SCALING_LONGROPE) {
        o->short_factor = c->lists[0], o->n_short_factor = (size_t)(dim ? dim : head_dim) / 2;
        o->long_factor = c->lists[1], o->n_long_factor = o->n_short_factor;
    }
    if (scaling == POSENC_SCALING_CUSTOM) o->inv_freq = c->lists[0], o->n_inv_freq = (size_t)(dim ? dim : head_dim) / 2;
}

static int64_t pairs_of(const spectra_case *c) { return (c->options.dim ? c->options.dim : c->options.head_dim) / 2; }

static double pick(random_state *random, const double *values, int64_t n) {
    return values[random_between(random, 0, n - 1)];
}

/* Between low and high, evenly in the logarithm. */
static double random_ratio(random_state *random, double low, double high) {
    return low * pow(high / low, random_unit(random));
}

static void random_sections(spectra_case *c, random_state *random, size_t n) {
    int64_t left = pairs_of(c);
    for (size_t a = 0; a < n; a++) {
        c->sections[a] = a + 1 < n ? random_between(random, 0, left) : left;
        left -= c->sections[a];
    }
    c->options.sections = c->sections;
    c->options.n_sections = n;
}

static void random_axes(spectra_case *c, random_state *random) {
    posenc_rotary_options *o = &c->options;
    o->axes = (posenc_axes)random_between(random, 0, 4);
    if (o->axes == POSENC_AXES_AXIAL && o->scaling == POSENC_SCALING_PROPORTIONAL) o->axes = POSENC_AXES_SECTIONED;
    if (o->axes == POSENC_AXES_SECTIONED || o->axes == POSENC_AXES_AXIAL)
        random_sections(c, random, (size_t)random_between(random, 1, POSENC_MOST_AXES));
    if (o->axes == POSENC_AXES_INTERLEAVED) random_sections(c, random, 3);
    if (o->axes != POSENC_AXES_MAP) return;
    int64_t most = random_between(random, 0, POSENC_MOST_AXES - 1);
    for (int64_t i = 0; i < pairs_of(c); i++) c->map[i] = random_between(random, 0, most);
    o->axis_map = c->map;
    o->n_axis_map = (size_t)pairs_of(c);
}

void spectra_random(spectra_case *c, posenc_scaling scaling, random_state *random) {
    static const int64_t dims[] = {2, 4, 6, 8, 16, 64, 80, 128, 192, 256, 320};
    static const double bases[] = {1e4, 5e5, 1e6, 1.5e5, 1e7, 10, 1.000001, 100.5, 1e30, 1e-6, 0.3};
    bool narrow = scaling == POSENC_SCALING_NTK || scaling == POSENC_SCALING_DYNAMIC;
    int64_t dim = dims[random_between(random, narrow ? 1 : 0, 10)];
    int64_t rest = scaling == POSENC_SCALING_PROPORTIONAL ? 0 : random_between(random, 0, 64);
    spectra_start(c, scaling, dim + rest, dim);
    posenc_rotary_options *o = &c->options;
    o->base = random_between(random, 0, 3) ? pick(random, bases, scaling == POSENC_SCALING_YARN ? 9 : 11)
                                           : random_ratio(random, 2, 1e8);
    if (narrow && o->base > 1e10) o->base = 1e4; /* with the largest stretch it would leave 2^120 */
    o->rotary_start = random_between(random, 0, rest);
    o->max_len = random_between(random, 0, 40);
    if (o->factor != 1) o->factor = random_ratio(random, narrow ? 0.1 : 1e-3, narrow ? 1e3 : 1e6);
    if (o->original_length) o->original_length = (int64_t)random_ratio(random, 2, 1e6);
    o->beta_slow = random_ratio(random, 0.1, 10);
    o->beta_fast = o->beta_slow * random_ratio(random, 1, 100);
    o->truncate = (int)random_between(random, 0, 1);
    o->mscale = random_between(random, 0, 1) ? 0 : random_unit(random);
    o->mscale_all_dim = random_between(random, 0, 1) ? 0 : random_unit(random);
    o->attention_factor = random_between(random, 0, 3) ? 0 : 0.5 + random_unit(random);
    o->low_freq_factor = random_ratio(random, 0.1, 8);
    o->high_freq_factor = o->low_freq_factor * random_ratio(random, 1.001, 8);
    o->fraction = 1 - random_unit(random);
    if (scaling == POSENC_SCALING_CUSTOM) o->amplitude = 0.5 + random_unit(random);
    for (int64_t i = 0; i < pairs_of(c); i++) {
        c->lists[0][i] = random_ratio(random, 1e-3, 1e3);
        c->lists[1][i] = random_ratio(random, 1e-6, 1e9);
        if (scaling == POSENC_SCALING_CUSTOM && random_between(random, 0, 1)) c->lists[0][i] = -c->lists[0][i];
    }
    c->length = (int64_t)random_ratio(random, 1, 1e7);
    random_axes(c, random);
}

void spectra_copy(spectra_case *to, const spectra_case *from) {
    *to = *from;
    posenc_rotary_options *o = &to->options;
    if (o->sections) o->sections = to->sections;
    if (o->axis_map) o->axis_map = to->map;
    if (o->short_factor) o->short_factor = to->lists[0];
    if (o->long_factor) o->long_factor = to->lists[1];
    if (o->inv_freq) o->inv_freq = to->lists[0];
}

void spectra_random_single(spectra_case *c, posenc_scaling scaling, random_state *random) {
    spectra_random(c, scaling, random);
    c->options.axes = POSENC_AXES_SINGLE;
    c->options.n_sections = c->options.n_axis_map = 0;
}

const char *spectra_text(const spectra_case *c) {
    static char text[600];
    const posenc_rotary_options *o = &c->options;
    snprintf(text, sizeof text,
             "scaling %d axes %d head %" PRId64 " dim %" PRId64 " base %.17g factor %.17g orig %" PRId64
             " most %" PRId64 " length %" PRId64
             " beta %.17g %.17g truncate %d mscale %.17g %.17g attention %.17g low %.17g high %.17g "
             "fraction %.17g",
             (int)o->scaling, (int)o->axes, o->head_dim, o->dim, o->base, o->factor, o->original_length,
             o->max_position_embeddings, c->length, o->beta_fast, o->beta_slow, o->truncate, o->mscale,
             o->mscale_all_dim, o->attention_factor, o->low_freq_factor, o->high_freq_factor, o->fraction);
    return text;
}

posenc_plan *must_rotary(const posenc_context *context, const spectra_case *c) {
    posenc_plan *plan = NULL;
    posenc_error error = {0};
    posenc_status status = posenc_rotary_create(context, &c->options, &plan, &error);
    check(status == POSENC_OK, "%s: %s", spectra_text(c), error.message);
    return plan;
}

/* ---- axes ---- */

int64_t spectra_axis(const spectra_case *c, int64_t i) {
    const posenc_rotary_options *o = &c->options;
    int64_t axis = 0;
    switch (o->axes) {
        case POSENC_AXES_SINGLE:
            return 0;
        case POSENC_AXES_MAP:
            return o->axis_map[i];
        case POSENC_AXES_INTERLEAVED:
            if (i % 3 == 1 && i < 3 * o->sections[1]) return 1;
            return i % 3 == 2 && i < 3 * o->sections[2] ? 2 : 0;
        case POSENC_AXES_SECTIONED:
        case POSENC_AXES_AXIAL:
            break;
    }
    for (; i >= o->sections[axis]; axis++) i -= o->sections[axis];
    return axis;
}

/* Width of the series that pair i is in, and its place there. */
static int64_t series_of(const spectra_case *c, int64_t i, int64_t *place) {
    *place = i;
    if (c->options.axes != POSENC_AXES_AXIAL) return 2 * pairs_of(c);
    int64_t axis = spectra_axis(c, i);
    for (int64_t a = 0; a < axis; a++) *place -= c->options.sections[a];
    return 2 * c->options.sections[axis];
}

/* ---- frequencies ---- */

/* Everything below rounds at 384 bits. */
#define R MPFR_RNDN

/* out = base^(-2i/d) */
static void plain(mpfr_t out, mpfr_t base, int64_t i, int64_t d) {
    mpfr_t exponent;
    mpfr_init2(exponent, SPECTRA_BITS);
    mpfr_set_si(exponent, (long)(-2 * i), R);
    mpfr_div_si(exponent, exponent, (long)d, R);
    mpfr_pow(out, base, exponent, R);
    mpfr_clear(exponent);
}

/* base *= s^(d/(d-2)) */
static void change_base(mpfr_t base, mpfr_t s, int64_t d) {
    mpfr_t exponent;
    if (d == 2) return;
    mpfr_init2(exponent, SPECTRA_BITS);
    mpfr_set_si(exponent, (long)d, R);
    mpfr_div_si(exponent, exponent, (long)(d - 2), R);
    mpfr_pow(exponent, s, exponent, R);
    mpfr_mul(base, base, exponent, R);
    mpfr_clear(exponent);
}

/* s = factor L/M - (factor - 1) */
static void dynamic_stretch(const spectra_case *c, mpfr_t s) {
    int64_t m = c->options.original_length, l = c->length > m ? c->length : m;
    mpfr_t rest;
    mpfr_init2(rest, SPECTRA_BITS);
    mpfr_set_d(s, c->options.factor, R);
    mpfr_sub_ui(rest, s, 1, R);
    mpfr_mul_si(s, s, (long)l, R);
    mpfr_div_si(s, s, (long)m, R);
    mpfr_sub(s, s, rest, R);
    mpfr_clear(rest);
}

/* d ln(orig / (2 pi n)) / (2 ln base) */
static void yarn_end(const spectra_case *c, double n, int64_t d, mpfr_t out) {
    mpfr_t t;
    mpfr_init2(t, SPECTRA_BITS);
    mpfr_const_pi(t, R);
    mpfr_mul_ui(t, t, 2, R);
    mpfr_mul_d(t, t, n, R);
    mpfr_si_div(t, (long)c->options.original_length, t, R);
    mpfr_log(t, t, R);
    mpfr_set_d(out, c->options.base, R);
    mpfr_log(out, out, R);
    mpfr_mul_ui(out, out, 2, R);
    mpfr_div(out, t, out, R);
    mpfr_mul_si(out, out, (long)d, R);
    mpfr_clear(t);
}

/* rho of pair i. */
static void yarn_share(const spectra_case *c, int64_t i, int64_t d, mpfr_t rho) {
    mpfr_t low, high;
    mpfr_inits2(SPECTRA_BITS, low, high, (mpfr_ptr)0);
    yarn_end(c, c->options.beta_fast, d, low);
    yarn_end(c, c->options.beta_slow, d, high);
    if (c->options.truncate) {
        mpfr_floor(low, low);
        mpfr_ceil(high, high);
    }
    if (mpfr_sgn(low) < 0) mpfr_set_zero(low, 1);
    if (mpfr_cmp_si(high, (long)(d - 1)) > 0) mpfr_set_si(high, (long)(d - 1), R);
    if (mpfr_equal_p(low, high)) {
        mpfr_set_ui(rho, 1, R);
        mpfr_div_ui(rho, rho, 1000, R);
        mpfr_add(high, high, rho, R);
    }
    mpfr_si_sub(rho, (long)i, low, R);
    mpfr_sub(high, high, low, R);
    mpfr_div(rho, rho, high, R);
    if (mpfr_sgn(rho) < 0) mpfr_set_zero(rho, 1);
    if (mpfr_cmp_ui(rho, 1) > 0) mpfr_set_ui(rho, 1, R);
    mpfr_clears(low, high, (mpfr_ptr)0);
}

/* 1 - s of a pair of that frequency. */
static void llama3_share(const spectra_case *c, mpfr_t omega, mpfr_t share) {
    mpfr_t high;
    mpfr_init2(high, SPECTRA_BITS);
    mpfr_const_pi(share, R);
    mpfr_mul_ui(share, share, 2, R);
    mpfr_div(share, omega, share, R);
    mpfr_mul_si(share, share, (long)c->options.original_length, R);
    mpfr_sub_d(share, share, c->options.low_freq_factor, R);
    mpfr_set_d(high, c->options.high_freq_factor, R);
    mpfr_sub_d(high, high, c->options.low_freq_factor, R);
    mpfr_div(share, share, high, R);
    if (mpfr_sgn(share) < 0) mpfr_set_zero(share, 1);
    if (mpfr_cmp_ui(share, 1) > 0) mpfr_set_ui(share, 1, R);
    mpfr_ui_sub(share, 1, share, R);
    mpfr_clear(high);
}

/* omega = omega share / factor + omega (1 - share) */
static void blend(const spectra_case *c, mpfr_t omega, mpfr_t share) {
    mpfr_t kept;
    mpfr_init2(kept, SPECTRA_BITS);
    mpfr_ui_sub(kept, 1, share, R);
    mpfr_mul(kept, kept, omega, R);
    mpfr_mul(omega, omega, share, R);
    mpfr_div_d(omega, omega, c->options.factor, R);
    mpfr_add(omega, omega, kept, R);
    mpfr_clear(kept);
}

void spectra_omega(const spectra_case *c, int64_t i, mpfr_t out) {
    const posenc_rotary_options *o = &c->options;
    int64_t place, d = series_of(c, i, &place);
    mpfr_t base, t;
    mpfr_inits2(SPECTRA_BITS, base, t, (mpfr_ptr)0);
    mpfr_set_d(base, o->base, R);
    mpfr_set_d(t, o->factor, R);
    if (o->scaling == POSENC_SCALING_DYNAMIC) dynamic_stretch(c, t);
    if (o->scaling == POSENC_SCALING_DYNAMIC || o->scaling == POSENC_SCALING_NTK) change_base(base, t, d);
    plain(out, base, place, d);
    switch (o->scaling) {
        case POSENC_SCALING_DEFAULT:
        case POSENC_SCALING_NTK:
        case POSENC_SCALING_DYNAMIC:
            break;
        case POSENC_SCALING_PROPORTIONAL:
            if (2 * (i + 1) > o->fraction * (double)d) mpfr_set_zero(out, 1);
            mpfr_div_d(out, out, o->factor, R);
            break;
        case POSENC_SCALING_LINEAR:
            mpfr_div_d(out, out, o->factor, R);
            break;
        case POSENC_SCALING_YARN:
            yarn_share(c, place, d, t);
            blend(c, out, t);
            break;
        case POSENC_SCALING_LLAMA3:
            llama3_share(c, out, t);
            blend(c, out, t);
            break;
        case POSENC_SCALING_LONGROPE:
            mpfr_div_d(out, out, c->length > o->original_length ? o->long_factor[i] : o->short_factor[i], R);
            break;
        case POSENC_SCALING_CUSTOM:
            mpfr_set_d(out, o->inv_freq[i], R);
            break;
    }
    mpfr_clears(base, t, (mpfr_ptr)0);
}

/* ---- amplitude ---- */

static long double g(long double s, long double m) { return s > 1 ? 0.1L * m * logl(s) + 1 : 1; }

double spectra_amplitude(const spectra_case *c) {
    const posenc_rotary_options *o = &c->options;
    long double s = (long double)o->factor, orig = (long double)o->original_length;
    if (o->scaling == POSENC_SCALING_CUSTOM) return o->amplitude;
    if (o->scaling != POSENC_SCALING_YARN && o->scaling != POSENC_SCALING_LONGROPE) return 1;
    if (o->attention_factor != 0) return o->attention_factor;
    if (o->scaling == POSENC_SCALING_LONGROPE) {
        if (o->factor == 0) s = (long double)o->max_position_embeddings / orig;
        return s <= 1 ? 1 : (double)sqrtl(1 + logl(s) / logl(orig));
    }
    if (o->mscale != 0 && o->mscale_all_dim != 0)
        return (double)(g(s, (long double)o->mscale) / g(s, (long double)o->mscale_all_dim));
    return (double)g(s, 1);
}

double spectra_softmax_factor(const spectra_case *c) {
    const posenc_rotary_options *o = &c->options;
    if (o->scaling != POSENC_SCALING_YARN || o->mscale_all_dim == 0) return 1;
    long double factor = g((long double)o->factor, (long double)o->mscale_all_dim);
    return (double)(factor * factor);
}
