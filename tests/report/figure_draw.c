/* Figures as files: PNGs by their pixels, SVGs as well-formed XML, PDFs by their ends; the same bytes again in other
 * surroundings; outputs that fail and memory that cannot be had. A build without cairo steps aside. */
#ifndef POSENC_HAVE_CAIRO
int main(void) { return 77; }
#else
#include <cairo.h>
#include <ctype.h>
#include <fenv.h>
#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <posenc/posenc.h>

#include "formats/folder.h"
#include "report/cairo/svg_numbers.h"
#include "report/colours.h"
#include "support/allocator.h"
#include "support/refusal.h"
#include "support/tensors.h"
#include "support/test.h"

static const char *const names[] = {"a.png", "a.svg", "a.pdf"};

/* A file in memory, with an end mark behind. */
typedef struct bytes {
    size_t n;
    char *data;
} bytes;

static bytes read_file(const char *path) {
    FILE *file = fopen(path, "rb");
    check(file != NULL, "%s cannot be read", path);
    check(fseek(file, 0, SEEK_END) == 0 && ftell(file) >= 0, "%s has no end", path);
    bytes b = {(size_t)ftell(file), NULL};
    b.data = must_allocate(b.n + 1);
    rewind(file);
    check(fread(b.data, 1, b.n, file) == b.n, "%s cannot be read", path);
    b.data[b.n] = '\0';
    fclose(file);
    return b;
}

static bytes draw(const posenc_figure *figure, posenc_picture picture) {
    folder f = folder_make();
    const char *path = folder_path(&f, names[picture]);
    posenc_output *output;
    posenc_error error = {0};
    check(posenc_output_open(NULL, path, &output, &error) == POSENC_OK, "open: %s", error.message);
    check(posenc_figure_draw(NULL, figure, picture, output, &error) == POSENC_OK, "draw: %s", error.message);
    check(posenc_output_commit(output, &error) == POSENC_OK, "commit: %s", error.message);
    bytes b = read_file(path);
    folder_end(&f);
    return b;
}

/* ---- PNG, read by cairo's own reader ---- */

typedef struct cursor {
    const bytes *from;
    size_t at;
} cursor;

static cairo_status_t give(void *closure, unsigned char *data, unsigned n) {
    cursor *c = closure;
    if (n > c->from->n - c->at) return CAIRO_STATUS_READ_ERROR;
    memcpy(data, c->from->data + c->at, n);
    c->at += n;
    return CAIRO_STATUS_SUCCESS;
}

typedef struct image {
    cairo_surface_t *surface;
    int width, height;
} image;

static image draw_pixels(const posenc_figure *figure) {
    bytes b = draw(figure, POSENC_PICTURE_PNG);
    cursor c = {&b, 0};
    image i = {.surface = cairo_image_surface_create_from_png_stream(give, &c)};
    check(cairo_surface_status(i.surface) == CAIRO_STATUS_SUCCESS, "the PNG cannot be read");
    i.width = cairo_image_surface_get_width(i.surface);
    i.height = cairo_image_surface_get_height(i.surface);
    check(i.width == figure->width && i.height == figure->height, "%d x %d", i.width, i.height);
    free(b.data);
    return i;
}

static uint32_t pixel(const image *i, int x, int y) {
    check(x >= 0 && y >= 0 && x < i->width && y < i->height, "pixel %d, %d is not there", x, y);
    const unsigned char *row =
        cairo_image_surface_get_data(i->surface) + (ptrdiff_t)y * cairo_image_surface_get_stride(i->surface);
    uint32_t value;
    memcpy(&value, row + 4 * (ptrdiff_t)x, sizeof value);
    return value & 0xFFFFFF;
}

/* The smallest box around all pixels of a colour. */
typedef struct patch {
    int n, left, right, top, bottom;
} patch;

static patch find_patch(const image *i, uint32_t colour) {
    patch p = {0, i->width, -1, i->height, -1};
    for (int y = 0; y < i->height; y++)
        for (int x = 0; x < i->width; x++) {
            if (pixel(i, x, y) != colour) continue;
            p.n++;
            p.left = x < p.left ? x : p.left;
            p.right = x > p.right ? x : p.right;
            p.top = y < p.top ? y : p.top;
            p.bottom = y > p.bottom ? y : p.bottom;
        }
    return p;
}

