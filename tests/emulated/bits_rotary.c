/* The bits of rotary schemes: q and k turned forward, back, and taken back, beside and in place, in each pairing, extent
 * and arithmetic, by one and by three coordinates; cached keys turned on; the gradient of frequencies; cosines and sines
 * of each scaling family. */
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "bits.h"

enum { MOST_PARAMETERS = 6, BATCH = 2, TOKENS = 21, HEADS_Q = 3, HEADS_K = 1, AXES = 3 };

static const posenc_dtype dtypes[] = {POSENC_F32, POSENC_F64, POSENC_F16, POSENC_BF16};
static const int widths[] = {6, 16, 34, 64, 128};
static const int64_t starts[] = {0, -70, 4089, (int64_t)1 << 40};

typedef struct rotary_case {
    const char *kind, *arithmetic;                /* of the line */
    posenc_parameter parameters[MOST_PARAMETERS]; /* ends with a NULL name; head-dim comes first, by itself */
    int axes;                                     /* coordinates of a token; their sections are thirds of the pairs */
} rotary_case;

static const rotary_case cases[] = {
    {"halves", "exact", {{"pairing", "halves"}}, 1},
    {"interleaved", "exact", {{"pairing", "interleaved"}}, 1},
    {"in-halves-out", "exact", {{"pairing", "interleaved-in-halves-out"}}, 1},
    {"partial-halves", "exact", {{"dim", "4"}, {"rotary-start", "1"}}, 1},
    {"partial-interleaved", "exact", {{"dim", "4"}, {"rotary-start", "1"}, {"pairing", "interleaved"}}, 1},
    {"sectioned", "exact", {{"pair-axes", "sectioned"}}, AXES},
    {"axial", "exact", {{"pair-axes", "axial"}, {"pairing", "interleaved"}}, AXES},
    {"xpos", "exact", {{"xpos-scale-base", "512"}, {"xpos-centre", "100"}}, 1},
    {"halves", "float32", {{"arithmetic", "float32"}}, 1},
    {"yarn",
     "float32",
     {{"arithmetic", "float32"}, {"scaling", "yarn"}, {"factor", "4"}, {"original-length", "64"}},
     1},
};

static const rotary_case families[] = {
    {"default", "exact", {{"base", "500000"}}, 1},
    {"linear", "exact", {{"scaling", "linear"}, {"factor", "3"}}, 1},
    {"ntk", "exact", {{"scaling", "ntk"}, {"factor", "8"}}, 1},
    {"dynamic",
     "exact",
     {{"scaling", "dynamic"}, {"factor", "2"}, {"original-length", "64"}, {"sequence-length", "100"}},
     1},
    {"yarn", "exact", {{"scaling", "yarn"}, {"factor", "4"}, {"original-length", "4096"}}, 1},
    {"llama3", "exact", {{"scaling", "llama3"}, {"factor", "8"}, {"original-length", "64"}}, 1},
    {"proportional", "exact", {{"scaling", "proportional"}, {"fraction", "0.4"}}, 1},
    {"default", "float32", {{"arithmetic", "float32"}}, 1},
};

static void make_plan(bits_bench *b, const rotary_case *c, int width) {
    char head[16], sections[48];
    posenc_error error;
    posenc_parameter parameters[MOST_PARAMETERS + 2] = {{"head-dim", head}};
    size_t n = 1;
    const int third = width / 2 / AXES;
    snprintf(head, sizeof head, "%d", width);
    snprintf(sections, sizeof sections, "%d,%d,%d", width / 2 - 2 * third, third, third);
    if (c->axes > 1) parameters[n++] = (posenc_parameter){"sections", sections};
    for (int i = 0; i < MOST_PARAMETERS && c->parameters[i].name; i++) parameters[n++] = c->parameters[i];
    if (posenc_plan_create(b->context, "rotary", parameters, n, &b->plan, &error)) bits_stop("rotary plan", &error);
}

/* ---- positions ---- */

