/* Laws of rotary calls: what rotations are, and that the way a call is made never shows in its bits. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "support/isa.h"
#include "support/number.h"
#include "support/rotations.h"
#include "support/tensors.h"
#include "support/test.h"

enum { ROUNDS = 40, MOST_HEAD = 400, BATCH = 3, TOKENS = 5, HEADS = 2, MOST = BATCH * TOKENS * HEADS * MOST_HEAD };

/* A case with its plan, three tensors to work in, and coordinates for each batch row, token and axis. */
typedef struct world {
    spectra_case c;
    posenc_plan *plan;
    double x[MOST], y[MOST], z[MOST];
    double ids[BATCH * TOKENS * POSENC_MOST_AXES];
    rotation_ids store;
    rotation r; /* all of the batch, f64, forward, as q */
} world;

static void set_call(world *w) {
    int axes = rotations_axes(&w->c);
    w->r = (rotation){.plan = w->plan, .dtype = POSENC_F64, .shape = {BATCH, TOKENS, HEADS, w->c.options.head_dim}};
    w->r.positions = positions_of(&w->store, POSENC_F64, w->ids, 3, (int64_t[]){BATCH, TOKENS, axes});
}

static world *world_of(const spectra_case *c, random_state *random, const posenc_context *context) {
    world *w = must_allocate(sizeof *w);
    memset(w, 0, sizeof *w);
    w->c = *c;
    if (c->options.sections) w->c.options.sections = w->c.sections;
    if (c->options.axis_map) w->c.options.axis_map = w->c.map;
    if (c->options.short_factor) w->c.options.short_factor = w->c.lists[0], w->c.options.long_factor = w->c.lists[1];
    if (c->options.inv_freq) w->c.options.inv_freq = w->c.lists[0];
    w->plan = must_rotary(context, &w->c);
    rotations_random_ids(&w->c, random, BATCH * TOKENS, w->ids);
    set_call(w);
    random_fill(random, POSENC_F64, w->x, MOST);
    return w;
}

static world *random_world(random_state *random) {
    spectra_case c;
    rotations_random(&c, random);
    return world_of(&c, random, NULL);
}

static void world_end(world *w) {
    posenc_plan_destroy(w->plan);
    free(w);
}

static double dot(const double *a, const double *b, int64_t n) {
    long double sum = 0;
    for (int64_t i = 0; i < n; i++) sum += (long double)a[i] * (long double)b[i];
    return (double)sum;
}

static double largest_difference(const double *a, const double *b, int64_t n) {
    double worst = 0;
    for (int64_t i = 0; i < n; i++) worst = fmax(worst, fabs(a[i] - b[i]));
    return worst;
}

/* ---- rotations ---- */

/* No amplitude and no powers: each head keeps its norm. */
static void test_the_norm_is_kept(void **state) {
    (void)state;
    random_state random = random_start("rotary norm");
    for (int round = 0; round < TEST_ROUNDS(ROUNDS); round++) {
        spectra_case c;
        spectra_random(&c, POSENC_SCALING_LLAMA3, &random);
        c.options.pairing = (posenc_pairing)(round % 3);
        world *w = world_of(&c, &random, NULL);
        int64_t dim = c.options.head_dim;
        must_turn(&w->r, w->x, w->y);
        for (int64_t h = 0; h < BATCH * TOKENS * HEADS; h++) {
            double before = dot(w->x + h * dim, w->x + h * dim, dim), after = dot(w->y + h * dim, w->y + h * dim, dim);
            check(fabs(after - before) <= 1e-14 * before, "%s: norm squared %.17g became %.17g", spectra_text(&c),
                  before, after);
        }
        world_end(w);
    }
}

