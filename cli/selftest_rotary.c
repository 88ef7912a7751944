/* Rotary schemes whose checksums are published: cosines and sines of each scaling family, and heads turned in each
 * pairing, extent and direction. What is turned is a sinusoidal table, the same everywhere. */
#include <inttypes.h>
#include <string.h>

#include "selftest_parts.h"

enum { MOST_PARAMETERS = 6, MOST_ROWS = 200, MOST_AXES = 3 };

typedef struct rotary_table {
    const char *what;       /* in the name */
    int heads, width, axes; /* heads 0: cosines and sines; width of a head; coordinates of a token */
    int64_t start, rows;
    posenc_rotary_direction direction;
    posenc_dtype dtype;
    posenc_parameter parameters[MOST_PARAMETERS]; /* ends with a NULL name */
} rotary_table;

/* clang-format off */
#define TABLE POSENC_ROTARY_FORWARD
#define FORWARD POSENC_ROTARY_FORWARD
#define BACKWARD POSENC_ROTARY_BACKWARD
#define UNROTATE POSENC_ROTARY_UNROTATE
#define YARN {"scaling", "yarn"}, {"factor", "4"}, {"original-length", "4096"}
#define FACTORS {"short-factor", "1,1.1,1.2,1.3,1.4,1.5,1.6,1.7"}, {"long-factor", "1,2,3,4,5,6,7,8"}
#define IN_HALVES_OUT "interleaved-in-halves-out"
static const rotary_table all[] = {
    /* what, heads, width, axes, start, rows, direction, dtype, parameters */
    {"default", 0, 64, 1, -70, 130, TABLE, POSENC_F32, {{0}}},
    {"default", 0, 64, 1, -70, 130, TABLE, POSENC_F64, {{0}}},
    {"default", 0, 64, 1, 131000, 130, TABLE, POSENC_F16, {{0}}},
    {"default", 0, 64, 1, INT64_C(9007199254740900), 80, TABLE, POSENC_BF16, {{0}}},
    {"default float32", 0, 64, 1, 131000, 130, TABLE, POSENC_F32, {{"arithmetic", "float32"}}},
    {"linear", 0, 64, 1, 131000, 130, TABLE, POSENC_F32, {{"scaling", "linear"}, {"factor", "3"}}},
    {"ntk", 0, 64, 1, 131000, 130, TABLE, POSENC_F32, {{"scaling", "ntk"}, {"factor", "8"}}},
    {"dynamic", 0, 128, 1, 4000, 96, TABLE, POSENC_F32, {{"scaling", "dynamic"}, {"factor", "2"}, {"original-length", "2048"}, {"sequence-length", "4096"}}},
    {"yarn", 0, 128, 1, 16300, 84, TABLE, POSENC_F32, {YARN}},
    {"yarn", 0, 128, 1, 16300, 84, TABLE, POSENC_F64, {YARN}},
    {"longrope short", 0, 16, 1, 4000, 96, TABLE, POSENC_F32, {{"scaling", "longrope"}, {"factor", "32"}, {"original-length", "4096"}, {"sequence-length", "4096"}, FACTORS}},
    {"longrope long", 0, 16, 1, 4000, 97, TABLE, POSENC_F32, {{"scaling", "longrope"}, {"factor", "32"}, {"original-length", "4096"}, {"sequence-length", "4097"}, FACTORS}},
    {"llama3", 0, 128, 1, 131000, 130, TABLE, POSENC_F32, {{"base", "500000"}, {"scaling", "llama3"}, {"factor", "8"}, {"original-length", "8192"}}},
    {"proportional", 0, 64, 1, 131000, 130, TABLE, POSENC_F32, {{"scaling", "proportional"}, {"fraction", "0.25"}, {"base", "1000000"}}},
    {"custom", 0, 8, 1, 131000, 130, TABLE, POSENC_F32, {{"scaling", "custom"}, {"inv-freq", "1,0.3,0.07,0.001"}, {"amplitude", "1.25"}}},
    {"sectioned", 0, 64, 3, 0, 120, TABLE, POSENC_F32, {{"pair-axes", "sectioned"}, {"sections", "8,12,12"}}},
    {"interleaved sections", 0, 64, 3, 0, 120, TABLE, POSENC_F32, {{"pair-axes", "interleaved"}, {"sections", "8,12,12"}}},
    {"axial", 0, 48, 3, 0, 120, TABLE, POSENC_F32, {{"pair-axes", "axial"}, {"sections", "8,8,8"}}},
    {"halves", 3, 64, 1, 4090, 70, FORWARD, POSENC_F32, {{"pairing", "halves"}}},
    {"halves", 3, 64, 1, 4090, 70, FORWARD, POSENC_F64, {{"pairing", "halves"}}},
    {"halves", 3, 64, 1, 4090, 70, FORWARD, POSENC_F16, {{"pairing", "halves"}}},
    {"halves", 3, 64, 1, 4090, 70, FORWARD, POSENC_BF16, {{"pairing", "halves"}}},
    {"interleaved", 3, 64, 1, 4090, 70, FORWARD, POSENC_F32, {{"pairing", "interleaved"}}},
    {"interleaved", 3, 64, 1, 4090, 70, FORWARD, POSENC_F64, {{"pairing", "interleaved"}}},
    {"interleaved", 3, 64, 1, 4090, 70, FORWARD, POSENC_F16, {{"pairing", "interleaved"}}},
    {"interleaved", 3, 64, 1, 4090, 70, FORWARD, POSENC_BF16, {{"pairing", "interleaved"}}},
    {IN_HALVES_OUT, 3, 64, 1, 4090, 70, FORWARD, POSENC_F32, {{"pairing", IN_HALVES_OUT}}},
    {IN_HALVES_OUT, 3, 64, 1, 4090, 70, FORWARD, POSENC_F64, {{"pairing", IN_HALVES_OUT}}},
    {IN_HALVES_OUT, 3, 64, 1, 4090, 70, FORWARD, POSENC_F16, {{"pairing", IN_HALVES_OUT}}},
    {IN_HALVES_OUT, 3, 64, 1, 4090, 70, FORWARD, POSENC_BF16, {{"pairing", IN_HALVES_OUT}}},
    {"halves partial backward", 2, 80, 1, 131000, 50, BACKWARD, POSENC_F32, {{"dim", "42"}, {"rotary-start", "5"}}},
    {"interleaved partial backward", 2, 80, 1, 131000, 50, BACKWARD, POSENC_BF16, {{"dim", "42"}, {"rotary-start", "5"}, {"pairing", "interleaved"}}},
    {"halves yarn unrotate", 2, 128, 1, 16300, 50, UNROTATE, POSENC_F32, {YARN}},
    {"interleaved xpos", 2, 64, 1, -60, 120, FORWARD, POSENC_F32, {{"pairing", "interleaved"}, {"xpos-scale-base", "512"}}},
    {"halves sectioned", 2, 64, 3, 0, 120, FORWARD, POSENC_F16, {{"pair-axes", "sectioned"}, {"sections", "8,12,12"}}},
};
/* clang-format on */

