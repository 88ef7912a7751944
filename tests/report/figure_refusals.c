/* The door of figures: defaults, forms by name, and every refusal, with or without cairo in the build. */
#include <math.h>
#include <string.h>

#include <posenc/posenc.h>

#include "formats/folder.h"
#include "support/refusal.h"
#include "support/test.h"

static void defaults_are_as_said(void **state) {
    (void)state;
    posenc_figure figure;
    memset(&figure, 0x5A, sizeof figure);
    posenc_figure_default(&figure, sizeof figure);
    assert_true(figure.size == sizeof figure && figure.width == 800 && figure.height == 600);
    assert_true(!figure.title && !figure.note && !figure.image && !figure.series && figure.n_series == 0);
    assert_true(figure.x.first < figure.x.last && figure.y.first < figure.y.last && !figure.x.logarithmic);
    memset(&figure, 0x5A, sizeof figure);
    posenc_figure_default(&figure, offsetof(posenc_figure, width));
    assert_int_equal(figure.width, 0x5A5A5A5A); /* a caller that knows less has less room */
}

static void forms_are_known_by_their_endings(void **state) {
    (void)state;
    static const struct {
        const char *path;
        posenc_status status;
        posenc_picture picture;
    } cases[] = {{"a.png", POSENC_OK, POSENC_PICTURE_PNG},
                 {"folder.svg/a.b.pdf", POSENC_OK, POSENC_PICTURE_PDF},
                 {"/tmp/x.svg", POSENC_OK, POSENC_PICTURE_SVG},
                 {"UPPER.PNG", POSENC_OK, POSENC_PICTURE_PNG},
                 {"a.jpg", POSENC_ERROR_UNKNOWN, 0},
                 {"png", POSENC_ERROR_UNKNOWN, 0},
                 {"a.png ", POSENC_ERROR_UNKNOWN, 0},
                 {"a.svg/", POSENC_ERROR_UNKNOWN, 0},
                 {"", POSENC_ERROR_UNKNOWN, 0},
                 {"-", POSENC_ERROR_UNKNOWN, 0}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        posenc_picture picture = (posenc_picture)77;
        posenc_status status = posenc_picture_of(cases[i].path, &picture);
        check(status == cases[i].status, "%s: %s", cases[i].path, posenc_status_name(status));
        check(picture == (status == POSENC_OK ? cases[i].picture : (posenc_picture)77), "%s: %d", cases[i].path,
              (int)picture);
    }
    posenc_picture picture;
    assert_int_equal(posenc_picture_of(NULL, &picture), POSENC_ERROR_ARGUMENT);
    assert_int_equal(posenc_picture_of("a.png", NULL), POSENC_ERROR_ARGUMENT);
}

static posenc_output *output;

static void refuse(const char *what, const posenc_figure *figure, const char *argument) {
    posenc_error error = error_blank();
    posenc_status status = posenc_figure_draw(NULL, figure, POSENC_PICTURE_PNG, output, &error);
    must_refuse(what, status, POSENC_ERROR_ARGUMENT, &error, argument);
    assert_int_equal(posenc_figure_draw(NULL, figure, POSENC_PICTURE_PNG, output, NULL), POSENC_ERROR_ARGUMENT);
}

static const float value;
static const double number;

static posenc_figure figure_of(const posenc_image *image) {
    posenc_figure figure;
    posenc_figure_default(&figure, sizeof figure);
    figure.image = image;
    return figure;
}

static void sizes_are_checked(void) {
    posenc_figure figure = figure_of(NULL);
    figure.size = sizeof figure + 1;
    refuse("size", &figure, "figure.size");
    static const int bad[] = {-1, 0, 159, 16385, 2147483647};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        figure = figure_of(NULL);
        figure.width = bad[i];
        refuse("width", &figure, "width");
        figure = figure_of(NULL);
        figure.height = bad[i];
        refuse("height", &figure, "height");
    }
    figure.width = 16384;
    figure.height = 4097;
    refuse("pixels", &figure, "height");
}

