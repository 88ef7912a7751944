/* Queries and keys rotated by published implementations (scripts/golden/rotary.py says which), at positions 0, 1, 4095,
 * 4096, 4097, 131071, 1048575 and others. Three comparisons for each file:
 *
 * exact, with the equations in long double: half an ulp of f32, and 3e-13 for the oracle, whose angles of up to 2^20
 *   radians are rounded to 2^-44.
 * float32, with the published values. Their frequencies are those of the file. Where posenc's float32 frequency has the
 *   same bits, so has the angle, and what is left are the cosine and sine of the other side (2 ulp), the amplitude, and
 *   three roundings of the rotation: 2^-22 of the pair. Where it differs, by 2 ulp at most since the other side's power
 *   function is not rounded correctly, the angle differs by position times that, and no more is asked.
 * float32 with the frequencies of the file, as a plan of custom ones: 2^-22 of the pair, at every position.
 *
 * Files whose cosines were rounded from double ("angles" is exact: ONNX's operator takes its caches from outside) are
 * compared with exact instead of float32. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <posenc/posenc.h>

#include "rotary_oracle.h"
#include "support/refusal.h"
#include "support/tensors.h"
#include "support/test.h"

enum { MOST_PARAMETERS = 24, MOST_PAIRS = 64 };

static const char *const names[] = {
    "default",
    "one_token",
    "linear",
    "dynamic_long",
    "dynamic_4096",
    "dynamic_short",
    "llama3",
    "yarn",
    "yarn_not_truncated",
    "yarn_mscale",
    "longrope_long",
    "longrope_4096",
    "proportional",
    "gptj_partial",
    "neox_partial",
    "deepseek",
    "mrope_sectioned",
    "mrope_interleaved",
    "vision_axial",
    "vision_pixtral",
    "onnx_plain",
    "onnx_3d_input",
    "onnx_interleaved",
    "onnx_rotary_dim",
    "onnx_interleaved_rotary_dim",
    "onnx_no_position_ids",
    "onnx_no_position_ids_interleaved",
    "onnx_no_position_ids_rotary_dim",
};

/* One file. */
typedef struct record {
    const char *name;
    posenc_safetensors *file;
    posenc_array *arrays[7];
    const DLTensor *q, *k, *q_out, *k_out, *positions, *inv_freq, *lengths; /* lengths: NULL where there are none */
    posenc_parameter parameters[MOST_PARAMETERS];
    size_t n;
    rotary_oracle oracle;
    bool exact; /* its angles are */
} record;

/* ---- reading ---- */

static const DLTensor *read_tensor(record *r, int i, const char *name) {
    const posenc_tensor_info *info = posenc_safetensors_find(r->file, name);
    posenc_error error;
    if (!info) return NULL;
    check(posenc_safetensors_read(r->file, info, &r->arrays[i], &error) == POSENC_OK, "%s: %s", r->name, error.message);
    return posenc_array_tensor(r->arrays[i]);
}

static void read_parameters(record *r) {
    const char *key;
    for (size_t i = 0; (key = posenc_safetensors_key(r->file, i)); i++) {
        if (strncmp(key, "posenc.", 7) != 0) continue;
        assert_true(r->n + 4 < MOST_PARAMETERS);
        r->parameters[r->n++] = (posenc_parameter){key + 7, posenc_safetensors_metadata(r->file, key)};
    }
}

