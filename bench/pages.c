/* Memory by mmap: malloc would hand out pages that an earlier work has touched. */
#define _DEFAULT_SOURCE /* MAP_ANONYMOUS */
#include "pages.h"

#include <string.h>
#include <sys/mman.h>

void *posenc_bench_fresh(size_t bytes) {
    void *memory = mmap(NULL, bytes ? bytes : 1, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    return memory == MAP_FAILED ? NULL : memory;
}

void *posenc_bench_warm(size_t bytes) {
    void *memory = posenc_bench_fresh(bytes);
    if (memory) memset(memory, 1, bytes);
    return memory;
}

void posenc_bench_unmap(void *memory, size_t bytes) {
    if (memory) munmap(memory, bytes ? bytes : 1);
}
