/* The tables whose checksums are published. What matters is named once here; the list of checksums has the same order.
 */
#include <inttypes.h>
#include <string.h>

#include "selftest_parts.h"

/* clang-format off */
static const posenc_cli_configuration all[] = {
    /* layout, dim, dtype, cosines first, base, arithmetic, start, rows, positions */
    /* widths */
    {"interleaved", 1, POSENC_F32, false, "10000", "exact", 0, 130, POSENC_CLI_FROM_START},
    {"interleaved", 2, POSENC_F32, false, "10000", "exact", 0, 130, POSENC_CLI_FROM_START},
    {"interleaved", 3, POSENC_F32, false, "10000", "exact", 0, 130, POSENC_CLI_FROM_START},
    {"interleaved", 7, POSENC_F32, false, "10000", "exact", 0, 130, POSENC_CLI_FROM_START},
    {"interleaved", 64, POSENC_F32, false, "10000", "exact", 0, 130, POSENC_CLI_FROM_START},
    {"interleaved", 127, POSENC_F32, false, "10000", "exact", 0, 130, POSENC_CLI_FROM_START},
    {"interleaved", 512, POSENC_F32, false, "10000", "exact", 0, 130, POSENC_CLI_FROM_START},
    {"interleaved", 1024, POSENC_F32, false, "10000", "exact", 0, 130, POSENC_CLI_FROM_START},
    {"halves", 1, POSENC_F32, false, "10000", "exact", 0, 130, POSENC_CLI_FROM_START},
    {"halves", 2, POSENC_F32, false, "10000", "exact", 0, 130, POSENC_CLI_FROM_START},
    {"halves", 3, POSENC_F32, false, "10000", "exact", 0, 130, POSENC_CLI_FROM_START},
    {"halves", 7, POSENC_F32, false, "10000", "exact", 0, 130, POSENC_CLI_FROM_START},
    {"halves", 64, POSENC_F32, false, "10000", "exact", 0, 130, POSENC_CLI_FROM_START},
    {"halves", 127, POSENC_F32, false, "10000", "exact", 0, 130, POSENC_CLI_FROM_START},
    {"halves", 512, POSENC_F32, false, "10000", "exact", 0, 130, POSENC_CLI_FROM_START},
    {"halves", 1024, POSENC_F32, false, "10000", "exact", 0, 130, POSENC_CLI_FROM_START},
    {"tensor2tensor", 1, POSENC_F32, false, "10000", "exact", 0, 130, POSENC_CLI_FROM_START},
    {"tensor2tensor", 2, POSENC_F32, false, "10000", "exact", 0, 130, POSENC_CLI_FROM_START},
    {"tensor2tensor", 3, POSENC_F32, false, "10000", "exact", 0, 130, POSENC_CLI_FROM_START},
    {"tensor2tensor", 7, POSENC_F32, false, "10000", "exact", 0, 130, POSENC_CLI_FROM_START},
    {"tensor2tensor", 64, POSENC_F32, false, "10000", "exact", 0, 130, POSENC_CLI_FROM_START},
    {"tensor2tensor", 127, POSENC_F32, false, "10000", "exact", 0, 130, POSENC_CLI_FROM_START},
    {"tensor2tensor", 512, POSENC_F32, false, "10000", "exact", 0, 130, POSENC_CLI_FROM_START},
    {"tensor2tensor", 1024, POSENC_F32, false, "10000", "exact", 0, 130, POSENC_CLI_FROM_START},
    /* types, cosines first, negative positions */
    {"interleaved", 96, POSENC_F64, false, "10000", "exact", -70, 130, POSENC_CLI_FROM_START},
    {"interleaved", 96, POSENC_F16, false, "10000", "exact", -70, 130, POSENC_CLI_FROM_START},
    {"interleaved", 96, POSENC_BF16, false, "10000", "exact", -70, 130, POSENC_CLI_FROM_START},
    {"halves", 96, POSENC_F64, false, "10000", "exact", -70, 130, POSENC_CLI_FROM_START},
    {"halves", 96, POSENC_F16, false, "10000", "exact", -70, 130, POSENC_CLI_FROM_START},
    {"halves", 96, POSENC_BF16, false, "10000", "exact", -70, 130, POSENC_CLI_FROM_START},
    {"tensor2tensor", 96, POSENC_F64, false, "10000", "exact", -70, 130, POSENC_CLI_FROM_START},
    {"tensor2tensor", 96, POSENC_F16, false, "10000", "exact", -70, 130, POSENC_CLI_FROM_START},
    {"tensor2tensor", 96, POSENC_BF16, false, "10000", "exact", -70, 130, POSENC_CLI_FROM_START},
    {"interleaved", 33, POSENC_F32, true, "10000", "exact", -70, 130, POSENC_CLI_FROM_START},
    {"interleaved", 33, POSENC_F16, true, "10000", "exact", -70, 130, POSENC_CLI_FROM_START},
    {"halves", 33, POSENC_F32, true, "10000", "exact", -70, 130, POSENC_CLI_FROM_START},
    {"halves", 33, POSENC_F16, true, "10000", "exact", -70, 130, POSENC_CLI_FROM_START},
    {"tensor2tensor", 33, POSENC_F32, true, "10000", "exact", -70, 130, POSENC_CLI_FROM_START},
    {"tensor2tensor", 33, POSENC_F16, true, "10000", "exact", -70, 130, POSENC_CLI_FROM_START},
    /* far positions */
    {"interleaved", 64, POSENC_F32, false, "10000", "exact", -65536, 80, POSENC_CLI_FROM_START},
    {"interleaved", 64, POSENC_F32, false, "10000", "exact", INT64_C(2147483600), 80, POSENC_CLI_FROM_START},
    {"interleaved", 64, POSENC_F32, false, "10000", "exact", INT64_C(9007199254740950), 80, POSENC_CLI_FROM_START},
    {"interleaved", 64, POSENC_F32, false, "10000", "exact", INT64_MAX - 79, 80, POSENC_CLI_FROM_START},
    {"interleaved", 64, POSENC_F32, false, "10000", "exact", INT64_MIN, 80, POSENC_CLI_FROM_START},
    {"halves", 64, POSENC_F32, false, "10000", "exact", -65536, 80, POSENC_CLI_FROM_START},
    {"halves", 64, POSENC_F32, false, "10000", "exact", INT64_C(2147483600), 80, POSENC_CLI_FROM_START},
    {"halves", 64, POSENC_F32, false, "10000", "exact", INT64_C(9007199254740950), 80, POSENC_CLI_FROM_START},
    {"halves", 64, POSENC_F32, false, "10000", "exact", INT64_MAX - 79, 80, POSENC_CLI_FROM_START},
    {"halves", 64, POSENC_F32, false, "10000", "exact", INT64_MIN, 80, POSENC_CLI_FROM_START},
    {"tensor2tensor", 64, POSENC_F32, false, "10000", "exact", -65536, 80, POSENC_CLI_FROM_START},
    {"tensor2tensor", 64, POSENC_F32, false, "10000", "exact", INT64_C(2147483600), 80, POSENC_CLI_FROM_START},
    {"tensor2tensor", 64, POSENC_F32, false, "10000", "exact", INT64_C(9007199254740950), 80, POSENC_CLI_FROM_START},
    {"tensor2tensor", 64, POSENC_F32, false, "10000", "exact", INT64_MAX - 79, 80, POSENC_CLI_FROM_START},
    {"tensor2tensor", 64, POSENC_F32, false, "10000", "exact", INT64_MIN, 80, POSENC_CLI_FROM_START},
    {"interleaved", 64, POSENC_F64, false, "10000", "exact", INT64_MAX - 79, 80, POSENC_CLI_FROM_START},
    {"interleaved", 64, POSENC_BF16, false, "10000", "exact", INT64_MIN, 80, POSENC_CLI_FROM_START},
    /* other bases */
    {"interleaved", 64, POSENC_F32, false, "500000", "exact", 0, 200, POSENC_CLI_FROM_START},
    {"interleaved", 64, POSENC_F32, false, "100", "exact", 0, 200, POSENC_CLI_FROM_START},
    {"interleaved", 64, POSENC_F32, false, "1", "exact", 0, 200, POSENC_CLI_FROM_START},
    /* positions in any order, and between the integers */
    {"interleaved", 80, POSENC_F32, false, "10000", "exact", -20, 150, POSENC_CLI_QUARTERS},
    {"interleaved", 80, POSENC_F64, false, "10000", "exact", -20, 150, POSENC_CLI_QUARTERS},
    {"interleaved", 80, POSENC_F16, false, "10000", "exact", -20, 150, POSENC_CLI_QUARTERS},
    {"halves", 80, POSENC_F32, false, "10000", "exact", 1000000, 150, POSENC_CLI_QUARTERS},
    {"interleaved", 80, POSENC_F32, false, "10000", "exact", -500000, 300, POSENC_CLI_SCATTERED},
    {"interleaved", 80, POSENC_F64, false, "10000", "exact", -500000, 300, POSENC_CLI_SCATTERED},
    {"interleaved", 80, POSENC_BF16, false, "10000", "exact", -500000, 300, POSENC_CLI_SCATTERED},
    {"tensor2tensor", 81, POSENC_F32, false, "10000", "exact", -500000, 300, POSENC_CLI_SCATTERED},
    /* the arithmetic of others */
    {"interleaved", 64, POSENC_F32, false, "10000", "float32", -40, 100, POSENC_CLI_FROM_START},
    {"halves", 64, POSENC_F32, false, "10000", "float32", -40, 100, POSENC_CLI_FROM_START},
    {"tensor2tensor", 64, POSENC_F32, false, "10000", "float32", -40, 100, POSENC_CLI_FROM_START},
    {"interleaved", 65, POSENC_F16, false, "10000", "float32", 100000, 100, POSENC_CLI_FROM_START},
    {"interleaved", 64, POSENC_F32, false, "10000", "float32", INT64_C(2147483600), 40, POSENC_CLI_FROM_START},
    {"interleaved", 64, POSENC_F32, false, "10000", "float32-exp", -40, 100, POSENC_CLI_FROM_START},
    {"halves", 64, POSENC_F32, false, "10000", "float32-exp", -40, 100, POSENC_CLI_FROM_START},
    {"tensor2tensor", 64, POSENC_F32, false, "10000", "float32-exp", -40, 100, POSENC_CLI_FROM_START},
    {"interleaved", 65, POSENC_F16, false, "10000", "float32-exp", 100000, 100, POSENC_CLI_FROM_START},
    {"interleaved", 64, POSENC_F32, false, "10000", "float32-exp", INT64_C(2147483600), 40, POSENC_CLI_FROM_START},
    /* large enough for five threads */
    {"interleaved", 512, POSENC_F32, false, "10000", "exact", 0, 2700, POSENC_CLI_FROM_START},
    {"halves", 1024, POSENC_BF16, false, "10000", "exact", -1300, 2700, POSENC_CLI_FROM_START},
    {"tensor2tensor", 255, POSENC_F64, false, "10000", "exact", 12345, 2700, POSENC_CLI_FROM_START},
};
/* clang-format on */

