/* Strides, byte offsets, the order of axes in memory and the type of ids change where bytes lie, never which. Random
 * tensors are compared with contiguous ones, and the bytes between their elements must not change. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "support/isa.h"
#include "support/strided.h"
#include "support/tensors.h"
#include "support/test.h"

typedef struct ids_case {
    bool any; /* else a start */
    int64_t start;
    strided ids;
    int64_t *values; /* (batch, tokens) */
} ids_case;

/* Positions for (batch, tokens): a start, or ids of rank 1 or 2 in one of three types. */
static void ids_make(ids_case *c, random_state *random, int rank, int64_t batch, int64_t tokens) {
    int64_t n = batch * tokens;
    c->any = random_between(random, 0, 3) != 0;
    c->start = random_position(random) / 4;
    c->values = must_allocate((size_t)(n + 1) * sizeof *c->values);
    for (int64_t i = 0; i < n; i++) c->values[i] = c->start + (tokens ? i % tokens : 0);
    if (!c->any) return;
    const posenc_dtype dtypes[] = {POSENC_I64, POSENC_I32, POSENC_F64};
    posenc_dtype dtype = dtypes[random_between(random, 0, 2)];
    int ids_rank = rank == 3 ? (int)random_between(random, 1, 2) : 1;
    int64_t shape[2] = {batch, tokens};
    strided_make(&c->ids, random, dtype, ids_rank, ids_rank == 1 ? shape + 1 : shape, true);
    for (int64_t i = 0, n_ids = strided_elements(&c->ids); i < n_ids; i++) {
        int64_t value = random_position(random) >> 12;
        if (dtype == POSENC_I64) memcpy(strided_at(&c->ids, i), &value, sizeof value);
        if (dtype == POSENC_I32) memcpy(strided_at(&c->ids, i), &(int32_t){(int32_t)value}, sizeof(int32_t));
        if (dtype == POSENC_F64) memcpy(strided_at(&c->ids, i), &(double){(double)value}, sizeof(double));
    }
    for (int64_t i = 0; i < n; i++) { /* read back: elements may share memory */
        const void *at = strided_at(&c->ids, ids_rank == 2 ? i : i % tokens);
        if (dtype == POSENC_I64) memcpy(&c->values[i], at, sizeof(int64_t));
        if (dtype == POSENC_I32) c->values[i] = *(const int32_t *)at;
        if (dtype == POSENC_F64) c->values[i] = (int64_t) * (const double *)at;
    }
}

static posenc_positions ids_positions(const ids_case *c) {
    posenc_positions positions;
    posenc_positions_default(&positions, sizeof positions);
    positions.start = c->start;
    if (c->any) positions.ids = c->ids.tensor;
    return positions;
}

static void ids_free(ids_case *c) {
    if (c->any) strided_free(&c->ids);
    free(c->values);
}

typedef struct shape_case {
    int rank;
    int64_t shape[3], batch, tokens, n;
    posenc_dtype dtype;
    posenc_context *context;
    posenc_plan *plan;
} shape_case;

static shape_case random_case(random_state *random) {
    static const int64_t dims[] = {1, 2, 3, 7, 8, 16, 33, 64, 130};
    shape_case c = {.rank = (int)random_between(random, 2, 3), .tokens = random_between(random, 0, 70)};
    c.batch = c.rank == 3 ? random_between(random, 0, 4) : 1;
    c.dtype = encoding_dtypes[random_between(random, 0, 3)];
    plan_shape plan = {.dim = dims[random_between(random, 0, 8)],
                       .layout = (posenc_layout)random_between(random, 0, 2),
                       .cos_first = (int)random_between(random, 0, 1),
                       .arithmetic = random_between(random, 0, 5) ? POSENC_ARITHMETIC_EXACT
                                                                  : (posenc_arithmetic)random_between(random, 1, 2)};
    c.context =
        isa_context((size_t)random_between(random, 0, (int64_t)isa_count() - 1), (int)random_between(random, 1, 3));
    c.plan = must_plan(c.context, &plan);
    int64_t *s = c.shape;
    if (c.rank == 3) *s++ = c.batch;
    *s++ = c.tokens;
    *s++ = plan.dim;
    c.n = c.batch * c.tokens * plan.dim;
    return c;
}

static void case_end(shape_case *c) {
    posenc_plan_destroy(c->plan);
    posenc_context_destroy(c->context);
}

static void test_write_anywhere(void **state) {
    (void)state;
    random_state random = random_start("strided write");
    for (int round = 0; round < TEST_ROUNDS(3000); round++) {
        shape_case c = random_case(&random);
        ids_case ids;
        ids_make(&ids, &random, c.rank, c.batch, c.tokens);
        strided out;
        strided_make(&out, &random, c.dtype, c.rank, c.shape, false);
        char *want = must_allocate((size_t)c.n * 8), *got = must_allocate((size_t)c.n * 8);
        must_write_ids(c.plan, POSENC_I64, ids.values, c.batch * c.tokens, c.dtype, want);
        posenc_positions positions = ids_positions(&ids);
        posenc_error error = {0};
        check(posenc_plan_write(c.plan, &positions, out.tensor, &error) == POSENC_OK, "write: %s", error.message);
        strided_get(&out, got);
        must_equal("strided write", c.dtype, want, got, c.n);
        strided_check_gaps(&out, "strided write");
        strided_free(&out);
        free(want);
        free(got);
        ids_free(&ids);
        case_end(&c);
    }
}

/* The sum on contiguous copies: one row at a time with a plain start. */
static void expected_sum(const shape_case *c, const int64_t *ids, const char *x, double scale, char *y) {
    size_t row_bytes = (size_t)posenc_plan_dim(c->plan) * posenc_dtype_bytes(c->dtype);
    for (int64_t t = 0; t < c->batch * c->tokens; t++, x += row_bytes, y += row_bytes)
        must_add(c->plan, ids[t], 1, 1, c->dtype, x, scale, y);
}

static void test_add_anywhere(void **state) {
    (void)state;
    random_state random = random_start("strided add");
    for (int round = 0; round < TEST_ROUNDS(3000); round++) {
        shape_case c = random_case(&random);
        ids_case ids;
        ids_make(&ids, &random, c.rank, c.batch, c.tokens);
        double scale = random_u64(&random) & 1 ? 1 : 3.7;
        bool in_place = random_between(&random, 0, 2) == 0;
        strided x, y;
        strided_make(&x, &random, c.dtype, c.rank, c.shape, !in_place);
        strided_make(&y, &random, c.dtype, c.rank, c.shape, false);
        char *given = must_allocate((size_t)c.n * 8), *want = must_allocate((size_t)c.n * 8),
             *got = must_allocate((size_t)c.n * 8);
        random_fill(&random, c.dtype, given, c.n);
        strided_put(&x, given);
        strided_get(&x, given); /* elements may share memory */
        expected_sum(&c, ids.values, given, scale, want);
        posenc_positions positions = ids_positions(&ids);
        strided *result = in_place ? &x : &y;
        posenc_error error = {0};
        check(posenc_plan_add(c.plan, &positions, x.tensor, scale, result->tensor, &error) == POSENC_OK, "add: %s",
              error.message);
        strided_get(result, got);
        must_equal(in_place ? "strided add in place" : "strided add", c.dtype, want, got, c.n);
        strided_check_gaps(result, "strided add");
        strided_free(&x);
        strided_free(&y);
        free(given);
        free(want);
        free(got);
        ids_free(&ids);
        case_end(&c);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_write_anywhere), cmocka_unit_test(test_add_anywhere)};
    return TEST_RUN(tests);
}
