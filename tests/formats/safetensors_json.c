/* The scan that every header passes first, and the walk over what it has passed. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "formats/json_scan.h"
#include "formats/json_walk.h"
#include "formats/utf8.h"
#include "support/tensors.h"
#include "support/test.h"

static const posenc_json_limits loose = {64, 1000000, false}, strict = {3, 12, true};

/* The scan of bytes flush against the end of their block. */
static posenc_status scan(const char *text, size_t n, const posenc_json_limits *limits, posenc_json_count *count,
                          posenc_error *error) {
    uint8_t *flush = must_allocate(n > 0 ? n : 1);
    memcpy(flush, text, n);
    posenc_status status = posenc_json_scan("x", flush, n, 100, limits, count, error);
    free(flush);
    return status;
}

static void accepted(void **state) {
    static const char *const texts[] = {"{}",
                                        "[]",
                                        "0",
                                        "-0",
                                        "1",
                                        "-1",
                                        "9223372036854775807",
                                        "-9223372036854775807",
                                        "\"\"",
                                        "true",
                                        "false",
                                        "null",
                                        " {\t}\r\n",
                                        "[1,2]",
                                        "[ 1 , 2 ]",
                                        "[[],{}]",
                                        "{\"a\":{\"b\":[1,\"c\",null]}}",
                                        "{\"a\":1,\"a\":2}",
                                        "\"\\\"\\\\\\/\\b\\f\\n\\r\\t\"",
                                        "\"\\u0041\\uFFFF\\u00e9\"",
                                        "\"\\ud83d\\uDE00\"",
                                        "\"\x7f\"",
                                        "\"\xC3\xA9\xE2\x82\xAC\xF0\x9F\x98\x80\"",
                                        "0.5",
                                        "-0.5e+10",
                                        "1E5",
                                        "1e-5",
                                        "0e0",
                                        "123456789012345678901234567890.0",
                                        "1e999"};
    (void)state;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        posenc_json_count count;
        posenc_error error = {.message = ""};
        posenc_status status = scan(texts[i], strlen(texts[i]), &loose, &count, &error);
        check(status == POSENC_OK, "%s: %s", texts[i], error.message);
        check(error.message[0] == '\0', "%s: the error was written", texts[i]);
    }
}

static void counts(void **state) {
    posenc_json_count count = {7, 7};
    const char *text = "{\"a\":[1,2,-3],\"b\":{\"c\":\"4\"},\"d\":0}";
    (void)state;
    assert_int_equal(scan(text, strlen(text), &loose, &count, NULL), POSENC_OK);
    assert_int_equal(count.tokens, 12); /* the whole, 4 keys, 2 containers, 4 numbers, 1 string */
    assert_int_equal(count.numbers, 4);
    assert_int_equal(scan("{", 1, &loose, &count, NULL), POSENC_ERROR_FORMAT);
    assert_int_equal(count.tokens, 12); /* untouched */
}

