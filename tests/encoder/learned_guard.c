/* Positions outside a learned table never read memory: the table lies flush against pages that nobody may touch, once
 * at each end. And what is refused is refused before anything of table, x or dy is read: then they are such pages too.
 */
#define _DEFAULT_SOURCE
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "encoders.h"
#include "support/guard.h"
#include "support/test.h"

/* A block of the library's has a line in front (base/memory.h); a row is two. */
enum { ROWS = 7, DIM = 32, FRONT_BYTES = 64, BLOCK_BYTES = FRONT_BYTES + ROWS * DIM * 4 };
enum { TOKENS = 5, X_BYTES = TOKENS * DIM * 4 };

/* An allocator that puts the one block of the table's size between guards. */
typedef struct guarded {
    guard_side side;
    guard table;
} guarded;

static void *allocate(void *user, size_t bytes, size_t alignment) {
    guarded *g = user;
    if (bytes == BLOCK_BYTES && !g->table.data) {
        g->table = guard_make(bytes, g->side);
        return g->table.data;
    }
    return aligned_alloc(alignment, (bytes + alignment - 1) / alignment * alignment);
}

static void release(void *user, void *pointer, size_t bytes) {
    (void)bytes;
    guarded *g = user;
    if (pointer != g->table.data) {
        free(pointer);
        return;
    }
    guard_end(&g->table);
    g->table.data = NULL;
}

static void hide(const guard *g, bool hidden) {
    size_t page = (size_t)(g->map_bytes) / 3; /* one page of data between two */
    assert_int_equal(mprotect(g->map + page, page, hidden ? PROT_NONE : PROT_READ | PROT_WRITE), 0);
}

typedef struct scene {
    guarded own;
    posenc_context *context;
    posenc_encoder *encoder;
    guard x, y;
    posenc_view views[4];
    DLTensor *tx, *ty, *dtable;
    float gradient[ROWS * DIM];
} scene;

static void open(scene *s, guard_side side, posenc_past_end past_end, int64_t row_offset, int64_t padding_idx) {
    memset(s, 0, sizeof *s);
    s->own.side = side;
    posenc_context_options co;
    posenc_context_default(&co, sizeof co);
    co.allocate = allocate, co.release = release, co.allocator_user = &s->own;
    assert_int_equal(posenc_context_create(&co, &s->context, NULL), POSENC_OK);
    posenc_encoder_options o = encoder_options(POSENC_F32);
    o.past_end = past_end, o.row_offset = row_offset, o.padding_idx = padding_idx;
    const posenc_parameter parameters[] = {{"dim", "32"}, {"max-len", "7"}};
    assert_int_equal(posenc_encoder_create(s->context, "learned", parameters, 2, &o, &s->encoder, NULL), POSENC_OK);
    assert_ptr_equal(posenc_encoder_table(s->encoder)->data, s->own.table.data + FRONT_BYTES);
    s->x = guard_make(X_BYTES, side);
    s->y = guard_make(X_BYTES, side);
    memset(s->x.data, 0, X_BYTES);
    const int64_t shape[] = {TOKENS, DIM}, table[] = {ROWS, DIM};
    s->tx = posenc_view_make(&s->views[0], s->x.data, POSENC_F32, 2, shape, NULL);
    s->ty = posenc_view_make(&s->views[1], s->y.data, POSENC_F32, 2, shape, NULL);
    s->dtable = posenc_view_make(&s->views[2], s->gradient, POSENC_F32, 2, table, NULL);
}

static void end(scene *s) {
    guard_end(&s->x);
    guard_end(&s->y);
    posenc_encoder_destroy(s->encoder);
    posenc_context_destroy(s->context);
    assert_null(s->own.table.data);
}

/* All three calls, with one position out of TOKENS that is far, or consecutive ones from far on. */
static void run_calls(scene *s, const posenc_positions *positions, posenc_status expected) {
    double dgain = 3;
    bool refused = expected != POSENC_OK;
    if (refused) hide(&s->own.table, true), hide(&s->x, true), hide(&s->y, true);
    assert_int_equal(posenc_encoder_forward(s->encoder, positions, NULL, s->tx, s->ty, NULL), expected);
    assert_int_equal(posenc_encoder_backward_table(s->encoder, positions, NULL, s->tx, s->dtable, 0, NULL), expected);
    assert_int_equal(posenc_encoder_backward_gain(s->encoder, positions, NULL, s->tx, &dgain, NULL), expected);
    if (refused) hide(&s->own.table, false), hide(&s->x, false), hide(&s->y, false);
    check(!refused || dgain == 3, "a refused call wrote %g", dgain);
}

static bool fits(posenc_past_end past_end, int64_t row) {
    if (past_end == POSENC_PAST_END_CLAMP) return true;
    return row >= 0 && (row < ROWS || (past_end == POSENC_PAST_END_RESIZE && row < INT64_C(1) << 57));
}

/* Rows at both ends of the table, one past them, and as far as 64 bits reach. */
static void test_positions_outside(void **state) {
    (void)state;
    static const int64_t places[] = {
        INT64_MIN, INT64_MIN + 2,    -1000000,           -3,       -1, 0, ROWS - 1, ROWS, ROWS + 1,
        4000,      INT64_C(1) << 40, INT64_MAX - TOKENS, INT64_MAX};
    for (int way = 0; way < 2 * 4 * 2; way++)
        for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
            scene s;
            posenc_past_end past_end = (posenc_past_end)(way / 2 % 4);
            int64_t far = places[i], ids[TOKENS] = {0, 3, far, 3, 0}, padding = way & 8 ? 1 : -1;
            open(&s, way & 1 ? GUARD_BEHIND : GUARD_BEFORE, past_end, 0, padding);
            posenc_positions positions = positions_from(0);
            positions.ids = posenc_view_make(&s.views[3], ids, POSENC_I64, 1, (int64_t[]){TOKENS}, NULL);
            run_calls(&s, &positions, fits(past_end, far) ? POSENC_OK : POSENC_ERROR_POSITION);
            if (far <= INT64_MAX - TOKENS) {
                positions = positions_from(far);
                bool all = fits(past_end, far) && fits(past_end, far + TOKENS - 1);
                run_calls(&s, &positions, all ? POSENC_OK : POSENC_ERROR_POSITION);
            }
            end(&s);
        }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_positions_outside)};
    return TEST_RUN(tests);
}
