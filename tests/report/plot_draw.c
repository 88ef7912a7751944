/* Plots from table to file: every kind in every form, known pixels, refusals, memory that cannot be had. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <posenc/posenc.h>

#ifdef POSENC_HAVE_CAIRO
#include <cairo.h>
#endif

#include "formats/folder.h"
#include "report/colours.h"
#include "support/allocator.h"
#include "support/refusal.h"
#include "support/tensors.h"
#include "support/test.h"

static const posenc_plot_kind kinds[] = {POSENC_PLOT_HEATMAP, POSENC_PLOT_SIMILARITY, POSENC_PLOT_CURVES,
                                         POSENC_PLOT_SPECTRUM};
enum { N_KINDS = 4, ROWS = 40, DIM = 8, MOST_BYTES = 1 << 22 };

/* A small sinusoidal table. */
static DLTensor *make_table(posenc_view *view, float values[ROWS * DIM]) {
    posenc_plan *plan = must_plan(NULL, &(plan_shape){.dim = DIM});
    must_write(plan, 0, ROWS, POSENC_F32, values);
    posenc_plan_destroy(plan);
    return posenc_view_make(view, values, POSENC_F32, 2, (int64_t[]){ROWS, DIM}, NULL);
}

/* Draws to a file and gives its bytes back. */
static size_t draw_to(const char *path, const DLTensor *table, posenc_plot_kind kind, posenc_picture picture,
                      const posenc_plot_options *options, char *bytes) {
    posenc_output *output;
    posenc_error error = {0};
    check(posenc_output_open(NULL, path, &output, &error) == POSENC_OK, "open: %s", error.message);
    check(posenc_plot(NULL, table, kind, options, picture, output, &error) == POSENC_OK, "kind %d: %s", (int)kind,
          error.message);
    check(posenc_output_commit(output, &error) == POSENC_OK, "commit: %s", error.message);
    FILE *file = fopen(path, "rb");
    check(file != NULL, "no file");
    size_t n = fread(bytes, 1, MOST_BYTES, file);
    fclose(file);
    return n;
}

#ifdef POSENC_HAVE_CAIRO
static uint32_t big_endian(const char *bytes) {
    const unsigned char *b = (const unsigned char *)bytes;
    return (uint32_t)b[0] << 24 | (uint32_t)b[1] << 16 | (uint32_t)b[2] << 8 | b[3];
}

static bool begins(const char *bytes, const char *with) { return memcmp(bytes, with, strlen(with)) == 0; }

/* Each file is of its form, has the size that was asked for, is far from empty, and comes out the same again. */
static void every_kind_draws_in_every_form(void **state) {
    (void)state;
    static const char *const names[] = {"a.png", "a.svg", "a.pdf"};
    float values[ROWS * DIM];
    posenc_view view;
    DLTensor *table = make_table(&view, values);
    char *bytes = must_allocate(MOST_BYTES), *again = must_allocate(MOST_BYTES);
    folder f = folder_make();
    posenc_plot_options options;
    posenc_plot_default(&options, sizeof options);
    options.width = 500;
    options.height = 400;
    options.title = "pe.npy";
    for (int k = 0; k < N_KINDS; k++)
        for (int form = 0; form < 3; form++) {
            const char *path = folder_path(&f, names[form]);
            size_t n = draw_to(path, table, kinds[k], (posenc_picture)form, &options, bytes);
            check(n > 4000 && n < MOST_BYTES, "kind %d, %s: %zu bytes", k, names[form], n);
            if (form == POSENC_PICTURE_PNG) {
                check(begins(bytes, "\x89PNG\r\n\x1a\n"), "kind %d: no PNG", k);
                check(big_endian(bytes + 16) == 500 && big_endian(bytes + 20) == 400, "kind %d: %u x %u", k,
                      big_endian(bytes + 16), big_endian(bytes + 20));
            }
            if (form == POSENC_PICTURE_SVG) {
                bytes[n] = '\0';
                check(strstr(bytes, "<svg") && strstr(bytes, "viewBox=\"0 0 500 400\"") && strstr(bytes, "</svg>"),
                      "kind %d: no whole SVG of 500 x 400: %.200s", k, bytes);
            }
            if (form == POSENC_PICTURE_PDF) check(begins(bytes, "%PDF-"), "kind %d: no PDF", k);
            check(draw_to(path, table, kinds[k], (posenc_picture)form, &options, again) == n &&
                      memcmp(bytes, again, n) == 0,
                  "kind %d, %s: other bytes the second time", k, names[form]);
        }
    folder_end(&f);
    free(bytes);
    free(again);
}

