/* The parts of the guided tour, in their order. Each prints to standard output and returns an exit status. */
#ifndef POSENC_DEMO_H
#define POSENC_DEMO_H

#include "demo_words.h"

enum {
    POSENC_DEMO_SEEDS = 8,        /* models drawn for the two sentences: seed, seed + 1, ... */
    POSENC_DEMO_MOST_WORDS = 256, /* of the text that the model reads */
    POSENC_DEMO_MOST_BYTES = 65536
};

/* 1. Who chases whom: two sentences of the same words. */
int posenc_demo_order(uint64_t seed);

/* 2. The same effect in a real text. */
int posenc_demo_reading(const posenc_demo_word *words, int n, uint64_t seed);

/* 3. The 5000 x 512 table: how fast, how exact. */
int posenc_demo_table(void);

/* The text that comes with the program. */
extern const unsigned char posenc_demo_paragraph[];
extern const size_t posenc_demo_paragraph_bytes;

/* Prints a heading. */
void posenc_demo_heading(const char *text);

/* Prints a paragraph, wrapped at 80 columns. */
void posenc_demo_say(const char *text);

#endif
