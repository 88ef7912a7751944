/* A child that forks off after its parent has used threads computes with threads of its own, and in time. */
#define _POSIX_C_SOURCE 200809L
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

#include <posenc/posenc.h>

#include "support/isa.h"
#include "support/tensors.h"
#include "support/test.h"

enum { ROWS = 8000, DIM = 256, SECONDS = 60 };

/* What a child does: 0 when all is right. It must not use cmocka, whose jump buffers are the parent's. */
static int child(const posenc_context *context, const posenc_plan *plan, const float *want, float *rows) {
    size_t bytes = (size_t)ROWS * DIM * sizeof *rows;
    posenc_plan *own;
    alarm(SECONDS); /* a hang ends the child */
    memset(rows, 0, bytes);
    if (posenc_plan_write_f32(plan, -100, ROWS, rows) != POSENC_OK || memcmp(rows, want, bytes) != 0) return 1;
    if (posenc_sinusoidal_create(context, DIM, &own, NULL) != POSENC_OK) return 2;
    memset(rows, 0, bytes);
    if (posenc_plan_write_f32(own, -100, ROWS, rows) != POSENC_OK || memcmp(rows, want, bytes) != 0) return 3;
    posenc_plan_destroy(own);
    return 0;
}

typedef struct fork_case {
    const posenc_context *context;
    const posenc_plan *plan;
    const float *want;
    float *rows;
    int status;
} fork_case;

static void *fork_and_wait(void *argument) {
    fork_case *c = argument;
    pid_t pid = fork();
    if (pid == 0) _exit(child(c->context, c->plan, c->want, c->rows));
    if (pid < 0 || waitpid(pid, &c->status, 0) != pid) c->status = -1;
    return NULL;
}

static void check_children(fork_case *c) {
    fork_and_wait(c);
    check(WIFEXITED(c->status) && WEXITSTATUS(c->status) == 0, "child of the main thread ended with %d", c->status);
    pthread_t thread;
    assert_int_equal(pthread_create(&thread, NULL, fork_and_wait, c), 0);
    pthread_join(thread, NULL);
    check(WIFEXITED(c->status) && WEXITSTATUS(c->status) == 0, "child of a thread ended with %d", c->status);
}

static void test_a_child_computes(void **state) {
    (void)state;
    if (TEST_UNDER_TSAN) skip(); /* it refuses threads in a child of a process that had some */
    for (int threads = 1; threads <= 4; threads += 3) {
        posenc_context *context = isa_context(isa_count() - 1, threads);
        posenc_plan *plan = must_plan(context, &(plan_shape){.dim = DIM});
        float *want = must_allocate(sizeof *want * ROWS * DIM), *rows = must_allocate(sizeof *rows * ROWS * DIM);
        must_write(plan, -100, ROWS, POSENC_F32, want);
        fork_case c = {context, plan, want, rows, 0};
        check_children(&c);
        must_write(plan, -100, ROWS, POSENC_F32, rows); /* and the parent goes on */
        must_equal("parent", POSENC_F32, want, rows, (int64_t)ROWS * DIM);
        free(want);
        free(rows);
        posenc_plan_destroy(plan);
        posenc_context_destroy(context);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_a_child_computes)};
    return TEST_RUN(tests);
}
