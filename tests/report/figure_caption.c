/* Captions, with a measure that counts characters. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "formats/utf8.h"
#include "report/caption.h"
#include "support/test.h"

#define ELLIPSIS "\xE2\x80\xA6"

/* A character is as wide as the text is large, twice that when bold. */
static double width(void *user, const char *text, double size, bool bold) {
    (void)user;
    int n = 0;
    for (; *text; text++) n += ((unsigned char)*text & 0xC0) != 0x80;
    return n * size * (bold ? 2 : 1);
}

static const posenc_measure measure = {width, NULL};

static void nothing_in_a_caption_acts(void **state) {
    (void)state;
    static const char *const pairs[][2] = {
        {"plain", "plain"},
        {"\xE4\xBD\x8D\xE7\xBD\xAE \xC3\xA9", "\xE4\xBD\x8D\xE7\xBD\xAE \xC3\xA9"},
        {"a\nb\tc\x1b[31m\x7f", "a\\x0ab\\x09c\\x1b[31m\\x7f"},
        {"\xff\xfe\xc0\x80", "\\xff\\xfe\\xc0\\x80"},
        {"\xe2\x80\xae"
         "evil",
         "\\xe2\\x80\\xae"
         "evil"},                            /* right to left */
        {"\xed\xa0\x80", "\\xed\\xa0\\x80"}, /* a surrogate */
        {"cut \xe4\xbd", "cut \\xe4\\xbd"},
        {"<script>&amp;\"'", "<script>&amp;\"'"},
        {"c:\\x41", "c:\\\\x41"},
        {"", ""},
    };
    char out[POSENC_CAPTION];
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
        posenc_caption(pairs[i][0], out);
        check(strcmp(out, pairs[i][1]) == 0, "pair %zu: \"%s\"", i, out);
    }
    posenc_caption(NULL, out);
    assert_string_equal(out, "");
}

/* Of any bytes and length comes valid UTF-8 without control characters that fits. */
static void any_bytes_become_text(void **state) {
    (void)state;
    random_state random = random_start("captions");
    for (int i = 0; i < 20000; i++) {
        char bytes[800], out[POSENC_CAPTION + 1];
        int64_t n = random_between(&random, 0, i % 10 ? 40 : 799);
        for (int64_t k = 0; k < n; k++) bytes[k] = (char)random_between(&random, 1, i % 3 ? 255 : 126);
        bytes[n] = '\0';
        memset(out, 0x55, sizeof out);
        posenc_caption(bytes, out);
        size_t length = strlen(out);
        check(length < POSENC_CAPTION && out[POSENC_CAPTION] == 0x55, "%zu bytes", length);
        check(posenc_utf8_prefix(out, length) == length, "no UTF-8: %s", out);
        for (size_t k = 0; k < length; k++)
            check((unsigned char)out[k] >= 0x20 && out[k] != 0x7F, "a control character in %s", out);
    }
}

static void long_captions_end_in_an_ellipsis(void **state) {
    (void)state;
    char *text = malloc(1000001), out[POSENC_CAPTION];
    memset(text, 'x', 1000000);
    text[1000000] = '\0';
    posenc_caption(text, out);
    check(strlen(out) > POSENC_CAPTION - 8 && strcmp(out + strlen(out) - 3, ELLIPSIS) == 0, "%s", out);
    free(text);
}

static void captions_are_shortened_to_the_room(void **state) {
    (void)state;
    char text[POSENC_CAPTION] = "position (tokens)";
    check(!posenc_caption_shorten(text, 17, 1, false, &measure), "it fits");
    assert_string_equal(text, "position (tokens)");
    check(posenc_caption_shorten(text, 12, 1, false, &measure), "it does not fit");
    assert_string_equal(text, "position (t" ELLIPSIS);
    check(posenc_caption_shorten(text, 10, 1, false, &measure), "it does not fit");
    assert_string_equal(text, "position" ELLIPSIS); /* not a blank before it, nor a lone bracket's half */
    strcpy(text, "\xE4\xBD\x8D\xE7\xBD\xAE\xE7\xBC\x96\xE7\xA0\x81");
    posenc_caption_shorten(text, 6, 1, true, &measure);
    assert_string_equal(text, "\xE4\xBD\x8D\xE7\xBD\xAE" ELLIPSIS);
    posenc_caption_shorten(text, 0.5, 1, true, &measure);
    assert_string_equal(text, "");
}

static void notes_are_wrapped_at_blanks(void **state) {
    (void)state;
    char text[POSENC_CAPTION] = "one two three four", empty[POSENC_CAPTION] = "", lines[2][POSENC_CAPTION];
    assert_int_equal(posenc_caption_wrap(text, 18, 1, &measure, lines), 1);
    assert_string_equal(lines[0], text);
    assert_int_equal(posenc_caption_wrap(text, 17, 1, &measure, lines), 2);
    assert_string_equal(lines[0], "one two three");
    assert_string_equal(lines[1], "four");
    assert_int_equal(posenc_caption_wrap(text, 8, 1, &measure, lines), 2);
    assert_string_equal(lines[0], "one two");
    assert_string_equal(lines[1], "three f" ELLIPSIS);
    strcpy(text, "unbroken");
    assert_int_equal(posenc_caption_wrap(text, 5, 1, &measure, lines), 1);
    assert_string_equal(lines[0], "unbr" ELLIPSIS);
    assert_int_equal(posenc_caption_wrap(empty, 5, 1, &measure, lines), 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_in_a_caption_acts),        cmocka_unit_test(any_bytes_become_text),
        cmocka_unit_test(long_captions_end_in_an_ellipsis), cmocka_unit_test(captions_are_shortened_to_the_room),
        cmocka_unit_test(notes_are_wrapped_at_blanks),
    };
    return TEST_RUN(tests);
}
