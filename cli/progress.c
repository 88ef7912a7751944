/* A clock, and a progress bar that shows itself only to a person who has waited for a second. */
#include <math.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "cli.h"

enum { CELLS = 40 }; /* of the bar */

double posenc_cli_seconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

void posenc_cli_progress_begin(posenc_cli_progress *progress, const char *what, double total) {
    double now = posenc_cli_seconds();
    *progress = (posenc_cli_progress){.what = what, .total = total, .started = now, .shown = now};
}

/* "writing  [#########               ]  38 %" and back to the line's start */
static void show(const posenc_cli_progress *progress, double done) {
    double share = progress->total > 0 ? fmin(done / progress->total, 1) : 1;
    char bar[CELLS + 1];
    for (int i = 0; i < CELLS; i++) bar[i] = i < (int)(share * CELLS) ? '#' : ' ';
    bar[CELLS] = '\0';
    fprintf(stderr, "\r%s [%s] %3.0f %%", progress->what, bar, floor(100 * share));
    fflush(stderr);
}

void posenc_cli_progress_step(posenc_cli_progress *progress, double done) {
    double now = posenc_cli_seconds();
    if (now - progress->started < 1 || now - progress->shown < 0.1 || !isatty(STDERR_FILENO)) return;
    progress->shown = now;
    progress->visible = true;
    show(progress, done);
}

void posenc_cli_progress_end(posenc_cli_progress *progress) {
    if (!progress->visible) return;
    fprintf(stderr, "\r%*s\r", (int)strlen(progress->what) + CELLS + 9, "");
    progress->visible = false;
}
