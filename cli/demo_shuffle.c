/* Fisher and Yates, and a turn by one where chance has changed nothing, as it may with two words. */
#include "demo_shuffle.h"

#include "demo_random.h"

static bool same_order(const posenc_demo_word *a, const posenc_demo_word *b, int n) {
    int t = 0;
    while (t < n && posenc_demo_same_word(a[t], b[t])) t++;
    return t == n;
}

static void exchange(posenc_demo_word *words, int n, uint64_t seed) {
    posenc_demo_random random = {seed};
    for (int t = n - 1; t > 0; t--) {
        size_t other = posenc_demo_below(&random, (size_t)t + 1);
        posenc_demo_word word = words[t];
        words[t] = words[other];
        words[other] = word;
    }
}

bool posenc_demo_shuffle(const posenc_demo_word *words, int n, uint64_t seed, posenc_demo_word *shuffled) {
    for (int t = 0; t < n; t++) shuffled[t] = words[t];
    exchange(shuffled, n, seed);
    if (!same_order(words, shuffled, n)) return true;
    for (int t = 0; t < n; t++) shuffled[t] = words[(t + 1) % n];
    return !same_order(words, shuffled, n);
}
