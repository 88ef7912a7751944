/* Philox4x32-10 and the dropout rule that stands on it, one block at a time and straight from the paper (Salmon et al.
 * 2011, "Parallel random numbers: as easy as 1, 2, 3"). Written without a look at the library's, which is checked
 * against it. */
#ifndef POSENC_TESTS_SUPPORT_PHILOX_H
#define POSENC_TESTS_SUPPORT_PHILOX_H

#include <stdbool.h>
#include <stdint.h>

void philox_block(const uint32_t counter[4], const uint32_t key[2], uint32_t words[4]);

/* The dropout word of an element: word (e mod 4), counter (e div 4, stream), key seed. */
uint32_t philox_word(uint64_t seed, uint64_t stream, uint64_t element);

/* Whether an element is kept: where its word is at least round(p 2^32). */
bool philox_keeps(uint64_t seed, uint64_t stream, uint64_t element, double p);

#endif
