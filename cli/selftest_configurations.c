/* The tables whose checksums are published: all kinds of them in a row, and what they share. */
#include <inttypes.h>
#include <string.h>

#include "selftest_parts.h"

/* In the order of the list of checksums. */
static const struct {
    size_t (*count)(void);
    void (*at)(size_t index, posenc_cli_configuration *out);
} kinds[] = {
    {posenc_cli_sinusoidal_count, posenc_cli_sinusoidal_at},
    {posenc_cli_scheme_table_count, posenc_cli_scheme_table_at},
    {posenc_cli_resized_count, posenc_cli_resized_at},
    {posenc_cli_rotary_count, posenc_cli_rotary_at},
    {posenc_cli_bias_count, posenc_cli_bias_at},
    {posenc_cli_relative_count, posenc_cli_relative_at},
};

enum { N_KINDS = sizeof kinds / sizeof *kinds, MOST_ROWS = 3000 };

size_t posenc_cli_configuration_count(void) {
    size_t n = 0;
    for (int k = 0; k < N_KINDS; k++) n += kinds[k].count();
    return n;
}

void posenc_cli_configuration_at(size_t index, posenc_cli_configuration *out) {
    int k = 0;
    for (; index >= kinds[k].count(); k++) index -= kinds[k].count();
    kinds[k].at(index, out);
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

posenc_status posenc_cli_configuration_make(const posenc_cli_configuration *c, const posenc_context *context,
                                            void *table, posenc_error *error) {
    posenc_status status = c->make(c, context, table, error);
    if (status == POSENC_OK) make_little_endian(table, posenc_cli_configuration_bytes(c), posenc_dtype_bytes(c->dtype));
    return status;
}

/* ---- numbers ---- */

enum { MULTIPLIER = 40503 };

/* Element i. bf16 is the upper half of f32's bits; of f16 they are any that mean a number below 1 in size. */
static void put_element(void *table, int64_t i, posenc_dtype dtype) {
    double value = (double)((i * MULTIPLIER & 0xFFFF) - 0x8000) * 0x1p-15;
    float narrow = (float)value;
    uint32_t bits;
    memcpy(&bits, &narrow, sizeof bits);
    if (dtype == POSENC_F64) memcpy((double *)table + i, &value, sizeof value);
    if (dtype == POSENC_F32) memcpy((float *)table + i, &narrow, sizeof narrow);
    uint16_t half = (uint16_t)(bits >> 16);
    if (dtype == POSENC_F16) half = (uint16_t)(i * MULTIPLIER & 0xBBFF);
    if (dtype == POSENC_F16 || dtype == POSENC_BF16) memcpy((uint16_t *)table + i, &half, sizeof half);
}

void posenc_cli_put_numbers(void *table, int64_t n, posenc_dtype dtype) {
    for (int64_t i = 0; i < n; i++) put_element(table, i, dtype);
}

/* ---- positions ---- */

void posenc_cli_places_text(const posenc_cli_places *places, char text[96]) {
    static const char *const ids[] = {"", " by quarters", " scattered", " by fractions"};
    snprintf(text, 96, "%" PRId64 " rows from %" PRId64 "%s", places->rows, places->start, ids[places->ids]);
}

/* Positions that do not simply follow each other. */
typedef struct position_ids {
    posenc_view view;
    union {
        double real[MOST_ROWS];
        int64_t whole[MOST_ROWS];
    } of;
} position_ids;

/* Steps between real positions: a quarter, and one whose multiples are exact too but hit nothing. */
static double step_of(const posenc_cli_places *places) {
    return places->ids == POSENC_CLI_QUARTERS ? 0.25 : 0x1.5bd1e995p-3;
}

static const DLTensor *make_ids(const posenc_cli_places *places, position_ids *ids) {
    if (places->ids == POSENC_CLI_FROM_START) return NULL;
    if (places->ids != POSENC_CLI_SCATTERED) {
        for (int64_t i = 0; i < places->rows; i++)
            ids->of.real[i] = (double)places->start + step_of(places) * (double)i;
        return posenc_view_make(&ids->view, ids->of.real, POSENC_F64, 1, &places->rows, NULL);
    }
    for (int64_t i = 0; i < places->rows; i++) /* Knuth's multiplier: every position below 2^20 once, in no order */
        ids->of.whole[i] = places->start + (i * INT64_C(2654435761) & 0xFFFFF);
    return posenc_view_make(&ids->view, ids->of.whole, POSENC_I64, 1, &places->rows, NULL);
}

posenc_status posenc_cli_write_places(const posenc_context *context, const char *scheme,
                                      const posenc_parameter *parameters, size_t n_parameters,
                                      const posenc_cli_places *places, posenc_dtype dtype, void *table,
                                      posenc_error *error) {
    posenc_plan *plan = NULL;
    position_ids ids;
    posenc_view out;
    posenc_positions positions;
    posenc_positions_default(&positions, sizeof positions);
    positions.ids = make_ids(places, &ids);
    positions.start = positions.ids ? 0 : places->start;
    posenc_status status = posenc_plan_create(context, scheme, parameters, n_parameters, &plan, error);
    if (status == POSENC_OK) {
        const int64_t shape[] = {places->rows, posenc_plan_dim(plan)};
        status = posenc_plan_write(plan, &positions, posenc_view_make(&out, table, dtype, 2, shape, NULL), error);
    }
    posenc_plan_destroy(plan);
    return status;
}
