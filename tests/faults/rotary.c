/* Fault kinds that were reported of other rotary implementations, each as a test of the right behaviour. Values were
 * computed elsewhere at 50 digits. */
#define _DEFAULT_SOURCE
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "support/guard.h"
#include "support/number.h"
#include "support/rotations.h"
#include "support/tensors.h"
#include "support/test.h"

static posenc_plan *plan_of(int64_t head_dim, int64_t dim, posenc_pairing pairing) {
    spectra_case c;
    spectra_start(&c, POSENC_SCALING_DEFAULT, head_dim, dim);
    c.options.pairing = pairing;
    return must_rotary(NULL, &c);
}

static posenc_plan *sectioned(posenc_axes axes, int64_t t, int64_t h, int64_t w) {
    spectra_case c;
    spectra_start(&c, POSENC_SCALING_DEFAULT, 2 * (t + h + w), 0);
    c.options.axes = axes;
    c.sections[0] = t, c.sections[1] = h, c.sections[2] = w;
    c.options.sections = c.sections, c.options.n_sections = 3;
    return must_rotary(NULL, &c);
}

/* cos and sin of p base^(-2i/d), as long double has them: far closer than f32. */
static double cos_of(double p, double i, double d) {
    return (double)cosl((long double)p * powl(10000, -2 * (long double)i / (long double)d));
}
static double sin_of(double p, double i, double d) {
    return (double)sinl((long double)p * powl(10000, -2 * (long double)i / (long double)d));
}

static void ones(float *x, int64_t n) {
    for (int64_t i = 0; i < n; i++) x[i] = 1;
}

/* ---- axes taken for one another ---- */

/* One token and a batch: only the first row was rotated. Heads stand before tokens: (2, 16, 1, 256) in memory. */
static void test_one_token_of_a_batch(void **state) {
    (void)state;
    enum { B = 2, H = 16, D = 256, N = B * H * D };
    float x[N], y[N];
    posenc_view in, out;
    rotation_ids store;
    posenc_plan *plan = plan_of(D, 0, POSENC_PAIRING_HALVES);
    const int64_t shape[4] = {B, 1, H, D}, strides[4] = {H * D, D, D, 1};
    ones(x, N);
    assert_int_equal(posenc_rotary_apply(plan, POSENC_ROTARY_FORWARD, rotation_positions(&store, 6), NULL, NULL,
                                         posenc_view_make(&in, x, POSENC_F32, 4, shape, strides), NULL,
                                         posenc_view_make(&out, y, POSENC_F32, 4, shape, strides), NULL),
                     POSENC_OK);
    for (int h = 0; h < B * H; h++)
        check(fabs((double)y[h * D] - 1.23958578) < 1e-7, "row %d, head %d begins %.9g", h / H, h % H,
              (double)y[h * D]);
    posenc_plan_destroy(plan);
}

/* Equal heads stay equal, and so do batch rows; tokens do not. */
static void test_only_tokens_differ(void **state) {
    (void)state;
    enum { B = 3, T = 4, H = 5, D = 16, N = B * T * H * D };
    float x[N], y[N];
    posenc_plan *plan = plan_of(D, 0, POSENC_PAIRING_INTERLEAVED);
    rotation r = {.plan = plan, .dtype = POSENC_F32, .shape = {B, T, H, D}};
    ones(x, N);
    must_turn(&r, x, y);
    for (int b = 0; b < B; b++)
        for (int t = 0; t < T; t++)
            for (int h = 0; h < H; h++) {
                const float *head = y + ((b * T + t) * H + h) * D, *first = y + t * H * D;
                check(memcmp(head, first, D * sizeof *head) == 0, "batch row %d, token %d, head %d is another", b, t,
                      h);
                check(t == 0 || memcmp(head, y, D * sizeof *head) != 0, "token %d is as token 0", t);
            }
    posenc_plan_destroy(plan);
}