/* R(m) R(n) = R(m + n), whole numbers, so that the sum is exact. Not for the order that changes on the way. */
static void test_rotations_add_up(void **state) {
    (void)state;
    random_state random = random_start("rotary sums");
    for (int round = 0; round < TEST_ROUNDS(ROUNDS); round++) {
        spectra_case c;
        spectra_random(&c, POSENC_SCALING_LINEAR, &random);
        c.options.pairing = (posenc_pairing)(round % 2);
        world *w = world_of(&c, &random, NULL);
        int n = BATCH * TOKENS * rotations_axes(&w->c);
        double sum[BATCH * TOKENS * POSENC_MOST_AXES];
        for (int i = 0; i < n; i++) w->ids[i] = (double)random_between(&random, -1000000, 1000000), sum[i] = w->ids[i];
        must_turn(&w->r, w->x, w->y);
        for (int i = 0; i < n; i++) w->ids[i] = (double)random_between(&random, -1000000, 1000000), sum[i] += w->ids[i];
        must_turn(&w->r, w->y, w->y);
        memcpy(w->ids, sum, sizeof sum);
        must_turn(&w->r, w->x, w->z);
        double worst = largest_difference(w->y, w->z, rotation_elements(&w->r));
        check(worst < 1e-13, "%s: R(m) R(n) and R(m + n) differ by %g", spectra_text(&c), worst);
        world_end(w);
    }
}

/* <R(m) q, R(n) k> depends on m - n only; with xPos too, whose centre then does not matter. */
static void test_scores_depend_on_the_distance(void **state) {
    (void)state;
    random_state random = random_start("rotary scores");
    for (int round = 0; round < TEST_ROUNDS(ROUNDS); round++) {
        spectra_case c;
        spectra_start(&c, POSENC_SCALING_YARN, 64, 0);
        c.options.pairing = (posenc_pairing)(round % 3);
        if (round % 2) c.options.xpos_scale_base = 512, c.options.xpos_centre = 77;
        posenc_plan *plan = must_rotary(NULL, &c);
        double q[64], k[64], qr[64], kr[64], score[2];
        rotation_ids store;
        random_fill(&random, POSENC_F64, q, 64);
        random_fill(&random, POSENC_F64, k, 64);
        int64_t m = random_between(&random, -500, 500), n = random_between(&random, -500, 500);
        for (int time = 0; time < 2; time++) {
            int64_t shift = time ? random_between(&random, -500, 500) : 0;
            rotation r = {.plan = plan, .dtype = POSENC_F64, .shape = {1, 1, 1, 64}};
            r.positions = rotation_positions(&store, m + shift);
            must_turn(&r, q, qr);
            r.is_key = true;
            r.positions = rotation_positions(&store, n + shift);
            must_turn(&r, k, kr);
            score[time] = dot(qr, kr, 64);
        }
        check(fabs(score[0] - score[1]) < 1e-10, "scores %.17g and %.17g of one distance", score[0], score[1]);
        posenc_plan_destroy(plan);
    }
}

/* Halves, interleaved and the change between them are permutations of each other, bit for bit. */
static void test_pairings_are_permutations(void **state) {
    (void)state;
    random_state random = random_start("rotary pairings");
    for (int round = 0; round < TEST_ROUNDS(ROUNDS); round++) {
        spectra_case c;
        rotations_random(&c, &random);
        c.options.pairing = POSENC_PAIRING_HALVES;
        world *halves = world_of(&c, &random, NULL);
        spectra_case other = c;
        other.options.pairing = round % 2 ? POSENC_PAIRING_INTERLEAVED : POSENC_PAIRING_INTERLEAVED_IN_HALVES_OUT;
        world *w = world_of(&other, &random, NULL);
        memcpy(w->ids, halves->ids, sizeof w->ids);
        int64_t pairs = (c.options.dim ? c.options.dim : c.options.head_dim) / 2, dim = c.options.head_dim;
        for (int d = 0; d < 3; d++) {
            posenc_rotary_direction direction = (posenc_rotary_direction)d;
            halves->r.direction = w->r.direction = direction;
            memcpy(w->x, halves->x, sizeof w->x);
            for (int64_t h = 0; h < BATCH * TOKENS * HEADS; h++)
                for (int64_t i = 0; i < 2 * pairs; i++)
                    w->x[h * dim + rotations_channel(&other, direction, false, i / 2, i % 2)] =
                        halves->x[h * dim + rotations_channel(&c, direction, false, i / 2, i % 2)];
            must_turn(&halves->r, halves->x, halves->y);
            must_turn(&w->r, w->x, w->y);
            memcpy(w->z, halves->y, sizeof w->z);
            for (int64_t h = 0; h < BATCH * TOKENS * HEADS; h++)
                for (int64_t i = 0; i < 2 * pairs; i++)
                    w->z[h * dim + rotations_channel(&other, direction, true, i / 2, i % 2)] =
                        halves->y[h * dim + rotations_channel(&c, direction, true, i / 2, i % 2)];
            must_equal("a pairing and its permutation", POSENC_F64, w->z, w->y, rotation_elements(&w->r));
        }
        world_end(w);
        world_end(halves);
    }
}

