/* Applied rotations of vectors.json, 21 digits computed elsewhere: both pairings at positions from -7 to 1048575, and
 * xPos on either side; in every dtype, to the promise of posenc_rotary_apply. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "support/number.h"
#include "support/rotations.h"
#include "support/tensors.h"
#include "support/test.h"
#include "vectors.h"

enum { MOST = 64 };

typedef struct applied {
    const char *id, *pairing;
    json_int_t dim, position;
    double base, x[MOST];
    mpfr_t y[MOST];
    double scale_base, centre; /* 0, 0 without xPos */
    int side;
} applied;

static bool read_applied(json_t *object, applied *a) {
    json_t *x, *y;
    json_error_t error;
    memset(a, 0, sizeof *a);
    if (!object || !json_object_get(object, "x")) return false;
    int bad = json_unpack_ex(object, &error, 0, "{s:s, s:s, s:I, s:I, s:F, s:o, s:o, s?F, s?F, s?i}", "id", &a->id,
                             "pairing", &a->pairing, "dim", &a->dim, "position", &a->position, "base", &a->base, "x",
                             &x, "y", &y, "scale_base", &a->scale_base, "centre", &a->centre, "side", &a->side);
    check(bad == 0, "vectors.json: %s", error.text);
    check(a->dim <= MOST && json_array_size(x) == (size_t)a->dim && json_array_size(y) == (size_t)a->dim,
          "%s: a channel for each of dim", a->id);
    for (size_t i = 0; i < (size_t)a->dim; i++) {
        a->x[i] = json_number_value(json_array_get(x, i));
        mpfr_init2(a->y[i], 128);
        mpfr_set_str(a->y[i], json_string_value(json_array_get(y, i)), 10, MPFR_RNDN);
    }
    return true;
}

static posenc_plan *plan_of(const applied *a) {
    spectra_case c;
    spectra_start(&c, POSENC_SCALING_DEFAULT, a->dim, 0);
    c.options.base = a->base;
    c.options.pairing = strcmp(a->pairing, "halves") == 0 ? POSENC_PAIRING_HALVES : POSENC_PAIRING_INTERLEAVED;
    c.options.xpos_scale_base = a->scale_base;
    c.options.xpos_centre = a->centre;
    return must_rotary(NULL, &c);
}

static void check_record(const applied *a, const posenc_plan *plan, posenc_dtype dtype) {
    char x[MOST * 8], y[MOST * 8];
    size_t bytes = posenc_dtype_bytes(dtype);
    rotation_ids store;
    rotation r = {plan,  POSENC_ROTARY_FORWARD, rotation_positions(&store, a->position), NULL, a->side < 0,
                  dtype, {1, 1, 1, a->dim}};
    double size = 0;
    for (size_t i = 0; i < (size_t)a->dim; i++) {
        number_store(dtype, number_encode(dtype, a->x[i]), x + i * bytes); /* all of them short numbers */
        size = fmax(size, 2 * fmax(fabs(a->x[i]), fabs(mpfr_get_d(a->y[i], MPFR_RNDN))));
    }
    must_turn(&r, x, y);
    for (size_t i = 0; i < (size_t)a->dim; i++) {
        uint64_t bits = number_load(dtype, y + i * bytes);
        check(rotations_accept(dtype, bits, a->y[i], size), "%s %s: channel %zu: expected %.17g, got %.17g", a->id,
              posenc_dtype_name(dtype), i, mpfr_get_d(a->y[i], MPFR_RNDN), number_decode(dtype, bits));
    }
}

static void test_every_record(void **state) {
    (void)state;
    json_t *root = vectors_load(POSENC_VECTORS);
    int plain = 0, xpos = 0;
    for (size_t i = 0; i < vectors_count(root); i++) {
        applied a;
        if (!read_applied(vectors_at(root, i, "rotary"), &a)) continue;
        posenc_plan *plan = plan_of(&a);
        for (int d = 0; d < 4; d++) check_record(&a, plan, encoding_dtypes[d]);
        posenc_plan_destroy(plan);
        for (int k = 0; k < (int)a.dim; k++) mpfr_clear(a.y[k]);
        *(a.scale_base != 0 ? &xpos : &plain) += 1;
    }
    json_decref(root);
    check(plain >= 28 && xpos >= 6, "%d records of rotation and %d of xPos were found", plain, xpos);
}

/* The example of the rules: d = 4, position 3, x = 1 2 3 4. */
static void test_published_example(void **state) {
    (void)state;
    static const double want[2][4] = {{-1.41335252, 1.87911807, -2.82885748, 4.05819114},
                                      {-1.27223251, -1.83886499, 2.87866810, 4.08818664}};
    const float x[4] = {1, 2, 3, 4};
    for (int pairing = 0; pairing < 2; pairing++) {
        spectra_case c;
        rotation_ids store;
        float y[4];
        spectra_start(&c, POSENC_SCALING_DEFAULT, 4, 0);
        c.options.pairing = (posenc_pairing)pairing;
        posenc_plan *plan = must_rotary(NULL, &c);
        rotation r = {
            .plan = plan, .positions = rotation_positions(&store, 3), .dtype = POSENC_F32, .shape = {1, 1, 1, 4}};
        must_turn(&r, x, y);
        for (int i = 0; i < 4; i++)
            check(fabs((double)y[i] - want[pairing][i]) < 3e-7, "pairing %d, channel %d: %.9g", pairing, i,
                  (double)y[i]);
        posenc_plan_destroy(plan);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_every_record), cmocka_unit_test(test_published_example)};
    return TEST_RUN(tests);
}
