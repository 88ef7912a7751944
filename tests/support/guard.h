/* Memory between two pages that nobody may touch. The block stands flush against one of them, and the bytes on its
 * other side hold a pattern that is checked at the end. */
#ifndef POSENC_TESTS_SUPPORT_GUARD_H
#define POSENC_TESTS_SUPPORT_GUARD_H

#include <stddef.h>

typedef enum guard_side { GUARD_BEHIND, GUARD_BEFORE } guard_side;

typedef struct guard {
    unsigned char *data; /* bytes that the test may use */
    size_t bytes;
    unsigned char *map;
    size_t map_bytes;
} guard;

/* GUARD_BEHIND: the byte after the block faults. GUARD_BEFORE: the byte before it does. Filled with 0xA5. */
guard guard_make(size_t bytes, guard_side side);

/* Lets the block be read and no longer written, or written again. */
void guard_read_only(guard *g);
void guard_writable(guard *g);

/* Fails the test if the bytes beside the block have changed; gives the memory back. */
void guard_end(guard *g);

#endif