size_t posenc_cli_rotary_count(void) { return sizeof all / sizeof *all; }

static posenc_status make_plan(const rotary_table *r, const posenc_context *context, posenc_plan **plan,
                               posenc_error *error) {
    char width[24];
    posenc_parameter parameters[MOST_PARAMETERS + 1] = {{"head-dim", width}};
    size_t n = 1;
    snprintf(width, sizeof width, "%d", r->width);
    for (int i = 0; i < MOST_PARAMETERS && r->parameters[i].name; i++) parameters[n++] = r->parameters[i];
    return posenc_plan_create(context, "rotary", parameters, n, plan, error);
}

/* Coordinates: time that stands still for a while, rows and columns that come again. */
static const DLTensor *make_ids(const rotary_table *r, int64_t ids[MOST_ROWS * MOST_AXES], posenc_view *view) {
    if (r->axes == 1) return NULL;
    for (int64_t t = 0; t < r->rows; t++) {
        ids[MOST_AXES * t] = r->start + t / 24;
        ids[MOST_AXES * t + 1] = r->start + t % 24 / 6;
        ids[MOST_AXES * t + 2] = r->start + t % 6;
    }
    return posenc_view_make(view, ids, POSENC_I64, 2, (int64_t[]){r->rows, MOST_AXES}, NULL);
}

static posenc_status write_turns(const rotary_table *r, const posenc_plan *plan, const posenc_positions *positions,
                                 void *table, posenc_error *error) {
    posenc_view cosines, sines;
    const int64_t shape[] = {r->rows, r->width / 2}, strides[] = {r->width, 2};
    DLTensor *c = posenc_view_make(&cosines, table, r->dtype, 2, shape, strides);
    DLTensor *s = posenc_view_make(&sines, (char *)table + posenc_dtype_bytes(r->dtype), r->dtype, 2, shape, strides);
    return posenc_rotary_cos_sin(plan, positions, NULL, POSENC_ROTARY_TABLE_PAIRS, c, s, error);
}

static posenc_status write_turned(const rotary_table *r, const posenc_context *context, const posenc_plan *plan,
                                  const posenc_positions *positions, void *table, posenc_error *error) {
    char dim[24];
    posenc_view view;
    const posenc_cli_places places = {.rows = r->rows, .ids = POSENC_CLI_FROM_START};
    const posenc_parameter width = {"dim", dim};
    snprintf(dim, sizeof dim, "%d", r->heads * r->width);
    posenc_status status = posenc_cli_write_places(context, "sinusoidal", &width, 1, &places, r->dtype, table, error);
    if (status != POSENC_OK) return status;
    DLTensor *x = posenc_view_make(&view, table, r->dtype, 4, (int64_t[]){1, r->rows, r->heads, r->width}, NULL);
    return posenc_rotary_apply(plan, r->direction, positions, NULL, x, NULL, x, NULL, error);
}

static posenc_status make(const posenc_cli_configuration *configuration, const posenc_context *context, void *table,
                          posenc_error *error) {
    const rotary_table *r = configuration->own;
    posenc_plan *plan = NULL;
    posenc_view view;
    posenc_positions positions;
    int64_t ids[MOST_ROWS * MOST_AXES];
    posenc_positions_default(&positions, sizeof positions);
    positions.ids = make_ids(r, ids, &view);
    positions.start = positions.ids ? 0 : r->start;
    posenc_status status = make_plan(r, context, &plan, error);
    if (status == POSENC_OK)
        status = r->heads ? write_turned(r, context, plan, &positions, table, error)
                          : write_turns(r, plan, &positions, table, error);
    posenc_plan_destroy(plan);
    return status;
}

void posenc_cli_rotary_at(size_t index, posenc_cli_configuration *out) {
    const rotary_table *r = &all[index];
    int64_t heads = r->heads ? r->heads : 1;
    *out =
        (posenc_cli_configuration){.dtype = r->dtype, .rows = r->rows, .dim = heads * r->width, .make = make, .own = r};
    snprintf(out->name, sizeof out->name, "rotary %s %s %s %d x %d, %" PRId64 " rows from %" PRId64,
             r->heads ? "turns" : "table", r->what, posenc_dtype_name(r->dtype), (int)heads, r->width, r->rows,
             r->start);
}
