/* Draws what scaling does to rotary frequencies: the wavelength of each pair, positions for a full turn, as the families
 * make it from one base. The picture of docs/rotary.md:
 *
 *     example_wavelengths wavelengths.png
 *
 * A wavelength beyond the training length was never seen to turn once: families differ in what they do to those. Without
 * a file, or in a build without cairo, it prints the first and last wavelengths only. */
#include <stdio.h>
#include <stdlib.h>

#include <posenc/posenc.h>

enum { HEAD_DIM = 128, PAIRS = HEAD_DIM / 2, FAMILIES = 5, ORIGINAL = 4096 };

static const struct {
    const char *name;
    posenc_scaling scaling;
} families[FAMILIES] = {{"default", POSENC_SCALING_DEFAULT},
                        {"linear", POSENC_SCALING_LINEAR},
                        {"ntk", POSENC_SCALING_NTK},
                        {"yarn", POSENC_SCALING_YARN},
                        {"llama3", POSENC_SCALING_LLAMA3}};

static double pairs[PAIRS], wavelengths[FAMILIES][PAIRS];

static posenc_status find(int family, posenc_error *error) {
    double omega[PAIRS];
    posenc_rotary_options options;
    posenc_rotary_info info = {.size = sizeof info};
    posenc_plan *plan = NULL;
    posenc_rotary_default(&options, sizeof options);
    options.head_dim = HEAD_DIM;
    options.scaling = families[family].scaling;
    options.factor = options.scaling == POSENC_SCALING_DEFAULT ? 1 : 8;
    options.original_length = options.scaling < POSENC_SCALING_DYNAMIC ? 0 : ORIGINAL;
    posenc_status status = posenc_rotary_create(NULL, &options, &plan, error);
    if (status == POSENC_OK) status = posenc_rotary_describe(plan, 0, &info, omega, NULL, error);
    for (int i = 0; status == POSENC_OK && i < PAIRS; i++) wavelengths[family][i] = 6.283185307179586 / omega[i];
    posenc_plan_destroy(plan);
    return status;
}

static posenc_status draw(const char *path, posenc_error *error) {
    static const double ends[] = {0, PAIRS - 1}, trained[] = {ORIGINAL, ORIGINAL};
    posenc_series series[FAMILIES + 1];
    posenc_figure figure;
    posenc_output *output = NULL;
    for (int f = 0; f < FAMILIES; f++)
        series[f] = (posenc_series){families[f].name, pairs, wavelengths[f], PAIRS, POSENC_STROKE_LINE};
    series[FAMILIES] = (posenc_series){"length of training", ends, trained, 2, POSENC_STROKE_DASHED};
    posenc_figure_default(&figure, sizeof figure);
    figure.title = "Wavelengths of 64 pairs, base 10000, factor 8";
    figure.x = (posenc_axis){"pair", 0, PAIRS - 1, 0};
    figure.y = (posenc_axis){"wavelength (positions)", 5, 1e6, 1};
    figure.series = series, figure.n_series = FAMILIES + 1;
    figure.width = 720, figure.height = 480;
    posenc_status status = posenc_output_open(NULL, path, &output, error);
    if (status == POSENC_OK) status = posenc_figure_draw(NULL, &figure, POSENC_PICTURE_PNG, output, error);
    if (status == POSENC_OK) return posenc_output_commit(output, error);
    posenc_output_discard(output);
    return status;
}

int main(int argc, char **argv) {
    posenc_error error;
    for (int f = 0; f < FAMILIES; f++) {
        if (find(f, &error)) return fprintf(stderr, "%s\n", error.message), EXIT_FAILURE;
        printf("%-8s %9.4g to %9.4g positions\n", families[f].name, wavelengths[f][0], wavelengths[f][PAIRS - 1]);
    }
    for (int i = 0; i < PAIRS; i++) pairs[i] = i;
    posenc_status status = argc > 1 ? draw(argv[1], &error) : POSENC_OK;
    if (status != POSENC_OK) fprintf(stderr, "%s\n", error.message);
    return status == POSENC_OK || status == POSENC_ERROR_UNSUPPORTED ? EXIT_SUCCESS : EXIT_FAILURE;
}