/* Each text with the byte that the error names after a ^, and what is expected there. */
static const struct {
    const char *marked, *says;
} refused[] = {
    {"^", "a value, got the end"},
    {"  ^", "a value, got the end"},
    {"^}", "a value, got \"}\""},
    {"^'a'", "a value"},
    {"^\xEF\xBB\xBF{}", "a value, got \"\\xef\""}, /* a byte order mark */
    {"^+1", "a value"},
    {"^.5", "a value"},
    {"^NaN", "a value"},
    {"^Infinity", "a value"},
    {"-^", "a digit, got the end"},
    {"-^I", "a digit"},
    {"0^1", "no leading zero"},
    {"-0^0", "no leading zero"},
    {"0^x10", "blanks up to the end"},
    {"1.^", "a digit"},
    {"1.^e5", "a digit"},
    {"1e^", "a digit"},
    {"1e+^", "a digit"},
    {"1e5^.5", "blanks"},
    {"^9223372036854775808", "at most 2^63-1, got 9223372036854775808"},
    {"^-9223372036854775808", "at most 2^63-1"},
    {"^18446744073709551616", "at most 2^63-1"},
    {"^99999999999999999999999999999999999999999999999999999999", "..."},
    {"tru^", "true, false or null, got the end"},
    {"t^True", "true, false or null"},
    {"nul^L", "true, false or null"},
    {"false^ly", "blanks"},
    {"{^", "a quoted key, got the end"},
    {"{^a:1}", "a quoted key, got \"a\""},
    {"{^1:1}", "a quoted key"},
    {"{^,}", "a quoted key"},
    {"{^]", "a quoted key"},
    {"{\"a\"^", "a colon, got the end"},
    {"{\"a\"^}", "a colon"},
    {"{\"a\"^,1}", "a colon"},
    {"{\"a\":^", "a value, got the end"},
    {"{\"a\":^}", "a value"},
    {"{\"a\":^,}", "a value"},
    {"{\"a\":1^", "a comma or }, got the end"},
    {"{\"a\":1^]", "a comma or }"},
    {"{\"a\":1 ^\"b\":2}", "a comma or }"},
    {"{\"a\":1,^}", "a quoted key, got \"}\""},
    {"{\"a\":1,^,}", "a quoted key"},
    {"[^", "a value, got the end"},
    {"[^}", "a value"},
    {"[1^", "a comma or ], got the end"},
    {"[1^}", "a comma or ]"},
    {"[1^:2]", "a comma or ]"},
    {"[1 ^2]", "a comma or ]"},
    {"[1,^]", "a value, got \"]\""},
    {"[^,1]", "a value"},
    {"{}^{}", "blanks up to the end"},
    {"{}^,", "blanks up to the end"},
    {"{}^]", "blanks up to the end"},
    {"{} ^// x", "blanks up to the end"},
    {"{}^\x0B", "blanks up to the end, got \"\\x0b\""},
    {"{^\xC2\xA0}", "a quoted key, got \"\\xc2\""}, /* a no-break space is no blank of JSON */
    {"\"^", "a closing quote, got the end"},
    {"\"a^\n\"", "a closing quote, got \"\\x0a\""},
    {"\"a^\t\"", "a closing quote"},
    {"\"^\x1F\"", "a closing quote"},
    {"\"\\^", "an escape"},
    {"\"\\^x41\"", "an escape"},
    {"\"\\^'\"", "an escape"},
    {"\"\\^U0041\"", "an escape"},
    {"\"\\u^\"", "four hexadecimal digits"},
    {"\"\\u004^\"", "four hexadecimal digits"},
    {"\"\\u00^g1\"", "four hexadecimal digits"},
    {"\"\\u^+041\"", "four hexadecimal digits"},
    {"\"\\u^-041\"", "four hexadecimal digits"},
    {"\"\\u^ 041\"", "four hexadecimal digits"},
    {"\"a^\\u0000\"", "text without NUL, got \\u0000"},
    {"\"^\\ud83d\"", "both halves of a surrogate pair, got \\ud83d"},
    {"\"^\\ud83dx\"", "both halves"},
    {"\"^\\ud83d\\n\"", "both halves"},
    {"\"^\\ud83d\\u0041\"", "both halves"},
    {"\"^\\ud83d\\ud83d\\ude00\"", "both halves"},
    {"\"^\\ude00\\ud83d\"", "both halves"},
    {"\"\\ud83d\\ud8^\"", "four hexadecimal digits"},
    {"{}^\xFF", "UTF-8, got \"\\xff\""},
    {"\"^\x80\"", "UTF-8"},
    {"\"^\xC0\x80\"", "UTF-8"},         /* NUL, overlong */
    {"\"^\xC1\xBF\"", "UTF-8"},         /* overlong */
    {"\"^\xE0\x9F\xBF\"", "UTF-8"},     /* overlong */
    {"\"^\xED\xA0\x80\"", "UTF-8"},     /* a surrogate */
    {"\"^\xF0\x8F\xBF\xBF\"", "UTF-8"}, /* overlong */
    {"\"^\xF4\x90\x80\x80\"", "UTF-8"}, /* past U+10FFFF */
    {"\"^\xF5\x80\x80\x80\"", "UTF-8"},
    {"\"^\xC3\"", "UTF-8"},
    {"\"^\xE2\x82\"", "UTF-8"},
    {"[[[[[[[[[[[[[[1,^\xE2\x82", "UTF-8"}, /* before the brackets are looked at */
};

static void must_refuse_marked(const char *marked, const char *says, const posenc_json_limits *limits) {
    char text[256];
    const char *mark = strchr(marked, '^');
    size_t at = (size_t)(mark - marked), n = strlen(marked) - 1;
    posenc_json_count count;
    posenc_error error = {.offset = -7, .message = ""};
    memcpy(text, marked, at);
    memcpy(text + at, mark + 1, n - at);
    posenc_status status = scan(text, n, limits, &count, &error);
    check(status == POSENC_ERROR_FORMAT, "%s: %s", marked, posenc_status_name(status));
    check(error.offset == 100 + (int64_t)at, "%s: byte %lld (%s)", marked, (long long)error.offset, error.message);
    check(strstr(error.message, says), "%s: %s", marked, error.message);
}