/* <R x, g> = <x, R' g>. */
static void test_backward_is_the_adjoint(void **state) {
    (void)state;
    random_state random = random_start("rotary adjoint");
    for (int round = 0; round < TEST_ROUNDS(ROUNDS); round++) {
        world *w = random_world(&random);
        int64_t n = rotation_elements(&w->r);
        double *g = must_allocate(sizeof w->x), *back = must_allocate(sizeof w->x);
        random_fill(&random, POSENC_F64, g, n);
        w->r.is_key = round % 2;
        must_turn(&w->r, w->x, w->y);
        w->r.direction = POSENC_ROTARY_BACKWARD;
        must_turn(&w->r, g, back);
        double left = dot(w->y, g, n), right = dot(w->x, back, n);
        double size = sqrt(dot(w->y, w->y, n) * dot(g, g, n)) + sqrt(dot(w->x, w->x, n) * dot(back, back, n));
        check(fabs(left - right) <= 1e-14 * size, "%s: %.17g and %.17g", spectra_text(&w->c), left, right);
        free(g);
        free(back);
        world_end(w);
    }
}

static void test_unrotation_takes_back(void **state) {
    (void)state;
    random_state random = random_start("rotary back");
    for (int round = 0; round < TEST_ROUNDS(ROUNDS); round++) {
        world *w = random_world(&random);
        w->r.is_key = round % 2;
        must_turn(&w->r, w->x, w->y);
        w->r.direction = POSENC_ROTARY_UNROTATE;
        must_turn(&w->r, w->y, w->y);
        double worst = largest_difference(w->x, w->y, rotation_elements(&w->r));
        check(worst < 1e-13, "%s: x comes back with a difference of %g", spectra_text(&w->c), worst);
        world_end(w);
    }
}

/* A shift of the cache by Delta per axis equals un-rotation and rotation anew, in f64 to its last places. */
static void test_rerotation_composes(void **state) {
    (void)state;
    random_state random = random_start("rotary rerotation");
    for (int round = 0; round < TEST_ROUNDS(ROUNDS); round++) {
        spectra_case c;
        rotations_random(&c, &random);
        c.options.pairing = (posenc_pairing)(round % 2);
        world *w = world_of(&c, &random, NULL);
        posenc_view in, out;
        posenc_error error = {0};
        rotation_ids store;
        double moved[BATCH * TOKENS * POSENC_MOST_AXES];
        rotations_random_ids(&w->c, &random, BATCH * TOKENS, moved);
        const posenc_positions *to =
            positions_of(&store, POSENC_F64, moved, 3, (int64_t[]){BATCH, TOKENS, rotations_axes(&w->c)});
        posenc_status status =
            posenc_rotary_rerotate(w->plan, w->r.positions, NULL, w->plan, to, NULL,
                                   posenc_view_make(&in, w->x, POSENC_F64, 4, w->r.shape, NULL),
                                   posenc_view_make(&out, w->y, POSENC_F64, 4, w->r.shape, NULL), &error);
        check(status == POSENC_OK, "%s", error.message);
        w->r.is_key = true;
        w->r.direction = POSENC_ROTARY_UNROTATE;
        must_turn(&w->r, w->x, w->z);
        w->r.direction = POSENC_ROTARY_FORWARD;
        w->r.positions = to;
        must_turn(&w->r, w->z, w->z);
        double worst = 0;
        for (int64_t i = 0; i < rotation_elements(&w->r); i++)
            worst = fmax(worst, fabs(w->y[i] - w->z[i]) / fmax(1, fabs(w->z[i])));
        check(worst < 1e-11, "%s: one step and two differ by %g", spectra_text(&w->c), worst);
        world_end(w);
    }
}