/* Share of pixels that are not white. */
static double inked(const image *i) {
    int n = 0;
    for (int y = 0; y < i->height; y++)
        for (int x = 0; x < i->width; x++) n += pixel(i, x, y) != 0xFFFFFF;
    return n / ((double)i->width * i->height);
}

static posenc_figure plain(void) {
    posenc_figure figure;
    posenc_figure_default(&figure, sizeof figure);
    return figure;
}

/* ---- Pixels ---- */

/* Four cells fill the frame, each a quarter of it to the pixel, in the colours of the map and of what is missing. */
static void cells_fill_the_frame(void **state) {
    (void)state;
    static const int sizes[][2] = {{800, 600}, {320, 240}, {1600, 1200}, {401, 303}};
    const float values[] = {-0.5F, 0.25F, NAN, 0.75F};
    const posenc_image four = {values, 2, 2, -1, 1, POSENC_COLOURS_DIVERGING, "value", NULL};
    uint32_t map[POSENC_COLOUR_STEPS];
    posenc_colours_map(four.colours, map);
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
        posenc_figure figure = plain();
        figure.width = sizes[s][0];
        figure.height = sizes[s][1];
        figure.image = &four;
        figure.title = "four cells";
        image i = draw_pixels(&figure);
        patch p[4];
        for (int k = 0; k < 4; k++) p[k] = find_patch(&i, posenc_colours_at(map, -1, 1, (double)values[k]));
        /* The bar has the same colours, further right; so has the sample of the missing one. */
        int left = p[0].left, bottom = p[0].bottom, middle_y = p[0].top;
        int width = 0, height = bottom - p[2].top + 1;
        while (pixel(&i, left + width, bottom) != 0x222222) width++;
        check(width > figure.width / 2 && height > figure.height / 2, "size %zu: frame of %d x %d", s, width, height);
        for (int y = 0; y < height; y++)
            for (int x = 0; x < width; x++) {
                int k = (2 * x + 1 >= width) + (2 * (height - 1 - y) + 1 >= height ? 2 : 0);
                check(pixel(&i, left + x, bottom - height + 1 + y) == posenc_colours_at(map, -1, 1, (double)values[k]),
                      "size %zu: %d, %d of %d x %d is not of cell %d", s, x, y, width, height, k);
            }
        check(abs(bottom - middle_y + 1 - height / 2) <= 1, "size %zu: rows are not halves", s);
        for (int x = -1; x <= width; x++)
            check(pixel(&i, left + x, bottom + 1) == 0x222222 && pixel(&i, left + x, bottom - height) == 0x222222,
                  "size %zu: no frame at %d", s, x);
        check(p[2].right > left + width + 10, "size %zu: what is missing is not explained", s);
        cairo_surface_destroy(i.surface);
    }
}

/* The longest run of the frame's colour along a row or a column. */
static int longest_run(const image *i, bool row, int at) {
    int longest = 0, n = row ? i->width : i->height;
    for (int k = 0, run = 0; k < n; k++) {
        run = (row ? pixel(i, k, at) : pixel(i, at, k)) == 0x222222 ? run + 1 : 0;
        if (run > longest) longest = run;
    }
    return longest;
}

/* The frame of a figure without an image: the outermost long lines. (Ticks make them longer, so their ends say less.)
 */
static patch find_frame(const image *i) {
    patch p = {0, i->width, -1, i->height, -1};
    for (int y = 0; y < i->height; y++)
        if (longest_run(i, true, y) > i->width / 4) {
            if (p.bottom < 0) p.top = y;
            p.bottom = y;
        }
    for (int x = 0; x < i->width; x++)
        if (longest_run(i, false, x) > i->height / 4) {
            if (p.right < 0) p.left = x;
            p.right = x;
        }
    check(p.bottom - p.top > i->height / 4 && p.right - p.left > i->width / 4, "no frame");
    return p;
}

static bool near(uint32_t a, uint32_t b, int slack) {
    for (int shift = 0; shift < 24; shift += 8)
        if (abs((int)(a >> shift & 0xFF) - (int)(b >> shift & 0xFF)) > slack) return false;
    return true;
}

