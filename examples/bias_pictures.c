/* Pictures of relative schemes, queries down and keys across, drawn with a figure of one's own: those of docs/biases.md
 * and docs/relative.md.
 *     example_bias_pictures [FOLDER]
 * writes bias_alibi.png, bias_t5.png, bias_deberta.png, bias_swin.png, relative_shaw.png and relative_xl.png into the
 * folder (else the current one). */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include <posenc/posenc.h>

typedef struct subject subject;

/* Writes (tokens, tokens) values of a subject. */
typedef posenc_status computation(const subject *s, float *values, posenc_error *error);

struct subject {
    computation *compute;
    const char *name, *title, *label;
    int tokens; /* queries, and as many keys */
    posenc_colours colours;
    double low, high; /* of the colour bar */
    const char *scheme;
    posenc_parameter parameters[3];
    size_t n_parameters;
};

/* Row 0 of an image is at the bottom; query 0 belongs at the top. */
static void fill(const float *in, int n, float *image) {
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            float value = in[i * n + j];
            image[(n - 1 - i) * n + j] = isinf(value) ? NAN : value; /* masked: missing */
        }
}

/* Added to scores of zero, with a causal mask. */
static posenc_status bias_of(const subject *s, float *values, posenc_error *error) {
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
    DLTensor *scores = posenc_view_make(&view, values, POSENC_F32, 3, shape, NULL);
    posenc_status status = posenc_plan_create(NULL, s->scheme, s->parameters, s->n_parameters, &plan, error);
    if (status == POSENC_OK) status = posenc_bias_add(plan, &extent, &options, NULL, scores, error);
    posenc_plan_destroy(plan);
    return status;
}

/* The rows of the trained table that they read, or the buckets. */
static posenc_status index_of(const subject *s, float *values, posenc_error *error) {
    posenc_plan *plan = NULL;
    posenc_view view;
    posenc_bias_extent extent;
    posenc_bias_extent_default(&extent, sizeof extent);
    const int64_t n = s->tokens, shape[] = {n, n};
    extent.queries = extent.keys = n;
    int32_t *rows = malloc((size_t)(n * n) * sizeof *rows);
    if (!rows) return POSENC_ERROR_MEMORY;
    DLTensor *index = posenc_view_make(&view, rows, POSENC_I32, 2, shape, NULL);
    posenc_status status = posenc_plan_create(NULL, s->scheme, s->parameters, s->n_parameters, &plan, error);
    if (status == POSENC_OK) status = posenc_bias_index(plan, &extent, index, error);
    for (int64_t i = 0; status == POSENC_OK && i < n * n; i++) values[i] = (float)rows[i];
    free(rows);
    posenc_plan_destroy(plan);
    return status;
}

/* A table of one channel that holds the number of each row. */
static posenc_status shaw_rows(const subject *s, float *values, posenc_error *error) {
    enum { CLIP = 8 };
    float numbers[2 * CLIP + 1];
    posenc_view table, out;
    posenc_shaw_options options;
    posenc_shaw_default(&options, sizeof options);
    options.clip = CLIP;
    for (int r = 0; r <= 2 * CLIP; r++) numbers[r] = (float)r;
    const int64_t rows[] = {2 * CLIP + 1, 1}, shape[] = {s->tokens, s->tokens, 1};
    return posenc_shaw_write(NULL, &options, posenc_view_make(&table, numbers, POSENC_F32, 2, rows, NULL),
                             posenc_view_make(&out, values, POSENC_F32, 3, shape, NULL), error);
}

