#include "rotary_oracle.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const long double pi = 3.14159265358979323846264338327950288L;

/* ---- parameters ---- */

static const char *text(const rotary_oracle *o, const char *name) {
    for (size_t i = 0; i < o->n; i++)
        if (strcmp(o->parameters[i].name, name) == 0) return o->parameters[i].text;
    return NULL;
}

static long double number(const rotary_oracle *o, const char *name, long double otherwise) {
    const char *found = text(o, name);
    return found ? strtold(found, NULL) : otherwise;
}

/* Element i of a list, as a double: posenc's lists are of doubles. */
static long double element(const rotary_oracle *o, const char *name, int64_t i) {
    const char *at = text(o, name);
    for (; i > 0; i--) at = strchr(at, ',') + 1;
    return (long double)strtod(at, NULL);
}

static int is(const rotary_oracle *o, const char *name, const char *value) {
    const char *found = text(o, name);
    return found && strcmp(found, value) == 0;
}

rotary_oracle rotary_oracle_of(const posenc_parameter *parameters, size_t n) {
    rotary_oracle o = {.parameters = parameters, .n = n};
    o.head_dim = (int64_t)number(&o, "head-dim", 0);
    o.dim = (int64_t)number(&o, "dim", o.head_dim);
    o.start = (int64_t)number(&o, "rotary-start", 0);
    o.pairs = o.dim / 2;
    return o;
}

/* ---- frequencies ---- */

static long double geometric(long double base, int64_t i, int64_t d) {
    return powl(base, -2 * (long double)i / (long double)d);
}

/* Ding et al. 2024: one divisor for each pair, of two lists. */
static long double longrope(const rotary_oracle *o, int64_t i, int64_t length, long double omega) {
    int is_long = (long double)length > number(o, "original-length", 0);
    return omega / element(o, is_long ? "long-factor" : "short-factor", i);
}

/* Peng et al. 2023, section 3.2, with the ends of the ramp as published. */
static long double yarn(const rotary_oracle *o, int64_t i, long double omega) {
    long double base = number(o, "base", 10000), original = number(o, "original-length", 0);
    long double d = (long double)o->dim, factor = number(o, "factor", 1);
    long double low = d * logl(original / (2 * pi * number(o, "beta-fast", 32))) / (2 * logl(base));
    long double high = d * logl(original / (2 * pi * number(o, "beta-slow", 1))) / (2 * logl(base));
    if (!is(o, "truncate", "false")) low = floorl(low), high = ceill(high);
    if (low < 0) low = 0;
    if (high > d - 1) high = d - 1;
    if (low == high) high += 0.001L;
    long double ramp = ((long double)i - low) / (high - low);
    ramp = ramp < 0 ? 0 : ramp > 1 ? 1 : ramp;
    return ramp * omega / factor + (1 - ramp) * omega;
}

/* The Llama 3.1 rule. */
static long double llama3(const rotary_oracle *o, long double omega) {
    long double original = number(o, "original-length", 0), factor = number(o, "factor", 1);
    long double low = number(o, "low-freq-factor", 1), high = number(o, "high-freq-factor", 4);
    long double wavelength = 2 * pi / omega;
    if (wavelength > original / low) return omega / factor;
    if (wavelength < original / high) return omega;
    long double smooth = (original / wavelength - low) / (high - low);
    return omega * ((1 - smooth) / factor + smooth);
}

static long double dynamic(const rotary_oracle *o, int64_t i, int64_t length) {
    long double original = number(o, "original-length", 0), factor = number(o, "factor", 1), d = (long double)o->dim;
    long double longest = (long double)length > original ? (long double)length : original;
    long double stretch = factor * longest / original - (factor - 1);
    return geometric(number(o, "base", 10000) * powl(stretch, d / (d - 2)), i, o->dim);
}

static long double proportional(const rotary_oracle *o, int64_t i) {
    int64_t turning = (int64_t)floorl(number(o, "fraction", 1) * (long double)o->head_dim / 2);
    return i < turning ? geometric(number(o, "base", 10000), i, o->head_dim) / number(o, "factor", 1) : 0;
}

/* Axial: each axis has a series of its own. */
static long double axial(const rotary_oracle *o, int64_t i) {
    for (int64_t axis = 0;; axis++) {
        int64_t pairs = (int64_t)element(o, "sections", axis);
        if (i < pairs) return geometric(number(o, "base", 10000), i, 2 * pairs);
        i -= pairs;
    }
}

long double rotary_oracle_omega(const rotary_oracle *o, int64_t i, int64_t length) {
    if (is(o, "pair-axes", "axial")) return axial(o, i);
    if (is(o, "scaling", "custom")) return element(o, "inv-freq", i);
    if (is(o, "scaling", "proportional")) return proportional(o, i);
    if (is(o, "scaling", "dynamic")) return dynamic(o, i, length);
    long double omega = geometric(number(o, "base", 10000), i, o->dim);
    if (is(o, "scaling", "linear")) return omega / number(o, "factor", 1);
    if (is(o, "scaling", "yarn")) return yarn(o, i, omega);
    if (is(o, "scaling", "llama3")) return llama3(o, omega);
    return is(o, "scaling", "longrope") ? longrope(o, i, length, omega) : omega;
}

/* ---- amplitude ---- */

static long double g(long double s, long double m) { return s > 1 ? 0.1L * m * logl(s) + 1 : 1; }

long double rotary_oracle_amplitude(const rotary_oracle *o) {
    long double factor = number(o, "factor", 1), m = number(o, "mscale", 0), all = number(o, "mscale-all-dim", 0);
    long double original = number(o, "original-length", 0);
    if (is(o, "scaling", "yarn")) return m > 0 && all > 0 ? g(factor, m) / g(factor, all) : g(factor, 1);
    if (!is(o, "scaling", "longrope")) return 1;
    if (factor == 0) factor = number(o, "max-position-embeddings", 0) / original;
    return factor > 1 ? sqrtl(1 + logl(factor) / logl(original)) : 1;
}

/* ---- axes and channels ---- */

int64_t rotary_oracle_axis(const rotary_oracle *o, int64_t i) {
    if (is(o, "pair-axes", "map")) return (int64_t)element(o, "axis-map", i);
    if (is(o, "pair-axes", "interleaved")) {
        for (int64_t axis = 1; axis < 3; axis++)
            if (i % 3 == axis && i < 3 * (int64_t)element(o, "sections", axis)) return axis;
        return 0;
    }
    if (!text(o, "sections")) return 0;
    int64_t axis = 0;
    for (int64_t end = (int64_t)element(o, "sections", 0); i >= end; end += (int64_t)element(o, "sections", axis))
        axis++;
    return axis;
}

int64_t rotary_oracle_input(const rotary_oracle *o, int64_t i, int64_t part) {
    int halves = !text(o, "pairing") || is(o, "pairing", "halves");
    return o->start + (halves ? i + part * o->pairs : 2 * i + part);
}

int64_t rotary_oracle_output(const rotary_oracle *o, int64_t i, int64_t part) {
    return o->start + (is(o, "pairing", "interleaved") ? 2 * i + part : i + part * o->pairs);
}
