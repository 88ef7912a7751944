/* How far a table is from a plan that it is not the table of. */
#include <float.h>
#include <math.h>

#include "diagnose/formula.h"
#include "diagnose/walk.h"

typedef struct part {
    posenc_distance distance;
    const posenc_checkup *c;
    const posenc_match *match;
    double size; /* of the largest values, at least 1 */
} part;

static void look_at_block(void *argument, int slot, const posenc_block *block) {
    const part *p = argument;
    posenc_distance *facts = block->facts;
    double limit = posenc_held_limit(p->c->survey.held) * p->size;
    (void)slot;
    for (int64_t i = 0; i < block->rows; i++) {
        facts[i] = (posenc_distance){.first = {-1, -1}};
        for (int64_t k = 0; k < block->dim; k++) {
            double d = fabs(block->values[i * block->dim + k] - block->exact[i * block->dim + k]);
            double angle = (double)(p->match->start + block->first + i) * posenc_fastest_of(p->match);
            if (!(d <= DBL_MAX)) continue;
            if (d > facts[i].largest) facts[i].largest = d;
            if (facts[i].first.row < 0 && d > limit + posenc_float32_limit(angle) * p->size)
                facts[i].first = (posenc_place){block->first + i, k};
        }
    }
}

static void fold_block(void *argument, const posenc_block *block) {
    posenc_distance *all = &((part *)argument)->distance;
    const posenc_distance *facts = block->facts;
    for (int64_t i = 0; i < block->rows; i++) {
        if (facts[i].largest > all->largest) all->largest = facts[i].largest;
        if (all->first.row < 0) all->first = facts[i].first;
    }
}

posenc_status posenc_formula_distance(const posenc_checkup *c, const posenc_plan *exact, const posenc_match *match,
                                      posenc_distance *distance, posenc_error *error) {
    part p = {.distance.first = {-1, -1}, .c = c, .match = match};
    p.size = fmax(1, posenc_formula_amplitude(exact));
    posenc_walk walk = {.context = c->context,
                        .table = &c->table,
                        .exact = exact,
                        .start = match->start,
                        .facts_bytes = sizeof(posenc_distance),
                        .argument = &p,
                        .look = look_at_block,
                        .fold = fold_block};
    posenc_status status = posenc_walk_run(&walk, error);
    *distance = p.distance;
    return status;
}