static void record_open(record *r, const char *name) {
    char path[1024];
    posenc_error error;
    *r = (record){.name = name};
    snprintf(path, sizeof path, "%s/%s.safetensors", POSENC_ROTARY_FILES, name);
    check(posenc_safetensors_open(NULL, path, &r->file, &error) == POSENC_OK, "%s", error.message);
    r->q = read_tensor(r, 0, "q"), r->k = read_tensor(r, 1, "k");
    r->q_out = read_tensor(r, 2, "q_out"), r->k_out = read_tensor(r, 3, "k_out");
    r->positions = read_tensor(r, 4, "positions"), r->inv_freq = read_tensor(r, 5, "inv_freq");
    r->lengths = read_tensor(r, 6, "lengths");
    check(r->q && r->k && r->q_out && r->k_out && r->positions && r->inv_freq, "%s: a tensor is missing", name);
    read_parameters(r);
    r->oracle = rotary_oracle_of(r->parameters, r->n);
    r->exact = strncmp(name, "onnx_", 5) == 0;
    check(r->inv_freq->shape[0] == r->oracle.pairs && r->oracle.pairs <= MOST_PAIRS, "%s: %lld frequencies", name,
          (long long)r->inv_freq->shape[0]);
}

static void record_close(record *r) {
    for (int i = 0; i < 7; i++) posenc_array_destroy(r->arrays[i]);
    posenc_safetensors_close(r->file);
}

static const float *floats(const DLTensor *t) { return (const float *)((const char *)t->data + t->byte_offset); }

/* Coordinate axis of the token with that number. */
static int64_t position_of(const record *r, int64_t token, int64_t axis) {
    int64_t axes = r->positions->ndim == 3 ? r->positions->shape[2] : 1;
    const int64_t *all = (const int64_t *)((const char *)r->positions->data + r->positions->byte_offset);
    return all[token * axes + (axes > 1 ? axis : 0)];
}

static int64_t length_of(const record *r, int64_t batch) {
    const int64_t *all =
        r->lengths ? (const int64_t *)((const char *)r->lengths->data + r->lengths->byte_offset) : NULL;
    return all ? all[batch] : 0;
}

/* ---- rotating ---- */

static posenc_plan *make_plan(const record *r, const char *arithmetic) {
    posenc_parameter parameters[MOST_PARAMETERS];
    posenc_plan *plan;
    posenc_error error;
    memcpy(parameters, r->parameters, sizeof parameters);
    parameters[r->n] = (posenc_parameter){"arithmetic", arithmetic};
    check(posenc_plan_create(NULL, "rotary", parameters, r->n + 1, &plan, &error) == POSENC_OK, "%s: %s", r->name,
          error.message);
    return plan;
}

/* Frequencies, axes and amplitude of a plan at the length of the first row; all rows of a file have one length. */
static double describe(const record *r, const posenc_plan *plan, double *omega, int64_t *axis) {
    posenc_error error;
    posenc_rotary_info info = {.size = sizeof info};
    check(posenc_rotary_describe(plan, length_of(r, 0), &info, omega, axis, &error) == POSENC_OK, "%s: %s", r->name,
          error.message);
    return info.amplitude;
}

/* The same extent, pairing and axes with the frequencies of the file. */
static posenc_plan *make_custom_plan(const record *r) {
    double omega[MOST_PAIRS], from_file[MOST_PAIRS];
    int64_t axis[MOST_PAIRS];
    posenc_plan *plain = make_plan(r, "float32"), *plan;
    posenc_rotary_options o;
    posenc_error error;
    char pairing[64] = "halves";
    posenc_rotary_default(&o, sizeof o);
    o.amplitude = describe(r, plain, omega, axis);
    check(posenc_plan_parameter(plain, "pairing", pairing, sizeof pairing) == POSENC_OK, "%s: no pairing", r->name);
    posenc_plan_destroy(plain);
    for (int64_t i = 0; i < r->oracle.pairs; i++) from_file[i] = (double)floats(r->inv_freq)[i];
    o.head_dim = r->oracle.head_dim, o.dim = r->oracle.dim, o.rotary_start = r->oracle.start;
    o.pairing = strcmp(pairing, "halves") == 0        ? POSENC_PAIRING_HALVES
                : strcmp(pairing, "interleaved") == 0 ? POSENC_PAIRING_INTERLEAVED
                                                      : POSENC_PAIRING_INTERLEAVED_IN_HALVES_OUT;
    o.arithmetic = POSENC_ARITHMETIC_FLOAT32;
    o.scaling = POSENC_SCALING_CUSTOM;
    o.inv_freq = from_file, o.n_inv_freq = (size_t)r->oracle.pairs;
    if (r->positions->ndim == 3) o.axes = POSENC_AXES_MAP, o.axis_map = axis, o.n_axis_map = (size_t)r->oracle.pairs;
    check(posenc_rotary_create(NULL, &o, &plan, &error) == POSENC_OK, "%s: %s", r->name, error.message);
    return plan;
}

