#include "support/allocator.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "support/test.h"

/* Stands in front of every block: at least 64 bytes, so that any alignment up to 64 stays right. */
typedef struct front {
    uint64_t magic;
    size_t bytes, alignment;
    void *block;
} front;

#define MAGIC UINT64_C(0x706F73656E633031)

void allocator_init(allocator *a) {
    memset(a, 0, sizeof *a);
    a->fail_at = -1;
}

void allocator_fail(allocator *a, long k, bool from_there_on) {
    atomic_store(&a->calls, 0);
    a->fail_at = k;
    a->fail_on = from_there_on;
}

bool allocator_refused(const allocator *a) { return a->fail_at >= 0 && atomic_load(&a->calls) > a->fail_at; }

static bool refuses(const allocator *a, long call) {
    return a->fail_at >= 0 && (a->fail_on ? call >= a->fail_at : call == a->fail_at);
}

static void note_peak(allocator *a, size_t now) {
    size_t peak = atomic_load(&a->peak_bytes);
    while (now > peak && !atomic_compare_exchange_weak(&a->peak_bytes, &peak, now)) continue;
}

static void *allocate(void *user, size_t bytes, size_t alignment) {
    allocator *a = user;
    if (refuses(a, atomic_fetch_add(&a->calls, 1))) return NULL;
    size_t step = alignment > sizeof(front) ? alignment : sizeof(front);
    if (bytes > SIZE_MAX - 2 * step) return NULL;
    char *block = malloc(bytes + 2 * step);
    if (!block) return NULL;
    char *data = block + step + sizeof(front);
    data -= (uintptr_t)data % alignment;
    ((front *)(void *)data)[-1] = (front){MAGIC, bytes, alignment, block};
    memset(data, 0xC3, bytes); /* nobody may count on zeros */
    atomic_fetch_add(&a->live, 1);
    note_peak(a, atomic_fetch_add(&a->live_bytes, bytes) + bytes);
    return data;
}

static void release(void *user, void *pointer, size_t bytes) {
    allocator *a = user;
    front *f = (front *)pointer - 1;
    if (f->magic != MAGIC || f->bytes != bytes) {
        atomic_fetch_add(&a->mistakes, 1);
        return;
    }
    void *block = f->block;
    memset(pointer, 0x3C, bytes); /* a later use shows */
    f->magic = 0;
    atomic_fetch_sub(&a->live, 1);
    atomic_fetch_sub(&a->live_bytes, bytes);
    free(block);
}

void allocator_use(allocator *a, posenc_context_options *options) {
    options->allocate = allocate;
    options->release = release;
    options->allocator_user = a;
}

posenc_context *allocator_context(allocator *a) {
    posenc_context_options options;
    posenc_context *context;
    allocator_init(a);
    posenc_context_default(&options, sizeof options);
    allocator_use(a, &options);
    assert_int_equal(posenc_context_create(&options, &context, NULL), POSENC_OK);
    return context;
}

void allocator_context_end(allocator *a, posenc_context *context) {
    posenc_context_destroy(context);
    check(a->live == 0 && a->mistakes == 0, "%ld blocks kept, %ld given back wrongly", (long)a->live,
          (long)a->mistakes);
}