/* How many pixels have a colour, and where their middle is. */
typedef struct patch {
    int64_t n;
    double x, y;
} patch;

static patch find_patch(cairo_surface_t *surface, uint32_t colour) {
    patch p = {0, 0, 0};
    int width = cairo_image_surface_get_width(surface), height = cairo_image_surface_get_height(surface);
    for (int y = 0; y < height; y++) {
        const uint32_t *row = (const uint32_t *)(const void *)(cairo_image_surface_get_data(surface) +
                                                               (ptrdiff_t)y * cairo_image_surface_get_stride(surface));
        for (int x = 0; x < width; x++) {
            if ((row[x] & 0xFFFFFF) != colour) continue;
            p.n++;
            p.x += x;
            p.y += y;
        }
    }
    p.x /= (double)p.n;
    p.y /= (double)p.n;
    return p;
}

/* A table of 2 x 2 is four patches: 1 in the upper left, -1 in the upper right, a missing one below the first, 0 last.
 */
static void values_have_their_colours_in_their_places(void **state) {
    (void)state;
    float values[] = {1, -1, NAN, 0};
    uint32_t map[POSENC_COLOUR_STEPS];
    posenc_view view;
    char *bytes = must_allocate(MOST_BYTES);
    folder f = folder_make();
    const char *path = folder_path(&f, "a.png");
    draw_to(path, posenc_view_make(&view, values, POSENC_F32, 2, (int64_t[]){2, 2}, NULL), POSENC_PLOT_HEATMAP,
            POSENC_PICTURE_PNG, NULL, bytes);
    cairo_surface_t *surface = cairo_image_surface_create_from_png(path);
    check(cairo_surface_status(surface) == CAIRO_STATUS_SUCCESS, "the PNG cannot be read");
    posenc_colours_map(POSENC_COLOURS_DIVERGING, map);
    patch one = find_patch(surface, posenc_colours_at(map, -1, 1, 1));
    patch minus = find_patch(surface, posenc_colours_at(map, -1, 1, -1));
    patch missing = find_patch(surface, POSENC_COLOUR_MISSING);
    patch zero = find_patch(surface, posenc_colours_at(map, -1, 1, 0));
    check(one.n > 40000 && minus.n > 40000 && missing.n > 40000 && zero.n > 40000, "%d, %d, %d, %d pixels", (int)one.n,
          (int)minus.n, (int)missing.n, (int)zero.n);
    check(one.x + 100 < minus.x && missing.x + 100 < zero.x && fabs(one.x - missing.x) < 20,
          "left and right: %g, %g, %g, %g", one.x, minus.x, missing.x, zero.x);
    check(one.y + 100 < missing.y && minus.y + 100 < zero.y && fabs(one.y - minus.y) < 20,
          "up and down: %g, %g, %g, %g", one.y, minus.y, missing.y, zero.y);
    cairo_surface_destroy(surface);
    folder_end(&f);
    free(bytes);
}

/* One NaN among 10^6 rows can be seen, in every kind that shows all rows. */
static void a_lone_missing_value_is_seen(void **state) {
    (void)state;
    enum { LONG = 1000000 };
    float *values = must_allocate(LONG * 2 * sizeof(float));
    posenc_view view;
    char *bytes = must_allocate(MOST_BYTES);
    folder f = folder_make();
    const char *path = folder_path(&f, "a.png");
    for (int i = 0; i < 2 * LONG; i++) values[i] = 0.5f;
    values[2 * 654321 + 1] = NAN;
    draw_to(path, posenc_view_make(&view, values, POSENC_F32, 2, (int64_t[]){LONG, 2}, NULL), POSENC_PLOT_HEATMAP,
            POSENC_PICTURE_PNG, NULL, bytes);
    cairo_surface_t *surface = cairo_image_surface_create_from_png(path);
    patch missing = find_patch(surface, POSENC_COLOUR_MISSING);
    check(missing.n > 500 && missing.y > 300, "%d pixels at %g, %g", (int)missing.n, missing.x, missing.y);
    cairo_surface_destroy(surface);
    folder_end(&f);
    free(bytes);
    free(values);
}