/* dL/domega by a small change of one frequency. */
static void test_frequency_gradient_by_differences(void **state) {
    (void)state;
    random_state random = random_start("rotary differences");
    for (int round = 0; round < 20; round++) {
        spectra_case c;
        spectra_start(&c, POSENC_SCALING_CUSTOM, 16, 0);
        c.options.amplitude = 1.25;
        c.options.pairing = (posenc_pairing)(round % 3);
        world *w = world_of(&c, &random, NULL);
        double *g = must_allocate(sizeof w->x), got[8], loss[2];
        posenc_view in, out;
        int64_t n = rotation_elements(&w->r), pair = random_between(&random, 0, 7);
        for (int i = 0; i < BATCH * TOKENS; i++) w->ids[i] = 10 * random_unit(&random);
        random_fill(&random, POSENC_F64, g, n);
        assert_int_equal(posenc_rotary_frequency_gradient(w->plan, w->r.positions, NULL,
                                                          posenc_view_make(&in, w->x, POSENC_F64, 4, w->r.shape, NULL),
                                                          posenc_view_make(&out, g, POSENC_F64, 4, w->r.shape, NULL), 0,
                                                          0, got, NULL),
                         POSENC_OK);
        for (int side = 0; side < 2; side++) {
            spectra_case moved = w->c;
            moved.options.inv_freq = moved.lists[0];
            moved.lists[0][pair] += side ? 1e-5 : -1e-5;
            posenc_plan *plan = must_rotary(NULL, &moved);
            rotation r = w->r;
            r.plan = plan;
            must_turn(&r, w->x, w->y);
            loss[side] = dot(w->y, g, n);
            posenc_plan_destroy(plan);
        }
        double want = (loss[1] - loss[0]) / 2e-5;
        check(fabs(want - got[pair]) < 1e-5 * (1 + fabs(want)), "pair %" PRId64 ": differences say %.10g, got %.10g",
              pair, want, got[pair]);
        free(g);
        world_end(w);
    }
}

/* ---- bits that do not depend on the way ---- */

/* Whole call; then token by token, row by row, in place, and q with k: the same bits. */
static void test_ways_to_call(void **state) {
    (void)state;
    random_state random = random_start("rotary ways");
    for (int round = 0; round < TEST_ROUNDS(ROUNDS); round++) {
        world *w = random_world(&random);
        posenc_dtype dtype = encoding_dtypes[round % 4];
        size_t bytes = posenc_dtype_bytes(dtype), token = (size_t)(HEADS * w->c.options.head_dim) * bytes;
        int axes = rotations_axes(&w->c);
        int64_t n = rotation_elements(&w->r);
        char *x = (char *)w->x, *y = (char *)w->y, *z = (char *)w->z;
        w->r.dtype = dtype;
        w->r.is_key = round / 4 % 2;
        w->r.direction = (posenc_rotary_direction)(round % 3);
        random_fill(&random, dtype, x, n);
        must_turn(&w->r, x, y);
        for (int b = 0; b < BATCH; b++)
            for (int t = 0; t < TOKENS; t++) {
                rotation one = w->r;
                rotation_ids store;
                size_t at = (size_t)(b * TOKENS + t);
                one.shape[0] = one.shape[1] = 1;
                one.positions =
                    positions_of(&store, POSENC_F64, w->ids + at * (size_t)axes, 3, (int64_t[]){1, 1, axes});
                must_turn(&one, x + at * token, z + at * token);
            }
        must_equal("prefill and decode", dtype, y, z, n);
        memcpy(z, x, (size_t)n * bytes);
        must_turn(&w->r, z, z);
        must_equal("in place", dtype, y, z, n);
        world_end(w);
    }
}

