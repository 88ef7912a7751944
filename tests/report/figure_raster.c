/* Cells to pixels, against slow loops. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "report/colours.h"
#include "report/raster.h"
#include "support/allocator.h"
#include "support/tensors.h"
#include "support/test.h"

typedef struct raster {
    int width, height;
    uint32_t *pixels;
} raster;

static raster fill(const posenc_image *image, double low, double high, int width, int height, int least) {
    size_t stride = (size_t)width + 3;
    raster r = {width, height, must_allocate((size_t)height * stride * sizeof(uint32_t))};
    uint32_t *rows = must_allocate((size_t)height * stride * sizeof(uint32_t));
    check(posenc_raster_fill(NULL, image, low, high, rows, width, height, stride, least) == POSENC_OK, "no memory");
    for (int y = 0; y < height; y++) {
        memcpy(r.pixels + (size_t)y * (size_t)width, rows + (size_t)y * stride, (size_t)width * sizeof(uint32_t));
        for (size_t x = (size_t)width; x < stride; x++)
            check(rows[(size_t)y * stride + x] == 0x5A5A5A5A, "row %d was written past its end", y);
    }
    free(rows);
    return r;
}

static uint32_t pixel(const raster *r, int x, int y) { return r->pixels[(size_t)y * (size_t)r->width + (size_t)x]; }

/* The colour of the cell under the middle of a pixel, for images of fewer cells. */
static uint32_t nearest(const posenc_image *image, const uint32_t *map, int x, int y, int width, int height) {
    int64_t column = (int64_t)floor((x + 0.5) * (double)image->columns / width);
    int64_t row = (int64_t)floor((height - 1 - y + 0.5) * (double)image->rows / height);
    return posenc_colours_at(map, image->low, image->high, (double)image->values[row * image->columns + column]);
}

static void larger_cells_have_exact_edges(void **state) {
    (void)state;
    static const int sizes[][4] = {{2, 2, 10, 8}, {1, 1, 3, 5}, {3, 7, 7, 100}, {5, 5, 5, 5}, {7, 3, 640, 11}};
    random_state random = random_start("larger cells");
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
        float values[64];
        uint32_t map[POSENC_COLOUR_STEPS];
        random_fill_f32(&random, values, 64);
        values[0] = NAN;
        posenc_image image = {values, sizes[s][0], sizes[s][1], -4, 4, POSENC_COLOURS_DIVERGING, NULL, NULL};
        posenc_colours_map(image.colours, map);
        raster r = fill(&image, -4, 4, sizes[s][2], sizes[s][3], 1);
        for (int y = 0; y < r.height; y++)
            for (int x = 0; x < r.width; x++)
                check(pixel(&r, x, y) == nearest(&image, map, x, y, r.width, r.height), "size %zu: pixel %d, %d", s, x,
                      y);
        free(r.pixels);
    }
}

/* Row 0 is at the bottom, column 0 on the left. */
static void the_first_cell_is_below_on_the_left(void **state) {
    (void)state;
    const float values[] = {0, 1, 2, 3};
    uint32_t map[POSENC_COLOUR_STEPS];
    posenc_image image = {values, 2, 2, 0, 3, POSENC_COLOURS_SEQUENTIAL, NULL, NULL};
    posenc_colours_map(image.colours, map);
    raster r = fill(&image, 0, 3, 4, 4, 1);
    assert_int_equal(pixel(&r, 0, 3), map[0]);
    assert_int_equal(pixel(&r, 3, 3), posenc_colours_at(map, 0, 3, 1));
    assert_int_equal(pixel(&r, 0, 0), posenc_colours_at(map, 0, 3, 2));
    assert_int_equal(pixel(&r, 3, 0), map[POSENC_COLOUR_STEPS - 1]);
    free(r.pixels);
}

/* Each value is in one pixel, and a pixel shows the mean of its values; one way may have more cells than pixels and the
 * other fewer. */
static void smaller_cells_are_averaged(void **state) {
    (void)state;
    static const int sizes[][4] = {{50, 40, 7, 9}, {50, 3, 7, 9}, {3, 50, 7, 9}, {8, 8, 7, 7}, {700, 1, 1, 1}};
    random_state random = random_start("smaller cells");
    float *values = must_allocate(2000 * sizeof *values);
    random_fill_f32(&random, values, 2000);
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
        int64_t rows = sizes[s][0], columns = sizes[s][1];
        int width = sizes[s][2], height = sizes[s][3];
        uint32_t map[POSENC_COLOUR_STEPS];
        posenc_image image = {values, rows, columns, -4, 4, POSENC_COLOURS_SEQUENTIAL, NULL, NULL};
        posenc_colours_map(image.colours, map);
        raster r = fill(&image, -4, 4, width, height, 1);
        for (int y = 0; y < height; y++)
            for (int x = 0; x < width; x++) {
                double sum = 0;
                int64_t n = 0;
                for (int64_t i = 0; i < rows; i++)
                    for (int64_t j = 0; j < columns; j++) {
                        int up = height - 1 - y;
                        bool in_row = rows > height ? i >= up * rows / height && i < (up + 1) * rows / height
                                                    : i == (2 * up + 1) * rows / (2 * height);
                        bool in_column = columns > width ? j >= x * columns / width && j < (x + 1) * columns / width
                                                         : j == (2 * x + 1) * columns / (2 * width);
                        if (!in_row || !in_column) continue;
                        sum += (double)values[i * columns + j];
                        n++;
                    }
                check(n > 0, "size %zu: pixel %d, %d is empty", s, x, y);
                check(pixel(&r, x, y) == posenc_colours_at(map, -4, 4, sum / (double)n), "size %zu: pixel %d, %d", s, x,
                      y);
            }
        free(r.pixels);
    }
    free(values);
}