/* which: 0 for x, 1 for y. */
static void check_axis(int which) {
    static const double bad[] = {(double)NAN, (double)INFINITY, -(double)INFINITY, 1.1e300, -1e308};
    static const double bad_logarithmic[] = {0, -1, 1e-300};
    const char *first = which ? "y.first" : "x.first", *last = which ? "y.last" : "x.last";
    posenc_figure figure = figure_of(NULL);
    posenc_axis *axis = which ? &figure.y : &figure.x;
    const posenc_axis good = {.first = 1, .last = 2};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        *axis = good;
        axis->first = bad[i];
        refuse("first", &figure, first);
        *axis = good;
        axis->last = bad[i];
        refuse("last", &figure, last);
    }
    for (size_t i = 0; i < sizeof bad_logarithmic / sizeof *bad_logarithmic; i++) {
        *axis = (posenc_axis){.first = bad_logarithmic[i], .last = 2, .logarithmic = 1};
        refuse("first", &figure, first);
        *axis = (posenc_axis){.first = 2, .last = bad_logarithmic[i], .logarithmic = 1};
        refuse("last", &figure, last);
    }
    *axis = (posenc_axis){.first = 1, .last = 1};
    refuse("empty", &figure, last);
    *axis = (posenc_axis){.first = 0, .last = 1e-300};
    refuse("empty", &figure, last);
}

static void images_are_checked(void) {
    static const posenc_image good = {.values = &value, .rows = 1, .columns = 1, .low = 0, .high = 1};
    posenc_image image = good;
    posenc_figure figure = figure_of(&image);
    image.values = NULL;
    refuse("no values", &figure, "image.values");
    static const int64_t shapes[][2] = {{0, 1}, {1, 0}, {-1, -1}, {INT64_C(1) << 40, INT64_C(1) << 40}, {INT64_MAX, 1}};
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
        image = good;
        image.rows = shapes[i][0];
        image.columns = shapes[i][1];
        refuse("shape", &figure, "image");
    }
    image = good;
    image.low = (double)NAN;
    refuse("low", &figure, "image.low");
    image.low = -(double)INFINITY;
    refuse("low", &figure, "image.low");
    image = good;
    image.high = (double)NAN;
    refuse("high", &figure, "image.high");
    image.high = -1;
    refuse("a scale upside down", &figure, "image.high");
    image = good;
    image.colours = (posenc_colours)2;
    refuse("colours", &figure, "image.colours");
}

static void series_are_checked(void) {
    posenc_series series = {.x = &number, .y = &number, .n = 1};
    posenc_figure figure = figure_of(NULL);
    figure.n_series = 1;
    refuse("no series", &figure, "series");
    figure.series = &series;
    series.x = NULL;
    refuse("no x", &figure, "series");
    series.x = &number;
    series.y = NULL;
    refuse("no y", &figure, "series");
    series.y = &number;
    series.stroke = (posenc_stroke)3;
    refuse("stroke", &figure, "series");
}

static void what_cannot_be_drawn_is_refused(void **state) {
    (void)state;
    folder f = folder_make();
    assert_int_equal(posenc_output_open(NULL, folder_path(&f, "a.png"), &output, NULL), POSENC_OK);
    posenc_figure figure = figure_of(NULL);
    posenc_error error = error_blank();
    posenc_status status = posenc_figure_draw(NULL, &figure, POSENC_PICTURE_PNG, NULL, &error);
    must_refuse("output", status, POSENC_ERROR_ARGUMENT, &error, "output");
    status = posenc_figure_draw(NULL, &figure, (posenc_picture)3, output, &error);
    must_refuse("picture", status, POSENC_ERROR_ARGUMENT, &error, "picture");
    refuse("figure", NULL, "figure");
    sizes_are_checked();
    check_axis(0);
    check_axis(1);
    images_are_checked();
    series_are_checked();
    posenc_output_discard(output);
    check(folder_count(&f) == 0, "a file is left");
    folder_end(&f);
}

#ifndef POSENC_HAVE_CAIRO
static void a_build_without_cairo_says_so(void **state) {
    (void)state;
    folder f = folder_make();
    posenc_figure figure = figure_of(NULL);
    posenc_error error = error_blank();
    assert_int_equal(posenc_output_open(NULL, folder_path(&f, "a.png"), &output, NULL), POSENC_OK);
    posenc_status status = posenc_figure_draw(NULL, &figure, POSENC_PICTURE_PNG, output, &error);
    must_refuse("without cairo", status, POSENC_ERROR_UNSUPPORTED, &error, "figure");
    check(strstr(error.message, "cairo"), "%s", error.message);
    posenc_output_discard(output);
    folder_end(&f);
}
#endif

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(defaults_are_as_said),
        cmocka_unit_test(forms_are_known_by_their_endings),
        cmocka_unit_test(what_cannot_be_drawn_is_refused),
#ifndef POSENC_HAVE_CAIRO
        cmocka_unit_test(a_build_without_cairo_says_so),
#endif
    };
    return TEST_RUN(tests);
}