/* A permuted batch gives the permuted result. */
static void test_batch_rows_are_independent(void **state) {
    (void)state;
    random_state random = random_start("rotary batch");
    for (int round = 0; round < TEST_ROUNDS(ROUNDS); round++) {
        world *w = random_world(&random);
        int64_t row = rotation_elements(&w->r) / BATCH;
        size_t row_ids = (size_t)(TOKENS * rotations_axes(&w->c));
        double ids[BATCH * TOKENS * POSENC_MOST_AXES];
        must_turn(&w->r, w->x, w->y);
        for (int b = 0; b < BATCH; b++) {
            memcpy(ids + (size_t)b * row_ids, w->ids + (size_t)((b + 1) % BATCH) * row_ids, row_ids * sizeof *ids);
            memcpy(w->z + b * row, w->x + (b + 1) % BATCH * row, (size_t)row * sizeof *w->z);
        }
        memcpy(w->ids, ids, (size_t)BATCH * row_ids * sizeof *ids);
        must_turn(&w->r, w->z, w->z);
        for (int b = 0; b < BATCH; b++)
            must_equal("a permuted batch", POSENC_F64, w->y + (b + 1) % BATCH * row, w->z + b * row, row);
        world_end(w);
    }
}

/* Positions in every form and dtype say the same. */
static void test_forms_of_positions(void **state) {
    (void)state;
    random_state random = random_start("rotary forms");
    for (int round = 0; round < TEST_ROUNDS(ROUNDS); round++) {
        spectra_case c;
        spectra_random(&c, POSENC_SCALING_DEFAULT, &random);
        world *w = world_of(&c, &random, NULL);
        int64_t start = random_between(&random, -1000, 1000), n = rotation_elements(&w->r);
        int axes = rotations_axes(&w->c);
        rotation_ids store;
        int32_t narrow[BATCH * TOKENS * POSENC_MOST_AXES];
        int64_t one_row[TOKENS], per_axis[TOKENS * POSENC_MOST_AXES];
        for (int i = 0; i < BATCH * TOKENS * axes; i++) {
            narrow[i] = (int32_t)(start + i / axes % TOKENS);
            w->ids[i] = narrow[i];
            per_axis[i % (TOKENS * axes)] = narrow[i];
            one_row[i / axes % TOKENS] = narrow[i];
        }
        must_turn(&w->r, w->x, w->y);
        rotation r = w->r;
        r.positions = rotation_positions(&store, start);
        must_turn(&r, w->x, w->z);
        must_equal("start", POSENC_F64, w->y, w->z, n);
        r.positions = positions_of(&store, POSENC_I32, narrow, 3, (int64_t[]){BATCH, TOKENS, axes});
        must_turn(&r, w->x, w->z);
        must_equal("i32 ids of each axis", POSENC_F64, w->y, w->z, n);
        r.positions = positions_of(&store, POSENC_I64, one_row, 1, (int64_t[]){TOKENS});
        must_turn(&r, w->x, w->z);
        must_equal("ids of tokens", POSENC_F64, w->y, w->z, n);
        r.positions = positions_of(&store, POSENC_I64, per_axis, 2, (int64_t[]){TOKENS, axes});
        must_turn(&r, w->x, w->z);
        must_equal("ids of tokens and axes", POSENC_F64, w->y, w->z, n);
        world_end(w);
    }
}

