/* Blocks are handed out in rounds, one block a slot: all slots look at once, then the blocks are folded in order. So
 * what a fold sees does not depend on the number of threads. */
#include "diagnose/walk.h"

#include "base/checked.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/threads.h"
#include "schemes/rotary.h"

enum { BLOCK_VALUES = 1 << 16, BLOCK_ROWS = 1 << 13 }; /* half a megabyte of doubles: in the second-level cache */

/* What one thread works with. */
typedef struct slot {
    posenc_block block;
    double *values;
} slot;

typedef struct round {
    const posenc_walk *walk;
    int n;
    int64_t first, block_rows;
    slot *slots;
    double *exact; /* of all blocks of the round, one behind the other; NULL without a plan */
    char *memory;
} round;

static int64_t rows_of_block(const posenc_table *table) {
    int64_t rows = table->dim < BLOCK_VALUES ? BLOCK_VALUES / (table->dim > 0 ? table->dim : 1) : 1;
    if (rows > BLOCK_ROWS) rows = BLOCK_ROWS;
    return rows < table->rows ? rows : table->rows;
}

int posenc_walk_slots(const posenc_context *context, const posenc_table *table) {
    double bytes = (double)table->rows * (double)table->dim * sizeof(double);
    int64_t block = rows_of_block(table), blocks = block > 0 ? (table->rows + block - 1) / block : 1;
    int slots = posenc_slices(context, bytes < 0x1p30 ? (size_t)bytes : (size_t)1 << 30);
    return blocks < slots ? (int)blocks : slots;
}

/* Each cosine with its sine behind it. */
static posenc_status write_turns(const posenc_plan *plan, posenc_positions *positions, int64_t n, posenc_dtype dtype,
                                 void *out, posenc_error *error) {
    posenc_view cosines, sines;
    const int64_t pairs = posenc_plan_dim(plan) / 2, shape[] = {n, pairs}, strides[] = {2 * pairs, 2};
    DLTensor *cosine = posenc_view_make(&cosines, out, dtype, 2, shape, strides);
    DLTensor *sine = posenc_view_make(&sines, (char *)out + posenc_dtype_bytes(dtype), dtype, 2, shape, strides);
    return posenc_rotary_cos_sin(plan, positions, NULL, POSENC_ROTARY_TABLE_PAIRS, cosine, sine, error);
}

static posenc_status write_exact(const posenc_plan *plan, posenc_positions *positions, int64_t n, posenc_dtype dtype,
                                 void *out, posenc_error *error) {
    posenc_view view;
    if (posenc_rotary_of(plan)) return write_turns(plan, positions, n, dtype, out, error);
    DLTensor *tensor = posenc_view_make(&view, out, dtype, 2, (int64_t[]){n, posenc_plan_dim(plan)}, NULL);
    return posenc_plan_write(plan, positions, tensor, error);
}

posenc_status posenc_exact_run(const posenc_plan *plan, int64_t start, int64_t n, posenc_dtype dtype, void *out,
                               posenc_error *error) {
    posenc_positions positions;
    posenc_positions_default(&positions, sizeof positions);
    positions.start = start;
    return write_exact(plan, &positions, n, dtype, out, error);
}

posenc_status posenc_exact_rows(const posenc_plan *plan, const int64_t *ids, int64_t n, posenc_dtype dtype, void *out,
                                posenc_error *error) {
    posenc_positions positions;
    posenc_view view;
    posenc_positions_default(&positions, sizeof positions);
    positions.ids = posenc_view_make(&view, (void *)(uintptr_t)ids, POSENC_I64, 1, &n, NULL);
    return write_exact(plan, &positions, n, dtype, out, error);
}

/* One slot's share of a round: reads its block and looks at it. */
static void do_slot(void *argument, int index) {
    const round *r = argument;
    const posenc_walk *walk = r->walk;
    slot *s = &r->slots[index];
    posenc_block *b = &s->block;
    b->first = r->first + index * r->block_rows;
    b->rows = walk->table->rows - b->first;
    if (b->rows > r->block_rows) b->rows = r->block_rows;
    if (b->rows <= 0) return;
    b->has_next = walk->next_row && b->first + b->rows < walk->table->rows;
    for (int64_t i = 0; i < b->rows + b->has_next; i++)
        posenc_table_row(walk->table, b->first + i, s->values + i * b->dim);
    walk->look(walk->argument, index, b);
}

static posenc_status run_round(round *r, posenc_error *error) {
    const posenc_walk *walk = r->walk;
    int64_t left = walk->table->rows - r->first, rows = r->n * r->block_rows;
    posenc_status status = POSENC_OK;
    if (r->exact)
        status = posenc_exact_run(walk->exact, walk->start + r->first, left < rows ? left : rows, POSENC_F64, r->exact,
                                  error);
    if (status != POSENC_OK) return status;
    posenc_parallel(walk->context, r->n, do_slot, r);
    for (int i = 0; walk->fold && i < r->n && r->slots[i].block.rows > 0; i++)
        walk->fold(walk->argument, &r->slots[i].block);
    return POSENC_OK;
}

/* Sizes of a round's parts, each on a cache line of its own; false when they do not fit. */
typedef struct layout {
    size_t values, exact, facts, slot, all;
} layout;

static bool lay_out(const round *r, layout *l) {
    const posenc_walk *walk = r->walk;
    size_t row, line = POSENC_ALIGNMENT, rows = (size_t)r->block_rows, n = (size_t)r->n;
    if (!posenc_bytes_of(walk->table->dim, sizeof(double), &row)) return false;
    if (!posenc_size_multiply(row, rows + 1, &l->values) || l->values > SIZE_MAX / 2) return false;
    l->exact = walk->exact ? row * rows : 0;
    l->values = (l->values + line - 1) / line * line;
    l->facts = (walk->facts_bytes * rows + line - 1) / line * line;
    if (!posenc_size_add(l->values, l->facts, &l->slot) || !posenc_size_add(l->slot, l->exact, &l->all)) return false;
    return posenc_size_multiply(l->all, n, &l->all) && posenc_size_add(l->all, n * sizeof(slot), &l->all);
}

static posenc_status open_round(round *r, posenc_error *error) {
    layout l = {.all = SIZE_MAX};
    const posenc_walk *walk = r->walk;
    r->memory = lay_out(r, &l) ? posenc_allocate(walk->context, l.all) : NULL;
    if (!r->memory) return posenc_fail_memory(error, "table", l.all);
    char *exact = r->memory + (size_t)r->n * l.slot;
    r->exact = walk->exact ? (double *)(void *)exact : NULL;
    r->slots = (slot *)(void *)(exact + (size_t)r->n * l.exact);
    for (int i = 0; i < r->n; i++) {
        char *own = r->memory + (size_t)i * l.slot;
        double *values = (double *)(void *)own;
        posenc_block block = {.dim = walk->table->dim, .values = values, .facts = own + l.values};
        if (r->exact) block.exact = r->exact + i * r->block_rows * block.dim;
        r->slots[i] = (slot){.block = block, .values = values};
    }
    return POSENC_OK;
}

posenc_status posenc_walk_run(const posenc_walk *walk, posenc_error *error) {
    round r = {.walk = walk, .block_rows = rows_of_block(walk->table)};
    if (walk->table->rows == 0) return POSENC_OK;
    r.n = posenc_walk_slots(walk->context, walk->table);
    posenc_status status = open_round(&r, error);
    for (; status == POSENC_OK && r.first < walk->table->rows; r.first += r.n * r.block_rows)
        status = run_round(&r, error);
    posenc_release(walk->context, r.memory);
    return status;
}
