/* Memory through the context's allocator, aligned for every vector and to a cache line. */
#ifndef POSENC_BASE_MEMORY_H
#define POSENC_BASE_MEMORY_H

#include <posenc/context.h>

#define POSENC_ALIGNMENT 64

/* NULL on failure. Zero bytes give a pointer that may be freed. */
void *posenc_allocate(const posenc_context *context, size_t bytes);

/* NULL is fine. The context is the one of the allocation. */
void posenc_release(const posenc_context *context, void *pointer);

#endif