/* Offsets belong to batch rows, and never spread along the sequence. */
static void test_offsets_of_rows(void **state) {
    (void)state;
    enum { B = 2, T = 2, D = 4, N = B * T * D };
    float x[N], y[N];
    int64_t offsets[B] = {10, 100};
    posenc_view view;
    rotation_ids store;
    posenc_plan *plan = plan_of(D, 0, POSENC_PAIRING_HALVES);
    rotation_positions(&store, 1);
    store.positions.offsets = posenc_view_make(&view, offsets, POSENC_I64, 1, (int64_t[]){B}, NULL);
    rotation r = {.plan = plan, .positions = &store.positions, .dtype = POSENC_F32, .shape = {B, T, 1, D}};
    ones(x, N);
    must_turn(&r, x, y);
    for (int b = 0; b < B; b++)
        for (int t = 0; t < T; t++) {
            double p = 1 + (double)offsets[b] + t, want = cos_of(p, 0, D) - sin_of(p, 0, D);
            check(fabs((double)y[(b * T + t) * D] - want) < 1e-7, "row %d, token %d: %.9g, expected %.9g", b, t,
                  (double)y[(b * T + t) * D], want);
        }
    posenc_plan_destroy(plan);
}

/* ---- precision ---- */

/* x = (1, 0): y shows cosine and sine of the position, which a 16-bit type cannot hold. */
static double cosine_at(const posenc_plan *plan, int64_t position, posenc_dtype dtype, int64_t dim, int64_t pair) {
    char x[256 * 8] = {0}, y[256 * 8];
    rotation_ids store;
    rotation r = {
        .plan = plan, .positions = rotation_positions(&store, position), .dtype = dtype, .shape = {1, 1, 1, dim}};
    number_store(dtype, number_encode(dtype, 1), x + (size_t)pair * posenc_dtype_bytes(dtype));
    must_turn(&r, x, y);
    return number_decode(dtype, number_load(dtype, y + (size_t)pair * posenc_dtype_bytes(dtype)));
}

static void test_positions_are_not_rounded(void **state) {
    (void)state;
    posenc_plan *plan = plan_of(128, 0, POSENC_PAIRING_HALVES), *small = plan_of(32, 0, POSENC_PAIRING_HALVES);
    const double wide[4] = {3e-8, 4e-15, 2.5e-4, 2e-3}; /* of each dtype, below 1 */
    for (int d = 0; d < 4; d++) {
        double got = cosine_at(plan, 15962, encoding_dtypes[d], 128, 0);
        check(fabs(got + 0.908015901251) < wide[d] + 1e-12, "cos 15962 in %s is %.12g",
              posenc_dtype_name(encoding_dtypes[d]), got);
        got = cosine_at(small, 1857, encoding_dtypes[d], 32, 1);
        check(fabs(got - 0.306693) < wide[d] + 1e-6, "pair 1 at 1857 in %s is %.9g",
              posenc_dtype_name(encoding_dtypes[d]), got);
    }
    const int64_t far[] = {131071, 1048575, 16777217, INT64_C(2147483647)};
    for (int i = 0; i < 4; i++) {
        double want = (double)cosl((long double)far[i]), got = cosine_at(plan, far[i], POSENC_F32, 128, 0);
        check(fabs(got - want) < 3e-8, "cos %" PRId64 " is %.12g, expected %.12g", far[i], got, want);
    }
    for (int64_t p = 65536; p < 65540; p++) /* one number in bf16 */
        check(cosine_at(plan, p, POSENC_BF16, 128, 0) != cosine_at(plan, p + 1, POSENC_BF16, 128, 0),
              "positions %" PRId64 " and the next look alike", p);
    posenc_plan_destroy(small);
    posenc_plan_destroy(plan);
}

/* ---- pairing, extent, denominators ---- */

/* Frequencies of a partial rotation run over the rotated width; those of a proportional one over the head. */
static void test_denominators(void **state) {
    (void)state;
    spectra_case c;
    posenc_plan *plan = plan_of(128, 64, POSENC_PAIRING_HALVES);
    double got = cosine_at(plan, 4097, POSENC_F64, 128, 5);
    check(fabs(got - cos_of(4097, 5, 64)) < 1e-12, "partial, pair 5: %.12g", got);
    check(cosine_at(plan, 4097, POSENC_F64, 128, 64) == 1, "a channel outside was turned");
    posenc_plan_destroy(plan);
    spectra_start(&c, POSENC_SCALING_PROPORTIONAL, 128, 0);
    c.options.factor = 1;
    c.options.fraction = 0.5;
    plan = must_rotary(NULL, &c);
    got = cosine_at(plan, 4097, POSENC_F64, 128, 5);
    check(fabs(got - cos_of(4097, 5, 128)) < 1e-12, "proportional, pair 5: %.12g", got);
    check(cosine_at(plan, 4097, POSENC_F64, 128, 40) == 1, "a pair past the fraction was turned");
    posenc_plan_destroy(plan);
}