/* Axes in any order in memory, gaps between heads, tokens backwards: the same bits, and the gaps stay as they are. */
static void test_strides(void **state) {
    (void)state;
    random_state random = random_start("rotary strides");
    enum { ROOM = 4 * MOST };
    double *in = must_allocate(ROOM * sizeof *in), *out = must_allocate(ROOM * sizeof *out);
    for (int round = 0; round < TEST_ROUNDS(ROUNDS); round++) {
        world *w = random_world(&random);
        int64_t dim = w->c.options.head_dim, n = rotation_elements(&w->r), strides[2][4] = {{0}}, first[2] = {0};
        double *memory[2] = {in, out};
        for (int side = 0; side < 2; side++) {
            int order[3] = {0, 1, 2}; /* innermost first */
            int64_t reach = dim;
            for (int i = 2; i > 0; i--) {
                int k = (int)random_between(&random, 0, i), kept = order[i];
                order[i] = order[k], order[k] = kept;
            }
            for (int i = 0; i < 3; i++) {
                int64_t stride = reach + random_between(&random, 0, 3), extent = w->r.shape[order[i]];
                bool backward = random_between(&random, 0, 3) == 0;
                strides[side][order[i]] = backward ? -stride : stride;
                first[side] += backward ? (extent - 1) * stride : 0;
                reach += (extent - 1) * stride;
            }
            strides[side][3] = 1;
            check(reach <= ROOM, "a layout of %" PRId64 " elements", reach);
            for (int64_t i = 0; i < ROOM; i++) memory[side][i] = 7;
        }
        posenc_view vx, vy;
        DLTensor *x = posenc_view_make(&vx, in + first[0], POSENC_F64, 4, w->r.shape, strides[0]);
        DLTensor *y = posenc_view_make(&vy, out + first[1], POSENC_F64, 4, w->r.shape, strides[1]);
        for (int64_t i = 0; i < n; i++) {
            int64_t c = i % dim, h = i / dim % HEADS, t = i / dim / HEADS % TOKENS, b = i / dim / HEADS / TOKENS;
            in[first[0] + b * strides[0][0] + t * strides[0][1] + h * strides[0][2] + c] = w->x[i];
        }
        must_turn(&w->r, w->x, w->y);
        posenc_error error = {0};
        check(posenc_rotary_apply(w->plan, POSENC_ROTARY_FORWARD, w->r.positions, NULL, x, NULL, y, NULL, &error) ==
                  POSENC_OK,
              "%s", error.message);
        for (int64_t i = 0; i < n; i++) {
            int64_t c = i % dim, h = i / dim % HEADS, t = i / dim / HEADS % TOKENS, b = i / dim / HEADS / TOKENS;
            int64_t at = first[1] + b * strides[1][0] + t * strides[1][1] + h * strides[1][2] + c;
            w->z[i] = out[at];
            out[at] = 7;
        }
        must_equal("strides", POSENC_F64, w->y, w->z, n);
        for (int64_t i = 0; i < ROOM; i++) check(out[i] == 7, "element %" PRId64 " of no head was written", i);
        world_end(w);
    }
    free(in);
    free(out);
}

/* The same call by every instruction set and number of threads, large enough for slices and streaming stores. */
static void test_threads_and_instruction_sets(void **state) {
    (void)state;
    random_state random = random_start("rotary threads");
    for (int d = 0; d < 4; d++)
        for (int pairing = 0; pairing < 3; pairing++) {
            spectra_case c;
            spectra_start(&c, pairing == 1 ? POSENC_SCALING_YARN : POSENC_SCALING_DEFAULT, 72, 64);
            c.options.rotary_start = 8 * (pairing == 2);
            c.options.pairing = (posenc_pairing)pairing;
            c.options.max_len = 4096;
            rotation r = {.dtype = encoding_dtypes[d],
                          .shape = {2, 1300, 64 / (int64_t)posenc_dtype_bytes(encoding_dtypes[d]), 72}};
            int64_t n = rotation_elements(&r);
            size_t bytes = (size_t)n * posenc_dtype_bytes(r.dtype);
            char *x = must_allocate(bytes), *want = must_allocate(bytes), *got = must_allocate(bytes);
            random_fill(&random, r.dtype, x, n);
            for (int threads = 0; threads <= 8; threads++) {
                posenc_context *context = isa_context((size_t)threads % isa_count(), threads ? threads : 1);
                posenc_plan *plan = must_rotary(context, &c);
                r.plan = plan;
                must_turn(&r, x, threads ? got : want);
                if (threads) must_equal("threads", r.dtype, want, got, n);
                posenc_plan_destroy(plan);
                posenc_context_destroy(context);
            }
            free(x);
            free(want);
            free(got);
        }
}

