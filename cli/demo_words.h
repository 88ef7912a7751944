/* Text cut into words. */
#ifndef POSENC_DEMO_WORDS_H
#define POSENC_DEMO_WORDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A word is a piece of the text it was cut from. */
typedef struct posenc_demo_word {
    const char *text; /* not ended by a zero */
    int bytes;
} posenc_demo_word;

/* Cuts UTF-8 text into words: runs of letters and digits; an apostrophe or a hyphen between two of them belongs to the
 * word. Chinese and Japanese write no spaces, so there each character counts as one word (a dictionary would join
 * some). Writes at most most_words, returns how many there are. */
int posenc_demo_cut(const char *text, size_t bytes, posenc_demo_word *words, int most_words);

/* Whether two words are the same, small and capital A to Z alike. */
bool posenc_demo_same_word(posenc_demo_word a, posenc_demo_word b);

/* A number made of the word's bytes (FNV-1a), A to Z as small letters. */
uint64_t posenc_demo_word_hash(posenc_demo_word word);

/* Offset of the first byte that is not UTF-8 text (control characters other than tab, newline, form feed and carriage
 * return count as such); bytes if all is well. With may_be_cut the last three bytes may be a character cut off. */
size_t posenc_demo_not_text(const char *text, size_t bytes, bool may_be_cut);

#endif
