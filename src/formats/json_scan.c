/* A state machine over the text. What may come next is one of five things, and the kinds of the open levels are one bit
 * each, so that depth costs nothing and a bomb of brackets meets the limit first. */
#include "formats/json_scan.h"

#include <string.h>

#include "base/checked.h"
#include "base/error.h"
#include "formats/escape.h"
#include "formats/utf8.h"

typedef enum wanted { VALUE, FIRST_ELEMENT, FIRST_KEY, KEY, MORE } wanted;

typedef struct scan {
    const uint8_t *text;
    size_t n, at;
    int64_t offset; /* of text[0] in the file */
    const char *name;
    const posenc_json_limits *limits;
    posenc_json_count count;
    wanted next;
    int depth;
    uint64_t objects; /* bit d: level d + 1 is an object, else an array */
    posenc_error *error;
} scan;

enum { END = -1 };

static int byte_at(const scan *s, size_t at) { return at < s->n ? s->text[at] : END; }
static int peek(const scan *s) { return byte_at(s, s->at); }
static bool is_digit(int c) { return c >= '0' && c <= '9'; }

/* Refuses the byte at a place. */
static posenc_status expected(const scan *s, size_t at, const char *what) {
    char got[16];
    int64_t place = s->offset + (int64_t)at;
    if (at >= s->n)
        return posenc_fail_at(s->error, POSENC_ERROR_FORMAT, s->name, place, "expected %s, got the end of the text",
                              what);
    return posenc_fail_at(s->error, POSENC_ERROR_FORMAT, s->name, place, "expected %s, got \"%s\"", what,
                          posenc_escape(s->text + at, 1, got, sizeof got));
}

static posenc_status count_token(scan *s) {
    if (s->count.tokens++ < s->limits->most_tokens) return POSENC_OK;
    return posenc_fail_at(s->error, POSENC_ERROR_FORMAT, s->name, s->offset + (int64_t)s->at,
                          "expected at most %zu keys and values, got more", s->limits->most_tokens);
}

/* ---- strings ---- */

/* The four digits of \uXXXX at a place. */
static posenc_status read_unit(const scan *s, size_t at, uint32_t *unit) {
    *unit = 0;
    for (size_t i = at + 2; i < at + 6; i++) {
        int c = byte_at(s, i), letter = c | 0x20;
        if (!is_digit(c) && !(letter >= 'a' && letter <= 'f')) return expected(s, i, "four hexadecimal digits");
        *unit = *unit << 4 | (uint32_t)(is_digit(c) ? c - '0' : letter - 'a' + 10);
    }
    return POSENC_OK;
}

static posenc_status refuse_unit(const scan *s, size_t at, const char *what) {
    return posenc_fail_at(s->error, POSENC_ERROR_FORMAT, s->name, s->offset + (int64_t)at, "expected %s, got %.6s",
                          what, (const char *)s->text + at);
}

static posenc_status read_code(scan *s) {
    uint32_t unit, low = 0;
    size_t start = s->at;
    posenc_status status = read_unit(s, start, &unit);
    if (status != POSENC_OK) return status;
    if (unit == 0) return refuse_unit(s, start, "text without NUL");
    s->at += 6;
    if (unit < 0xD800 || unit > 0xDFFF) return POSENC_OK;
    bool paired = unit < 0xDC00 && peek(s) == '\\' && byte_at(s, s->at + 1) == 'u';
    if (paired) status = read_unit(s, s->at, &low);
    if (status != POSENC_OK) return status;
    if (low < 0xDC00 || low > 0xDFFF) return refuse_unit(s, start, "both halves of a surrogate pair");
    s->at += 6;
    return POSENC_OK;
}

static posenc_status read_escape(scan *s) {
    int c = byte_at(s, s->at + 1);
    if (c == 'u') return read_code(s);
    if (c <= 0 || !strchr("\"\\/bfnrt", c)) return expected(s, s->at + 1, "an escape such as \\n or \\u0041");
    s->at += 2;
    return POSENC_OK;
}

static posenc_status read_string(scan *s) {
    posenc_status status = POSENC_OK;
    for (s->at++; status == POSENC_OK;) {
        int c = peek(s);
        if (c == '"') {
            s->at++;
            return POSENC_OK;
        }
        if (c < 0x20) return expected(s, s->at, "a closing quote");
        if (c == '\\')
            status = read_escape(s);
        else
            s->at++;
    }
    return status;
}

/* ---- numbers and words ---- */

static posenc_status skip_digits(scan *s) {
    if (!is_digit(peek(s))) return expected(s, s->at, "a digit");
    while (is_digit(peek(s))) s->at++;
    return POSENC_OK;
}

/* .5 and e+10 */
static posenc_status read_fraction(scan *s) {
    posenc_status status = POSENC_OK;
    if (s->limits->whole_numbers) return expected(s, s->at, "a whole number");
    if (peek(s) == '.') {
        s->at++;
        status = skip_digits(s);
    }
    if (status != POSENC_OK || (peek(s) | 0x20) != 'e') return status;
    s->at++;
    if (peek(s) == '+' || peek(s) == '-') s->at++;
    return skip_digits(s);
}

