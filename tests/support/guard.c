#define _DEFAULT_SOURCE
#include "support/guard.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "support/test.h"

enum { PATTERN = 0xA5 };

static size_t page_bytes(void) { return (size_t)sysconf(_SC_PAGESIZE); }

static void protect(guard *g, int rights) {
    size_t page = page_bytes();
    if (mprotect(g->map + page, g->map_bytes - 2 * page, rights) != 0) abort();
}

guard guard_make(size_t bytes, guard_side side) {
    size_t page = page_bytes(), room = (bytes + page - 1) / page * page;
    if (room == 0) room = page;
    guard g = {.bytes = bytes, .map_bytes = room + 2 * page};
    g.map = mmap(NULL, g.map_bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (g.map == MAP_FAILED) abort();
    g.data = g.map + page + (side == GUARD_BEHIND ? room - bytes : 0);
    protect(&g, PROT_READ | PROT_WRITE);
    memset(g.map + page, PATTERN, room);
    return g;
}

void guard_read_only(guard *g) { protect(g, PROT_READ); }

void guard_writable(guard *g) { protect(g, PROT_READ | PROT_WRITE); }

void guard_end(guard *g) {
    size_t page = page_bytes();
    const unsigned char *first = g->map + page, *end = g->map + g->map_bytes - page;
    for (const unsigned char *p = first; p < end; p++) {
        if (p == g->data) p += g->bytes;
        if (p == end) break;
        check(*p == PATTERN, "a byte %td past the end of a block of %zu was written", p - (g->data + g->bytes),
              g->bytes);
    }
    munmap(g->map, g->map_bytes);
}