static void rotate(const record *r, const posenc_plan *plan, const DLTensor *lengths, float *q, float *k) {
    posenc_view q_view, k_view;
    posenc_error error;
    posenc_positions positions;
    posenc_positions_default(&positions, sizeof positions);
    positions.ids = r->positions;
    posenc_view_make(&q_view, q, POSENC_F32, 4, r->q->shape, NULL);
    posenc_view_make(&k_view, k, POSENC_F32, 4, r->k->shape, NULL);
    check(posenc_rotary_apply(plan, POSENC_ROTARY_FORWARD, &positions, lengths, r->q, r->k, &q_view.tensor,
                              &k_view.tensor, &error) == POSENC_OK,
          "%s: %s", r->name, error.message);
}

/* ---- comparing ---- */

/* What is compared with, and how near it must be. omega: the frequencies of the plan; NULL: those of the file. */
typedef struct comparison {
    const char *what;
    bool oracle;
    const double *omega;
    double amplitude;
} comparison;

static double half_ulp(double value) {
    return ldexp(1, (value == 0 ? -149 : ilogb(value) < -126 ? -149 : ilogb(value) - 23) - 1);
}

static void exact_pair(const record *r, const float *x, int64_t token, int64_t batch, int64_t i, long double y[2]) {
    long double angle = (long double)position_of(r, token, rotary_oracle_axis(&r->oracle, i)) *
                        rotary_oracle_omega(&r->oracle, i, length_of(r, batch));
    long double a = (long double)x[rotary_oracle_input(&r->oracle, i, 0)];
    long double b = (long double)x[rotary_oracle_input(&r->oracle, i, 1)],
                amplitude = rotary_oracle_amplitude(&r->oracle);
    y[0] = amplitude * (a * cosl(angle) - b * sinl(angle));
    y[1] = amplitude * (a * sinl(angle) + b * cosl(angle));
}

static double tolerance_of(const record *r, const comparison *c, int64_t token, int64_t i, double pair, double want) {
    if (c->oracle) return half_ulp(want) + 3e-13 * pair * c->amplitude;
    double tolerance = 0x1p-22;
    double published = (double)floats(r->inv_freq)[i],
           position = fabs((double)position_of(r, token, rotary_oracle_axis(&r->oracle, i)));
    if (c->omega && c->omega[i] != published)
        tolerance += position * (fabs(c->omega[i] - published) + 0x1p-23 * published);
    return tolerance * pair * c->amplitude;
}

static void compare_head(const record *r, const comparison *c, const float *x, const float *published, const float *got,
                         int64_t token, int64_t batch) {
    const rotary_oracle *o = &r->oracle;
    for (int64_t i = 0; i < o->pairs; i++) {
        long double exact[2];
        exact_pair(r, x, token, batch, i, exact);
        double pair = (double)fabsf(x[rotary_oracle_input(o, i, 0)]) + (double)fabsf(x[rotary_oracle_input(o, i, 1)]);
        for (int64_t part = 0; part < 2; part++) {
            int64_t at = rotary_oracle_output(o, i, part);
            long double want = c->oracle ? exact[part] : (long double)published[at];
            double tolerance = tolerance_of(r, c, token, i, pair, (double)want);
            double error = (double)fabsl((long double)got[at] - want);
            check(error <= tolerance, "%s, %s: token %lld, pair %lld, part %lld: expected %.9Lg, got %.9g: %g, not %g",
                  r->name, c->what, (long long)token, (long long)i, (long long)part, want, (double)got[at], error,
                  tolerance);
        }
    }
    for (int64_t at = 0; at < o->head_dim; at++)
        if (at < o->start || at >= o->start + o->dim)
            check(memcmp(&got[at], &x[at], sizeof *x) == 0 && memcmp(&published[at], &x[at], sizeof *x) == 0,
                  "%s: channel %lld, which has no position, has changed", r->name, (long long)at);
}