/* Small, degenerate and hostile tables draw. */
static void odd_tables_draw(void **state) {
    (void)state;
    static const int64_t shapes[][2] = {{1, 1}, {1, 512}, {5000, 1}, {2, 3}, {7, 2}};
    static const float fills[] = {0, 0.25f, -1e30f, 1e-40f, NAN, INFINITY};
    float *values = must_allocate(5000 * sizeof(float));
    char *bytes = must_allocate(MOST_BYTES);
    folder f = folder_make();
    posenc_plot_options options;
    posenc_plot_default(&options, sizeof options);
    options.width = 240; /* for speed */
    options.height = 160;
    const char *path = folder_path(&f, "a.png");
    for (size_t s = 0; s < sizeof shapes / sizeof *shapes; s++)
        for (size_t v = 0; v < sizeof fills / sizeof *fills; v++)
            for (int k = 0; k < N_KINDS; k++) {
                posenc_view view;
                for (int i = 0; i < 5000; i++) values[i] = fills[v];
                DLTensor *table = posenc_view_make(&view, values, POSENC_F32, 2, shapes[s], NULL);
                check(draw_to(path, table, kinds[k], POSENC_PICTURE_PNG, &options, bytes) > 2000,
                      "table %zu, %g, kind %d", s, (double)fills[v], k);
            }
    folder_end(&f);
    free(bytes);
    free(values);
}

/* Each of our own allocations fails; what cairo allocates is its own. The call refuses, nothing leaks, and the output
 * can be discarded. */
static void memory_may_fail(void **state) {
    (void)state;
    float values[ROWS * DIM];
    posenc_view view;
    DLTensor *table = make_table(&view, values);
    allocator memory;
    posenc_context *context = allocator_context(&memory);
    folder f = folder_make();
    for (int k = 0; k < N_KINDS; k++)
        for (int mode = 0; mode < 2; mode++)
            for (long i = 0;; i++) {
                posenc_output *output;
                posenc_error error = error_blank();
                assert_int_equal(posenc_output_open(NULL, folder_path(&f, "a.png"), &output, NULL), POSENC_OK);
                long live = atomic_load(&memory.live);
                allocator_fail(&memory, i, mode == 1);
                posenc_status status = posenc_plot(context, table, kinds[k], NULL, POSENC_PICTURE_PNG, output, &error);
                bool refused = allocator_refused(&memory);
                allocator_fail(&memory, -1, false);
                posenc_output_discard(output);
                check(atomic_load(&memory.live) == live, "kind %d, allocation %ld: blocks leak", k, i);
                check(folder_count(&f) == 0, "kind %d, allocation %ld: a file is left", k, i);
                if (!refused) {
                    check(status == POSENC_OK && i > 1, "kind %d: %s after %ld allocations", k, error.message, i);
                    break;
                }
                check(status == POSENC_ERROR_MEMORY || status == POSENC_OK, "kind %d, allocation %ld: %s", k, i,
                      error.message);
                if (status != POSENC_OK) check(error.status == POSENC_ERROR_MEMORY, "no detail: %s", error.message);
            }
    folder_end(&f);
    allocator_context_end(&memory, context);
}
#endif

static void refuse(const char *what, posenc_output *output, const DLTensor *table, int kind,
                   const posenc_plot_options *options, int picture, posenc_status expected, const char *argument) {
    posenc_error error = error_blank();
    posenc_status status =
        posenc_plot(NULL, table, (posenc_plot_kind)kind, options, (posenc_picture)picture, output, &error);
    must_refuse(what, status, expected, &error, argument);
    status = posenc_plot(NULL, table, (posenc_plot_kind)kind, options, (posenc_picture)picture, output, NULL);
    check(status == expected, "%s: another status without a detail", what);
}