/* Three coordinates that come again, whole numbers or with a fraction, on both sides of 0. */
static const DLTensor *make_ids(int64_t start, bool whole, int64_t *ids, double *reals, posenc_view *view) {
    const int64_t shape[] = {BATCH, TOKENS, AXES};
    for (int i = 0; i < BATCH * TOKENS * AXES; i++) {
        const int token = i / AXES;
        ids[i] = start / 1024 + (i % AXES == 0 ? token / 7 : i % AXES == 1 ? token % 5 - 2 : token % 3);
        reals[i] = (double)ids[i] + 0.375;
    }
    return posenc_view_make(view, whole ? (void *)ids : (void *)reals, whole ? POSENC_I64 : POSENC_F64, 3, shape, NULL);
}

typedef struct places {
    posenc_positions positions;
    posenc_view view;
    int64_t ids[BATCH * TOKENS * AXES];
    double reals[BATCH * TOKENS * AXES];
} places;

static void place(places *p, const rotary_case *c, int64_t start) {
    posenc_positions_default(&p->positions, sizeof p->positions);
    p->positions.start = start;
    if (c->axes > 1) {
        p->positions.ids = make_ids(start, start % 2 == 0, p->ids, p->reals, &p->view);
        p->positions.start = 0;
    }
}

/* ---- turning ---- */

static size_t elements(int heads, int width) { return (size_t)(BATCH * TOKENS * heads * width); }

/* (batch, tokens, heads, width) of heads-first memory. */
static DLTensor *view_of(posenc_view *view, void *data, posenc_dtype dtype, int heads, int width) {
    const int64_t shape[] = {BATCH, TOKENS, heads, width};
    const int64_t strides[] = {(int64_t)heads * TOKENS * width, width, (int64_t)TOKENS * width, 1};
    return posenc_view_make(view, data, dtype, 4, shape, strides);
}

/* q and k, beside each other in x, to y; then y in place the given ways. */
static void turn(bits_bench *b, const places *p, posenc_dtype dtype, int width) {
    static const posenc_rotary_direction ways[] = {POSENC_ROTARY_FORWARD, POSENC_ROTARY_BACKWARD,
                                                   POSENC_ROTARY_UNROTATE};
    posenc_view views[4];
    posenc_error error;
    const size_t q_bytes = elements(HEADS_Q, width) * posenc_dtype_bytes(dtype);
    const size_t n = elements(HEADS_Q + HEADS_K, width), bytes = posenc_dtype_bytes(dtype);
    DLTensor *q = view_of(&views[0], b->x, dtype, HEADS_Q, width);
    DLTensor *k = view_of(&views[1], b->x + q_bytes, dtype, HEADS_K, width);
    DLTensor *q_out = view_of(&views[2], b->y, dtype, HEADS_Q, width);
    DLTensor *k_out = view_of(&views[3], b->y + q_bytes, dtype, HEADS_K, width);
    bits_fill_random(b->x, n, dtype, 37);
    for (size_t w = 0; w < sizeof ways / sizeof *ways; w++) {
        if (posenc_rotary_apply(b->plan, ways[w], &p->positions, NULL, q, k, q_out, k_out, &error))
            bits_stop("rotary apply", &error);
        bits_hash_elements(&b->hash, b->y, n, bytes);
    }
    if (posenc_rotary_apply(b->plan, ways[0], &p->positions, NULL, q, k, q, k, &error))
        bits_stop("rotary apply in place", &error);
    bits_hash_elements(&b->hash, b->x, n, bytes);
}

/* Keys in a cache whose beginning was dropped. in-halves-out is refused: what it writes it cannot read. */
static void turn_on(bits_bench *b, const places *p, posenc_dtype dtype, int width) {
    posenc_view view;
    posenc_error error;
    posenc_positions from, to;
    posenc_positions_default(&from, sizeof from);
    posenc_positions_default(&to, sizeof to);
    from.start = p->positions.start, to.start = from.start - 7;
    DLTensor *k = view_of(&view, b->x, dtype, HEADS_K, width);
    bits_fill_random(b->x, elements(HEADS_K, width), dtype, 41);
    if (posenc_rotary_rerotate(b->plan, &from, NULL, b->plan, &to, NULL, k, k, &error)) bits_stop("rerotate", &error);
    bits_hash_elements(&b->hash, b->x, elements(HEADS_K, width), posenc_dtype_bytes(dtype));
}