static void refusals(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++)
        must_refuse_marked(refused[i].marked, refused[i].says, &loose);
}

static void limits(void **state) {
    posenc_json_count count;
    (void)state;
    assert_int_equal(scan("[[[1]]]", 7, &strict, &count, NULL), POSENC_OK);
    must_refuse_marked("[[[^[1]]]]", "at most 3 levels", &strict);
    must_refuse_marked("[{\"a\":[^{}]}]", "at most 3 levels", &strict);
    assert_int_equal(scan("[1,1,1,1,1,1,1,1,1,1,1]", 23, &strict, &count, NULL), POSENC_OK);
    must_refuse_marked("[1,1,1,1,1,1,1,1,1,1,1,^1]", "at most 12 keys and values", &strict);
    must_refuse_marked("{\"\":1,\"\":1,\"\":1,\"\":1,\"\":1,\"\":^1}", "at most 12 keys and values", &strict);
    must_refuse_marked("1^.5", "a whole number, got \".\"", &strict);
    must_refuse_marked("1^e5", "a whole number", &strict);
    must_refuse_marked("[-0^E1]", "a whole number", &strict);
}

/* A bomb is refused at the limit, whatever follows; the deepest that is allowed passes. */
static void depth_bombs(void **state) {
    enum { N = 4000000 };
    char *text = must_allocate(N);
    posenc_json_count count;
    posenc_error error;
    (void)state;
    memset(text, '[', N);
    assert_int_equal(scan(text, N, &loose, &count, &error), POSENC_ERROR_FORMAT);
    assert_int_equal(error.offset, 100 + 64);
    for (size_t i = 0; i + 5 <= N; i += 5) memcpy(text + i, "{\"\":[", 5);
    assert_int_equal(scan(text, N, &loose, &count, &error), POSENC_ERROR_FORMAT);
    assert_int_equal(error.offset, 100 + 32 * 5);
    memset(text, '[', 64);
    memset(text + 64, ']', 64);
    assert_int_equal(scan(text, 128, &loose, &count, &error), POSENC_OK);
    memset(text, ' ', N);
    text[N - 1] = '1';
    assert_int_equal(scan(text, N, &loose, &count, &error), POSENC_OK);
    free(text);
}

static void million_tokens(void **state) {
    enum { N = 1000000 };
    char *text = must_allocate(2 * N + 2);
    posenc_json_count count;
    posenc_error error;
    posenc_json_limits limit = loose;
    (void)state;
    for (size_t i = 0; i < N; i++) memcpy(text + 2 * i, "1,", 2);
    memmove(text + 1, text, 2 * N - 1);
    text[0] = '[';
    text[2 * N] = ']';
    limit.most_tokens = N + 1;
    assert_int_equal(scan(text, 2 * N + 1, &limit, &count, &error), POSENC_OK);
    assert_int_equal(count.tokens, N + 1);
    assert_int_equal(count.numbers, N);
    limit.most_tokens = N;
    assert_int_equal(scan(text, 2 * N + 1, &limit, &count, &error), POSENC_ERROR_FORMAT);
    assert_int_equal(error.offset, 100 + 2 * N - 1);
    free(text);
}

/* By table 3-7 of the Unicode standard. */
static size_t well_formed(const uint8_t *b) {
    bool second = (b[1] & 0xC0) == 0x80, third = (b[2] & 0xC0) == 0x80, fourth = (b[3] & 0xC0) == 0x80;
    if (b[0] <= 0x7F) return 1;
    if (b[0] >= 0xC2 && b[0] <= 0xDF) return second ? 2 : 0;
    if (b[0] == 0xE0) return b[1] >= 0xA0 && b[1] <= 0xBF && third ? 3 : 0;
    if (b[0] == 0xED) return b[1] >= 0x80 && b[1] <= 0x9F && third ? 3 : 0;
    if (b[0] >= 0xE1 && b[0] <= 0xEF) return second && third ? 3 : 0;
    if (b[0] == 0xF0) return b[1] >= 0x90 && b[1] <= 0xBF && third && fourth ? 4 : 0;
    if (b[0] >= 0xF1 && b[0] <= 0xF3) return second && third && fourth ? 4 : 0;
    if (b[0] == 0xF4) return b[1] >= 0x80 && b[1] <= 0x8F && third && fourth ? 4 : 0;
    return 0;
}

