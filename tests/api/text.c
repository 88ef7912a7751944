/* Names and texts: statuses, version, nearest names; numbers in any locale. */
#include <locale.h>
#include <stdio.h>
#include <string.h>

#include <posenc/posenc.h>

#include "base/text.h"
#include "support/test.h"

static void test_status_names(void **state) {
    (void)state;
    static const char *const names[] = {"ok",       "argument", "unknown", "shape", "dtype",  "device",
                                        "position", "overlap",  "memory",  "io",    "format", "unsupported"};
    for (int i = 0; i < 12; i++) assert_string_equal(posenc_status_name((posenc_status)i), names[i]);
    assert_non_null(posenc_status_name((posenc_status)12));
    assert_non_null(posenc_status_name((posenc_status)-1));
}

static void test_version(void **state) {
    (void)state;
    char text[32];
    snprintf(text, sizeof text, "%d.%d.%d", POSENC_VERSION_MAJOR, POSENC_VERSION_MINOR, POSENC_VERSION_PATCH);
    assert_string_equal(posenc_version(), POSENC_VERSION_TEXT);
    assert_string_equal(posenc_version(), text);
}

static void nearest(const char *mistyped, const char *expected) {
    static const char *const names[] = {"sinusoidal", "learned",        "rotary",     "alibi",
                                        "t5",         "transformer-xl", "interleaved"};
    const char *found = posenc_nearest_name(mistyped, names, sizeof names / sizeof *names);
    if (!expected)
        check(!found, "\"%s\" gave %s", mistyped, found);
    else
        check(found && strcmp(found, expected) == 0, "\"%s\" gave %s", mistyped, found ? found : "nothing");
}

static void test_nearest_names(void **state) {
    (void)state;
    nearest("sinusodial", "sinusoidal");
    nearest("sinusoid", "sinusoidal");
    nearest("rotray", "rotary");
    nearest("lerned", "learned");
    nearest("alibi", "alibi");
    nearest("transformerxl", "transformer-xl");
    nearest("zzzzzzzz", NULL);
    assert_null(posenc_nearest_name("rotary", NULL, 0));
    char endless[5000];
    memset(endless, 'a', sizeof endless - 1);
    endless[sizeof endless - 1] = '\0';
    nearest(endless, NULL);
}

/* What a locale with a decimal comma would change, where this machine has one. */
static void test_numbers_in_other_locales(void **state) {
    (void)state;
    static const char *const locales[] = {"C", "de_DE.UTF-8", "fr_FR.UTF-8", "de_DE", "C.UTF-8"};
    const double values[] = {0.1, -2.5, 1e-300, 1e300, 10000, 5e-324, 123456789.123456789};
    for (size_t l = 0; l < sizeof locales / sizeof *locales; l++) {
        if (!setlocale(LC_ALL, locales[l])) continue;
        for (size_t i = 0; i < sizeof values / sizeof *values; i++) {
            char text[32];
            double back = 0;
            posenc_print_f64(values[i], text);
            assert_null(strchr(text, ','));
            assert_true(posenc_parse_f64(text, &back));
            check(back == values[i], "%s in locale %s", text, locales[l]);
        }
        double value = 7;
        assert_false(posenc_parse_f64("2,5", &value));
        assert_true(value == 7);
    }
    setlocale(LC_ALL, "C");
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_status_names), cmocka_unit_test(test_version),
                                       cmocka_unit_test(test_nearest_names),
                                       cmocka_unit_test(test_numbers_in_other_locales)};
    return TEST_RUN(tests);
}
