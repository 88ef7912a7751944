/* Cutting text into words, and telling text from other bytes. */
#include "demo_words.h"

#include <string.h>

#include "demo_shuffle.h"
#include "support/test.h"

enum { MOST = 16 };

typedef struct {
    const char *text, *words; /* the words with a bar between them */
} cut_case;

static const cut_case cuts[] = {
    {"", ""},
    {" \n\t .,;", ""},
    {"cat", "cat"},
    {"The cat chases the mouse.", "The|cat|chases|the|mouse"},
    {"don't well-known 'quoted' -dash-", "don't|well-known|quoted|dash"},
    {"it\xE2\x80\x99s", "it\xE2\x80\x99s"},
    {"3 cats, 4096 mice", "3|cats|4096|mice"},
    {"猫追老鼠。", "猫|追|老|鼠"},
    {"猫 chases，鼠", "猫|chases|鼠"},
    {"naïve Größe Ωμέγα слово", "naïve|Größe|Ωμέγα|слово"},
    {"a\xFF\xC3"
     "b",
     "a|b"},
    {"end'", "end"},
    {"\xF0\x9F\x90\xB1 cat \xF0\xA0\x80\x80", "cat|\xF0\xA0\x80\x80"},
};

static void join(const posenc_demo_word *words, int n, char *joined) {
    joined[0] = 0;
    for (int i = 0; i < n; i++) {
        if (i) strcat(joined, "|");
        strncat(joined, words[i].text, (size_t)words[i].bytes);
    }
}

static void text_is_cut_into_words(void **unused) {
    (void)unused;
    for (size_t i = 0; i < sizeof cuts / sizeof *cuts; i++) {
        posenc_demo_word words[MOST];
        char joined[256];
        int n = posenc_demo_cut(cuts[i].text, strlen(cuts[i].text), words, MOST);
        join(words, n, joined);
        check(strcmp(joined, cuts[i].words) == 0, "\"%s\": expected %s, got %s", cuts[i].text, cuts[i].words, joined);
    }
}

/* Texts without an end mark, in memory of exactly their size: a sanitizer sees any step beyond. */
static void no_byte_beyond_the_text_is_read(void **unused) {
    static const char whole[] = "it's 猫 well-known";
    (void)unused;
    for (size_t bytes = 0; bytes < sizeof whole; bytes++) {
        char *exact = test_malloc(bytes + 1);
        posenc_demo_word words[MOST];
        memcpy(exact + 1, whole, bytes);
        int n = posenc_demo_cut(exact + 1, bytes, words, MOST);
        for (int i = 0; i < n; i++) assert_true(words[i].text + words[i].bytes <= exact + 1 + bytes);
        posenc_demo_not_text(exact + 1, bytes, false);
        test_free(exact);
    }
}

static void more_words_than_room_are_counted(void **unused) {
    posenc_demo_word words[2];
    (void)unused;
    assert_int_equal(posenc_demo_cut("a b c d", 7, words, 2), 4);
    assert_memory_equal(words[1].text, "b", 1);
}

static posenc_demo_word word_of(const char *text) { return (posenc_demo_word){text, (int)strlen(text)}; }

static void capitals_do_not_matter(void **unused) {
    (void)unused;
    assert_true(posenc_demo_same_word(word_of("The"), word_of("the")));
    assert_false(posenc_demo_same_word(word_of("the"), word_of("then")));
    assert_false(posenc_demo_same_word(word_of("cat"), word_of("car")));
    assert_true(posenc_demo_word_hash(word_of("The")) == posenc_demo_word_hash(word_of("the")));
    assert_true(posenc_demo_word_hash(word_of("foobar")) == 0x85944171f73967e8u); /* FNV-1a's published vector */
}

typedef struct {
    const char *bytes;
    size_t length, bad; /* offset of the first byte that is no text */
    bool may_be_cut;
} byte_case;

static const byte_case byte_cases[] = {
    {"plain\ttext\r\n", 12, 12, false},
    {"", 0, 0, false},
    {"a\0b", 3, 1, false},
    {"\x7F"
     "ELF",
     4, 0, false},
    {"ab\xFF", 3, 2, false},
    {"ab\xC0\x80", 4, 2, false}, /* overlong */
    {"\xED\xA0\x80", 3, 0, false},
    {"\xF4\x90\x80\x80", 4, 0, false}, /* surrogate, beyond U+10FFFF */
    {"猫", 3, 3, false},
    {"猫", 2, 0, false},
    {"猫", 2, 2, true},
    {"a\x1b[31m", 6, 1, false},
};

static void bytes_that_are_no_text_are_found(void **unused) {
    (void)unused;
    for (size_t i = 0; i < sizeof byte_cases / sizeof *byte_cases; i++) {
        const byte_case *c = &byte_cases[i];
        size_t bad = posenc_demo_not_text(c->bytes, c->length, c->may_be_cut);
        check(bad == c->bad, "case %zu: expected byte %zu, got %zu", i, c->bad, bad);
    }
}

static int count(const posenc_demo_word *words, int n, posenc_demo_word word) {
    int times = 0;
    for (int t = 0; t < n; t++) times += posenc_demo_same_word(words[t], word);
    return times;
}

/* For many seeds and lengths: the same words as often as before, in another order where there is one. */
static void shuffled_words_are_the_same_words(void **unused) {
    static const char *const texts[] = {"a", "a b", "a a", "a a b", "a b c", "a b c d e f g a b a", "a a a a"};
    (void)unused;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        posenc_demo_word words[MOST], shuffled[MOST];
        int n = posenc_demo_cut(texts[i], strlen(texts[i]), words, MOST);
        for (uint64_t seed = 0; seed < 200; seed++) {
            bool moved = posenc_demo_shuffle(words, n, seed, shuffled), differs = false;
            for (int t = 0; t < n; t++) {
                differs |= !posenc_demo_same_word(words[t], shuffled[t]);
                check(count(words, n, words[t]) == count(shuffled, n, words[t]), "\"%s\", seed %d: word %d", texts[i],
                      (int)seed, t);
            }
            check(moved == differs && moved == (count(words, n, words[0]) < n), "\"%s\", seed %d", texts[i], (int)seed);
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(text_is_cut_into_words),           cmocka_unit_test(no_byte_beyond_the_text_is_read),
        cmocka_unit_test(more_words_than_room_are_counted), cmocka_unit_test(capitals_do_not_matter),
        cmocka_unit_test(bytes_that_are_no_text_are_found), cmocka_unit_test(shuffled_words_are_the_same_words)};
    return TEST_RUN(tests);
}
