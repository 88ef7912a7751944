/* Buffers for measuring: page-aligned, and either warm (every page touched before) or fresh (no page touched yet). */
#ifndef POSENC_BENCH_PAGES_H
#define POSENC_BENCH_PAGES_H

#include <stddef.h>

/* Memory straight from the system, every page still to be faulted in. NULL on failure. */
void *posenc_bench_fresh(size_t bytes);

/* Memory whose pages have all been written (a non-zero byte). NULL on failure. */
void *posenc_bench_warm(size_t bytes);

/* Gives either kind back. NULL is fine. */
void posenc_bench_unmap(void *memory, size_t bytes);

#endif
