/* Part 3: the 5000 x 512 table of the textbooks. Its time beside the naive loop's and memset's, its worst error beside
 * that of the usual float32 way, near and far. */
#include <stdio.h>
#include <stdlib.h>

#include "baselines.h"
#include "cli.h"
#include "clock.h"
#include "demo.h"
#include "floors.h"
#include "machine.h"
#include "measure.h"
#include "reference.h"

enum { LENGTH = 5000, DIM = 512, FAR_ROWS = 64, REFERENCE_ROWS = 512 };

/* Everything the part needs, so that it is made and freed in one place. */
typedef struct {
    posenc_plan *plan;
    float *table;    /* (LENGTH, DIM) */
    double *scratch; /* (2 * DIM) */
} bench;

static void write_table(void *state) {
    bench *b = state;
    posenc_plan_write_f32(b->plan, 0, LENGTH, b->table);
}

static void print_way(const char *name, const posenc_bench_samples *samples, int contender, double error) {
    double seconds = posenc_bench_spread_of(samples, contender).median;
    double ratio = posenc_bench_ratio_of(samples, contender, 0).median;
    printf("  %-28s %8.2f ms %9.*f", name, 1e3 * seconds, ratio < 9.95 ? 1 : 0, ratio);
    if (error >= 0) printf("      %.1e", error);
    puts("");
}

/* Fills the table by a contender and compares all rows that the reference has. */
static double error_of(const posenc_bench_contender *way, const bench *b, const posenc_bench_reference *reference) {
    way->run(way->state);
    return posenc_bench_worst_error(reference, b->table, POSENC_F32, 1);
}

static bool show_near(bench *b) {
    posenc_bench_reference reference;
    posenc_bench_samples samples;
    posenc_bench_bytes set = {b->table, NULL, sizeof(float) * LENGTH * DIM, 1};
    posenc_bench_rows rows = {0, 1, LENGTH, DIM, b->table, b->scratch};
    posenc_bench_contender ways[] = {{posenc_bench_memset, &set, 0, 0},
                                     {posenc_bench_naive, &rows, 0, 0},
                                     {posenc_bench_float32, &rows, 0, 0},
                                     {write_table, b, 0, 0}};
    if (!posenc_bench_reference_make(&reference, 0, LENGTH, DIM, REFERENCE_ROWS)) return false;
    posenc_bench_pin();
    posenc_bench_watch watch = posenc_bench_watch_start();
    posenc_bench_measure(ways, 4, (posenc_bench_effort){0.8, 3}, &samples);
    double share = posenc_bench_watch_share(&watch);
    posenc_bench_unpin();
    printf("  %-28s %11s %9s  %11s\n", "5000 x 512, one thread", "time", "x memset", "worst error");
    print_way("naive double loop", &samples, 1, error_of(&ways[1], b, &reference));
    print_way("float32, vectorised", &samples, 2, error_of(&ways[2], b, &reference));
    print_way("posenc", &samples, 3, error_of(&ways[3], b, &reference));
    print_way("memset of the same bytes", &samples, 0, -1);
    printf("\n  posenc is %.0f times faster than the naive loop here.\n", posenc_bench_ratio_of(&samples, 1, 3).median);
    if (share < POSENC_BENCH_QUIET_SHARE)
        printf("  (The machine was busy, this program had %.0f %% of a core: times are rough.)\n", 100 * share);
    posenc_bench_reference_free(&reference);
    return true;
}

/* The 64 positions that end at `last`. */
static bool show_far_at(const bench *b, int64_t last) {
    posenc_bench_reference reference;
    int64_t start = last - FAR_ROWS + 1;
    posenc_bench_rows rows = {start, 1, FAR_ROWS, DIM, b->table, b->scratch};
    if (!posenc_bench_reference_make(&reference, start, FAR_ROWS, DIM, FAR_ROWS)) return false;
    posenc_bench_float32(&rows);
    double float32 = posenc_bench_worst_error(&reference, b->table, POSENC_F32, 1);
    bool fine = posenc_plan_write_f32(b->plan, start, FAR_ROWS, b->table) == POSENC_OK;
    double ours = posenc_bench_worst_error(&reference, b->table, POSENC_F32, 1);
    printf("  %16lld    %13.1e    %13.1e\n", (long long)last, float32, ours);
    posenc_bench_reference_free(&reference);
    return fine;
}

static bool show_far(const bench *b) {
    static const int64_t lasts[] = {4999, 99999, 1000000, 10000000};
    puts("\n  Worst error in the 64 positions up to");
    printf("  %16s    %13s    %13s\n", "this one", "float32", "posenc");
    for (size_t i = 0; i < sizeof lasts / sizeof *lasts; i++)
        if (!show_far_at(b, lasts[i])) return false;
    return true;
}

static void say_reference(void) {
    char text[512];
    snprintf(text, sizeof text,
             "Errors are absolute and measured against the equation in %s, which itself errs by %.0e at most; "
             "half the last bit of a float near 1 is 3.0e-08. The values themselves lie between -1 and 1.",
             posenc_bench_reference_type(), posenc_bench_reference_bound(1e7));
    puts("");
    posenc_demo_say(text);
}

int posenc_demo_table(void) {
    size_t bytes = sizeof(float) * LENGTH * DIM + sizeof(double) * 2 * DIM;
    bench b = {NULL, malloc(sizeof(float) * LENGTH * DIM), malloc(sizeof(double) * 2 * DIM)};
    posenc_demo_heading("3. The 5000 x 512 table, at the speed of memory");
    bool fine = b.table && b.scratch && posenc_sinusoidal_create(NULL, DIM, &b.plan, NULL) == POSENC_OK;
    fine = fine && show_near(&b) && show_far(&b);
    if (fine) say_reference();
    posenc_plan_destroy(b.plan);
    free(b.scratch);
    free(b.table);
    return fine ? POSENC_CLI_FINE : posenc_cli_no_memory("table", bytes);
}
