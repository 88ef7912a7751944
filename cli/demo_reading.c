/* Part 2: a real text. The same word at different places, and the text with its words shuffled. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"
#include "demo.h"
#include "demo_model.h"
#include "demo_shuffle.h"

enum { DIM = POSENC_DEMO_DIM };

/* What one reading of the text gives: outputs (n, dim) without [0] and with [1] positions, and the same of the shuffled
 * text. */
typedef struct {
    double *plain[2], *shuffled[2];
} outputs;

static int count_same(const posenc_demo_word *words, int n, int which) {
    int same = 0;
    for (int t = 0; t < n; t++) same += posenc_demo_same_word(words[t], words[which]);
    return same;
}

static int count_distinct(const posenc_demo_word *words, int n) {
    int distinct = 0;
    for (int t = 0; t < n; t++) {
        int first = 0;
        while (!posenc_demo_same_word(words[first], words[t])) first++;
        distinct += first == t;
    }
    return distinct;
}

/* The place where the most frequent word stands first. */
static int most_frequent(const posenc_demo_word *words, int n) {
    int best = 0;
    for (int t = 1; t < n; t++)
        if (count_same(words, n, t) > count_same(words, n, best)) best = t;
    return best;
}

/* A similarity that is 1 but for rounding. */
static void print_same(const char *what, double distance) {
    if (distance > 0)
        printf("  %-20s 1 - %.0e: the same but for rounding\n", what, distance);
    else
        printf("  %-20s 1: the same, bit for bit\n", what);
}

static void print_similarity(const char *what, double least, double mean, double most) {
    if (most < 1e-12)
        print_same(what, most);
    else
        printf("  %-20s %.3f on average, from %.3f to %.3f\n", what, 1 - mean, 1 - most, 1 - least);
}

/* All pairs of places where the word stands. */
static void show_repeated(const posenc_demo_word *words, int n, int which, const double *out, const char *what) {
    double least = 2, most = 0, sum = 0;
    int pairs = 0;
    for (int a = 0; a < n; a++) {
        if (!posenc_demo_same_word(words[a], words[which])) continue;
        for (int b = a + 1; b < n; b++) {
            if (!posenc_demo_same_word(words[b], words[which])) continue;
            double distance = posenc_demo_distance(out + a * DIM, out + b * DIM, DIM);
            if (distance < least) least = distance;
            if (distance > most) most = distance;
            sum += distance;
            pairs++;
        }
    }
    print_similarity(what, least, sum / pairs, most);
}

static void show_pooled(const outputs *o, int n) {
    static const char *const names[] = {"without positions", "with positions"};
    for (int with = 0; with < 2; with++) {
        double pooled[DIM], shuffled[DIM];
        posenc_demo_pool(o->plain[with], n, pooled);
        posenc_demo_pool(o->shuffled[with], n, shuffled);
        double distance = posenc_demo_distance(pooled, shuffled, DIM);
        if (distance < 1e-12)
            print_same(names[with], distance);
        else
            printf("  %-20s %.4f\n", names[with], 1 - distance);
    }
}

/* A long word is shortened between two characters. What a terminal might obey is escaped. */
static void print_word(posenc_demo_word word) {
    enum { MOST_BYTES = 24 };
    char text[MOST_BYTES + 1];
    int bytes = word.bytes > MOST_BYTES ? MOST_BYTES - 3 : word.bytes;
    while (bytes < word.bytes && ((unsigned char)word.text[bytes] & 0xC0) == 0x80) bytes--;
    memcpy(text, word.text, (size_t)bytes);
    text[bytes] = 0;
    posenc_cli_escape(stdout, text);
    if (bytes < word.bytes) fputs("...", stdout);
}

static void print_words(const posenc_demo_word *words, int n) {
    enum { SHOWN = 8 };
    int distinct = count_distinct(words, n);
    printf("  %d word%s, %d of them distinct:\n  ", n, n == 1 ? "" : "s", distinct);
    for (int t = 0; t < n && t < SHOWN; t++) {
        if (t) fputs("·", stdout);
        print_word(words[t]);
    }
    printf("%s\n", n > SHOWN ? "·..." : "");
}

static void show(const posenc_demo_word *words, int n, bool moved, const outputs *o) {
    int which = most_frequent(words, n), times = count_same(words, n, which);
    if (times > 1) {
        printf("\n  How alike are the outputs of \"");
        print_word(words[which]);
        printf("\" at its %d places?\n", times);
        show_repeated(words, n, which, o->plain[0], "without positions");
        show_repeated(words, n, which, o->plain[1], "with positions");
    } else {
        printf("\n  No word stands twice in this text, so there are no two places to compare.\n");
    }
    if (moved) {
        printf("\n  How alike are the pooled outputs of the text and of its words shuffled?\n");
        show_pooled(o, n);
    } else {
        printf("\n  All words are the same, so there is no other order to compare with.\n");
    }
}

static bool read_all(const posenc_demo_word *words, const posenc_demo_word *shuffled, int n, uint64_t seed,
                     const outputs *o) {
    posenc_demo_model model;
    bool fine = posenc_demo_model_begin(&model, seed);
    for (int with = 0; with < 2 && fine; with++)
        fine = posenc_demo_model_read(&model, words, n, with, o->plain[with]) &&
               posenc_demo_model_read(&model, shuffled, n, with, o->shuffled[with]);
    posenc_demo_model_end(&model);
    return fine;
}

int posenc_demo_reading(const posenc_demo_word *words, int n, uint64_t seed) {
    posenc_demo_word shuffled[POSENC_DEMO_MOST_WORDS];
    size_t values = (size_t)n * DIM, bytes = 4 * values * sizeof(double);
    double *all = malloc(bytes);
    if (!all) return posenc_cli_no_memory("text", bytes);
    outputs o = {{all, all + values}, {all + 2 * values, all + 3 * values}};
    bool moved = posenc_demo_shuffle(words, n, seed, shuffled);
    print_words(words, n);
    int status = POSENC_CLI_FINE;
    if (n == 1)
        puts("\n  One word has no order: nothing to compare. Try a longer text.");
    else if (!read_all(words, shuffled, n, seed, &o))
        status = posenc_cli_no_memory("model", bytes);
    else
        show(words, n, moved, &o);
    free(all);
    return status;
}
