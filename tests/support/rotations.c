#include "support/rotations.h"

#include <math.h>
#include <string.h>

#include "support/oracle.h"
#include "support/test.h"

#define R MPFR_RNDN

/* ---- random cases ---- */

void rotations_random(spectra_case *c, random_state *random) {
    posenc_scaling scaling = (posenc_scaling)random_between(random, 0, SPECTRA_SCALINGS - 1);
    spectra_random(c, scaling, random);
    c->options.pairing = (posenc_pairing)random_between(random, 0, 2);
    if (scaling == POSENC_SCALING_DYNAMIC || scaling == POSENC_SCALING_LONGROPE) c->options.sequence_length = c->length;
    if (random_between(random, 0, 3) == 0) c->options.xpos_scale_base = 512, c->options.xpos_centre = 100;
}

static double random_coordinate(random_state *random) {
    switch (random_between(random, 0, 3)) {
        case 0:
            return (double)random_between(random, -40, 40);
        case 1:
            return (double)random_between(random, -(INT64_C(1) << 53), INT64_C(1) << 53);
        case 2:
            return 1000 * (2 * random_unit(random) - 1);
        default:
            return (double)random_between(random, 0, 131072);
    }
}

/* Powers of xPos must stay within their range. */
void rotations_random_ids(const spectra_case *c, random_state *random, int64_t tokens, double *ids) {
    bool near = c->options.xpos_scale_base != 0;
    for (int64_t i = 0; i < tokens * rotations_axes(c); i++)
        ids[i] = near ? 3000 * (random_unit(random) - 0.5) : random_coordinate(random);
}

/* ---- the equation ---- */

void rotations_start(rotations *r, const spectra_case *c) {
    r->c = c;
    r->pairs = (c->options.dim ? c->options.dim : c->options.head_dim) / 2;
    r->amplitude = spectra_amplitude(c);
    mpfr_inits2(SPECTRA_BITS, r->angle, r->sine, r->cosine, r->gain, r->first, r->second, r->work, (mpfr_ptr)0);
    for (int64_t i = 0; i < r->pairs; i++) {
        mpfr_init2(r->omega[i], SPECTRA_BITS);
        spectra_omega(c, i, r->omega[i]);
    }
}

void rotations_clear(rotations *r) {
    mpfr_clears(r->angle, r->sine, r->cosine, r->gain, r->first, r->second, r->work, (mpfr_ptr)0);
    for (int64_t i = 0; i < r->pairs; i++) mpfr_clear(r->omega[i]);
}

/* zeta^n, zeta = (2i + 0.4 d)/(1.4 d), n = (p - centre)/scale_base */
static void set_power(rotations *r, double position, int64_t i, bool inverse) {
    const posenc_rotary_options *o = &r->c->options;
    double d = 2 * (double)r->pairs;
    if (o->xpos_scale_base == 0) return;
    mpfr_set_d(r->work, position, R);
    mpfr_sub_d(r->work, r->work, o->xpos_centre, R);
    mpfr_div_d(r->work, r->work, inverse ? -o->xpos_scale_base : o->xpos_scale_base, R);
    mpfr_set_d(r->first, 10 * (double)i + 2 * d, R);
    mpfr_div_d(r->first, r->first, 7 * d, R);
    mpfr_pow(r->first, r->first, r->work, R);
    mpfr_mul(r->gain, r->gain, r->first, R);
}

void rotations_angle(rotations *r, posenc_rotary_direction direction, bool is_key, const double *position, int64_t i) {
    double p = position[spectra_axis(r->c, i)];
    mpfr_set_d(r->angle, p, R);
    mpfr_mul(r->angle, r->angle, r->omega[i], R);
    mpfr_sin_cos(r->sine, r->cosine, r->angle, R);
    if (direction != POSENC_ROTARY_FORWARD) mpfr_neg(r->sine, r->sine, R);
    mpfr_set_d(r->gain, r->amplitude, R);
    if (direction == POSENC_ROTARY_UNROTATE) mpfr_d_div(r->gain, 1, r->gain, R);
    set_power(r, p, i, is_key != (direction == POSENC_ROTARY_UNROTATE));
}

