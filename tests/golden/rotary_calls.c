/* The accuracy contract of rotary calls against MPFR: every family, pairing, extent and map of axes at random
 * parameters, every direction, xPos, re-rotation, tables and the gradient of frequencies. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "support/isa.h"
#include "support/number.h"
#include "support/rotations.h"
#include "support/tensors.h"
#include "support/test.h"

enum { TOKENS = 3, HEADS = 2, MOST_HEAD = 400, ROUNDS = 60 };

/* Coordinates with a batch of one: (1, tokens, axes). */
static const posenc_positions *give(rotation_ids *store, const spectra_case *c, const double *ids) {
    return positions_of(store, POSENC_F64, ids, 3, (int64_t[]){1, TOKENS, rotations_axes(c)});
}

static void check_value(const spectra_case *c, posenc_dtype dtype, const void *element, mpfr_srcptr exact, double size,
                        const char *what, double position) {
    uint64_t bits = number_load(dtype, element);
    check(rotations_accept(dtype, bits, exact, size), "%s, pairing %d, %s %s at %.17g: expected %.17g, got %.17g",
          spectra_text(c), (int)c->options.pairing, what, posenc_dtype_name(dtype), position,
          mpfr_get_d(exact, MPFR_RNDN), number_decode(dtype, bits));
}

static const char *channel_of(const rotation *r, const void *data, int64_t token, int64_t head, int64_t channel) {
    return (const char *)data + (size_t)((token * HEADS + head) * r->shape[3] + channel) * posenc_dtype_bytes(r->dtype);
}

static double value_at(posenc_dtype dtype, const char *element) {
    return number_decode(dtype, number_load(dtype, element));
}

/* A few pairs of each head; what is outside the extent is copied. */
static void check_turned(rotations *o, const rotation *r, const double *ids, random_state *random, const void *x,
                         const void *y) {
    int64_t width = 2 * o->pairs, start = o->c->options.rotary_start;
    for (int64_t t = 0; t < TOKENS; t++) {
        const double *position = ids + t * rotations_axes(o->c);
        for (int64_t h = 0; h < HEADS; h++) {
            for (int64_t i = 0; i < r->shape[3]; i++)
                if (i < start || i >= start + width)
                    check(
                        memcmp(channel_of(r, x, t, h, i), channel_of(r, y, t, h, i), posenc_dtype_bytes(r->dtype)) == 0,
                        "channel %" PRId64 " outside the extent was changed", i);
            for (int k = 0; k < 6; k++) {
                int64_t i = random_between(random, 0, o->pairs - 1);
                double a =
                    value_at(r->dtype, channel_of(r, x, t, h, rotations_channel(o->c, r->direction, false, i, false)));
                double b =
                    value_at(r->dtype, channel_of(r, x, t, h, rotations_channel(o->c, r->direction, false, i, true)));
                rotations_pair(o, r->direction, r->is_key, position, i, a, b);
                double size = (fabs(a) + fabs(b)) * fmax(1, mpfr_get_d(o->gain, MPFR_RNDN));
                double p = position[spectra_axis(o->c, i)];
                check_value(o->c, r->dtype,
                            channel_of(r, y, t, h, rotations_channel(o->c, r->direction, true, i, false)), o->first,
                            size, "first", p);
                check_value(o->c, r->dtype,
                            channel_of(r, y, t, h, rotations_channel(o->c, r->direction, true, i, true)), o->second,
                            size, "second", p);
            }
        }
    }
}

static void test_apply(void **state) {
    (void)state;
    random_state random = random_start("rotary calls");
    static char x[TOKENS * HEADS * MOST_HEAD * 8], y[sizeof x];
    double ids[TOKENS * POSENC_MOST_AXES];
    for (int round = 0; round < ROUNDS; round++) {
        spectra_case c;
        rotation_ids store;
        rotations o;
        rotations_random(&c, &random);
        posenc_context *context = isa_context((size_t)round % isa_count(), 1);
        posenc_plan *plan = must_rotary(context, &c);
        rotations_start(&o, &c);
        rotations_random_ids(&c, &random, TOKENS, ids);
        for (int way = 0; way < 12; way++) {
            rotation r = {plan,
                          (posenc_rotary_direction)(way % 3),
                          give(&store, &c, ids),
                          NULL,
                          random_u64(&random) & 1,
                          encoding_dtypes[way / 3],
                          {1, TOKENS, HEADS, c.options.head_dim}};
            random_fill(&random, r.dtype, x, rotation_elements(&r));
            must_turn(&r, x, y);
            check_turned(&o, &r, ids, &random, x, y);
        }
        rotations_clear(&o);
        posenc_plan_destroy(plan);
        posenc_context_destroy(context);
    }
    mpfr_free_cache();
}