/* Two axes one behind the other, each with its own frequencies; not square, so that a swap shows. */
static void test_axial(void **state) {
    (void)state;
    enum { D = 32, H = 3, W = 5 };
    spectra_case c;
    rotation_ids store;
    int64_t ids[H * W * 2];
    double x[H * W * D] = {0}, y[H * W * D];
    spectra_start(&c, POSENC_SCALING_DEFAULT, D, 0);
    c.options.axes = POSENC_AXES_AXIAL;
    c.sections[0] = c.sections[1] = D / 4;
    c.options.sections = c.sections, c.options.n_sections = 2;
    posenc_plan *plan = must_rotary(NULL, &c);
    for (int t = 0; t < H * W; t++) {
        ids[2 * t] = t / W, ids[2 * t + 1] = t % W;
        for (int i = 0; i < D / 2; i++) x[t * D + i] = 1;
    }
    rotation r = {.plan = plan, .dtype = POSENC_F64, .shape = {1, H * W, 1, D}};
    r.positions = positions_of(&store, POSENC_I64, ids, 2, (int64_t[]){H * W, 2});
    must_turn(&r, x, y);
    for (int t = 0; t < H * W; t++)
        for (int i = 0; i < D / 2; i++) {
            double p = (double)ids[2 * t + (i >= D / 4)], want = cos_of(p, i % (D / 4), D / 2);
            check(fabs(y[t * D + i] - want) < 1e-14, "token %d, pair %d: %.12g, expected %.12g", t, i, y[t * D + i],
                  want);
        }
    posenc_plan_destroy(plan);
}

/* ---- lengths ---- */

/* Each sequence has its own length, not the largest of the batch; and nothing remembers a longer one. */
static void test_lengths_of_rows(void **state) {
    (void)state;
    enum { B = 3, T = 4, D = 16, ROW = T * D };
    static const posenc_scaling scalings[2] = {POSENC_SCALING_DYNAMIC, POSENC_SCALING_LONGROPE};
    random_state random = random_start("rotary lengths");
    for (int s = 0; s < 2; s++) {
        spectra_case c;
        posenc_view all, own;
        rotation_ids store;
        int64_t lengths[B] = {4096, 9000, 4097}; /* 4096 is the original: short factors, base untouched */
        double x[B * ROW], y[B * ROW], z[ROW], again[B * ROW];
        spectra_start(&c, scalings[s], D, 0);
        posenc_plan *plan = must_rotary(NULL, &c);
        rotation r = {.plan = plan, .dtype = POSENC_F64, .shape = {B, T, 1, D}};
        r.lengths = posenc_view_make(&all, lengths, POSENC_I64, 1, (int64_t[]){B}, NULL);
        r.positions =
            rotation_positions(&store, 5000); /* all rows in one block of positions, each of its own spectrum */
        random_fill(&random, POSENC_F64, x, B * ROW);
        must_turn(&r, x, y);
        for (int b = 0; b < B; b++) {
            rotation one = r;
            one.shape[0] = 1;
            one.lengths = posenc_view_make(&own, lengths + b, POSENC_I64, 1, (int64_t[]){1}, NULL);
            must_turn(&one, x + b * ROW, z);
            must_equal("a row by itself", POSENC_F64, y + b * ROW, z, ROW);
            spectra_case pinned = c;
            if (s == 1) pinned.options.short_factor = pinned.lists[0], pinned.options.long_factor = pinned.lists[1];
            pinned.options.sequence_length = lengths[b];
            one.plan = must_rotary(NULL, &pinned);
            one.lengths = NULL;
            must_turn(&one, x + b * ROW, z);
            must_equal("a pinned length", POSENC_F64, y + b * ROW, z, ROW);
            posenc_plan_destroy((posenc_plan *)(uintptr_t)one.plan);
        }
        must_turn(&r, x, again);
        must_equal("the same call later", POSENC_F64, y, again, B * ROW);
        check(memcmp(y, y + ROW, sizeof z) != 0, "lengths made no difference");
        posenc_plan_destroy(plan);
    }
}