void rotations_pair(rotations *r, posenc_rotary_direction direction, bool is_key, const double *position, int64_t i,
                    double a, double b) {
    rotations_angle(r, direction, is_key, position, i);
    mpfr_mul_d(r->first, r->cosine, a, R);
    mpfr_mul_d(r->work, r->sine, b, R);
    mpfr_sub(r->first, r->first, r->work, R);
    mpfr_mul(r->first, r->first, r->gain, R);
    mpfr_mul_d(r->second, r->sine, a, R);
    mpfr_mul_d(r->work, r->cosine, b, R);
    mpfr_add(r->second, r->second, r->work, R);
    mpfr_mul(r->second, r->second, r->gain, R);
}

int64_t rotations_channel(const spectra_case *c, posenc_rotary_direction direction, bool in_y, int64_t i, bool second) {
    const posenc_rotary_options *o = &c->options;
    int64_t n = (o->dim ? o->dim : o->head_dim) / 2;
    bool forward = direction == POSENC_ROTARY_FORWARD, halves = o->pairing == POSENC_PAIRING_HALVES;
    if (o->pairing == POSENC_PAIRING_INTERLEAVED_IN_HALVES_OUT) halves = forward == in_y;
    return o->rotary_start + (halves ? i + (second ? n : 0) : 2 * i + second);
}

int rotations_axes(const spectra_case *c) {
    const posenc_rotary_options *o = &c->options;
    int64_t most = 0;
    if (o->axes == POSENC_AXES_SINGLE) return 1;
    if (o->axes != POSENC_AXES_MAP) return (int)o->n_sections;
    for (size_t i = 0; i < o->n_axis_map; i++) most = o->axis_map[i] > most ? o->axis_map[i] : most;
    return (int)most + 1;
}

bool rotations_accept(posenc_dtype dtype, uint64_t bits, mpfr_srcptr exact, double size) {
    double ulps, distance = oracle_error(dtype, bits, exact, &ulps), half = ulps > 0 ? 0.5 * distance / ulps : 0;
    switch (dtype) {
        case POSENC_F64:
            return distance <= 4e-15 * size;
        case POSENC_F32:
            return distance <= half + 1e-15 * size;
        default:
            return distance <= half + 0x1p-22 * size;
    }
}

/* ---- calls ---- */

int64_t rotation_elements(const rotation *r) { return r->shape[0] * r->shape[1] * r->shape[2] * r->shape[3]; }

void must_turn(const rotation *r, const void *x, void *y) {
    posenc_view in, out;
    posenc_error error = {0};
    void *data;
    memcpy(&data, &x, sizeof data);
    DLTensor *tx = posenc_view_make(&in, data, r->dtype, 4, r->shape, NULL);
    DLTensor *ty = posenc_view_make(&out, y, r->dtype, 4, r->shape, NULL);
    posenc_status status =
        posenc_rotary_apply(r->plan, r->direction, r->positions, r->lengths, r->is_key ? NULL : tx,
                            r->is_key ? tx : NULL, r->is_key ? NULL : ty, r->is_key ? ty : NULL, &error);
    check(status == POSENC_OK, "posenc_rotary_apply: %s", error.message);
}

const posenc_positions *rotation_positions(rotation_ids *store, int64_t start) {
    posenc_positions_default(&store->positions, sizeof store->positions);
    store->positions.start = start;
    return &store->positions;
}

const posenc_positions *positions_of(rotation_ids *store, posenc_dtype dtype, const void *ids, int rank,
                                     const int64_t *shape) {
    void *data;
    memcpy(&data, &ids, sizeof data);
    posenc_positions_default(&store->positions, sizeof store->positions);
    store->positions.ids = posenc_view_make(&store->view, data, dtype, rank, shape, NULL);
    return &store->positions;
}