/* ---- from one rotation to another ---- */

/* Exact composition: un-rotation by the first, rotation by the second. */
static void check_again(rotations *from, rotations *to, const double *old, const double *new_ids, int64_t i, double a,
                        double b, mpfr_t first, mpfr_t second) {
    mpfr_t s, c;
    mpfr_inits2(SPECTRA_BITS, s, c, (mpfr_ptr)0);
    rotations_angle(from, POSENC_ROTARY_UNROTATE, true, old, i);
    rotations_angle(to, POSENC_ROTARY_FORWARD, true, new_ids, i);
    mpfr_sub(to->angle, to->angle, from->angle, MPFR_RNDN);
    mpfr_sin_cos(s, c, to->angle, MPFR_RNDN);
    mpfr_mul(to->gain, to->gain, from->gain, MPFR_RNDN);
    mpfr_mul_d(first, c, a, MPFR_RNDN);
    mpfr_mul_d(to->work, s, b, MPFR_RNDN);
    mpfr_sub(first, first, to->work, MPFR_RNDN);
    mpfr_mul(first, first, to->gain, MPFR_RNDN);
    mpfr_mul_d(second, s, a, MPFR_RNDN);
    mpfr_mul_d(to->work, c, b, MPFR_RNDN);
    mpfr_add(second, second, to->work, MPFR_RNDN);
    mpfr_mul(second, second, to->gain, MPFR_RNDN);
    mpfr_clears(s, c, (mpfr_ptr)0);
}

/* Another family with the same extent, pairing and axes. */
static void other_family(spectra_case *to, const spectra_case *from, random_state *random) {
    *to = *from;
    to->options.sections = to->sections;
    to->options.axis_map = to->map;
    to->options.scaling = random_u64(random) & 1 ? POSENC_SCALING_LINEAR : POSENC_SCALING_DEFAULT;
    to->options.factor = to->options.scaling == POSENC_SCALING_LINEAR ? 8 : 1;
    to->options.base = 5e5;
    to->options.short_factor = to->options.long_factor = to->options.inv_freq = NULL;
    to->options.n_short_factor = to->options.n_long_factor = to->options.n_inv_freq = 0;
    to->options.sequence_length = to->options.original_length = 0;
    to->options.mscale = to->options.mscale_all_dim = to->options.attention_factor = 0;
    to->options.amplitude = 1;
}

