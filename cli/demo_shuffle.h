/* Words in another order. */
#ifndef POSENC_DEMO_SHUFFLE_H
#define POSENC_DEMO_SHUFFLE_H

#include "demo_words.h"

/* shuffled (n) = words (n) in a random order that is not the given one. False where there is no other order: all words
 * are the same, or there is one only. The arrays do not overlap. */
bool posenc_demo_shuffle(const posenc_demo_word *words, int n, uint64_t seed, posenc_demo_word *shuffled);

#endif
