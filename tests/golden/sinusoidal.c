/* Every sinusoidal record of vectors.json, in every dtype, on every instruction set and through every call that gives
 * one row. The records also check the tests' own oracle and the library's slow equation. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "records.h"
#include "support/isa.h"
#include "support/number.h"
#include "support/oracle.h"
#include "support/tensors.h"
#include "support/test.h"

static record *records;
static int n_records, n_all;

static int read_records(void **state) {
    (void)state;
    n_records = records_read(POSENC_VECTORS, &records, &n_all);
    return 0;
}

static int free_records(void **state) {
    (void)state;
    free(records);
    mpfr_free_cache();
    return 0;
}

static void test_all_records_are_there(void **state) {
    (void)state;
    assert_int_equal(n_all, 468);
    assert_int_equal(n_records, 336);
}

static plan_shape shape_of(const record *r) {
    return (plan_shape){.dim = r->dim, .base = r->base, .layout = r->layout};
}

static void check_row(const record *r, posenc_dtype dtype, const void *row, const char *how) {
    mpfr_t exact;
    mpfr_init2(exact, ORACLE_BITS);
    for (int i = 0; i < r->n_columns; i++) {
        mpfr_set_str(exact, r->values[i], 10, MPFR_RNDN);
        uint64_t bits = number_load(dtype, (const char *)row + (size_t)r->columns[i] * posenc_dtype_bytes(dtype));
        check(oracle_accepts(dtype, bits, exact), "%s %s %s column %" PRId64 ": expected %s, got %.17g", r->id, how,
              posenc_dtype_name(dtype), r->columns[i], r->values[i], number_decode(dtype, bits));
    }
    mpfr_clear(exact);
}

/* The row through posenc_plan_write from a start, from int64 and from double ids: the first right, the others equal. */
static void check_plan(const record *r, const posenc_plan *plan, const char *isa) {
    for (int d = 0; d < 4; d++) {
        posenc_dtype dtype = encoding_dtypes[d];
        void *row = must_allocate((size_t)r->dim * 8), *again = must_allocate((size_t)r->dim * 8);
        must_write(plan, r->position, 1, dtype, row);
        check_row(r, dtype, row, isa);
        must_write_ids(plan, POSENC_I64, &r->position, 1, dtype, again);
        must_equal(r->id, dtype, row, again, r->dim);
        double real = (double)r->position;
        must_write_ids(plan, POSENC_F64, &real, 1, dtype, again);
        must_equal(r->id, dtype, row, again, r->dim);
        free(row);
        free(again);
    }
}

static void check_cursor(const record *r, const posenc_plan *plan) {
    posenc_cursor *cursor;
    assert_int_equal(posenc_cursor_create(plan, &cursor, NULL), POSENC_OK);
    float *row = must_allocate((size_t)r->dim * sizeof *row);
    assert_int_equal(posenc_cursor_write_f32(cursor, r->position, row), POSENC_OK);
    check_row(r, POSENC_F32, row, "cursor");
    free(row);
    posenc_cursor_destroy(cursor);
}

static void test_library_gives_the_records(void **state) {
    (void)state;
    for (size_t isa = 0; isa < isa_count(); isa++) {
        posenc_context *context = isa_context(isa, 1);
        for (int i = 0; i < n_records; i++) {
            plan_shape shape = shape_of(&records[i]);
            posenc_plan *plan = must_plan(context, &shape);
            check_plan(&records[i], plan, posenc_isa_name(isa));
            check_cursor(&records[i], plan);
            posenc_plan_destroy(plan);
        }
        posenc_context_destroy(context);
    }
}

static void test_equation_gives_the_records(void **state) {
    (void)state;
    for (int i = 0; i < n_records; i++) {
        const record *r = &records[i];
        plan_shape shape = shape_of(r);
        posenc_plan *plan = must_plan(NULL, &shape);
        double bound = 1e-15 + fabs((double)r->position) * 1e-19;
        for (int k = 0; k < r->n_columns; k++) {
            double value;
            assert_int_equal(posenc_plan_equation(plan, (double)r->position, r->columns[k], &value), POSENC_OK);
            check(fabs(value - strtod(r->values[k], NULL)) <= bound, "%s column %" PRId64 ": expected %s, got %.17g",
                  r->id, r->columns[k], r->values[k], value);
        }
        posenc_plan_destroy(plan);
    }
}

static void test_oracle_gives_the_records(void **state) {
    (void)state;
    mpfr_t known;
    mpfr_init2(known, ORACLE_BITS);
    for (int i = 0; i < n_records; i++) {
        const record *r = &records[i];
        oracle o;
        oracle_init(&o, r->dim, r->base, r->layout, false);
        for (int k = 0; k < r->n_columns; k++) {
            mpfr_set_str(known, r->values[k], 10, MPFR_RNDN);
            mpfr_sub(known, known, oracle_value(&o, r->position, r->columns[k]), MPFR_RNDN);
            check(fabs(mpfr_get_d(known, MPFR_RNDN)) < 1e-20, "%s column %" PRId64, r->id, r->columns[k]);
        }
        oracle_clear(&o);
    }
    mpfr_clear(known);
}

/* The example of the documentation, as it is printed with %.9g. */
static void test_worked_examples(void **state) {
    (void)state;
    static const char *const d7[] = {"0.841470985",   "0.540302306", "0.0719064568",  "0.99741138",
                                     "0.00517945152", "0.999986587", "0.000372759363"};
    double row[512];
    char text[32];
    posenc_plan *plan = must_plan(NULL, &(plan_shape){.dim = 512});
    must_write(plan, 1, 1, POSENC_F64, row);
    snprintf(text, sizeof text, "%.9g %.9g", row[0], row[1]);
    assert_string_equal(text, "0.841470985 0.540302306");
    assert_true(fabs(row[2] - sin(pow(10000, -2.0 / 512))) < 1e-15);
    assert_true(fabs(row[3] - cos(pow(10000, -2.0 / 512))) < 1e-15);
    posenc_plan_destroy(plan);
    plan = must_plan(NULL, &(plan_shape){.dim = 7});
    must_write(plan, 1, 1, POSENC_F64, row);
    for (int i = 0; i < 7; i++) {
        snprintf(text, sizeof text, "%.9g", row[i]);
        assert_string_equal(text, d7[i]);
    }
    posenc_plan_destroy(plan);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_all_records_are_there),     cmocka_unit_test(test_oracle_gives_the_records),
        cmocka_unit_test(test_library_gives_the_records), cmocka_unit_test(test_equation_gives_the_records),
        cmocka_unit_test(test_worked_examples),
    };
    test_announce_seed();
    return cmocka_run_group_tests(tests, read_records, free_records);
}
