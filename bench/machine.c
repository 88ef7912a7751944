/* The processor's name comes from /proc, the sizes of its caches from /sys. What a system does not say is left out. */
#define _DEFAULT_SOURCE /* _SC_NPROCESSORS_ONLN, _SC_AVPHYS_PAGES */
#include "machine.h"

#include <stdbool.h>
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

/* Reads one word from a file of the first core's cache folder. */
static bool read_cache_word(int index, const char *name, char word[32]) {
    char path[96];
    snprintf(path, sizeof path, "/sys/devices/system/cpu/cpu0/cache/index%d/%s", index, name);
    FILE *file = fopen(path, "r");
    if (!file) return false;
    bool fine = fscanf(file, "%31s", word) == 1;
    fclose(file);
    return fine;
}

/* Bytes of the data cache of a level, as the first core sees it: on many-part processors sysconf counts the third level
 * of all parts together, though a core reaches only the one beside it. 0: unknown. */
static size_t cache_bytes_of(int level) {
    char word[32];
    for (int index = 0; read_cache_word(index, "level", word); index++) {
        if (word[0] != (char)('0' + level) || !read_cache_word(index, "type", word) || word[0] == 'I') continue;
        if (!read_cache_word(index, "size", word)) continue;
        char unit = 'B';
        unsigned long size = 0;
        sscanf(word, "%lu%c", &size, &unit);
        return (size_t)size << (unit == 'K' ? 10 : unit == 'M' ? 20 : 0);
    }
    return 0;
}

/* Appends ", L2 512 KiB"; nothing for an unknown size. */
static void append_cache(char *line, size_t capacity, const char *label, size_t bytes) {
    size_t used = strlen(line), mega = (size_t)1 << 20;
    if (bytes == 0) return;
    snprintf(line + used, capacity - used, ", %s %zu %s", label, bytes % mega ? bytes >> 10 : bytes >> 20,
             bytes % mega ? "KiB" : "MiB");
}

void posenc_bench_machine(char *line, size_t capacity) {
    char name[128];
    processor_name(name, sizeof name);
    long cores = sysconf(_SC_NPROCESSORS_ONLN);
    snprintf(line, capacity, "%s, %ld core%s", name, cores, cores == 1 ? "" : "s");
    append_cache(line, capacity, "L1d", cache_bytes_of(1));
    append_cache(line, capacity, "L2", cache_bytes_of(2));
    append_cache(line, capacity, "L3", cache_bytes_of(3));
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
    for (int level = 4; level >= 2; level--)
        if (cache_bytes_of(level) > 0) return cache_bytes_of(level);
    return (size_t)16 << 20;
}

size_t posenc_bench_free_bytes(void) {
#if defined(_SC_AVPHYS_PAGES)
    long pages = sysconf(_SC_AVPHYS_PAGES), page = sysconf(_SC_PAGESIZE);
    if (pages > 0 && page > 0) return (size_t)pages * (size_t)page;
#endif
    return SIZE_MAX;
}