/* The pixel that a cell begins in. */
static int pixel_of(int64_t cell, int64_t cells, int64_t pixels) {
    int64_t p = 0;
    while ((p + 1) * cells / pixels <= cell) p++;
    return (int)p;
}

/* Wherever one of 5000 x 512 values is missing, a patch of the least size shows it, in its place. */
static void one_missing_value_is_seen(void **state) {
    (void)state;
    enum { ROWS = 5000, COLUMNS = 512, WIDTH = 300, HEIGHT = 200, LEAST = 5 };
    random_state random = random_start("one missing value");
    float *values = must_allocate(ROWS * COLUMNS * sizeof *values);
    memset(values, 0, ROWS * COLUMNS * sizeof *values);
    posenc_image image = {values, ROWS, COLUMNS, -1, 1, POSENC_COLOURS_DIVERGING, NULL, NULL};
    check(!posenc_raster_has_missing(&image), "nothing is missing");
    for (int i = 0; i < 12; i++) {
        int64_t row = i == 0 ? 0 : i == 1 ? ROWS - 1 : random_between(&random, 0, ROWS - 1);
        int64_t column = i == 0 ? 0 : i == 1 ? COLUMNS - 1 : random_between(&random, 0, COLUMNS - 1);
        int n = 0, middle_x = pixel_of(column, COLUMNS, WIDTH), middle_y = HEIGHT - 1 - pixel_of(row, ROWS, HEIGHT);
        values[row * COLUMNS + column] = NAN;
        check(posenc_raster_has_missing(&image), "one is missing");
        raster r = fill(&image, -1, 1, WIDTH, HEIGHT, LEAST);
        for (int y = 0; y < HEIGHT; y++)
            for (int x = 0; x < WIDTH; x++) {
                if (pixel(&r, x, y) != POSENC_COLOUR_MISSING) continue;
                n++;
                check(abs(x - middle_x) <= LEAST / 2 && abs(y - middle_y) <= LEAST / 2,
                      "row %d, column %d is marked at %d, %d", (int)row, (int)column, x, y);
            }
        check(i < 2 ? n >= (LEAST / 2 + 1) * (LEAST / 2 + 1) : n >= 9 && n <= LEAST * LEAST, "%d pixels", n);
        values[row * COLUMNS + column] = 0;
        free(r.pixels);
    }
    free(values);
}

/* Missing values keep their size where they are large, and others between them stay. */
static void only_small_missing_cells_are_widened(void **state) {
    (void)state;
    const float values[] = {NAN, 0, NAN, 0};
    posenc_image image = {values, 1, 4, -1, 1, POSENC_COLOURS_DIVERGING, NULL, NULL};
    raster r = fill(&image, -1, 1, 40, 10, 5);
    for (int x = 0; x < 40; x++) check((pixel(&r, x, 3) == POSENC_COLOUR_MISSING) == (x / 10 % 2 == 0), "pixel %d", x);
    free(r.pixels);
}

/* Infinities take the ends of the scale. */
static void infinite_values_take_the_ends(void **state) {
    (void)state;
    const float values[] = {-INFINITY, INFINITY, 1e38F, -1e38F};
    uint32_t map[POSENC_COLOUR_STEPS];
    posenc_image image = {values, 1, 4, -1, 1, POSENC_COLOURS_DIVERGING, NULL, NULL};
    posenc_colours_map(image.colours, map);
    raster r = fill(&image, -1, 1, 4, 1, 1);
    assert_int_equal(pixel(&r, 0, 0), map[0]);
    assert_int_equal(pixel(&r, 1, 0), map[255]);
    assert_int_equal(pixel(&r, 2, 0), map[255]);
    assert_int_equal(pixel(&r, 3, 0), map[0]);
    free(r.pixels);
}

static void memory_may_be_refused(void **state) {
    (void)state;
    const float value = 1;
    uint32_t pixels[4];
    posenc_image image = {&value, 1, 1, 0, 2, POSENC_COLOURS_DIVERGING, NULL, NULL};
    allocator memory;
    posenc_context *context = allocator_context(&memory);
    allocator_fail(&memory, 0, true);
    assert_int_equal(posenc_raster_fill(context, &image, 0, 2, pixels, 2, 2, 2, 1), POSENC_ERROR_MEMORY);
    allocator_fail(&memory, -1, false);
    allocator_context_end(&memory, context);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(larger_cells_have_exact_edges),
        cmocka_unit_test(the_first_cell_is_below_on_the_left),
        cmocka_unit_test(smaller_cells_are_averaged),
        cmocka_unit_test(one_missing_value_is_seen),
        cmocka_unit_test(only_small_missing_cells_are_widened),
        cmocka_unit_test(infinite_values_take_the_ends),
        cmocka_unit_test(memory_may_be_refused),
    };
    return TEST_RUN(tests);
}
