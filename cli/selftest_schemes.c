/* Tables of time steps, Fourier features and the first values of learned tables, whose checksums are published. */
#include <inttypes.h>
#include <string.h>

#include "selftest_parts.h"

enum { MOST_PARAMETERS = 5 };

typedef struct scheme_table {
    const char *scheme;
    int64_t dim;
    posenc_dtype dtype;
    posenc_cli_places places;
    posenc_parameter parameters[MOST_PARAMETERS]; /* ends with a NULL name */
} scheme_table;

/* clang-format off */
static const scheme_table all[] = {
    /* scheme, dim, dtype, places: start, rows, how they follow; parameters */
    /* time steps: as ADM and latent diffusion have them, as DDPM has them; whole and real */
    {"timestep", 320, POSENC_F32, {0, 130, POSENC_CLI_FROM_START}, {{0}}},
    {"timestep", 320, POSENC_F32, {0, 150, POSENC_CLI_FRACTIONS}, {{0}}},
    {"timestep", 320, POSENC_F64, {-5, 150, POSENC_CLI_FRACTIONS}, {{0}}},
    {"timestep", 320, POSENC_F16, {900, 150, POSENC_CLI_FRACTIONS}, {{0}}},
    {"timestep", 320, POSENC_BF16, {900, 150, POSENC_CLI_FRACTIONS}, {{0}}},
    {"timestep", 128, POSENC_F32, {0, 130, POSENC_CLI_FROM_START}, {{"shift", "1"}, {"cos-first", "false"}}},
    {"timestep", 128, POSENC_F32, {0, 150, POSENC_CLI_FRACTIONS}, {{"shift", "1"}, {"cos-first", "false"}}},
    {"timestep", 35, POSENC_F64, {-70, 150, POSENC_CLI_QUARTERS}, {{"shift", "1"}, {"max-period", "100"}}},
    {"timestep", 256, POSENC_F32, {0, 150, POSENC_CLI_FRACTIONS}, {{"angle-scale", "1000"}}},
    {"timestep", 320, POSENC_F32, {0, 150, POSENC_CLI_FRACTIONS}, {{"arithmetic", "float32-exp"}}},
    {"timestep", 256, POSENC_F32, {0, 150, POSENC_CLI_FRACTIONS}, {{"angle-scale", "1000"}, {"arithmetic", "float32-exp"}}},
    {"timestep", 128, POSENC_F32, {0, 150, POSENC_CLI_QUARTERS}, {{"shift", "1"}, {"arithmetic", "float32"}}},
    /* Fourier features */
    {"fourier", 128, POSENC_F32, {-1, 12, POSENC_CLI_FRACTIONS}, {{"kind", "bands"}, {"resolution", "224"}}},
    {"fourier", 128, POSENC_F64, {-1, 12, POSENC_CLI_FRACTIONS}, {{"kind", "bands"}, {"resolution", "224"}}},
    {"fourier", 20, POSENC_F32, {-1, 12, POSENC_CLI_FRACTIONS}, {{"kind", "log"}, {"resolution", "1024"}}},
    {"fourier", 66, POSENC_BF16, {-1, 12, POSENC_CLI_FRACTIONS}, {{"kind", "log"}, {"resolution", "100"}}},
    {"fourier", 256, POSENC_F32, {0, 6, POSENC_CLI_FRACTIONS}, {{"kind", "gaussian"}, {"sigma", "10"}, {"frequency-seed", "42"}}},
    {"fourier", 256, POSENC_F64, {0, 6, POSENC_CLI_FRACTIONS}, {{"kind", "gaussian"}, {"sigma", "10"}, {"frequency-seed", "42"}}},
    {"fourier", 34, POSENC_F16, {-40, 90, POSENC_CLI_FROM_START}, {{"kind", "gaussian"}, {"sigma", "0.3"}}},
    /* first values of learned tables */
    {"learned", 768, POSENC_F32, {0, 64, POSENC_CLI_FROM_START}, {{"init", "uniform"}}},
    {"learned", 33, POSENC_F64, {100, 130, POSENC_CLI_FROM_START}, {{"init", "uniform"}, {"init-seed", "42"}}},
    {"learned", 768, POSENC_F32, {0, 64, POSENC_CLI_FROM_START}, {{"init", "normal"}}},
    {"learned", 33, POSENC_BF16, {100, 130, POSENC_CLI_FROM_START}, {{"init", "normal"}, {"init-seed", "42"}, {"init-scale", "1"}}},
};
/* clang-format on */

size_t posenc_cli_scheme_table_count(void) { return sizeof all / sizeof *all; }

static posenc_status make(const posenc_cli_configuration *configuration, const posenc_context *context, void *table,
                          posenc_error *error) {
    const scheme_table *s = configuration->own;
    char dim[24];
    posenc_parameter parameters[MOST_PARAMETERS + 1] = {{"dim", dim}};
    size_t n = 1;
    snprintf(dim, sizeof dim, "%" PRId64, s->dim);
    for (int i = 0; i < MOST_PARAMETERS && s->parameters[i].name; i++) parameters[n++] = s->parameters[i];
    return posenc_cli_write_places(context, s->scheme, parameters, n, &s->places, s->dtype, table, error);
}

void posenc_cli_scheme_table_at(size_t index, posenc_cli_configuration *out) {
    const scheme_table *s = &all[index];
    char places[96];
    posenc_cli_places_text(&s->places, places);
    *out = (posenc_cli_configuration){.dtype = s->dtype, .rows = s->places.rows, .dim = s->dim, .make = make, .own = s};
    size_t n = (size_t)snprintf(out->name, sizeof out->name, "%s %" PRId64 " %s", s->scheme, s->dim,
                                posenc_dtype_name(s->dtype));
    for (int i = 0; i < MOST_PARAMETERS && s->parameters[i].name; i++)
        n += (size_t)snprintf(out->name + n, sizeof out->name - n, " %s %s", s->parameters[i].name,
                              s->parameters[i].text);
    snprintf(out->name + n, sizeof out->name - n, ", %s", places);
}
