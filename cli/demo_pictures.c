/* Part 4: four pictures in a folder. Three look at a table as `posenc plot` would; one shows how errors grow with the
 * position, by the way the angles are made. */
#include "demo_pictures.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli.h"
#include "demo.h"
#include "demo_error.h"
#include "interrupt.h"

enum { PATH_BYTES = 4096 };

typedef struct picture {
    const char *name, *see; /* the file, and what to see in it */
    posenc_status (*draw)(const struct picture *picture, posenc_output *output, posenc_error *error);
    posenc_plot_kind kind; /* of a table: */
    int64_t length, dim;
    const char *title;
} picture;

static posenc_status no_memory(posenc_error *error) {
    *error = (posenc_error){POSENC_ERROR_MEMORY, -1, "picture", "picture: expected memory, got none"};
    return POSENC_ERROR_MEMORY;
}

static posenc_status plot(const picture *p, const DLTensor *table, posenc_output *output, posenc_error *error) {
    posenc_plot_options options;
    posenc_plot_default(&options, sizeof options);
    options.title = p->title;
    return posenc_plot(NULL, table, p->kind, &options, POSENC_PICTURE_PNG, output, error);
}

static posenc_status draw_table(const picture *p, posenc_output *output, posenc_error *error) {
    const int64_t shape[] = {p->length, p->dim};
    float *values = malloc(sizeof *values * (size_t)(p->length * p->dim));
    if (!values) return no_memory(error);
    posenc_view view;
    DLTensor *table = posenc_view_make(&view, values, POSENC_F32, 2, shape, NULL);
    posenc_plan *plan = NULL;
    posenc_status status = posenc_sinusoidal_create(NULL, p->dim, &plan, error);
    if (status == POSENC_OK) status = posenc_plan_write(plan, NULL, table, error);
    if (status == POSENC_OK) status = plot(p, table, output, error);
    posenc_plan_destroy(plan);
    free(values);
    return status;
}

static posenc_status draw_errors(const picture *p, posenc_output *output, posenc_error *error) {
    static const char *const names[] = {"bfloat16 positions", "float32 angles", "float32 angles, by exp",
                                        "exact, rounded once to f32"};
    posenc_demo_errors errors;
    posenc_series series[POSENC_DEMO_WAYS];
    posenc_figure figure;
    if (!posenc_demo_errors_measure(&errors)) return no_memory(error);
    for (int way = 0; way < POSENC_DEMO_WAYS; way++)
        series[way] = (posenc_series){names[way], errors.position, errors.largest[way], errors.n, POSENC_STROKE_LINE};
    series[POSENC_DEMO_FLOAT32_EXP].stroke = POSENC_STROKE_DASHED; /* it lies upon the other one */
    posenc_figure_default(&figure, sizeof figure);
    figure.title = p->title;
    figure.note = "Base 10 000. Each point is the worst of 128 channels and of up to 1000 positions that end there.";
    figure.x = (posenc_axis){"position (tokens)", 1, 1e7, 1};
    figure.y = (posenc_axis){"largest error", 1e-8, 10, 1};
    figure.series = series;
    figure.n_series = POSENC_DEMO_WAYS;
    return posenc_figure_draw(NULL, &figure, POSENC_PICTURE_PNG, output, error);
}

static const picture pictures[] = {
    {"heatmap.png", "every value: quick channels left, slow ones right", draw_table, POSENC_PLOT_HEATMAP, 128, 64,
     "Sinusoidal, 128 × 64"},
    {"similarity.png", "two positions are as alike as they are near", draw_table, POSENC_PLOT_SIMILARITY, 5000, 512,
     "Sinusoidal, 5000 × 512"},
    {"curves.png", "each channel is a wave, 6 positions long or 60 000", draw_table, POSENC_PLOT_CURVES, 5000, 512,
     "Sinusoidal, 5000 × 512"},
    {"error.png", "float32 angles lose a bit each time the position doubles", draw_errors, POSENC_PLOT_HEATMAP, 0, 0,
     "How wrong a sinusoidal row becomes far out"},
};

static posenc_status draw_file(const picture *p, const char *path, posenc_error *error) {
    posenc_output *output;
    posenc_status status = posenc_output_open(NULL, path, &output, error);
    if (status != POSENC_OK) return status;
    status = p->draw(p, output, error);
    if (status == POSENC_OK) return posenc_output_commit(output, error);
    posenc_output_discard(output);
    return status;
}

/* An interrupt waits until the picture is whole: that takes less than a second. */
static posenc_status draw(const picture *p, const char *folder, posenc_error *error) {
    char path[PATH_BYTES];
    snprintf(path, sizeof path, "%s/%s", folder, p->name);
    posenc_cli_interrupt_catch();
    posenc_status status = draw_file(p, path, error);
    posenc_cli_interrupt_obey();
    return status;
}

/* Says what was written as it goes, so that a failure stands behind what came before it. */
static posenc_status draw_all(const char *folder, posenc_error *error) {
    for (size_t i = 0; i < sizeof pictures / sizeof *pictures; i++) {
        posenc_status status = draw(&pictures[i], folder, error);
        if (status != POSENC_OK) return status;
        fputs("  ", stdout);
        posenc_cli_escape(stdout, folder);
        printf("/%-14s  %s\n", pictures[i].name, pictures[i].see);
    }
    return POSENC_OK;
}

/* Makes the folder unless it is there. Returns an errno, 0 if all is well. */
static int make_folder(const char *folder, bool *made) {
    struct stat info;
    *made = false;
    if (strlen(folder) > PATH_BYTES - 64) return ENAMETOOLONG;
    *made = mkdir(folder, 0777) == 0;
    if (*made) return 0;
    if (errno != EEXIST || stat(folder, &info) != 0) return errno;
    return S_ISDIR(info.st_mode) ? 0 : ENOTDIR;
}

static int refuse_folder(const char *folder, int code) {
    return posenc_cli_fail("pictures: %s: expected a folder to write to, got \"%s\"", folder, strerror(code));
}

int posenc_demo_pictures_check(const char *folder) {
    bool made;
    int code = make_folder(folder, &made);
    if (made) rmdir(folder);
    return code == 0 ? POSENC_CLI_FINE : refuse_folder(folder, code);
}

/* A tour that nobody asked to write goes on without. */
static int go_without(const char *why) {
    fputs("  No pictures: ", stdout);
    posenc_cli_escape(stdout, why);
    puts(".");
    return POSENC_CLI_FINE;
}

int posenc_demo_pictures(const char *folder, bool required) {
    char why[PATH_BYTES + 64];
    posenc_error error;
    bool made;
    posenc_demo_heading("4. Pictures");
    int code = make_folder(folder, &made);
    if (code != 0 && required) return refuse_folder(folder, code);
    if (code != 0) {
        snprintf(why, sizeof why, "%s cannot be written to (%s)", folder, strerror(code));
        return go_without(why);
    }
    posenc_status status = draw_all(folder, &error);
    if (status == POSENC_OK) return POSENC_CLI_FINE;
    if (made) rmdir(folder); /* goes only if it is empty */
    return required || status == POSENC_ERROR_MEMORY ? posenc_cli_refuse(&error) : go_without(error.message);
}
