/* Strides, byte offsets, the order of axes in memory and the three shapes of a table change where bytes lie, never
 * which. Random tensors are compared with contiguous ones, and the bytes between their elements must not change. */
#include <stdlib.h>
#include <string.h>

#include "support/isa.h"
#include "support/resizes.h"
#include "support/strided.h"
#include "support/tensors.h"
#include "support/test.h"

/* (rows, dim), (1, rows, dim) or (rows, 1, dim). */
static void shape_of(int form, int64_t rows, int64_t dim, int64_t shape[3]) {
    int64_t *s = shape;
    if (form == 1) *s++ = 1;
    *s++ = rows;
    if (form == 2) *s++ = 1;
    *s = dim;
}

static int rank_of(int form) { return form ? 3 : 2; }

static void one_round(random_state *random, const resize_case *c, posenc_dtype dtype, int64_t dim) {
    int64_t n_old = resize_old_rows(c) * dim, n_new = resize_new_rows(c) * dim, shape[3];
    char *given = must_allocate((size_t)n_old * 8), *want = must_allocate((size_t)n_new * 8);
    char *got = must_allocate((size_t)n_new * 8);
    strided old, new;
    int form = (int)random_between(random, 0, 2), out_form = form ? (int)random_between(random, 1, 2) : 0;
    shape_of(form, resize_old_rows(c), dim, shape);
    strided_make(&old, random, dtype, rank_of(form), shape, true);
    shape_of(out_form, resize_new_rows(c), dim, shape);
    strided_make(&new, random, dtype, rank_of(out_form), shape, false);
    random_fill(random, dtype, given, n_old);
    strided_put(&old, given);
    strided_get(&old, given); /* elements may share memory */
    must_resize(NULL, c, dtype, dim, given, want);

    posenc_context *context = isa_context(0, (int)random_between(random, 1, 3));
    posenc_resize_options options = resize_options(c);
    posenc_error error = {0};
    check(posenc_resize(context, &options, old.tensor, new.tensor, &error) == POSENC_OK, "%s", error.message);
    posenc_context_destroy(context);
    strided_get(&new, got);
    must_equal(resize_text(c), dtype, want, got, n_new);
    strided_check_gaps(&new, resize_text(c));
    strided_free(&old);
    strided_free(&new);
    free(given);
    free(want);
    free(got);
}

static void test_anywhere(void **state) {
    (void)state;
    random_state random = random_start("strided resize");
    for (int round = 0; round < TEST_ROUNDS(3000); round++) {
        bool grid = random_between(&random, 0, 1);
        resize_case c = resize_way((int)random_between(&random, 0, RESIZE_WAYS - 1),
                                   grid ? random_between(&random, 1, 8) : 1, random_between(&random, 1, 8),
                                   grid ? random_between(&random, 0, 8) : 1, random_between(&random, 0, 8));
        c.prefix = random_between(&random, 0, 2);
        one_round(&random, &c, encoding_dtypes[round % 4], random_between(&random, 0, 40));
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_anywhere)};
    return TEST_RUN(tests);
}
