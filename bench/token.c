/* One decoded token: a cursor writes the row of the next position, or of a random one, beside a copy of a row that sits
 * in the cache. */
#include "floors.h"
#include "random_bits.h"
#include "works.h"

enum { MOST_DIM = 4096, PREPARED = 131072, N_RANDOM = 4096 };

typedef struct {
    posenc_cursor *cursor;
    const int64_t *position; /* [N_RANDOM], or NULL: one after the other */
    int64_t next;
    float *row;
} decoder;

static void write_token(void *state) {
    decoder *d = state;
    int64_t position = d->position ? d->position[d->next % N_RANDOM] : d->next % PREPARED;
    d->next++;
    posenc_cursor_write_f32(d->cursor, position, d->row);
}

void posenc_bench_token(posenc_bench_session *session, const posenc_bench_work *work, const int64_t *shape,
                        posenc_bench_result *result) {
    static _Alignas(64) float row[MOST_DIM], stored[MOST_DIM];
    static int64_t random_position[N_RANDOM];
    uint64_t state = 7;
    for (int i = 0; i < N_RANDOM; i++) random_position[i] = (int64_t)(posenc_bench_random(&state) % PREPARED);
    posenc_plan *plan = posenc_bench_plan(session->context, shape[0], PREPARED, result);
    decoder ours = {NULL, work->flags & POSENC_BENCH_RANDOM ? random_position : NULL, 0, row};
    if (plan && posenc_cursor_create(plan, &ours.cursor, NULL) == POSENC_OK) {
        posenc_bench_samples samples;
        posenc_bench_bytes copy = {row, stored, (size_t)shape[0] * sizeof *row, 1};
        posenc_bench_contender contenders[] = {{write_token, &ours, 0, 0}, {posenc_bench_memcpy, &copy, 0, 0}};
        result->floor = "row copy";
        result->threads = 1;
        posenc_bench_file(session->effort, contenders, 2, result, &samples);
    } else if (plan) {
        posenc_bench_skip(result, "out of memory");
    }
    posenc_cursor_destroy(ours.cursor);
    posenc_plan_destroy(plan);
}