/* From corner to corner, and nowhere else. */
static void a_diagonal_goes_from_corner_to_corner(void **state) {
    (void)state;
    const double x[] = {0, 1}, y[] = {0, 1};
    posenc_series series = {NULL, x, y, 2, POSENC_STROKE_LINE};
    posenc_figure figure = plain();
    figure.series = &series;
    figure.n_series = 1;
    uint32_t colour = posenc_colours_series(0);
    image i = draw_pixels(&figure);
    patch f = find_frame(&i);
    double slope = (f.bottom - f.top - 1.0) / (f.right - f.left - 1);
    for (int column = f.left + 2; column < f.right - 1; column++) {
        int middle = f.bottom - (int)lround((column - f.left - 0.5) * slope), on = 0;
        for (int row = f.top + 1; row < f.bottom; row++) {
            bool is = near(pixel(&i, column, row), colour, 110);
            on += is;
            check(!is || abs(row - middle) <= 2, "column %d has the line at %d, not at %d", column, row, middle);
        }
        check(on >= 1 && on <= 4, "column %d: %d pixels of the line", column, on);
    }
    cairo_surface_destroy(i.surface);
}

static bool column_has(const image *i, const patch *frame, double at, uint32_t colour) {
    int x = frame->left + 1 + (int)(at * (frame->right - frame->left - 1));
    for (int y = frame->top + 1; y < frame->bottom; y++)
        if (near(pixel(i, x, y), colour, 30)) return true;
    return false;
}

/* Lines stop at what is missing, dashes have gaps, points stand apart. */
static void strokes_are_what_they_say(void **state) {
    (void)state;
    enum { N = 21 };
    double x[N], y[N];
    posenc_series series = {NULL, x, y, N, POSENC_STROKE_LINE};
    posenc_figure figure = plain();
    figure.series = &series;
    figure.n_series = 1;
    uint32_t colour = posenc_colours_series(0);
    for (int k = 0; k < N; k++) {
        x[k] = k / 20.0;
        y[k] = k == 10 ? (double)NAN : 0.55;
    }
    int filled[3];
    for (int stroke = POSENC_STROKE_LINE; stroke <= POSENC_STROKE_POINTS; stroke++) {
        series.stroke = (posenc_stroke)stroke;
        image i = draw_pixels(&figure);
        patch f = find_frame(&i);
        filled[stroke] = 0;
        for (int k = 0; k < 400; k++) {
            bool has = column_has(&i, &f, (k + 0.5) / 400, colour);
            filled[stroke] += has;
            if (k > 182 && k < 217) check(!has, "stroke %d: something in the gap at %d", stroke, k);
        }
        cairo_surface_destroy(i.surface);
    }
    check(filled[0] > 355, "a line of %d", filled[0]);
    check(filled[1] > 150 && filled[1] < 280, "dashes of %d", filled[1]);
    check(filled[2] >= 20 && filled[2] < 100, "points of %d", filled[2]);
}

static int count_near(const image *i, uint32_t colour) {
    int n = 0;
    for (int y = 0; y < i->height; y++)
        for (int x = 0; x < i->width; x++) n += near(pixel(i, x, y), colour, 30);
    return n;
}

static void pictures_are_not_empty(void **state) {
    (void)state;
    static const int sizes[][2] = {{160, 160}, {320, 240}, {800, 600}, {1600, 1200}, {3000, 160}, {160, 3000}};
    const double x[] = {0, 0.5, 1}, y[] = {0, 1, 0.5};
    const posenc_series series[] = {{"one", x, y, 3, POSENC_STROKE_LINE}, {"two", y, x, 3, POSENC_STROKE_DASHED}};
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
        posenc_figure figure = plain();
        figure.width = sizes[s][0];
        figure.height = sizes[s][1];
        image empty = draw_pixels(&figure);
        figure.series = series;
        figure.n_series = 2;
        figure.title = "title";
        figure.note = "note";
        figure.x.label = figure.y.label = "label";
        image full = draw_pixels(&figure);
        check(inked(&empty) > 0.003 && inked(&empty) < 0.2, "size %zu: %g of an empty figure", s, inked(&empty));
        for (size_t k = 0; k < 2; k++)
            check(count_near(&full, posenc_colours_series(k)) > 30 && count_near(&empty, posenc_colours_series(k)) == 0,
                  "size %zu: no series %zu", s, k);
        check(inked(&full) > 0.02 && inked(&full) < 0.5, "size %zu: %g of a full figure", s, inked(&full));
        cairo_surface_destroy(empty.surface);
        cairo_surface_destroy(full.surface);
    }
}

