/* Rows that repeat by themselves: 5000 rows of two channels in bf16 must. Without a formula to compare with, their
 * neighbours tell: where rows stand so close that some coincide, many more do with three bits less a value. A wrapped
 * index or a copied row has no such neighbours. */
#include "base/memory.h"
#include "diagnose/look_rows.h"

enum { FEWER_BITS = 3, FEW_CHANNELS = 3 }; /* a single wave comes back to its values */

typedef struct count {
    posenc_row_set set;
    int64_t repeated;
} count;

static void look_at_block(void *argument, int slot, const posenc_block *block) {
    const posenc_row_eye eye = {.mask = ((const count *)argument)->set.mask};
    posenc_row_fact *facts = block->facts;
    (void)slot;
    for (int64_t i = 0; i < block->rows; i++)
        facts[i] = posenc_row_fact_of(&eye, block->values + i * block->dim, NULL, block->dim);
}

static void fold_block(void *argument, const posenc_block *block) {
    count *n = argument;
    const posenc_row_fact *facts = block->facts;
    for (int64_t i = 0; i < block->rows; i++)
        if (facts[i].finite && !facts[i].zero)
            n->repeated += posenc_row_set_put(&n->set, facts[i].hash, block->first + i) >= 0;
}

posenc_status posenc_rows_are_crowded(const posenc_checkup *c, bool *crowded, posenc_error *error) {
    count n = {.repeated = 0};
    *crowded = c->table.dim - c->survey.still <= FEW_CHANNELS;
    if (*crowded) return POSENC_OK;
    uint64_t mask = posenc_row_set_coarse(c->survey.held, FEWER_BITS);
    posenc_status status = posenc_row_set_create(&n.set, c->context, &c->table, c->table.rows, mask, error);
    posenc_walk walk = {.context = c->context,
                        .table = &c->table,
                        .facts_bytes = sizeof(posenc_row_fact),
                        .argument = &n,
                        .look = look_at_block,
                        .fold = fold_block};
    if (status == POSENC_OK) status = posenc_walk_run(&walk, error);
    posenc_row_set_destroy(&n.set);
    if (status != POSENC_OK) return status;
    int64_t distinct = c->rows.others - c->rows.repeated.n, near = n.repeated - c->rows.repeated.n;
    *crowded = near >= c->rows.repeated.n || 4 * (distinct - near) <= 3 * distinct;
    return POSENC_OK;
}
