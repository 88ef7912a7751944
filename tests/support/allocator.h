/* An allocator that counts, can refuse, and notices what is given back wrongly. For a context's allocate and release.
 */
#ifndef POSENC_TESTS_SUPPORT_ALLOCATOR_H
#define POSENC_TESTS_SUPPORT_ALLOCATOR_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

#include <posenc/context.h>

typedef struct allocator {
    atomic_long calls;        /* allocations asked for, from 0 on since the last allocator_fail */
    atomic_long live;         /* blocks not yet given back */
    atomic_size_t live_bytes; /* their bytes */
    atomic_size_t peak_bytes; /* the most that live_bytes has been */
    atomic_long mistakes;     /* blocks given back with another size, or not from here */
    long fail_at;             /* refuse the call with this number; -1: none */
    bool fail_on;             /* and every later one */
} allocator;

void allocator_init(allocator *a);

/* From now on refuse allocation k (0 is the next), once or from there on. k = -1: refuse none. */
void allocator_fail(allocator *a, long k, bool from_there_on);

/* Whether allocation k has been asked for since, so that a loop over k knows its end. */
bool allocator_refused(const allocator *a);

/* Sets the three fields of a context's options. */
void allocator_use(allocator *a, posenc_context_options *options);

/* Makes a counting context of the defaults. */
posenc_context *allocator_context(allocator *a);

/* Ends it; nothing may be kept or have been given back wrongly. */
void allocator_context_end(allocator *a, posenc_context *context);

#endif