static posenc_status read_number(scan *s) {
    size_t start = s->at;
    int64_t magnitude = 0;
    bool fits = true;
    s->count.numbers++;
    if (peek(s) == '-') s->at++;
    if (peek(s) == '0' && is_digit(byte_at(s, s->at + 1))) return expected(s, s->at + 1, "no leading zero");
    size_t digits = s->at;
    posenc_status status = skip_digits(s);
    if (status != POSENC_OK) return status;
    for (size_t i = digits; fits && i < s->at; i++)
        fits =
            posenc_i64_multiply(magnitude, 10, &magnitude) && posenc_i64_add(magnitude, s->text[i] - '0', &magnitude);
    if (peek(s) == '.' || (peek(s) | 0x20) == 'e') return read_fraction(s);
    if (fits) return POSENC_OK;
    char got[48];
    return posenc_fail_at(s->error, POSENC_ERROR_FORMAT, s->name, s->offset + (int64_t)start,
                          "expected a whole number of at most 2^63-1, got %s",
                          posenc_escape(s->text + start, s->at - start, got, sizeof got));
}

static posenc_status read_word(scan *s, const char *word) {
    for (; *word; word++, s->at++)
        if (peek(s) != *word) return expected(s, s->at, "true, false or null");
    return POSENC_OK;
}

/* ---- structure ---- */

static bool in_object(const scan *s) { return s->objects >> (s->depth - 1) & 1; }

static posenc_status open_level(scan *s, bool object) {
    if (s->depth == s->limits->most_depth)
        return posenc_fail_at(s->error, POSENC_ERROR_FORMAT, s->name, s->offset + (int64_t)s->at,
                              "expected at most %d levels of brackets, got more", s->limits->most_depth);
    uint64_t bit = UINT64_C(1) << s->depth++;
    s->objects = object ? s->objects | bit : s->objects & ~bit;
    s->next = object ? FIRST_KEY : FIRST_ELEMENT;
    s->at++;
    return POSENC_OK;
}

static posenc_status close_level(scan *s) {
    s->depth--;
    s->next = MORE;
    s->at++;
    return POSENC_OK;
}

static posenc_status read_value(scan *s) {
    int c = peek(s);
    posenc_status status = count_token(s);
    if (status != POSENC_OK) return status;
    s->next = MORE;
    if (c == '{' || c == '[') return open_level(s, c == '{');
    if (c == '"') return read_string(s);
    if (c == '-' || is_digit(c)) return read_number(s);
    if (c == 't') return read_word(s, "true");
    if (c == 'f') return read_word(s, "false");
    if (c == 'n') return read_word(s, "null");
    return expected(s, s->at, "a value");
}

static void skip_blanks(scan *s) {
    for (int c = peek(s); c == ' ' || c == '\t' || c == '\n' || c == '\r'; c = peek(s)) s->at++;
}

static posenc_status read_key(scan *s) {
    if (peek(s) != '"') return expected(s, s->at, "a quoted key");
    posenc_status status = count_token(s);
    if (status == POSENC_OK) status = read_string(s);
    if (status != POSENC_OK) return status;
    skip_blanks(s);
    if (peek(s) != ':') return expected(s, s->at, "a colon");
    s->at++;
    s->next = VALUE;
    return POSENC_OK;
}

static posenc_status read_more(scan *s) {
    bool object = in_object(s);
    if (peek(s) == (object ? '}' : ']')) return close_level(s);
    if (peek(s) != ',') return expected(s, s->at, object ? "a comma or }" : "a comma or ]");
    s->at++;
    s->next = object ? KEY : VALUE;
    return POSENC_OK;
}

static posenc_status step(scan *s) {
    switch (s->next) {
        case FIRST_ELEMENT:
            return peek(s) == ']' ? close_level(s) : read_value(s);
        case VALUE:
            return read_value(s);
        case FIRST_KEY:
            return peek(s) == '}' ? close_level(s) : read_key(s);
        case KEY:
            return read_key(s);
        default:
            return read_more(s);
    }
}

posenc_status posenc_json_scan(const char *name, const uint8_t *text, size_t n, int64_t offset,
                               const posenc_json_limits *limits, posenc_json_count *count, posenc_error *error) {
    scan s = {.text = text, .n = n, .offset = offset, .name = name, .limits = limits, .next = VALUE, .error = error};
    size_t good = posenc_utf8_prefix(text, n);
    if (good < n) return expected(&s, good, "UTF-8");
    posenc_status status = POSENC_OK;
    for (skip_blanks(&s); status == POSENC_OK && (s.next != MORE || s.depth > 0); skip_blanks(&s)) status = step(&s);
    if (status == POSENC_OK && s.at < n) status = expected(&s, s.at, "blanks up to the end");
    if (status == POSENC_OK) *count = s.count;
    return status;
}
