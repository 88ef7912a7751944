/* Loaded before the C library, makes the program's k-th allocation fail: POSENC_FAIL_AT=k for that one alone,
 * POSENC_FAIL_FROM=k for it and all later ones. With POSENC_FAIL_COUNT=FILE it counts them into the file at the end.
 * Allocations are counted from main on. glibc only. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

void *__libc_malloc(size_t bytes);
void *__libc_calloc(size_t n, size_t bytes);
void *__libc_realloc(void *pointer, size_t bytes);
void *__libc_memalign(size_t alignment, size_t bytes);

static long count, fail_at, fail_from;
static const char *count_file;

static long number(const char *name) {
    const char *text = getenv(name);
    return text ? strtol(text, NULL, 10) : 0;
}

__attribute__((constructor)) static void begin(void) {
    fail_at = number("POSENC_FAIL_AT");
    fail_from = number("POSENC_FAIL_FROM");
    count_file = getenv("POSENC_FAIL_COUNT");
    count = 0;
}

__attribute__((destructor)) static void end(void) {
    if (!count_file) return;
    long total = count;
    fail_at = fail_from = 0;
    FILE *file = fopen(count_file, "w");
    if (!file) return;
    fprintf(file, "%ld\n", total);
    fclose(file);
}

static int fails(void) {
    long here = __atomic_add_fetch(&count, 1, __ATOMIC_RELAXED);
    if (here != fail_at && (fail_from == 0 || here < fail_from)) return 0;
    errno = ENOMEM;
    return 1;
}

void *malloc(size_t bytes) { return fails() ? NULL : __libc_malloc(bytes); }
void *calloc(size_t n, size_t bytes) { return fails() ? NULL : __libc_calloc(n, bytes); }
void *realloc(void *pointer, size_t bytes) { return fails() ? NULL : __libc_realloc(pointer, bytes); }
void *aligned_alloc(size_t alignment, size_t bytes) { return fails() ? NULL : __libc_memalign(alignment, bytes); }