enum { MOST_ROWS = 3000 };

size_t posenc_cli_configuration_count(void) { return sizeof all / sizeof *all; }

const posenc_cli_configuration *posenc_cli_configuration_at(size_t index) { return &all[index]; }

void posenc_cli_configuration_name(const posenc_cli_configuration *c, char name[128]) {
    static const char *const ids[] = {"", " by quarters", " scattered"};
    snprintf(name, 128, "%s %" PRId64 " %s%s base %s %s, %" PRId64 " rows from %" PRId64 "%s", c->layout, c->dim,
             posenc_dtype_name(c->dtype), c->cos_first ? " cos-first" : "", c->base, c->arithmetic, c->rows, c->start,
             ids[c->ids]);
}

size_t posenc_cli_configuration_bytes(const posenc_cli_configuration *c) {
    return (size_t)(c->rows * c->dim) * posenc_dtype_bytes(c->dtype);
}

/* Checksums are of little-endian tables. */
static void make_little_endian(unsigned char *table, size_t bytes, size_t element) {
    const uint16_t probe = 1;
    if (*(const unsigned char *)&probe == 1) return;
    for (size_t i = 0; i < bytes; i += element) {
        for (size_t a = 0, b = element - 1; a < b; a++, b--) {
            unsigned char kept = table[i + a];
            table[i + a] = table[i + b];
            table[i + b] = kept;
        }
    }
}

