/* Untrusted bytes in messages. */
#include "formats/escape.h"

#include <stdlib.h>
#include <string.h>

#include "support/tensors.h"
#include "support/test.h"

static void known_texts(void **state) {
    static const struct {
        const char *bytes, *text;
    } cases[] = {
        {"", ""},
        {"plain <text> & more", "plain <text> & more"},
        {"back\\slash", "back\\\\slash"},
        {"\n\t\r\x1B[31m\x7F", "\\x0a\\x09\\x0d\\x1b[31m\\x7f"},
        {"\xC3\xA9", "\\xc3\\xa9"},
        {"\xFF", "\\xff"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[64];
        assert_string_equal(posenc_escape(cases[i].bytes, strlen(cases[i].bytes), text, sizeof text), cases[i].text);
    }
    char text[64];
    assert_string_equal(posenc_escape("a\0b", 3, text, sizeof text), "a\\x00b");
}

static void known_paths(void **state) {
    static const struct {
        const char *path, *text;
    } cases[] = {
        {"", ""},
        {"a/b c.npy", "a/b c.npy"},
        {"\xE7\x8C\xAB/\xC3\xA9\xF0\x9F\x90\xB1", "\xE7\x8C\xAB/\xC3\xA9\xF0\x9F\x90\xB1"}, /* a cat in three ways */
        {"a\nb", "a\\x0ab"},
        {"\xC2\x9B"
         "31m",
         "\\xc2\\x9b31m"},                            /* C1 control sequence introducer */
        {"\xE2\x80\xAEgnp", "\\xe2\\x80\\xaegnp"},    /* right-to-left override */
        {"\xE2\x81\xA6x", "\\xe2\\x81\\xa6x"},        /* isolate */
        {"\xD8\x9Cx", "\\xd8\\x9cx"},                 /* Arabic letter mark */
        {"\xE2\x80\x8Bx", "\\xe2\\x80\\x8bx"},        /* zero width space */
        {"\xEF\xBB\xBFx", "\\xef\\xbb\\xbfx"},        /* byte order mark */
        {"\xF3\xA0\x81\x81", "\\xf3\\xa0\\x81\\x81"}, /* a tag letter */
        {"\xC0\xAF", "\\xc0\\xaf"},                   /* overlong slash */
        {"\xE0\x80\xAF", "\\xe0\\x80\\xaf"},
        {"\xF0\x80\x80\xAF", "\\xf0\\x80\\x80\\xaf"},
        {"\xED\xA0\x80", "\\xed\\xa0\\x80"},          /* a surrogate */
        {"\xF4\x90\x80\x80", "\\xf4\\x90\\x80\\x80"}, /* beyond U+10FFFF */
        {"\xF5\x80\x80\x80", "\\xf5\\x80\\x80\\x80"},
        {"\xE7\x8C", "\\xe7\\x8c"}, /* cut */
        {"\xE7\x8Cx", "\\xe7\\x8cx"},
        {"\x80x", "\\x80x"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[POSENC_SHOWN_PATH];
        assert_string_equal(posenc_escape_path(cases[i].path, text), cases[i].text);
    }
}

/* What comes out is printable, ends, fits to the byte, and is cut between units. */
static void every_length_and_capacity(void **state) {
    random_state random = random_start("escape");
    (void)state;
    for (int round = 0; round < 20000; round++) {
        size_t n = (size_t)random_between(&random, 0, 40), capacity = (size_t)random_between(&random, 8, 60);
        uint8_t bytes[40];
        for (size_t i = 0; i < n; i++)
            bytes[i] =
                (uint8_t)(random_u64(&random) & 1 ? random_between(&random, 32, 126) : random_between(&random, 0, 255));
        char whole[200], *text = must_allocate(capacity);
        posenc_escape(bytes, n, whole, sizeof whole);
        posenc_escape(bytes, n, text, capacity);
        size_t length = strlen(text);
        check(length < capacity, "%zu in %zu", length, capacity);
        for (size_t i = 0; i < length; i++) check(text[i] >= 32 && text[i] < 127, "byte %d", text[i]);
        if (strlen(whole) < capacity) {
            assert_string_equal(text, whole);
        } else {
            check(length >= 3 && strcmp(text + length - 3, "...") == 0, "%s is cut without a sign", text);
            check(memcmp(text, whole, length - 3) == 0, "%s is no beginning of %s", text, whole);
            check(length + 4 + 3 >= capacity - 1, "%s wastes room of %zu", text, capacity);
        }
        free(text);
    }
}

static void long_paths_keep_their_end(void **state) {
    random_state random = random_start("escape path");
    (void)state;
    for (int round = 0; round < 2000; round++) {
        char path[600], text[POSENC_SHOWN_PATH];
        size_t n = (size_t)random_between(&random, 0, 590);
        for (size_t i = 0; i < n; i++) path[i] = (char)random_between(&random, 1, 255);
        memcpy(path + n, "tail.npy", 9);
        memset(text, 0x5A, sizeof text);
        posenc_escape_path(path, text);
        size_t length = strlen(text);
        check(length < sizeof text, "%zu", length);
        assert_string_equal(text + length - 8, "tail.npy");
        if (n > 160) check(strncmp(text, "...", 3) == 0 && length > sizeof text - 20, "%s", text);
    }
    char path[200], text[POSENC_SHOWN_PATH];
    for (size_t n = 157; n <= 161; n++) {
        memset(path, 'a', n);
        path[n] = '\0';
        posenc_escape_path(path, text);
        assert_int_equal(strlen(text), n < 160 ? n : 159);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(known_texts),
        cmocka_unit_test(known_paths),
        cmocka_unit_test(every_length_and_capacity),
        cmocka_unit_test(long_paths_keep_their_end),
    };
    return TEST_RUN(tests);
}