/* Packed sequences have lengths of their own too, among them one of a single token and an empty one. */
static void test_lengths_of_packed_sequences(void **state) {
    (void)state;
    enum { T = 9, D = 16 };
    random_state random = random_start("rotary packed");
    spectra_case c;
    spectra_start(&c, POSENC_SCALING_DYNAMIC, D, 0);
    posenc_plan *plan = must_rotary(NULL, &c);
    int32_t bounds[5] = {0, 4, 5, 5, T};
    int64_t lengths[4] = {8000, 20000, 5, 8000};
    double x[T * D], y[T * D], z[T * D];
    posenc_view vb, vl, own;
    rotation_ids store;
    rotation_positions(&store, 3);
    store.positions.cu_seqlens = posenc_view_make(&vb, bounds, POSENC_I32, 1, (int64_t[]){5}, NULL);
    rotation r = {.plan = plan, .positions = &store.positions, .dtype = POSENC_F64, .shape = {1, T, 1, D}};
    r.lengths = posenc_view_make(&vl, lengths, POSENC_I64, 1, (int64_t[]){4}, NULL);
    random_fill(&random, POSENC_F64, x, T * D);
    must_turn(&r, x, y);
    for (int s = 0; s < 4; s++) {
        rotation one = r;
        rotation_ids from;
        one.positions = rotation_positions(&from, 3);
        one.shape[1] = bounds[s + 1] - bounds[s];
        one.lengths = posenc_view_make(&own, lengths + s, POSENC_I64, 1, (int64_t[]){1}, NULL);
        must_turn(&one, x + bounds[s] * D, z + bounds[s] * D);
    }
    must_equal("packed sequences", POSENC_F64, y, z, T * D);
    posenc_plan_destroy(plan);
}

/* ---- several axes ---- */

/* Text cannot tell sections from interleaved sections; an image can. Each batch row has its own ids. */
static void test_sections(void **state) {
    (void)state;
    enum { T = 6, D = 24, B = 2, N = B * T * D };
    random_state random = random_start("rotary sections");
    posenc_plan *blocks = sectioned(POSENC_AXES_SECTIONED, 4, 4, 4),
                *mixed = sectioned(POSENC_AXES_INTERLEAVED, 4, 4, 4);
    posenc_plan *single = plan_of(D, 0, POSENC_PAIRING_HALVES);
    int64_t ids[B * T * 3];
    double x[N], y[N], z[N];
    rotation_ids store;
    random_fill(&random, POSENC_F64, x, N);
    for (int image = 0; image < 2; image++) {
        for (int b = 0; b < B; b++)
            for (int t = 0; t < T; t++)
                for (int a = 0; a < 3; a++) {
                    int64_t place = a == 0 ? 7 : a == 1 ? 7 + t / 3 : 7 + t % 3; /* 2 rows of 3 */
                    ids[(b * T + t) * 3 + a] = (image ? place : 7 + t) + 1000 * b;
                }
        rotation r = {.plan = blocks, .dtype = POSENC_F64, .shape = {B, T, 1, D}};
        r.positions = positions_of(&store, POSENC_I64, ids, 3, (int64_t[]){B, T, 3});
        must_turn(&r, x, y);
        r.plan = mixed;
        must_turn(&r, x, z);
        check((memcmp(y, z, sizeof y) == 0) == !image, "image %d: sections and interleaved ones are %s", image,
              image ? "alike" : "not alike");
        for (int b = 0; b < B; b++)
            for (int t = 0; t < T; t++)
                for (int i = 0; i < D / 2; i++) {
                    double p = (double)ids[(b * T + t) * 3 + i / 4], c = cos_of(p, i, D), s = sin_of(p, i, D);
                    const double *head = x + (b * T + t) * D;
                    check(fabs(y[(b * T + t) * D + i] - (head[i] * c - head[D / 2 + i] * s)) < 1e-12,
                          "row %d, token %d, pair %d", b, t, i);
                }
    }
    posenc_plan_destroy(single);
    posenc_plan_destroy(mixed);
    posenc_plan_destroy(blocks);
}

