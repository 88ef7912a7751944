/* Each block begins with one cache line that holds its size, because an allocator's release wants to know it. */
#include "base/memory.h"

#include <stdlib.h>

#include "base/checked.h"
#include "base/context.h"

static void *library_allocate(size_t bytes, size_t alignment) {
    size_t rounded;
    if (!posenc_size_add(bytes, alignment - 1, &rounded)) return NULL;
    return aligned_alloc(alignment, rounded & ~(alignment - 1));
}

void *posenc_allocate(const posenc_context *context, size_t bytes) {
    size_t total;
    if (!posenc_size_add(bytes, POSENC_ALIGNMENT, &total)) return NULL;
    const posenc_context_options *how = context ? &context->options : NULL;
    char *block = how && how->allocate ? how->allocate(how->allocator_user, total, POSENC_ALIGNMENT)
                                       : library_allocate(total, POSENC_ALIGNMENT);
    if (!block) return NULL;
    *(size_t *)block = total;
    return block + POSENC_ALIGNMENT;
}

void posenc_release(const posenc_context *context, void *pointer) {
    if (!pointer) return;
    char *block = (char *)pointer - POSENC_ALIGNMENT;
    const posenc_context_options *how = context ? &context->options : NULL;
    if (how && how->release)
        how->release(how->allocator_user, block, *(size_t *)block);
    else
        free(block);
}