static void every_utf8(void **state) {
    static const uint8_t ends[] = {0x00, 0x41, 0x7F, 0x80, 0x9F, 0xA0, 0xBF, 0xC0, 0xFF};
    enum { ENDS = sizeof ends / sizeof *ends };
    (void)state;
    for (int first = 0; first < 256; first++)
        for (int second = 0; second < 256; second++)
            for (int i = 0; i < ENDS * ENDS; i++) {
                uint8_t b[4] = {(uint8_t)first, (uint8_t)second, ends[i / ENDS], ends[i % ENDS]};
                size_t length = well_formed(b), got = posenc_utf8_prefix(b, length > 0 ? length : 4);
                check(got == length, "%02x %02x %02x %02x: %zu", b[0], b[1], b[2], b[3], got);
                for (size_t cut = 1; length > 1 && cut < length; cut++)
                    check(posenc_utf8_prefix(b, cut) == 0, "%02x %02x cut", b[0], b[1]);
            }
}

/* The first bad byte at each place of a longer text. */
static void utf8_prefixes(void **state) {
    char text[41];
    (void)state;
    memset(text, 'a', 40);
    for (size_t n = 0; n <= 40; n++) {
        assert_int_equal(posenc_utf8_prefix(text, n), n);
        for (size_t at = 0; at < n; at++) {
            text[at] = (char)0xFF;
            assert_int_equal(posenc_utf8_prefix(text, n), at);
            text[at] = 'a';
        }
    }
}

static void walks(void **state) {
    static const char text[] =
        " { \"a\" : 1 , \"b\\\"\":[{\"}\":\"]\"},2] ,\"c\":\"x\\\\\",\"d\" : { } , \"e\":true\n} ";
    static const char *const keys[] = {"\"a\"", "\"b\\\"\"", "\"c\"", "\"d\"", "\"e\""};
    static const char *const values[] = {"1", "[{\"}\":\"]\"},2]", "\"x\\\\\"", "{ }", "true"};
    const uint8_t *bytes = (const uint8_t *)text;
    posenc_json_count count;
    posenc_json_member m;
    (void)state;
    assert_int_equal(scan(text, sizeof text - 1, &loose, &count, NULL), POSENC_OK);
    posenc_json_walk walk = posenc_json_walk_into(bytes, 1);
    for (int i = 0; i < 5; i++) {
        assert_true(posenc_json_walk_next(&walk, &m));
        check(strncmp(text + m.key, keys[i], m.key_end - m.key) == 0 && strlen(keys[i]) == m.key_end - m.key, "key %d",
              i);
        check(strncmp(text + m.value, values[i], m.value_end - m.value) == 0 &&
                  strlen(values[i]) == m.value_end - m.value,
              "value %d", i);
    }
    assert_false(posenc_json_walk_next(&walk, &m));
    assert_true(posenc_json_walk_find(bytes, 1, "d", &m));
    assert_int_equal(text[m.value], '{');
    assert_false(posenc_json_walk_find(bytes, 1, "f", &m));
    walk = posenc_json_walk_into((const uint8_t *)"{ \n}", 0);
    assert_false(posenc_json_walk_next(&walk, &m));
}

static void string_bytes(void **state) {
    static const struct {
        const char *quoted;
        size_t bytes;
    } strings[] = {{"\"\"", 0},
                   {"\"abc\"", 3},
                   {"\"\\n\\\"\\\\\"", 3},
                   {"\"\\u0041\"", 1},
                   {"\"\\u007F\"", 1},
                   {"\"\\u0080\"", 2},
                   {"\"\\u07ff\"", 2},
                   {"\"\\u0800\"", 3},
                   {"\"\\uFFFF\"", 3},
                   {"\"\\ud7ff\"", 3},
                   {"\"\\uE000\"", 3},
                   {"\"\\ud83d\\ude00\"", 4},
                   {"\"\xC3\xA9\\u00e9\"", 4},
                   {"\"a\\\\u0041\"", 7}};
    (void)state;
    for (size_t i = 0; i < sizeof strings / sizeof *strings; i++)
        assert_int_equal(posenc_json_string_bytes((const uint8_t *)strings[i].quoted, 0, strlen(strings[i].quoted)),
                         strings[i].bytes);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(accepted),     cmocka_unit_test(counts),        cmocka_unit_test(refusals),
        cmocka_unit_test(limits),       cmocka_unit_test(depth_bombs),   cmocka_unit_test(million_tokens),
        cmocka_unit_test(every_utf8),   cmocka_unit_test(utf8_prefixes), cmocka_unit_test(walks),
        cmocka_unit_test(string_bytes),
    };
    return TEST_RUN(tests);
}
