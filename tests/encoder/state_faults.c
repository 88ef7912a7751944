/* Saving and loading while memory runs out: each allocation refused, once and from there on. A save leaves the old
 * file, a load makes nothing, nothing leaks, and without the failure both work. */
#include <stdlib.h>
#include <string.h>

#include "../formats/folder.h"
#include "encoders.h"
#include "support/allocator.h"
#include "support/refusal.h"
#include "support/test.h"

typedef struct world {
    allocator memory;
    posenc_context *context;
    posenc_encoder *encoder;
    folder folder;
    char path[300];
} world;

static world *world_make(void) {
    world *w = must_allocate(sizeof *w);
    posenc_context_options options;
    posenc_context_default(&options, sizeof options);
    allocator_init(&w->memory);
    allocator_use(&w->memory, &options);
    assert_int_equal(posenc_context_create(&options, &w->context, NULL), POSENC_OK);
    w->encoder = must_encoder(w->context, &(plan_shape){.dim = 10, .max_len = 30}, NULL);
    w->folder = folder_make();
    strcpy(w->path, folder_path(&w->folder, "state"));
    return w;
}

static void world_end(world *w) {
    posenc_encoder_destroy(w->encoder);
    posenc_context_destroy(w->context);
    assert_int_equal(atomic_load(&w->memory.live), 0);
    assert_int_equal(atomic_load(&w->memory.mistakes), 0);
    folder_end(&w->folder);
    free(w);
}

static posenc_status save(world *w, posenc_error *error) { return posenc_encoder_save(w->encoder, w->path, error); }

static posenc_status load(world *w, posenc_error *error) {
    posenc_encoder *loaded = NULL;
    posenc_status status = posenc_encoder_load(w->context, w->path, &loaded, error);
    check((status == POSENC_OK) == (loaded != NULL), "encoder and status differ");
    if (loaded)
        must_equal("table", POSENC_F32, posenc_encoder_table(w->encoder)->data, posenc_encoder_table(loaded)->data,
                   30 * 10);
    posenc_encoder_destroy(loaded);
    return status;
}

/* Returns whether allocation k was asked for. */
static bool one_failure(world *w, posenc_status (*call)(world *, posenc_error *), long k, bool from_there_on) {
    long live = atomic_load(&w->memory.live);
    posenc_error error = error_blank();
    allocator_fail(&w->memory, k, from_there_on);
    posenc_status status = call(w, &error);
    bool refused = allocator_refused(&w->memory);
    allocator_fail(&w->memory, -1, false);
    check(atomic_load(&w->memory.live) == live, "allocation %ld: %ld blocks leak", k,
          atomic_load(&w->memory.live) - live);
    if (status == POSENC_OK) return refused;
    check(refused, "%s without a failure", error.message);
    must_refuse("out of memory", status, POSENC_ERROR_MEMORY, &error, NULL);
    return true;
}

static void test_every_allocation_of_save(void **state) {
    (void)state;
    for (int on = 0; on < 2; on++) {
        world *w = world_make();
        long k = 0;
        for (bool more = true; more; k++) {
            folder_write(w->path, "older", 5);
            more = one_failure(w, save, k, on); /* saved, or refused with the older file in its place */
            assert_int_equal(folder_count(&w->folder), 1);
            check(folder_holds(w->path, "older", 5) || load(w, NULL) == POSENC_OK, "allocation %ld: neither file", k);
        }
        check(k > 1, "a save asked for no memory");
        assert_int_equal(load(w, NULL), POSENC_OK);
        world_end(w);
    }
}

static void test_every_allocation_of_load(void **state) {
    (void)state;
    for (int on = 0; on < 2; on++) {
        world *w = world_make();
        assert_int_equal(save(w, NULL), POSENC_OK);
        long k = 0;
        while (one_failure(w, load, k, on)) k++;
        check(k >= 4, "a load asked for %ld blocks only", k);
        assert_int_equal(load(w, NULL), POSENC_OK);
        world_end(w);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_every_allocation_of_save),
                                       cmocka_unit_test(test_every_allocation_of_load)};
    return TEST_RUN(tests);
}
