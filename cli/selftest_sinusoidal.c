/* The sinusoidal tables whose checksums are published. What matters is named once here; the list of checksums has the
 * same order. */
#include <inttypes.h>

#include "selftest_parts.h"

typedef struct sinusoidal {
    const char *layout;
    int64_t dim;
    posenc_dtype dtype;
    bool cos_first;
    const char *base, *arithmetic;
    posenc_cli_places places;
} sinusoidal;

/* clang-format off */
static const sinusoidal all[] = {
    /* layout, dim, dtype, cosines first, base, arithmetic, places: start, rows, how they follow */
    /* widths */
    {"interleaved", 1, POSENC_F32, false, "10000", "exact", {0, 130, POSENC_CLI_FROM_START}},
    {"interleaved", 2, POSENC_F32, false, "10000", "exact", {0, 130, POSENC_CLI_FROM_START}},
    {"interleaved", 3, POSENC_F32, false, "10000", "exact", {0, 130, POSENC_CLI_FROM_START}},
    {"interleaved", 7, POSENC_F32, false, "10000", "exact", {0, 130, POSENC_CLI_FROM_START}},
    {"interleaved", 64, POSENC_F32, false, "10000", "exact", {0, 130, POSENC_CLI_FROM_START}},
    {"interleaved", 127, POSENC_F32, false, "10000", "exact", {0, 130, POSENC_CLI_FROM_START}},
    {"interleaved", 512, POSENC_F32, false, "10000", "exact", {0, 130, POSENC_CLI_FROM_START}},
    {"interleaved", 1024, POSENC_F32, false, "10000", "exact", {0, 130, POSENC_CLI_FROM_START}},
    {"halves", 1, POSENC_F32, false, "10000", "exact", {0, 130, POSENC_CLI_FROM_START}},
    {"halves", 2, POSENC_F32, false, "10000", "exact", {0, 130, POSENC_CLI_FROM_START}},
    {"halves", 3, POSENC_F32, false, "10000", "exact", {0, 130, POSENC_CLI_FROM_START}},
    {"halves", 7, POSENC_F32, false, "10000", "exact", {0, 130, POSENC_CLI_FROM_START}},
    {"halves", 64, POSENC_F32, false, "10000", "exact", {0, 130, POSENC_CLI_FROM_START}},
    {"halves", 127, POSENC_F32, false, "10000", "exact", {0, 130, POSENC_CLI_FROM_START}},
    {"halves", 512, POSENC_F32, false, "10000", "exact", {0, 130, POSENC_CLI_FROM_START}},
    {"halves", 1024, POSENC_F32, false, "10000", "exact", {0, 130, POSENC_CLI_FROM_START}},
    {"tensor2tensor", 1, POSENC_F32, false, "10000", "exact", {0, 130, POSENC_CLI_FROM_START}},
    {"tensor2tensor", 2, POSENC_F32, false, "10000", "exact", {0, 130, POSENC_CLI_FROM_START}},
    {"tensor2tensor", 3, POSENC_F32, false, "10000", "exact", {0, 130, POSENC_CLI_FROM_START}},
    {"tensor2tensor", 7, POSENC_F32, false, "10000", "exact", {0, 130, POSENC_CLI_FROM_START}},
    {"tensor2tensor", 64, POSENC_F32, false, "10000", "exact", {0, 130, POSENC_CLI_FROM_START}},
    {"tensor2tensor", 127, POSENC_F32, false, "10000", "exact", {0, 130, POSENC_CLI_FROM_START}},
    {"tensor2tensor", 512, POSENC_F32, false, "10000", "exact", {0, 130, POSENC_CLI_FROM_START}},
    {"tensor2tensor", 1024, POSENC_F32, false, "10000", "exact", {0, 130, POSENC_CLI_FROM_START}},
    /* types, cosines first, negative positions */
    {"interleaved", 96, POSENC_F64, false, "10000", "exact", {-70, 130, POSENC_CLI_FROM_START}},
    {"interleaved", 96, POSENC_F16, false, "10000", "exact", {-70, 130, POSENC_CLI_FROM_START}},
    {"interleaved", 96, POSENC_BF16, false, "10000", "exact", {-70, 130, POSENC_CLI_FROM_START}},
    {"halves", 96, POSENC_F64, false, "10000", "exact", {-70, 130, POSENC_CLI_FROM_START}},
    {"halves", 96, POSENC_F16, false, "10000", "exact", {-70, 130, POSENC_CLI_FROM_START}},
    {"halves", 96, POSENC_BF16, false, "10000", "exact", {-70, 130, POSENC_CLI_FROM_START}},
    {"tensor2tensor", 96, POSENC_F64, false, "10000", "exact", {-70, 130, POSENC_CLI_FROM_START}},
    {"tensor2tensor", 96, POSENC_F16, false, "10000", "exact", {-70, 130, POSENC_CLI_FROM_START}},
    {"tensor2tensor", 96, POSENC_BF16, false, "10000", "exact", {-70, 130, POSENC_CLI_FROM_START}},
    {"interleaved", 33, POSENC_F32, true, "10000", "exact", {-70, 130, POSENC_CLI_FROM_START}},
    {"interleaved", 33, POSENC_F16, true, "10000", "exact", {-70, 130, POSENC_CLI_FROM_START}},
    {"halves", 33, POSENC_F32, true, "10000", "exact", {-70, 130, POSENC_CLI_FROM_START}},
    {"halves", 33, POSENC_F16, true, "10000", "exact", {-70, 130, POSENC_CLI_FROM_START}},
    {"tensor2tensor", 33, POSENC_F32, true, "10000", "exact", {-70, 130, POSENC_CLI_FROM_START}},
    {"tensor2tensor", 33, POSENC_F16, true, "10000", "exact", {-70, 130, POSENC_CLI_FROM_START}},
    /* far positions */
    {"interleaved", 64, POSENC_F32, false, "10000", "exact", {-65536, 80, POSENC_CLI_FROM_START}},
    {"interleaved", 64, POSENC_F32, false, "10000", "exact", {INT64_C(2147483600), 80, POSENC_CLI_FROM_START}},
    {"interleaved", 64, POSENC_F32, false, "10000", "exact", {INT64_C(9007199254740950), 80, POSENC_CLI_FROM_START}},
    {"interleaved", 64, POSENC_F32, false, "10000", "exact", {INT64_MAX - 79, 80, POSENC_CLI_FROM_START}},
    {"interleaved", 64, POSENC_F32, false, "10000", "exact", {INT64_MIN, 80, POSENC_CLI_FROM_START}},
    {"halves", 64, POSENC_F32, false, "10000", "exact", {-65536, 80, POSENC_CLI_FROM_START}},
    {"halves", 64, POSENC_F32, false, "10000", "exact", {INT64_C(2147483600), 80, POSENC_CLI_FROM_START}},
    {"halves", 64, POSENC_F32, false, "10000", "exact", {INT64_C(9007199254740950), 80, POSENC_CLI_FROM_START}},
    {"halves", 64, POSENC_F32, false, "10000", "exact", {INT64_MAX - 79, 80, POSENC_CLI_FROM_START}},
    {"halves", 64, POSENC_F32, false, "10000", "exact", {INT64_MIN, 80, POSENC_CLI_FROM_START}},
    {"tensor2tensor", 64, POSENC_F32, false, "10000", "exact", {-65536, 80, POSENC_CLI_FROM_START}},
    {"tensor2tensor", 64, POSENC_F32, false, "10000", "exact", {INT64_C(2147483600), 80, POSENC_CLI_FROM_START}},
    {"tensor2tensor", 64, POSENC_F32, false, "10000", "exact", {INT64_C(9007199254740950), 80, POSENC_CLI_FROM_START}},
    {"tensor2tensor", 64, POSENC_F32, false, "10000", "exact", {INT64_MAX - 79, 80, POSENC_CLI_FROM_START}},
    {"tensor2tensor", 64, POSENC_F32, false, "10000", "exact", {INT64_MIN, 80, POSENC_CLI_FROM_START}},
    {"interleaved", 64, POSENC_F64, false, "10000", "exact", {INT64_MAX - 79, 80, POSENC_CLI_FROM_START}},
    {"interleaved", 64, POSENC_BF16, false, "10000", "exact", {INT64_MIN, 80, POSENC_CLI_FROM_START}},
    /* other bases */
    {"interleaved", 64, POSENC_F32, false, "500000", "exact", {0, 200, POSENC_CLI_FROM_START}},
    {"interleaved", 64, POSENC_F32, false, "100", "exact", {0, 200, POSENC_CLI_FROM_START}},
    {"interleaved", 64, POSENC_F32, false, "1", "exact", {0, 200, POSENC_CLI_FROM_START}},
    /* positions in any order, and between the integers */
    {"interleaved", 80, POSENC_F32, false, "10000", "exact", {-20, 150, POSENC_CLI_QUARTERS}},
    {"interleaved", 80, POSENC_F64, false, "10000", "exact", {-20, 150, POSENC_CLI_QUARTERS}},
    {"interleaved", 80, POSENC_F16, false, "10000", "exact", {-20, 150, POSENC_CLI_QUARTERS}},
    {"halves", 80, POSENC_F32, false, "10000", "exact", {1000000, 150, POSENC_CLI_QUARTERS}},
    {"interleaved", 80, POSENC_F32, false, "10000", "exact", {-500000, 300, POSENC_CLI_SCATTERED}},
    {"interleaved", 80, POSENC_F64, false, "10000", "exact", {-500000, 300, POSENC_CLI_SCATTERED}},
    {"interleaved", 80, POSENC_BF16, false, "10000", "exact", {-500000, 300, POSENC_CLI_SCATTERED}},
    {"tensor2tensor", 81, POSENC_F32, false, "10000", "exact", {-500000, 300, POSENC_CLI_SCATTERED}},
    /* the arithmetic of others */
    {"interleaved", 64, POSENC_F32, false, "10000", "float32", {-40, 100, POSENC_CLI_FROM_START}},
    {"halves", 64, POSENC_F32, false, "10000", "float32", {-40, 100, POSENC_CLI_FROM_START}},
    {"tensor2tensor", 64, POSENC_F32, false, "10000", "float32", {-40, 100, POSENC_CLI_FROM_START}},
    {"interleaved", 65, POSENC_F16, false, "10000", "float32", {100000, 100, POSENC_CLI_FROM_START}},
    {"interleaved", 64, POSENC_F32, false, "10000", "float32", {INT64_C(2147483600), 40, POSENC_CLI_FROM_START}},
    {"interleaved", 64, POSENC_F32, false, "10000", "float32-exp", {-40, 100, POSENC_CLI_FROM_START}},
    {"halves", 64, POSENC_F32, false, "10000", "float32-exp", {-40, 100, POSENC_CLI_FROM_START}},
    {"tensor2tensor", 64, POSENC_F32, false, "10000", "float32-exp", {-40, 100, POSENC_CLI_FROM_START}},
    {"interleaved", 65, POSENC_F16, false, "10000", "float32-exp", {100000, 100, POSENC_CLI_FROM_START}},
    {"interleaved", 64, POSENC_F32, false, "10000", "float32-exp", {INT64_C(2147483600), 40, POSENC_CLI_FROM_START}},
    /* large enough for five threads */
    {"interleaved", 512, POSENC_F32, false, "10000", "exact", {0, 2700, POSENC_CLI_FROM_START}},
    {"halves", 1024, POSENC_BF16, false, "10000", "exact", {-1300, 2700, POSENC_CLI_FROM_START}},
    {"tensor2tensor", 255, POSENC_F64, false, "10000", "exact", {12345, 2700, POSENC_CLI_FROM_START}},
};
/* clang-format on */