static void compare(const record *r, const comparison *c, const DLTensor *x, const DLTensor *published,
                    const float *got) {
    int64_t heads = x->shape[2], tokens = x->shape[1], dim = x->shape[3];
    assert_int_equal(dim, r->oracle.head_dim);
    for (int64_t row = 0; row < x->shape[0] * tokens * heads; row++)
        compare_head(r, c, floats(x) + row * dim, floats(published) + row * dim, got + row * dim, row / heads,
                     row / heads / tokens);
}

static void run(const record *r, const posenc_plan *plan, const DLTensor *lengths, comparison c) {
    size_t q_elements = 1, k_elements = 1;
    for (int i = 0; i < 4; i++) q_elements *= (size_t)r->q->shape[i], k_elements *= (size_t)r->k->shape[i];
    float *q = must_allocate(q_elements * sizeof *q), *k = must_allocate(k_elements * sizeof *k);
    rotate(r, plan, lengths, q, k);
    compare(r, &c, r->q, r->q_out, q);
    compare(r, &c, r->k, r->k_out, k);
    free(q);
    free(k);
}

/* ---- tests ---- */

static void test_exact(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        record r;
        record_open(&r, names[i]);
        posenc_plan *plan = make_plan(&r, "exact");
        double amplitude = describe(&r, plan, NULL, NULL);
        check(fabs(amplitude - (double)rotary_oracle_amplitude(&r.oracle)) <= 1e-15 * amplitude, "%s: amplitude %.17g",
              r.name, amplitude);
        run(&r, plan, r.lengths, (comparison){.what = "exact", .oracle = true, .amplitude = amplitude});
        if (r.exact) run(&r, plan, r.lengths, (comparison){.what = "exact, published", .amplitude = amplitude});
        posenc_plan_destroy(plan);
        record_close(&r);
    }
}

/* Frequencies of the other side, within 2 ulp: a power, a reciprocal, and what a scaling does, each rounded. */
static void check_frequencies(const record *r, const double *omega) {
    for (int64_t i = 0; i < r->oracle.pairs; i++) {
        double published = (double)floats(r->inv_freq)[i];
        check(fabs(omega[i] - published) <= 2 * 0x1p-23 * published, "%s: frequency %lld: expected %.9g, got %.9g",
              r->name, (long long)i, published, omega[i]);
    }
}

static void test_float32(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        record r;
        double omega[MOST_PAIRS];
        record_open(&r, names[i]);
        if (!r.exact) {
            posenc_plan *plan = make_plan(&r, "float32");
            double amplitude = describe(&r, plan, omega, NULL);
            check_frequencies(&r, omega);
            run(&r, plan, r.lengths, (comparison){.what = "float32", .omega = omega, .amplitude = amplitude});
            posenc_plan_destroy(plan);
        }
        record_close(&r);
    }
}

static void test_float32_published_frequencies(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        record r;
        record_open(&r, names[i]);
        if (!r.exact) {
            posenc_plan *plan = make_custom_plan(&r);
            double amplitude = describe(&r, plan, NULL, NULL);
            run(&r, plan, NULL, (comparison){.what = "published frequencies", .amplitude = amplitude});
            posenc_plan_destroy(plan);
        }
        record_close(&r);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_exact),
        cmocka_unit_test(test_float32),
        cmocka_unit_test(test_float32_published_frequencies),
    };
    return TEST_RUN(tests);
}