/* A shift of cached keys on each axis; a second shift adds to the first. */
static void test_shifts_add_up(void **state) {
    (void)state;
    enum { T = 5, D = 24, N = T * D };
    random_state random = random_start("rotary shifts");
    posenc_plan *plan = sectioned(POSENC_AXES_SECTIONED, 6, 3, 3);
    int64_t ids[3][T * 3];
    double x[N], k[N], want[N], shifted[N];
    rotation_ids store[3];
    posenc_view in, out;
    random_fill(&random, POSENC_F64, x, N);
    for (int s = 0; s < 3; s++)
        for (int i = 0; i < T * 3; i++) ids[s][i] = i / 3 + (int64_t)s * (i % 3 == 0 ? -40 : i % 3 == 1 ? 3 : 700);
    rotation r = {.plan = plan, .dtype = POSENC_F64, .is_key = true, .shape = {1, T, 1, D}};
    for (int s = 0; s < 3; s++) positions_of(&store[s], POSENC_I64, ids[s], 2, (int64_t[]){T, 3});
    r.positions = &store[0].positions;
    must_turn(&r, x, k);
    memcpy(shifted, k, sizeof k);
    for (int s = 0; s < 2; s++) {
        DLTensor *from = posenc_view_make(&in, shifted, POSENC_F64, 4, r.shape, NULL);
        DLTensor *to = posenc_view_make(&out, shifted, POSENC_F64, 4, r.shape, NULL);
        assert_int_equal(posenc_rotary_rerotate(plan, &store[s].positions, NULL, plan, &store[s + 1].positions, NULL,
                                                from, to, NULL),
                         POSENC_OK);
    }
    r.positions = &store[2].positions;
    must_turn(&r, x, want);
    for (int i = 0; i < N; i++)
        check(fabs(want[i] - shifted[i]) < 1e-13, "element %d: %.15g after two shifts, expected %.15g", i, shifted[i],
              want[i]);
    posenc_plan_destroy(plan);
}

/* ---- padding, packing, slices ---- */

/* Padding on either side keeps its bits, NaN and -0 too; real tokens count from the first. */
static void test_padding(void **state) {
    (void)state;
    enum { B = 2, T = 6, D = 8, N = B * T * D };
    random_state random = random_start("rotary padding");
    posenc_plan *plan = plan_of(D, 0, POSENC_PAIRING_INTERLEAVED_IN_HALVES_OUT);
    uint8_t mask[B * T] = {0, 0, 1, 1, 1, 1, 1, 1, 1, 0, 0, 0};
    float x[N], y[N], z[N];
    posenc_view view;
    rotation_ids store;
    rotation_positions(&store, 0);
    store.positions.mask = posenc_view_make(&view, mask, POSENC_U8, 2, (int64_t[]){B, T}, NULL);
    random_fill_f32(&random, x, N);
    for (int i = 0; i < B * T; i++)
        if (!mask[i]) x[i * D] = NAN, x[i * D + 1] = -0.0f, x[i * D + 2] = INFINITY;
    rotation r = {.plan = plan, .positions = &store.positions, .dtype = POSENC_F32, .shape = {B, T, 1, D}};
    must_turn(&r, x, y);
    memcpy(z, x, sizeof x);
    must_turn(&r, z, z);
    check(memcmp(y, z, sizeof y) == 0, "in place differs");
    for (int b = 0; b < B; b++)
        for (int t = 0, real = 0; t < T; t++) {
            rotation one = r;
            rotation_ids from;
            one.positions = rotation_positions(&from, real);
            one.shape[0] = one.shape[1] = 1;
            float head[D];
            memcpy(head, x + (b * T + t) * D, sizeof head);
            if (mask[b * T + t]) must_turn(&one, head, head), real++;
            check(memcmp(head, y + (b * T + t) * D, sizeof head) == 0, "row %d, token %d differs", b, t);
        }
    posenc_plan_destroy(plan);
}

