/* The processor's name comes from /proc/cpuinfo, sizes from sysconf. What a system does not say is left out. */
#define _DEFAULT_SOURCE /* _SC_NPROCESSORS_ONLN, _SC_LEVEL3_CACHE_SIZE, _SC_AVPHYS_PAGES */
#include "machine.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* Copies the text behind "model name : ", or a plain word. */
static void processor_name(char *name, size_t capacity) {
    char line[256];
    snprintf(name, capacity, "processor");
    FILE *file = fopen("/proc/cpuinfo", "r");
    if (!file) return;
    while (fgets(line, sizeof line, file)) {
        char *colon = strchr(line, ':');
        if (!colon || strncmp(line, "model name", 10) != 0) continue;
        line[strcspn(line, "\n")] = 0;
        snprintf(name, capacity, "%s", colon[1] == ' ' ? colon + 2 : colon + 1);
        break;
    }
    fclose(file);
}

/* Appends ", L2 512 KiB"; nothing for an unknown size. */
static void append_cache(char *line, size_t capacity, const char *label, long bytes) {
    size_t used = strlen(line);
    if (bytes <= 0) return;
    if (bytes % (1L << 20) == 0)
        snprintf(line + used, capacity - used, ", %s %ld MiB", label, bytes >> 20);
    else
        snprintf(line + used, capacity - used, ", %s %ld KiB", label, bytes >> 10);
}

void posenc_bench_machine(char *line, size_t capacity) {
    char name[128];
    processor_name(name, sizeof name);
    long cores = sysconf(_SC_NPROCESSORS_ONLN);
    snprintf(line, capacity, "%s, %ld core%s", name, cores, cores == 1 ? "" : "s");
#if defined(_SC_LEVEL3_CACHE_SIZE)
    append_cache(line, capacity, "L1d", sysconf(_SC_LEVEL1_DCACHE_SIZE));
    append_cache(line, capacity, "L2", sysconf(_SC_LEVEL2_CACHE_SIZE));
    append_cache(line, capacity, "L3", sysconf(_SC_LEVEL3_CACHE_SIZE));
#else
    (void)append_cache;
#endif
}

const char *posenc_bench_compiler(void) {
#if defined(__clang__)
    return "clang " __clang_version__;
#elif defined(__GNUC__)
    return "gcc " __VERSION__;
#else
    return "unknown compiler";
#endif
}

size_t posenc_bench_cache_bytes(void) {
#if defined(_SC_LEVEL3_CACHE_SIZE)
    long third = sysconf(_SC_LEVEL3_CACHE_SIZE), second = sysconf(_SC_LEVEL2_CACHE_SIZE);
    if (third > 0) return (size_t)third;
    if (second > 0) return (size_t)second;
#endif
    return (size_t)16 << 20;
}

size_t posenc_bench_free_bytes(void) {
#if defined(_SC_AVPHYS_PAGES)
    long pages = sysconf(_SC_AVPHYS_PAGES), page = sysconf(_SC_PAGESIZE);
    if (pages > 0 && page > 0) return (size_t)pages * (size_t)page;
#endif
    return SIZE_MAX;
}