static void what_cannot_be_drawn_is_refused(void **state) {
    (void)state;
    float values[ROWS * DIM];
    posenc_view view, other;
    DLTensor *table = make_table(&view, values);
    posenc_output *output;
    folder f = folder_make();
    assert_int_equal(posenc_output_open(NULL, folder_path(&f, "a.png"), &output, NULL), POSENC_OK);
    refuse("no output", NULL, table, 0, NULL, 0, POSENC_ERROR_ARGUMENT, "output");
    refuse("no table", output, NULL, 0, NULL, 0, POSENC_ERROR_ARGUMENT, "table");
    refuse("kind", output, table, 4, NULL, 0, POSENC_ERROR_ARGUMENT, "kind");
    refuse("kind", output, table, -1, NULL, 0, POSENC_ERROR_ARGUMENT, "kind");
    refuse("no rows", output, posenc_view_make(&other, values, POSENC_F32, 2, (int64_t[]){0, 8}, NULL), 0, NULL, 0,
           POSENC_ERROR_SHAPE, "table");
    refuse("no columns", output, posenc_view_make(&other, values, POSENC_F32, 2, (int64_t[]){8, 0}, NULL), 0, NULL, 0,
           POSENC_ERROR_SHAPE, "table");
    refuse("rank 1", output, posenc_view_make(&other, values, POSENC_F32, 1, (int64_t[]){8}, NULL), 0, NULL, 0,
           POSENC_ERROR_SHAPE, "table");
    refuse("rank 4", output, posenc_view_make(&other, values, POSENC_F32, 4, (int64_t[]){1, 2, 3, 4}, NULL), 0, NULL, 0,
           POSENC_ERROR_SHAPE, "table");
    refuse("a batch of nothing", output, posenc_view_make(&other, values, POSENC_F32, 3, (int64_t[]){2, 3, 0}, NULL), 0,
           NULL, 0, POSENC_ERROR_SHAPE, "table");
    refuse("a batch of integers", output, posenc_view_make(&other, values, POSENC_U32, 3, (int64_t[]){2, 3, 4}, NULL),
           0, NULL, 0, POSENC_ERROR_DTYPE, "table");
    posenc_view_make(&other, values, POSENC_F32, 3, (int64_t[]){2, 3, 4}, NULL);
    other.tensor.device.device_type = kDLCUDA;
    refuse("a batch on a device", output, &other.tensor, 0, NULL, 0, POSENC_ERROR_DEVICE, "table");
    other.tensor.device.device_type = kDLCPU;
    other.tensor.shape = NULL;
    refuse("a rank without a shape", output, &other.tensor, 0, NULL, 0, POSENC_ERROR_SHAPE, "table");
    refuse("integers", output, posenc_view_make(&other, values, POSENC_I32, 2, (int64_t[]){3, 4}, NULL), 0, NULL, 0,
           POSENC_ERROR_DTYPE, "table");
    posenc_view_make(&other, values, POSENC_F32, 2, (int64_t[]){3, 4}, NULL);
    other.tensor.device.device_type = kDLCUDA;
    refuse("a device", output, &other.tensor, 0, NULL, 0, POSENC_ERROR_DEVICE, "table");
    posenc_plot_options options;
    posenc_plot_default(&options, sizeof options);
    options.size = sizeof options + 1;
    refuse("size", output, table, 0, &options, 0, POSENC_ERROR_ARGUMENT, "options.size");
    posenc_plot_default(&options, sizeof options);
    options.start = (INT64_C(1) << 53) - ROWS + 1;
    refuse("start", output, table, 0, &options, 0, POSENC_ERROR_ARGUMENT, "start");
    options.start = INT64_MIN;
    refuse("start", output, table, 0, &options, 0, POSENC_ERROR_ARGUMENT, "start");
    for (int kind = 0; kind < N_KINDS; kind++) {
        posenc_plot_default(&options, sizeof options);
        options.width = 159;
        refuse("width", output, table, kind, &options, 0, POSENC_ERROR_ARGUMENT, "width");
        options.width = 800;
        options.height = 16385;
        refuse("height", output, table, kind, &options, 0, POSENC_ERROR_ARGUMENT, "height");
        refuse("picture", output, table, kind, NULL, 3, POSENC_ERROR_ARGUMENT, "picture");
    }
    posenc_output_discard(output);
    check(folder_count(&f) == 0, "a file is left");
    folder_end(&f);
}

#ifndef POSENC_HAVE_CAIRO
static void a_build_without_cairo_says_so(void **state) {
    (void)state;
    float values[ROWS * DIM];
    posenc_view view;
    posenc_output *output;
    folder f = folder_make();
    assert_int_equal(posenc_output_open(NULL, folder_path(&f, "a.png"), &output, NULL), POSENC_OK);
    for (int kind = 0; kind < N_KINDS; kind++)
        refuse("without cairo", output, make_table(&view, values), kind, NULL, 0, POSENC_ERROR_UNSUPPORTED, NULL);
    posenc_output_discard(output);
    folder_end(&f);
}
#endif

int main(void) {
    const struct CMUnitTest tests[] = {
#ifdef POSENC_HAVE_CAIRO
        cmocka_unit_test(every_kind_draws_in_every_form),
        cmocka_unit_test(values_have_their_colours_in_their_places),
        cmocka_unit_test(a_lone_missing_value_is_seen),
        cmocka_unit_test(odd_tables_draw),
        cmocka_unit_test(memory_may_fail),
#else
        cmocka_unit_test(a_build_without_cairo_says_so),
#endif
        cmocka_unit_test(what_cannot_be_drawn_is_refused),
    };
    return TEST_RUN(tests);
}