/* In a table padding is angle 0 without amplitude. */
static void test_padding_of_tables(void **state) {
    (void)state;
    enum { T = 3, D = 8 };
    spectra_case c;
    uint8_t mask[T] = {0, 1, 1};
    float cosines[T * D / 2], sines[T * D / 2];
    posenc_view view, vc, vs;
    rotation_ids store;
    spectra_start(&c, POSENC_SCALING_YARN, D, 0);
    posenc_plan *plan = must_rotary(NULL, &c);
    rotation_positions(&store, 0);
    store.positions.mask = posenc_view_make(&view, mask, POSENC_U8, 1, (int64_t[]){T}, NULL);
    const int64_t shape[2] = {T, D / 2};
    assert_int_equal(posenc_rotary_cos_sin(plan, &store.positions, NULL, POSENC_ROTARY_TABLE_PAIRS,
                                           posenc_view_make(&vc, cosines, POSENC_F32, 2, shape, NULL),
                                           posenc_view_make(&vs, sines, POSENC_F32, 2, shape, NULL), NULL),
                     POSENC_OK);
    check(cosines[0] == 1 && sines[0] == 0, "padding has %g, %g", (double)cosines[0], (double)sines[0]);
    check(fabs((double)cosines[D / 2] - spectra_amplitude(&c)) < 1e-7, "position 0 has %g", (double)cosines[D / 2]);
    posenc_plan_destroy(plan);
}

/* A slice of a sequence, given its offset, has the bits of the whole; from negative positions on too. */
static void test_slices(void **state) {
    (void)state;
    enum { T = 200, D = 64, N = T * D };
    random_state random = random_start("rotary slices");
    posenc_plan *plan = plan_of(D, 0, POSENC_PAIRING_HALVES);
    float x[N], y[N], z[N];
    rotation_ids store;
    random_fill_f32(&random, x, N);
    rotation r = {.plan = plan, .dtype = POSENC_F32, .shape = {1, T, 1, D}};
    r.positions = rotation_positions(&store, -100);
    must_turn(&r, x, y);
    for (int64_t from = 0, n; from < T; from += n) {
        n = random_between(&random, 1, T - from < 70 ? T - from : 70);
        r.shape[1] = n;
        r.positions = rotation_positions(&store, from - 100);
        must_turn(&r, x + from * D, z + from * D);
    }
    must_equal("slices", POSENC_F32, y, z, N);
    posenc_plan_destroy(plan);
}

/* ---- memory ---- */

/* Odd heads, odd places of the extent, flush against pages that fault; the input read-only. */
static void test_edges_of_memory(void **state) {
    (void)state;
    static const int64_t heads[] = {2, 33, 65, 66, 127};
    random_state random = random_start("rotary edges");
    for (int d = 0; d < 4; d++)
        for (size_t i = 0; i < sizeof heads / sizeof *heads; i++)
            for (int way = 0; way < 12; way++) {
                spectra_case c;
                posenc_dtype dtype = encoding_dtypes[d];
                int64_t dim = 2 * random_between(&random, 1, heads[i] / 2);
                spectra_start(&c, POSENC_SCALING_DEFAULT, heads[i], dim);
                c.options.rotary_start = random_between(&random, 0, heads[i] - dim);
                c.options.pairing = (posenc_pairing)(way % 3);
                posenc_plan *plan = must_rotary(NULL, &c);
                rotation r = {.plan = plan, .dtype = dtype, .shape = {1, 3, 2, heads[i]}};
                size_t bytes = (size_t)rotation_elements(&r) * posenc_dtype_bytes(dtype);
                guard x = guard_make(bytes, way & 1 ? GUARD_BEFORE : GUARD_BEHIND);
                guard y = guard_make(bytes, way & 2 ? GUARD_BEFORE : GUARD_BEHIND);
                random_fill(&random, dtype, x.data, rotation_elements(&r));
                memcpy(y.data, x.data, bytes);
                guard_read_only(&x);
                must_turn(&r, x.data, y.data); /* in a buffer of its own */
                guard_writable(&x);
                must_turn(&r, x.data, x.data);
                must_equal("in place", dtype, y.data, x.data, rotation_elements(&r));
                guard_end(&x);
                guard_end(&y);
                posenc_plan_destroy(plan);
            }
}