/* y of f64 is x times the table of cosines and sines in f64, bit for bit: one arithmetic serves both. */
static void test_tables_are_what_turns(void **state) {
    (void)state;
    random_state random = random_start("rotary tables");
    for (int round = 0; round < TEST_ROUNDS(ROUNDS); round++) {
        spectra_case c;
        rotations_random(&c, &random);
        c.options.xpos_scale_base = 0;
        c.options.arithmetic = round % 2 && c.options.scaling <= POSENC_SCALING_LINEAR ? POSENC_ARITHMETIC_FLOAT32
                                                                                       : POSENC_ARITHMETIC_EXACT;
        world *w = world_of(&c, &random, NULL);
        int64_t pairs = (c.options.dim ? c.options.dim : c.options.head_dim) / 2, dim = c.options.head_dim;
        const int64_t shape[3] = {BATCH, TOKENS, pairs};
        double *cosines = must_allocate(sizeof w->x), *sines = must_allocate(sizeof w->x);
        posenc_view vc, vs;
        posenc_error error = {0};
        if (c.options.arithmetic == POSENC_ARITHMETIC_FLOAT32)
            for (int i = 0; i < BATCH * TOKENS * rotations_axes(&w->c); i++)
                w->ids[i] = (double)random_between(&random, 0, 5000);
        must_turn(&w->r, w->x, w->y);
        posenc_status status = posenc_rotary_cos_sin(w->plan, w->r.positions, NULL, POSENC_ROTARY_TABLE_PAIRS,
                                                     posenc_view_make(&vc, cosines, POSENC_F64, 3, shape, NULL),
                                                     posenc_view_make(&vs, sines, POSENC_F64, 3, shape, NULL), &error);
        check(status == POSENC_OK, "%s", error.message);
        memcpy(w->z, w->x, sizeof w->z);
        for (int64_t h = 0; h < BATCH * TOKENS * HEADS; h++)
            for (int64_t i = 0; i < pairs; i++) {
                double a = w->x[h * dim + rotations_channel(&w->c, POSENC_ROTARY_FORWARD, false, i, false)];
                double b = w->x[h * dim + rotations_channel(&w->c, POSENC_ROTARY_FORWARD, false, i, true)];
                double s = sines[h / HEADS * pairs + i], k = cosines[h / HEADS * pairs + i];
                volatile double ak = a * k, bs = b * s, bk = b * k, as = a * s;
                w->z[h * dim + rotations_channel(&w->c, POSENC_ROTARY_FORWARD, true, i, false)] = ak - bs;
                w->z[h * dim + rotations_channel(&w->c, POSENC_ROTARY_FORWARD, true, i, true)] = bk + as;
            }
        must_equal("tables", POSENC_F64, w->z, w->y, rotation_elements(&w->r));
        free(cosines);
        free(sines);
        world_end(w);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_the_norm_is_kept),
                                       cmocka_unit_test(test_rotations_add_up),
                                       cmocka_unit_test(test_scores_depend_on_the_distance),
                                       cmocka_unit_test(test_pairings_are_permutations),
                                       cmocka_unit_test(test_backward_is_the_adjoint),
                                       cmocka_unit_test(test_unrotation_takes_back),
                                       cmocka_unit_test(test_rerotation_composes),
                                       cmocka_unit_test(test_frequency_gradient_by_differences),
                                       cmocka_unit_test(test_ways_to_call),
                                       cmocka_unit_test(test_batch_rows_are_independent),
                                       cmocka_unit_test(test_forms_of_positions),
                                       cmocka_unit_test(test_strides),
                                       cmocka_unit_test(test_threads_and_instruction_sets),
                                       cmocka_unit_test(test_tables_are_what_turns)};
    return TEST_RUN(tests);
}