static void test_rerotate(void **state) {
    (void)state;
    random_state random = random_start("rotary rerotate");
    static char x[TOKENS * HEADS * MOST_HEAD * 8], y[sizeof x];
    double old[TOKENS * POSENC_MOST_AXES], new_ids[TOKENS * POSENC_MOST_AXES];
    mpfr_t first, second;
    mpfr_inits2(SPECTRA_BITS, first, second, (mpfr_ptr)0);
    for (int round = 0; round < ROUNDS; round++) {
        spectra_case from, to;
        rotation_ids old_store, new_store;
        rotations of, ot;
        posenc_view in, out;
        posenc_error error = {0};
        rotations_random(&from, &random);
        if (from.options.pairing == POSENC_PAIRING_INTERLEAVED_IN_HALVES_OUT)
            from.options.pairing = POSENC_PAIRING_HALVES;
        other_family(&to, &from, &random);
        posenc_plan *pf = must_rotary(NULL, &from), *pt = must_rotary(NULL, &to);
        rotations_start(&of, &from);
        rotations_start(&ot, &to);
        rotations_random_ids(&from, &random, TOKENS, old);
        rotations_random_ids(&from, &random, TOKENS, new_ids);
        rotation r = {.direction = POSENC_ROTARY_FORWARD,
                      .dtype = encoding_dtypes[round % 4],
                      .shape = {1, TOKENS, HEADS, from.options.head_dim}};
        random_fill(&random, r.dtype, x, rotation_elements(&r));
        posenc_status status =
            posenc_rotary_rerotate(pf, give(&old_store, &from, old), NULL, pt, give(&new_store, &to, new_ids), NULL,
                                   posenc_view_make(&in, x, r.dtype, 4, r.shape, NULL),
                                   posenc_view_make(&out, y, r.dtype, 4, r.shape, NULL), &error);
        check(status == POSENC_OK, "%s", error.message);
        for (int k = 0; k < 20; k++) {
            int64_t t = random_between(&random, 0, TOKENS - 1), h = random_between(&random, 0, HEADS - 1);
            int64_t i = random_between(&random, 0, of.pairs - 1), axes = rotations_axes(&from);
            int64_t ca = rotations_channel(&from, POSENC_ROTARY_FORWARD, false, i, false);
            int64_t cb = rotations_channel(&from, POSENC_ROTARY_FORWARD, false, i, true);
            double a = value_at(r.dtype, channel_of(&r, x, t, h, ca)),
                   b = value_at(r.dtype, channel_of(&r, x, t, h, cb));
            check_again(&of, &ot, old + t * axes, new_ids + t * axes, i, a, b, first, second);
            double size = 2 * (fabs(a) + fabs(b)) * fmax(1, mpfr_get_d(ot.gain, MPFR_RNDN)); /* two angles */
            check_value(&from, r.dtype, channel_of(&r, y, t, h, ca), first, size, "again, first", old[t * axes]);
            check_value(&from, r.dtype, channel_of(&r, y, t, h, cb), second, size, "again, second", old[t * axes]);
        }
        rotations_clear(&of);
        rotations_clear(&ot);
        posenc_plan_destroy(pf);
        posenc_plan_destroy(pt);
    }
    mpfr_clears(first, second, (mpfr_ptr)0);
}

/* ---- tables ---- */

static int64_t column_of(posenc_rotary_table_form form, int64_t pairs, int64_t i, int copy) {
    if (form == POSENC_ROTARY_TABLE_PAIRS) return i;
    return form == POSENC_ROTARY_TABLE_HALVES ? i + copy * pairs : 2 * i + copy;
}

static void test_cos_sin(void **state) {
    (void)state;
    random_state random = random_start("rotary tables");
    static char cosines[TOKENS * MOST_HEAD * 8], sines[sizeof cosines];
    double ids[TOKENS * POSENC_MOST_AXES];
    for (int round = 0; round < ROUNDS; round++) {
        spectra_case c;
        rotation_ids store;
        rotations o;
        posenc_view vc, vs;
        posenc_error error = {0};
        rotations_random(&c, &random);
        rotations_random_ids(&c, &random, TOKENS, ids);
        posenc_plan *plan = must_rotary(NULL, &c);
        rotations_start(&o, &c);
        o.amplitude = spectra_amplitude(&c);
        posenc_rotary_table_form form = (posenc_rotary_table_form)(round % 3);
        posenc_dtype dtype = encoding_dtypes[random_between(&random, 0, 3)];
        const int64_t shape[3] = {1, TOKENS, o.pairs * (form == POSENC_ROTARY_TABLE_PAIRS ? 1 : 2)};
        posenc_status status = posenc_rotary_cos_sin(plan, give(&store, &c, ids), NULL, form,
                                                     posenc_view_make(&vc, cosines, dtype, 3, shape, NULL),
                                                     posenc_view_make(&vs, sines, dtype, 3, shape, NULL), &error);
        check(status == POSENC_OK, "%s", error.message);
        spectra_case plain = c;
        plain.options.xpos_scale_base = 0;
        o.c = &plain;
        for (int64_t t = 0; t < TOKENS; t++)
            for (int64_t i = 0; i < o.pairs; i++) {
                const double *position = ids + t * rotations_axes(&c);
                rotations_angle(&o, POSENC_ROTARY_FORWARD, false, position, i);
                mpfr_mul(o.first, o.cosine, o.gain, MPFR_RNDN);
                mpfr_mul(o.second, o.sine, o.gain, MPFR_RNDN);
                for (int copy = 0; copy < (form == POSENC_ROTARY_TABLE_PAIRS ? 1 : 2); copy++) {
                    size_t at = (size_t)(t * shape[2] + column_of(form, o.pairs, i, copy)) * posenc_dtype_bytes(dtype);
                    double size = fmax(1, o.amplitude);
                    double p = position[spectra_axis(&c, i)];
                    check_value(&c, dtype, cosines + at, o.first, size, "cosine", p);
                    check_value(&c, dtype, sines + at, o.second, size, "sine", p);
                }
            }
        rotations_clear(&o);
        posenc_plan_destroy(plan);
    }
}