/* v . r_{i-j} alone: no queries, no keys, W the identity, and a v that gives each cosine its share. */
static posenc_status xl_positions(const subject *s, float *values, posenc_error *error) {
    enum { D = 64 };
    static float none[160 * D], v[D], identity[D * D];
    posenc_view views[6];
    posenc_xl_options options;
    posenc_xl_default(&options, sizeof options);
    options.bidirectional = 1;
    for (int c = 0; c < D; c++) v[c] = c < D / 2 ? 0 : 2.0f / D, identity[c * D + c] = 1;
    const int64_t n = s->tokens, vectors[] = {1, 1, n, D}, scores[] = {1, 1, n, n}, head[] = {1, D}, square[] = {D, D};
    return posenc_xl_scores(NULL, &options, posenc_view_make(&views[0], none, POSENC_F32, 4, vectors, NULL),
                            posenc_view_make(&views[1], none, POSENC_F32, 4, vectors, NULL),
                            posenc_view_make(&views[2], none, POSENC_F32, 2, head, NULL),
                            posenc_view_make(&views[3], v, POSENC_F32, 2, head, NULL),
                            posenc_view_make(&views[4], identity, POSENC_F32, 2, square, NULL),
                            posenc_view_make(&views[5], values, POSENC_F32, 4, scores, NULL), error);
}

static posenc_status draw(const subject *s, const float *image, const char *folder, posenc_error *error) {
    char path[512];
    posenc_output *output = NULL;
    posenc_figure figure;
    posenc_image cells = {image, s->tokens, s->tokens, s->low, s->high, s->colours, s->label, "masked"};
    posenc_figure_default(&figure, sizeof figure);
    figure.title = s->title;
    figure.x = (posenc_axis){"key (tokens)", -0.5, s->tokens - 0.5, 0};
    figure.y = (posenc_axis){"query (tokens)", s->tokens - 0.5, -0.5, 0};
    figure.image = &cells;
    figure.width = 560, figure.height = 440;
    snprintf(path, sizeof path, "%s/%s.png", folder, s->name);
    posenc_status status = posenc_output_open(NULL, path, &output, error);
    if (status == POSENC_OK) status = posenc_figure_draw(NULL, &figure, POSENC_PICTURE_PNG, output, error);
    if (status == POSENC_OK) return posenc_output_commit(output, error);
    posenc_output_discard(output);
    return status;
}

/* clang-format off */
static const subject subjects[] = {
    {bias_of, "bias_alibi", "alibi: slope 1/4, with a causal mask", "bias", 48, POSENC_COLOURS_SEQUENTIAL, -12, 0,
     "alibi", {{"heads", "1"}, {"slopes", "0.25"}}, 2},
    {index_of, "bias_t5", "t5: 32 buckets, both ways", "row of the table", 160, POSENC_COLOURS_SEQUENTIAL, 0, 31,
     "t5", {{"heads", "1"}}, 1},
    {index_of, "bias_deberta", "deberta: 256 buckets, distances to 512", "bucket", 600, POSENC_COLOURS_DIVERGING, -270, 270,
     "deberta", {{"buckets", "256"}}, 1},
    {index_of, "bias_swin", "swin: window 7 x 7", "row of the table", 49, POSENC_COLOURS_SEQUENTIAL, 0, 168,
     "swin", {{"heads", "1"}}, 1},
    {shaw_rows, "relative_shaw", "shaw: K = 8", "row of the table", 48, POSENC_COLOURS_SEQUENTIAL, 0, 16,
     NULL, {{NULL, NULL}}, 0},
    {xl_positions, "relative_xl", "transformer-xl: v . r, the mean of its cosines", "score", 160, POSENC_COLOURS_SEQUENTIAL, 0, 1,
     NULL, {{NULL, NULL}}, 0},
};
/* clang-format on */

int main(int argc, char **argv) {
    enum { MOST = 600 };
    float *values = malloc(MOST * MOST * sizeof *values), *image = malloc(MOST * MOST * sizeof *image);
    posenc_status status = values && image ? POSENC_OK : POSENC_ERROR_MEMORY;
    posenc_error error = {.message = "out of memory"};
    for (size_t i = 0; i < sizeof subjects / sizeof *subjects && status == POSENC_OK; i++) {
        status = subjects[i].compute(&subjects[i], values, &error);
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