static posenc_status make_plan(const posenc_cli_configuration *c, const posenc_context *context, posenc_plan **plan,
                               posenc_error *error) {
    char dim[24];
    snprintf(dim, sizeof dim, "%" PRId64, c->dim);
    const posenc_parameter parameters[] = {{"dim", dim},
                                           {"layout", c->layout},
                                           {"cos-first", c->cos_first ? "true" : "false"},
                                           {"base", c->base},
                                           {"arithmetic", c->arithmetic}};
    return posenc_plan_create(context, "sinusoidal", parameters, sizeof parameters / sizeof *parameters, plan, error);
}

/* Positions that do not simply follow each other. */
typedef struct position_ids {
    posenc_view view;
    union {
        double quarters[MOST_ROWS];
        int64_t scattered[MOST_ROWS];
    } of;
} position_ids;

static const DLTensor *make_ids(const posenc_cli_configuration *c, position_ids *ids) {
    if (c->ids == POSENC_CLI_FROM_START) return NULL;
    if (c->ids == POSENC_CLI_QUARTERS) {
        for (int64_t i = 0; i < c->rows; i++) ids->of.quarters[i] = (double)c->start + 0.25 * (double)i;
        return posenc_view_make(&ids->view, ids->of.quarters, POSENC_F64, 1, &c->rows, NULL);
    }
    for (int64_t i = 0; i < c->rows; i++) /* Knuth's multiplier: every position below 2^20 once, in no order */
        ids->of.scattered[i] = c->start + (i * INT64_C(2654435761) & 0xFFFFF);
    return posenc_view_make(&ids->view, ids->of.scattered, POSENC_I64, 1, &c->rows, NULL);
}

posenc_status posenc_cli_configuration_make(const posenc_cli_configuration *c, const posenc_context *context,
                                            void *table, posenc_error *error) {
    posenc_plan *plan = NULL;
    position_ids ids;
    posenc_view out;
    posenc_positions positions;
    const int64_t shape[] = {c->rows, c->dim};
    posenc_positions_default(&positions, sizeof positions);
    positions.start = c->start;
    positions.ids = make_ids(c, &ids);
    if (positions.ids) positions.start = 0;
    posenc_status status = make_plan(c, context, &plan, error);
    if (status == POSENC_OK)
        status = posenc_plan_write(plan, &positions, posenc_view_make(&out, table, c->dtype, 2, shape, NULL), error);
    posenc_plan_destroy(plan);
    make_little_endian(table, posenc_cli_configuration_bytes(c), posenc_dtype_bytes(c->dtype));
    return status;
}