static void differentiate(bits_bench *b, const places *p, posenc_dtype dtype, int width) {
    posenc_view views[2];
    posenc_error error;
    double domega[64] = {0};
    posenc_rotary_info info = {.size = sizeof info};
    DLTensor *x = view_of(&views[0], b->x, dtype, HEADS_Q, width),
             *dy = view_of(&views[1], b->y, dtype, HEADS_Q, width);
    bits_fill_random(b->x, elements(HEADS_Q, width), dtype, 43);
    bits_fill_random(b->y, elements(HEADS_Q, width), dtype, 47);
    if (posenc_rotary_describe(b->plan, 0, &info, NULL, NULL, &error)) bits_stop("describe", &error);
    if (posenc_rotary_frequency_gradient(b->plan, &p->positions, NULL, x, dy, 0, 0, domega, &error))
        bits_stop("frequency gradient", &error);
    bits_hash_elements(&b->hash, domega, (size_t)info.pairs, sizeof *domega);
}

static void run_case(bits_bench *b, const rotary_case *c, posenc_dtype dtype, int width) {
    const size_t n_starts = strcmp(c->kind, "xpos") == 0 ? 3 : sizeof starts / sizeof *starts; /* powers end before */
    b->hash = BITS_HASH_START;
    make_plan(b, c, width);
    for (size_t s = 0; s < n_starts; s++) {
        places p;
        place(&p, c, starts[s]);
        turn(b, &p, dtype, width);
        if (s == 0) differentiate(b, &p, dtype, width);
        if (strcmp(c->kind, "in-halves-out") != 0) turn_on(b, &p, dtype, width);
    }
    bits_print_line("rotary", c->kind, c->arithmetic, dtype, width, b->hash);
    posenc_plan_destroy(b->plan);
    b->plan = NULL;
}

/* ---- cosines and sines ---- */

static void write_turns(bits_bench *b, int64_t start, posenc_dtype dtype, int width) {
    posenc_view cosines, sines;
    posenc_positions positions;
    posenc_error error;
    const int64_t pairs = width / 2, shape[] = {TOKENS, pairs}, strides[] = {2 * pairs, 2};
    DLTensor *c = posenc_view_make(&cosines, b->y, dtype, 2, shape, strides);
    DLTensor *s = posenc_view_make(&sines, b->y + posenc_dtype_bytes(dtype), dtype, 2, shape, strides);
    posenc_positions_default(&positions, sizeof positions);
    positions.start = start;
    if (posenc_rotary_cos_sin(b->plan, &positions, NULL, POSENC_ROTARY_TABLE_PAIRS, c, s, &error))
        bits_stop("rotary table", &error);
    bits_hash_elements(&b->hash, b->y, (size_t)(TOKENS * width), posenc_dtype_bytes(dtype));
}

static void run_family(bits_bench *b, const rotary_case *c, posenc_dtype dtype, int width) {
    b->hash = BITS_HASH_START;
    make_plan(b, c, width);
    for (size_t s = 0; s < sizeof starts / sizeof *starts; s++) write_turns(b, starts[s], dtype, width);
    bits_print_line("rotary-table", c->kind, c->arithmetic, dtype, width, b->hash);
    posenc_plan_destroy(b->plan);
    b->plan = NULL;
}

/* ---- all ---- */

void bits_run_rotary(bits_bench *b) {
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        for (size_t w = 0; w < sizeof widths / sizeof *widths; w++)
            for (int d = 0; d < 4; d++)
                if (widths[w] <= b->most_dim) run_case(b, &cases[i], dtypes[d], widths[w]);
    for (size_t i = 0; i < sizeof families / sizeof *families; i++)
        for (int d = 0; d < 4; d++) run_family(b, &families[i], dtypes[d], 34);
}
