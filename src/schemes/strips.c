#include "schemes/strips.h"

#include "base/checked.h"
#include "base/memory.h"

/* Strips shorter than this on average are scattered ids, which have no order to gain from. */
enum { LEAST_TOKENS = 8 };
/* Threads take tiles in turns; with fewer each, some would wait. */
enum { LEAST_TILES = 8 };

typedef struct survey {
    int64_t n;
    int64_t lowest, highest; /* of whole positions */
    int64_t longest;         /* tokens of the others that follow each other: padding has no position, and may go on */
} survey;

static void look_at(survey *s, const posenc_position_run *run) {
    s->n++;
    if (run->kind != POSENC_POSITION_WHOLE) {
        if (run->count > s->longest) s->longest = run->count;
        return;
    }
    int64_t last = run->whole + (run->count - 1);
    if (run->whole < s->lowest) s->lowest = run->whole;
    if (last > s->highest) s->highest = last;
}

/* Padding and fractions have no stored row: they may stand anywhere. */
static void put(posenc_strips *strips, const survey *s, const posenc_position_run *run, int64_t batch, int64_t token) {
    int64_t place = run->kind == POSENC_POSITION_WHOLE ? run->whole - s->lowest : 0;
    strips->at[strips->n++] = (posenc_strip){batch, token, run->count, place};
}

/* strips NULL: counts and measures; else fills in. */
static void walk(const posenc_token_positions *p, int64_t batch, survey *s, posenc_strips *strips) {
    for (int64_t b = 0; b < batch; b++)
        for (int64_t t = 0; t < p->tokens;) {
            posenc_position_run run = posenc_position_run_at(p, b, t, p->tokens - t);
            if (strips)
                put(strips, s, &run, b, t);
            else
                look_at(s, &run);
            t += run.count;
        }
}

/* The number of tiles, or 0 where it does not pay. */
static int64_t worthwhile_tiles(const survey *s, int64_t tokens, int64_t tile_rows, int n_workers) {
    if (s->n > tokens / LEAST_TOKENS || s->highest < s->lowest) return 0;
    if (s->lowest < 0 && s->highest > INT64_MAX + s->lowest) return 0; /* the span would wrap */
    /* each strip is looked at for each tile, and most have nothing there: no more looks than there are tokens */
    int64_t last = s->highest - s->lowest;
    if (last < s->longest - 1) last = s->longest - 1;
    int64_t tiles = last / tile_rows + 1;
    return tiles >= LEAST_TILES * (int64_t)n_workers && tiles <= tokens / s->n ? tiles : 0;
}

posenc_strips posenc_strips_find(const posenc_token_positions *positions, int64_t batch, int64_t tile_rows,
                                 int n_workers) {
    posenc_strips strips = {0, 0, NULL};
    survey s = {0, INT64_MAX, INT64_MIN, 0};
    size_t bytes;
    walk(positions, batch, &s, NULL);
    int64_t tiles = worthwhile_tiles(&s, batch * positions->tokens, tile_rows, n_workers);
    if (tiles == 0 || !posenc_bytes_of(s.n, sizeof *strips.at, &bytes)) return strips;
    strips.at = posenc_allocate(positions->context, bytes);
    if (!strips.at) return strips;
    strips.tiles = tiles;
    walk(positions, batch, &s, &strips);
    return strips;
}

void posenc_strips_end(const posenc_context *context, posenc_strips *strips) {
    posenc_release(context, strips->at);
    *strips = (posenc_strips){0, 0, NULL};
}

int64_t posenc_strip_part(const posenc_strip *strip, int64_t tile, int64_t tile_rows, int64_t *token) {
    int64_t from = tile * tile_rows - strip->place, to = from + tile_rows;
    if (from < 0) from = 0;
    if (to > strip->count) to = strip->count;
    *token = strip->token + from;
    return to > from ? to - from : 0;
}
