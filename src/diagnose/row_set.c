/* Linear probing at half load. A slot keeps the row that came last, so that the distance to it is the shortest one. */
#include "diagnose/row_set.h"

#include <stdbool.h>
#include <string.h>

#include "base/checked.h"
#include "base/error.h"
#include "base/memory.h"

/* -0 + 0 is 0. */
static uint64_t bits_of(double value, uint64_t mask) {
    uint64_t bits;
    value += 0.0;
    memcpy(&bits, &value, sizeof bits);
    return bits & mask;
}

uint64_t posenc_row_set_coarse(posenc_dtype dtype, int bits) {
    static const int significand[] = {[POSENC_F32] = 23, [POSENC_F64] = 52, [POSENC_F16] = 10, [POSENC_BF16] = 7};
    return ~((UINT64_C(1) << (52 - significand[dtype] + bits)) - 1);
}

posenc_status posenc_row_set_create(posenc_row_set *set, const posenc_context *context, const posenc_table *table,
                                    int64_t rows, uint64_t mask, posenc_error *error) {
    size_t bytes;
    *set = (posenc_row_set){.context = context, .table = table, .mask = mask, .number_bits = 1};
    if (!posenc_bytes_of(rows, 2 * sizeof *set->slots, &bytes) || !posenc_size_add(bytes, sizeof *set->slots, &bytes))
        return posenc_fail_memory(error, "table", SIZE_MAX);
    set->slots = posenc_allocate(context, bytes);
    if (!set->slots) return posenc_fail_memory(error, "table", bytes);
    memset(set->slots, 0, bytes);
    set->n_slots = 2 * (uint64_t)rows + 1;
    while ((uint64_t)rows >> set->number_bits) set->number_bits++;
    return POSENC_OK;
}

void posenc_row_set_destroy(posenc_row_set *set) {
    posenc_release(set->context, set->slots);
    set->slots = NULL;
}

uint64_t posenc_row_hash(const double *values, int64_t dim, uint64_t mask) {
    uint64_t hash = UINT64_C(0x9E3779B97F4A7C15);
    for (int64_t c = 0; c < dim; c++) {
        hash = (hash ^ bits_of(values[c], mask)) * UINT64_C(0xBF58476D1CE4E5B9);
        hash ^= hash >> 32;
    }
    hash *= UINT64_C(0x94D049BB133111EB);
    return hash ^ hash >> 31;
}

/* A few columns at a time, in buffers. */
static bool rows_equal(const posenc_row_set *set, int64_t a, int64_t b) {
    enum { PART = 256 };
    double left[PART], right[PART];
    posenc_table part = *set->table;
    for (int64_t first = 0; first < set->table->dim; first += PART) {
        part.data = posenc_table_element(set->table, 0, first);
        part.dim = set->table->dim - first < PART ? set->table->dim - first : PART;
        posenc_table_row(&part, a, left);
        posenc_table_row(&part, b, right);
        for (int64_t c = 0; c < part.dim; c++)
            if (bits_of(left[c], set->mask) != bits_of(right[c], set->mask)) return false;
    }
    return true;
}

/* The high half of the hash says where to begin, the rest of it is compared there. */
static uint64_t first_slot(const posenc_row_set *set, uint64_t hash) {
    return set->n_slots <= UINT32_MAX ? (hash >> 32) * set->n_slots >> 32 : hash % set->n_slots;
}

void posenc_row_set_expect(const posenc_row_set *set, uint64_t hash) {
#if defined(__GNUC__)
    __builtin_prefetch(&set->slots[first_slot(set, hash)], 1);
#else
    (void)set, (void)hash;
#endif
}

int64_t posenc_row_set_put(posenc_row_set *set, uint64_t hash, int64_t row) {
    uint64_t number_mask = (UINT64_C(1) << set->number_bits) - 1, own = hash << set->number_bits;
    uint64_t at = first_slot(set, hash);
    while (set->slots[at] != 0) {
        int64_t found = (int64_t)(set->slots[at] & number_mask) - 1;
        if ((set->slots[at] & ~number_mask) == own && (!set->table || rows_equal(set, found, row))) {
            set->slots[at] = own | (uint64_t)(row + 1);
            return found;
        }
        at = at + 1 < set->n_slots ? at + 1 : 0;
    }
    set->slots[at] = own | (uint64_t)(row + 1);
    return -1;
}