/* ---- SVG and PDF ---- */

/* Well-formed as far as cairo's output goes: declaration, elements that close in order, attributes in double quotes, no
 * character below a blank but line ends, and & only in front of an entity. */
static void check_xml(const char *text) {
    char open[64][32];
    int depth = 0, elements = 0;
    for (const char *p = text; *p; p++)
        check((unsigned char)*p >= 0x20 || *p == '\n', "character %02x at %zu", (unsigned char)*p, (size_t)(p - text));
    check(strncmp(text, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>", 38) == 0, "begins with %.40s", text);
    for (const char *p = strchr(text + 38, '<'); p; p = strchr(p, '<')) {
        const char *end = p + 1;
        for (bool quoted = false; *end && (quoted || *end != '>'); end++) {
            if (*end == '"') quoted = !quoted;
            check(*end != '<', "< within a tag at %zu", (size_t)(end - text));
            if (*end == '&')
                check(strchr(end, ';') && strchr(end, ';') - end < 8, "a lone & at %zu", (size_t)(end - text));
        }
        check(*end == '>', "a tag does not end");
        char name[32] = "";
        sscanf(p + 1 + (p[1] == '/'), "%31[a-zA-Z]", name);
        if (p[1] == '/') {
            check(depth > 0 && strcmp(open[depth - 1], name) == 0, "</%s> at depth %d", name, depth);
            depth--;
        } else if (end[-1] != '/') {
            check(depth < 64, "too deep");
            strcpy(open[depth++], name);
        }
        elements++;
        p = end;
    }
    check(depth == 0 && elements > 10, "%d elements stay open, of %d", depth, elements);
}

static void check_form(const bytes *b, posenc_picture picture) {
    static const char *const begins[] = {"\x89PNG\r\n\x1a\n", "<?xml", "%PDF-1."};
    static const char *const ends[] = {"IEND\xae\x42\x60\x82", "</svg>\n", "%%EOF\n"};
    const char *begin = begins[picture], *end = ends[picture];
    check(b->n > 1000 && memcmp(b->data, begin, strlen(begin)) == 0, "form %d begins otherwise", (int)picture);
    check(memcmp(b->data + b->n - strlen(end), end, strlen(end)) == 0, "form %d ends otherwise", (int)picture);
    if (picture == POSENC_PICTURE_SVG) check_xml(b->data);
    if (picture == POSENC_PICTURE_PDF)
        for (size_t i = 0; i + 12 < b->n; i++)
            check(memcmp(b->data + i, "CreationDate", 12) != 0, "the PDF has a date");
}

/* Draws in every form; each must be whole, and the same again. */
static void check_figure(const posenc_figure *figure, const char *what) {
    for (int picture = POSENC_PICTURE_PNG; picture <= POSENC_PICTURE_PDF; picture++) {
        bytes b = draw(figure, (posenc_picture)picture), again = draw(figure, (posenc_picture)picture);
        check_form(&b, (posenc_picture)picture);
        check(b.n == again.n && memcmp(b.data, again.data, b.n) == 0, "%s, form %d: other bytes the second time", what,
              picture);
        free(b.data);
        free(again.data);
    }
}

static void edge_cases_draw(void **state) {
    (void)state;
    static const float fills[] = {0, 1, -1e30F, 1e-40F, NAN, INFINITY};
    static const int64_t shapes[][2] = {{1, 1}, {1, 7}, {3, 1}, {2, 2}, {100, 100}, {3, 2000}};
    float *values = must_allocate(10000 * sizeof *values);
    posenc_figure figure = plain();
    check_figure(&figure, "empty");
    for (size_t s = 0; s < sizeof shapes / sizeof *shapes; s++)
        for (size_t k = 0; k < sizeof fills / sizeof *fills; k++) {
            for (int i = 0; i < 10000; i++) values[i] = i % 2 ? fills[k] : fills[(k + s) % 6];
            double scale = isfinite(fills[k]) ? (double)fills[k] : 0;
            posenc_image cells = {values, shapes[s][0], shapes[s][1], scale, scale, POSENC_COLOURS_SEQUENTIAL,
                                  NULL,   NULL};
            figure = plain();
            figure.image = &cells;
            figure.width = 300;
            figure.height = 200;
            char what[64];
            snprintf(what, sizeof what, "shape %zu, fill %zu", s, k);
            check_figure(&figure, what);
        }
    free(values);
}

static void odd_series_draw(void **state) {
    (void)state;
    const double x[] = {0, 1, (double)NAN, (double)INFINITY, -1e308, 1e308, 0.5, 0.5},
                 y[] = {0, (double)NAN, 1, 1, 1e308, -1e308, 5e-324, 0};
    posenc_series series[9];
    for (int i = 0; i < 9; i++)
        series[i] = (posenc_series){i % 3 ? "name" : i ? "" : NULL, x, y, (size_t)i, (posenc_stroke)(i % 3)};
    series[0].x = series[0].y = NULL;
    posenc_figure figure = plain();
    figure.series = series;
    figure.n_series = 9;
    check_figure(&figure, "linear");
    figure.x = (posenc_axis){"x", 1e-200, 1e200, 1};
    figure.y = (posenc_axis){"y", 1e200, 1e-200, 1};
    check_figure(&figure, "logarithmic");
    figure.x = (posenc_axis){"x", 1, 0, 0};
    figure.y = (posenc_axis){"y", -1e300, 1e300, 0};
    check_figure(&figure, "wide");
}

static void hostile_texts_are_harmless(void **state) {
    (void)state;
    static const char *const texts[] = {"<script>alert(1)</script>",
                                        "]]>&amp;&#0;\"'",
                                        "\x1b[2J\x07\n\r\t",
                                        "\xff\xfe\xc0\x80",
                                        "\xe2\x80\xaegnp.exe",
                                        "\xed\xa0\x80\xf4\x90\x80\x80",
                                        "\xf0\x9f\x92\xa9 \xe4\xbd\x8d",
                                        "%s%n%d",
                                        "(PDF) \\) endstream"};
    float value = NAN;
    const double zero = 0;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        const char *text = texts[i];
        posenc_image cells = {&value, 1, 1, 0, 1, POSENC_COLOURS_SEQUENTIAL, text, NULL};
        posenc_series series = {text, &zero, &zero, 1, POSENC_STROKE_POINTS};
        posenc_figure figure = plain();
        figure.title = figure.note = figure.x.label = figure.y.label = text;
        figure.image = &cells;
        figure.series = &series;
        figure.n_series = 1;
        check_figure(&figure, text);
        bytes svg = draw(&figure, POSENC_PICTURE_SVG);
        check(!strstr(svg.data, text), "text %zu stands in the SVG as it is", i);
        free(svg.data);
    }
    char *long_text = must_allocate(3000001);
    memset(long_text, 'w', 3000000);
    long_text[3000000] = '\0';
    posenc_figure figure = plain();
    figure.title = figure.note = figure.x.label = long_text;
    check_figure(&figure, "a long title");
    free(long_text);
}

/* ---- Surroundings ---- */

/* Rounding modes and locales of the caller change no byte, and stay. */
static void surroundings_do_not_matter(void **state) {
    (void)state;
    static const int modes[] = {FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO};
    static const char *const locales[] = {"C.UTF-8", "de_DE.UTF-8", "fr_FR.UTF-8"};
    float values[300];
    double x[300], y[300];
    for (int i = 0; i < 300; i++) {
        values[i] = (float)sin(i * 0.1);
        x[i] = i / 299.0;
        y[i] = 0.5 + 0.4 * cos(i * 0.1);
    }
    posenc_image cells = {values, 10, 30, -0.7, 0.9, POSENC_COLOURS_DIVERGING, "value", NULL};
    posenc_series series = {"name", x, y, 300, POSENC_STROKE_DASHED};
    posenc_figure figure = plain();
    figure.image = &cells;
    figure.series = &series;
    figure.n_series = 1;
    for (int picture = POSENC_PICTURE_PNG; picture <= POSENC_PICTURE_PDF; picture++) {
        bytes want = draw(&figure, (posenc_picture)picture);
        for (int m = 0; m < 6; m++) {
            if (m < 3)
                fesetround(modes[m]);
            else if (!setlocale(LC_ALL, locales[m - 3]))
                continue;
            bytes got = draw(&figure, (posenc_picture)picture);
            int mode = fegetround();
            fesetround(FE_TONEAREST);
            setlocale(LC_ALL, "C");
            check(mode == (m < 3 ? modes[m] : FE_TONEAREST), "the rounding mode was changed");
            check(got.n == want.n && memcmp(got.data, want.data, want.n) == 0,
                  "form %d: other bytes in surroundings %d", picture, m);
            free(got.data);
        }
        free(want.data);
    }
}

/* Of a million points, files and time stay those of a picture. */
static void files_are_bounded(void **state) {
    (void)state;
    enum { N = 1000000 };
    static const size_t most[] = {1 << 19, 3 << 20, 1 << 20};
    random_state random = random_start("bounded files");
    double *x = must_allocate(N * sizeof *x), *y = must_allocate(N * sizeof *y);
    for (int i = 0; i < N; i++) {
        x[i] = i;
        y[i] = random_unit(&random) * 0.2 + 0.4;
    }
    posenc_series series = {"noise", x, y, N, POSENC_STROKE_LINE};
    posenc_figure figure = plain();
    figure.series = &series;
    figure.n_series = 1;
    figure.x.last = N;
    for (int stroke = POSENC_STROKE_LINE; stroke <= POSENC_STROKE_POINTS; stroke++) {
        series.stroke = (posenc_stroke)stroke;
        for (int picture = POSENC_PICTURE_PNG; picture <= POSENC_PICTURE_PDF; picture++) {
            bytes b = draw(&figure, (posenc_picture)picture);
            check(b.n < most[picture], "stroke %d, form %d: %zu bytes", stroke, picture, b.n);
            free(b.data);
        }
    }
    free(x);
    free(y);
}

/* ---- Failures ---- */

/* The output's own message comes back. */
static void outputs_may_fail(void **state) {
    (void)state;
    FILE *full = fopen("/dev/full", "wb");
    if (!full) skip();
    fclose(full);
    float *values = must_allocate(250000 * sizeof *values);
    random_state random = random_start("noise"); /* which no form can make small */
    for (int i = 0; i < 250000; i++) values[i] = (float)random_unit(&random);
    posenc_image cells = {values, 500, 500, 0, 1, POSENC_COLOURS_SEQUENTIAL, NULL, NULL};
    posenc_figure figure = plain();
    figure.image = &cells;
    for (int picture = POSENC_PICTURE_PNG; picture <= POSENC_PICTURE_PDF; picture++) {
        posenc_output *output;
        posenc_error error = error_blank();
        assert_int_equal(posenc_output_open(NULL, "/dev/full", &output, NULL), POSENC_OK);
        posenc_status status = posenc_figure_draw(NULL, &figure, (posenc_picture)picture, output, &error);
        check(status == POSENC_ERROR_IO && error.status == status && strcmp(error.argument, "/dev/full") == 0 &&
                  strstr(error.message, "No space left"),
              "form %d: %s", picture, error.message);
        posenc_output_discard(output);
        assert_int_equal(posenc_output_open(NULL, "/dev/full", &output, NULL), POSENC_OK);
        status = posenc_figure_draw(NULL, &figure, (posenc_picture)picture, output, NULL);
        assert_int_equal(status, POSENC_ERROR_IO);
        posenc_output_discard(output);
    }
    free(values);
}

/* Each of our own allocations fails, alone and with all later ones; cairo's are its own. */
static void memory_may_fail(void **state) {
    (void)state;
    float values[6] = {0, 1, 2, 3, NAN, 5};
    const double x[] = {0, 1}, y[] = {0, 1};
    const posenc_series series[] = {{"a", x, y, 2, POSENC_STROKE_LINE}, {"b", x, y, 2, POSENC_STROKE_POINTS}};
    posenc_image cells = {values, 2, 3, 0, 5, POSENC_COLOURS_SEQUENTIAL, NULL, NULL};
    posenc_figure figure = plain();
    figure.image = &cells;
    figure.series = series;
    figure.n_series = 2;
    allocator memory;
    posenc_context *context = allocator_context(&memory);
    folder f = folder_make();
    for (int picture = POSENC_PICTURE_PNG; picture <= POSENC_PICTURE_PDF; picture++)
        for (int mode = 0; mode < 2; mode++)
            for (long k = 0;; k++) {
                posenc_output *output;
                posenc_error error = error_blank();
                assert_int_equal(posenc_output_open(NULL, folder_path(&f, "a"), &output, NULL), POSENC_OK);
                long live = atomic_load(&memory.live);
                allocator_fail(&memory, k, mode == 1);
                posenc_status status = posenc_figure_draw(context, &figure, (posenc_picture)picture, output, &error);
                bool refused = allocator_refused(&memory);
                allocator_fail(&memory, -1, false);
                posenc_output_discard(output);
                check(atomic_load(&memory.live) == live, "form %d, allocation %ld: blocks leak", picture, k);
                if (!refused) {
                    check(status == POSENC_OK && k >= 2, "form %d: %s after %ld allocations", picture, error.message,
                          k);
                    break;
                }
                check(status == POSENC_ERROR_MEMORY && error.status == status, "form %d, allocation %ld: %s", picture,
                      k, error.message);
            }
    check(folder_count(&f) == 0, "a file is left");
    folder_end(&f);
    allocator_context_end(&memory, context);
}

/* ---- The numbers in an SVG ---- */

/* Passes a text through the filter in two parts. */
static bytes renumber(const char *text, size_t cut) {
    folder f = folder_make();
    const char *path = folder_path(&f, "a");
    posenc_svg_numbers numbers = {0};
    posenc_output *output;
    size_t n = strlen(text);
    assert_int_equal(posenc_output_open(NULL, path, &output, NULL), POSENC_OK);
    const unsigned char *from = (const unsigned char *)text;
    assert_int_equal(posenc_svg_write(&numbers, output, from, cut, NULL), POSENC_OK);
    assert_int_equal(posenc_svg_write(&numbers, output, from + cut, n - cut, NULL), POSENC_OK);
    assert_int_equal(posenc_output_commit(output, NULL), POSENC_OK);
    bytes b = read_file(path);
    folder_end(&f);
    return b;
}

static void svg_numbers_begin_at_one(void **state) {
    (void)state;
    static const char text[] =
        "<image id=\"image1234\" width=\"17\" href=\"data:image/png;base64,image5surface6\"/>"
        "<g id=\"surface9\"><use href=\"#image1234\"/><use href=\"#glyph0-12\" x=\"3\"/>"
        "<g clip-path=\"url(#clip77)\"/></g><g id=\"source-1235\"/><a b=\"#surface9\"/>";
    static const char want[] =
        "<image id=\"image1\" width=\"17\" href=\"data:image/png;base64,image5surface6\"/>"
        "<g id=\"surface2\"><use href=\"#image1\"/><use href=\"#glyph0-12\" x=\"3\"/>"
        "<g clip-path=\"url(#clip77)\"/></g><g id=\"source-3\"/><a b=\"#surface2\"/>";
    for (size_t cut = 0; cut < sizeof text; cut++) {
        bytes b = renumber(text, cut);
        check(strcmp(b.data, want) == 0, "cut at %zu: %s", cut, b.data);
        free(b.data);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cells_fill_the_frame),
        cmocka_unit_test(a_diagonal_goes_from_corner_to_corner),
        cmocka_unit_test(strokes_are_what_they_say),
        cmocka_unit_test(pictures_are_not_empty),
        cmocka_unit_test(edge_cases_draw),
        cmocka_unit_test(odd_series_draw),
        cmocka_unit_test(hostile_texts_are_harmless),
        cmocka_unit_test(surroundings_do_not_matter),
        cmocka_unit_test(files_are_bounded),
        cmocka_unit_test(outputs_may_fail),
        cmocka_unit_test(memory_may_fail),
        cmocka_unit_test(svg_numbers_begin_at_one),
    };
    return TEST_RUN(tests);
}
#endif
