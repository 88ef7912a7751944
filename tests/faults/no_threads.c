/* No thread can be started: pthread_create is replaced by one that refuses at once, or after some. The calling thread
 * does the work, with the same bits. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

#include <posenc/posenc.h>

#include "support/isa.h"
#include "support/tensors.h"
#include "support/test.h"

static atomic_int may_start = -1; /* -1: any number */
static atomic_int refusals;

typedef int create_function(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);

int pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*start)(void *), void *argument) {
    create_function *real;
    void *symbol = dlsym(RTLD_NEXT, "pthread_create");
    if (atomic_load(&may_start) == 0 || !symbol) {
        atomic_fetch_add(&refusals, 1);
        return EAGAIN;
    }
    if (atomic_load(&may_start) > 0) atomic_fetch_sub(&may_start, 1);
    *(void **)&real = symbol;
    return real(thread, attributes, start, argument);
}

static void test_work_goes_on(void **state) {
    (void)state;
    if (TEST_UNDER_TSAN || TEST_UNDER_ASAN) skip(); /* they replace pthread_create themselves */
    enum { ROWS = 9000, DIM = 256 };
    float *want = must_allocate(sizeof *want * ROWS * DIM), *rows = must_allocate(sizeof *rows * ROWS * DIM);
    posenc_context *context = isa_context(isa_count() - 1, 8);
    posenc_plan *plan = must_plan(context, &(plan_shape){.dim = DIM});
    must_write(plan, 3, ROWS, POSENC_F32, want);
    for (int some = 0; some < 8; some++) {
        atomic_store(&may_start, some);
        atomic_store(&refusals, 0);
        must_write(plan, 3, ROWS, POSENC_F32, rows);
        must_equal("fewer threads", POSENC_F32, want, rows, (int64_t)ROWS * DIM);
        check(some == 7 || atomic_load(&refusals) > 0, "no thread was refused");
    }
    atomic_store(&may_start, -1);
    posenc_plan_destroy(plan);
    posenc_context_destroy(context);
    free(want);
    free(rows);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_work_goes_on)};
    return TEST_RUN(tests);
}