/* ---- gradient of frequencies ---- */

static void test_frequency_gradient(void **state) {
    (void)state;
    random_state random = random_start("rotary gradient");
    static char x[TOKENS * HEADS * MOST_HEAD * 8], dy[sizeof x];
    double ids[TOKENS * POSENC_MOST_AXES], got[SPECTRA_MOST_PAIRS];
    mpfr_t sum, part;
    mpfr_inits2(SPECTRA_BITS, sum, part, (mpfr_ptr)0);
    for (int round = 0; round < ROUNDS; round++) {
        spectra_case c;
        rotation_ids store;
        rotations o;
        posenc_view in, out;
        posenc_error error = {0};
        rotations_random(&c, &random);
        rotations_random_ids(&c, &random, TOKENS, ids);
        posenc_plan *plan = must_rotary(NULL, &c);
        rotations_start(&o, &c);
        rotation r = {.dtype = encoding_dtypes[round % 4], .shape = {1, TOKENS, HEADS, c.options.head_dim}};
        r.is_key = round / 4 % 2;
        random_fill(&random, r.dtype, x, rotation_elements(&r));
        random_fill(&random, r.dtype, dy, rotation_elements(&r));
        bool accumulate = round % 3 == 0;
        for (int64_t i = 0; i < o.pairs; i++) got[i] = (double)i;
        posenc_status status = posenc_rotary_frequency_gradient(
            plan, give(&store, &c, ids), NULL, posenc_view_make(&in, x, r.dtype, 4, r.shape, NULL),
            posenc_view_make(&out, dy, r.dtype, 4, r.shape, NULL), r.is_key, accumulate, got, &error);
        check(status == POSENC_OK, "%s", error.message);
        for (int64_t i = 0; i < o.pairs; i++) {
            double size = 1;
            mpfr_set_d(sum, accumulate ? (double)i : 0, MPFR_RNDN);
            for (int64_t t = 0; t < TOKENS; t++)
                for (int64_t h = 0; h < HEADS; h++) {
                    const double *position = ids + t * rotations_axes(&c);
                    double p = position[spectra_axis(&c, i)];
                    double a = value_at(r.dtype, channel_of(&r, x, t, h, rotations_channel(&c, 0, false, i, false)));
                    double b = value_at(r.dtype, channel_of(&r, x, t, h, rotations_channel(&c, 0, false, i, true)));
                    double ga = value_at(r.dtype, channel_of(&r, dy, t, h, rotations_channel(&c, 0, true, i, false)));
                    double gb = value_at(r.dtype, channel_of(&r, dy, t, h, rotations_channel(&c, 0, true, i, true)));
                    rotations_pair(&o, POSENC_ROTARY_FORWARD, r.is_key, position, i, a, b);
                    mpfr_mul_d(part, o.first, gb, MPFR_RNDN); /* dy_a/dphi = -y_b, dy_b/dphi = y_a */
                    mpfr_mul_d(o.work, o.second, ga, MPFR_RNDN);
                    mpfr_sub(part, part, o.work, MPFR_RNDN);
                    mpfr_mul_d(part, part, p, MPFR_RNDN);
                    mpfr_add(sum, sum, part, MPFR_RNDN);
                    size += fabs(p) * (fabs(a) + fabs(b)) * (fabs(ga) + fabs(gb)) * mpfr_get_d(o.gain, MPFR_RNDN);
                }
            check(fabs(got[i] - mpfr_get_d(sum, MPFR_RNDN)) <= 8e-15 * size,
                  "%s: pair %" PRId64 ": expected %.17g, got %.17g", spectra_text(&c), i, mpfr_get_d(sum, MPFR_RNDN),
                  got[i]);
        }
        rotations_clear(&o);
        posenc_plan_destroy(plan);
    }
    mpfr_clears(sum, part, (mpfr_ptr)0);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_apply), cmocka_unit_test(test_rerotate),
                                       cmocka_unit_test(test_cos_sin), cmocka_unit_test(test_frequency_gradient)};
    return TEST_RUN(tests);
}