/* In place, the bytes beside the extent are not even written: they stand in pages that cannot be. */
static void test_in_place_leaves_the_rest(void **state) {
    (void)state;
    posenc_plan *plan = plan_of(3 * 4096 / 4, 2 * 4096 / 4, POSENC_PAIRING_HALVES); /* two pages of three */
    guard page = guard_make(3 * 4096, GUARD_BEHIND);
    rotation_ids store;
    rotation r = {.plan = plan,
                  .positions = rotation_positions(&store, 5),
                  .dtype = POSENC_F32,
                  .shape = {1, 1, 1, 3 * 4096 / 4}};
    ones((float *)(void *)page.data, 3 * 4096 / 4);
    if (mprotect(page.data + 2 * 4096, 4096, PROT_READ) != 0) skip();
    must_turn(&r, page.data, page.data);
    guard_writable(&page);
    check(((float *)(void *)page.data)[2 * 4096 / 4] == 1, "the rest was written");
    guard_end(&page);
    posenc_plan_destroy(plan);
}

/* A view that spans more than 2^31 elements, and touches four heads of them. */
static void test_beyond_32_bits(void **state) {
    (void)state;
#if SIZE_MAX > 0xFFFFFFFFu && !TEST_UNDER_TSAN
    enum { D = 64 };
    const int64_t token = (INT64_C(1) << 31) + 4096, shape[4] = {1, 2, 2, D}, strides[4] = {0, token, token / 2, 1};
    size_t bytes = (size_t)(2 * token) * sizeof(float);
    int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;
    float *x = mmap(NULL, bytes, PROT_READ | PROT_WRITE, flags, -1, 0), want[2 * 2 * D], small[2 * 2 * D];
    if (x == MAP_FAILED) skip();
    posenc_plan *plan = plan_of(D, 0, POSENC_PAIRING_HALVES);
    posenc_view view;
    rotation_ids store;
    const posenc_positions *positions = rotation_positions(&store, 9);
    for (int i = 0; i < 2 * 2 * D; i++)
        small[i] = x[i / (2 * D) * token + i / D % 2 * (token / 2) + i % D] = (float)(i % 9);
    rotation r = {.plan = plan, .positions = positions, .dtype = POSENC_F32, .shape = {1, 2, 2, D}};
    must_turn(&r, small, want);
    DLTensor *t = posenc_view_make(&view, x, POSENC_F32, 4, shape, strides);
    assert_int_equal(posenc_rotary_apply(plan, POSENC_ROTARY_FORWARD, positions, NULL, t, NULL, t, NULL, NULL),
                     POSENC_OK);
    for (int i = 0; i < 2 * 2 * D; i++)
        check(x[i / (2 * D) * token + i / D % 2 * (token / 2) + i % D] == want[i], "element %d differs", i);
    munmap(x, bytes);
    posenc_plan_destroy(plan);
#else
    skip();
#endif
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_one_token_of_a_batch),
                                       cmocka_unit_test(test_only_tokens_differ),
                                       cmocka_unit_test(test_offsets_of_rows),
                                       cmocka_unit_test(test_positions_are_not_rounded),
                                       cmocka_unit_test(test_denominators),
                                       cmocka_unit_test(test_axial),
                                       cmocka_unit_test(test_lengths_of_rows),
                                       cmocka_unit_test(test_lengths_of_packed_sequences),
                                       cmocka_unit_test(test_sections),
                                       cmocka_unit_test(test_shifts_add_up),
                                       cmocka_unit_test(test_padding),
                                       cmocka_unit_test(test_padding_of_tables),
                                       cmocka_unit_test(test_slices),
                                       cmocka_unit_test(test_edges_of_memory),
                                       cmocka_unit_test(test_in_place_leaves_the_rest),
                                       cmocka_unit_test(test_beyond_32_bits)};
    return TEST_RUN(tests);
}
