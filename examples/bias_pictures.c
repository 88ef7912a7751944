/* Pictures of score biases, queries down and keys across, drawn with a figure of one's own: those of docs/biases.md.
 *     example_bias_pictures [FOLDER]
 * writes bias_alibi.png, bias_t5.png, bias_deberta.png and bias_swin.png into the folder (else the current one). */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include <posenc/posenc.h>

typedef struct {
    const char *scheme, *name, *title, *label;
    posenc_parameter parameters[3];
    size_t n_parameters;
    int tokens; /* queries, and as many keys */
    int index;  /* rows of the trained table instead of a bias */
    posenc_colours colours;
    double low, high; /* of the colour bar */
} subject;

/* Row 0 of an image is at the bottom; query 0 belongs at the top. */
static void fill(const float *in, int n, float *image) {
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            float value = in[i * n + j];
            image[(n - 1 - i) * n + j] = isinf(value) ? NAN : value; /* masked: missing */
        }
}

static posenc_status compute(const subject *s, float *values, posenc_error *error) {
    posenc_plan *plan = NULL;
    posenc_view view;
    posenc_bias_extent extent;
    posenc_bias_options options;
    posenc_bias_extent_default(&extent, sizeof extent);
    posenc_bias_options_default(&options, sizeof options);
    const int64_t n = s->tokens, shape[] = {1, n, n};
    extent.queries = extent.keys = n;
    options.causal = 1;
    for (int64_t i = 0; i < n * n; i++) values[i] = 0;
    posenc_status status = posenc_plan_create(NULL, s->scheme, s->parameters, s->n_parameters, &plan, error);
    if (status == POSENC_OK && !s->index) /* added to scores of zero, with a causal mask */
        status = posenc_bias_add(plan, &extent, &options, NULL,
                                 posenc_view_make(&view, values, POSENC_F32, 3, shape, NULL), error);
    int32_t *rows = malloc((size_t)(n * n) * sizeof *rows);
    if (status == POSENC_OK && s->index && rows) {
        status = posenc_bias_index(plan, &extent, posenc_view_make(&view, rows, POSENC_I32, 2, shape + 1, NULL), error);
        for (int64_t i = 0; status == POSENC_OK && i < n * n; i++) values[i] = (float)rows[i];
    }
    free(rows);
    posenc_plan_destroy(plan);
    return status;
}

static posenc_status draw(const subject *s, const float *image, const char *folder, posenc_error *error) {
    char path[512];
    posenc_output *output = NULL;
    posenc_figure figure;
    posenc_image cells = {image, s->tokens, s->tokens, s->low, s->high, s->colours, s->label};
    posenc_figure_default(&figure, sizeof figure);
    figure.title = s->title;
    figure.x = (posenc_axis){"key (tokens)", -0.5, s->tokens - 0.5, 0};
    figure.y = (posenc_axis){"query (tokens)", s->tokens - 0.5, -0.5, 0};
    figure.image = &cells;
    figure.width = 560, figure.height = 440;
    snprintf(path, sizeof path, "%s/bias_%s.png", folder, s->name);
    posenc_status status = posenc_output_open(NULL, path, &output, error);
    if (status == POSENC_OK) status = posenc_figure_draw(NULL, &figure, POSENC_PICTURE_PNG, output, error);
    if (status == POSENC_OK) return posenc_output_commit(output, error);
    posenc_output_discard(output);
    return status;
}

static const subject subjects[] = {
    {"alibi",
     "alibi",
     "alibi: slope 1/4, with a causal mask",
     "bias",
     {{"heads", "1"}, {"slopes", "0.25"}},
     2,
     48,
     0,
     POSENC_COLOURS_SEQUENTIAL,
     -12,
     0},
    {"t5",
     "t5",
     "t5: 32 buckets, both ways",
     "row of the table",
     {{"heads", "1"}},
     1,
     160,
     1,
     POSENC_COLOURS_SEQUENTIAL,
     0,
     31},
    {"deberta",
     "deberta",
     "deberta: 256 buckets, distances to 512",
     "bucket",
     {{"buckets", "256"}},
     1,
     600,
     1,
     POSENC_COLOURS_DIVERGING,
     -270,
     270},
    {"swin",
     "swin",
     "swin: window 7 x 7",
     "row of the table",
     {{"heads", "1"}},
     1,
     49,
     1,
     POSENC_COLOURS_SEQUENTIAL,
     0,
     168},
};

int main(int argc, char **argv) {
    enum { MOST = 600 };
    float *values = malloc(MOST * MOST * sizeof *values), *image = malloc(MOST * MOST * sizeof *image);
    posenc_status status = values && image ? POSENC_OK : POSENC_ERROR_MEMORY;
    posenc_error error = {.message = "out of memory"};
    for (size_t i = 0; i < sizeof subjects / sizeof *subjects && status == POSENC_OK; i++) {
        status = compute(&subjects[i], values, &error);
        if (status != POSENC_OK) break;
        fill(values, subjects[i].tokens, image);
        status = draw(&subjects[i], image, argc > 1 ? argv[1] : ".", &error);
    }
    free(values);
    free(image);
    if (status == POSENC_OK) return EXIT_SUCCESS;
    puts(error.message);
    return status == POSENC_ERROR_UNSUPPORTED ? EXIT_SUCCESS : EXIT_FAILURE; /* a build that draws nothing */
}
