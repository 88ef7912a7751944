/* What every fuzz target stands on: a promise that aborts when it is broken, and an allocator that counts what is out.
 */
#ifndef POSENC_TESTS_FUZZ_METER_H
#define POSENC_TESTS_FUZZ_METER_H

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

#include <posenc/context.h>

static inline void must(bool condition) {
    if (!condition) abort();
}

typedef struct meter {
    size_t live, peak;
    size_t most; /* a larger block is refused; 0: none is */
} meter;

static inline void *meter_allocate(void *user, size_t bytes, size_t alignment) {
    meter *m = user;
    if (m->most > 0 && bytes > m->most) return NULL;
    m->live += bytes;
    if (m->live > m->peak) m->peak = m->live;
    return aligned_alloc(alignment, (bytes + alignment - 1) / alignment * alignment);
}

static inline void meter_release(void *user, void *pointer, size_t bytes) {
    ((meter *)user)->live -= bytes;
    free(pointer);
}

/* A context whose memory is metered. */
static inline posenc_context *meter_context(meter *m) {
    posenc_context_options options;
    posenc_context *context = NULL;
    posenc_context_default(&options, sizeof options);
    options.allocate = meter_allocate;
    options.release = meter_release;
    options.allocator_user = m;
    must(posenc_context_create(&options, &context, NULL) == POSENC_OK);
    return context;
}

#endif