size_t posenc_cli_sinusoidal_count(void) { return sizeof all / sizeof *all; }

static posenc_status make(const posenc_cli_configuration *configuration, const posenc_context *context, void *table,
                          posenc_error *error) {
    const sinusoidal *s = configuration->own;
    char dim[24];
    snprintf(dim, sizeof dim, "%" PRId64, s->dim);
    const posenc_parameter parameters[] = {{"dim", dim},
                                           {"layout", s->layout},
                                           {"cos-first", s->cos_first ? "true" : "false"},
                                           {"base", s->base},
                                           {"arithmetic", s->arithmetic}};
    return posenc_cli_write_places(context, "sinusoidal", parameters, sizeof parameters / sizeof *parameters,
                                   &s->places, s->dtype, table, error);
}

void posenc_cli_sinusoidal_at(size_t index, posenc_cli_configuration *out) {
    const sinusoidal *s = &all[index];
    char places[96];
    posenc_cli_places_text(&s->places, places);
    *out = (posenc_cli_configuration){.dtype = s->dtype, .rows = s->places.rows, .dim = s->dim, .make = make, .own = s};
    snprintf(out->name, sizeof out->name, "%s %" PRId64 " %s%s base %s %s, %s", s->layout, s->dim,
             posenc_dtype_name(s->dtype), s->cos_first ? " cos-first" : "", s->base, s->arithmetic, places);
}
