/* Steps from member to member of an object in a text that is known to be JSON. */
#include "formats/json_walk.h"

#include <string.h>

static bool is_blank(uint8_t c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

static size_t skip_blanks(const uint8_t *text, size_t at) {
    while (is_blank(text[at])) at++;
    return at;
}

static size_t skip_string(const uint8_t *text, size_t at) {
    for (at++; text[at] != '"'; at++)
        if (text[at] == '\\') at++;
    return at + 1;
}

/* A number or a word ends at a comma, a bracket or a blank. */
static size_t skip_scalar(const uint8_t *text, size_t at) {
    while (text[at] != ',' && text[at] != '}' && text[at] != ']' && !is_blank(text[at])) at++;
    return at;
}

static size_t skip_value(const uint8_t *text, size_t at) {
    size_t depth = 0;
    do {
        uint8_t c = text[at];
        if (c == '{' || c == '[') depth++;
        if (c == '}' || c == ']') depth--;
        if (c == '"')
            at = skip_string(text, at);
        else if (depth == 0 && c != '}' && c != ']')
            at = skip_scalar(text, at);
        else
            at++;
    } while (depth > 0);
    return at;
}

posenc_json_walk posenc_json_walk_into(const uint8_t *text, size_t at) {
    return (posenc_json_walk){text, skip_blanks(text, at + 1)};
}

bool posenc_json_walk_next(posenc_json_walk *walk, posenc_json_member *member) {
    const uint8_t *text = walk->text;
    if (text[walk->at] == '}') return false;
    member->key = walk->at;
    member->key_end = skip_string(text, walk->at);
    member->value = skip_blanks(text, skip_blanks(text, member->key_end) + 1); /* + 1: the colon */
    member->value_end = skip_value(text, member->value);
    walk->at = skip_blanks(text, member->value_end);
    if (text[walk->at] == ',') walk->at = skip_blanks(text, walk->at + 1);
    return true;
}

bool posenc_json_walk_find(const uint8_t *text, size_t object, const char *key, posenc_json_member *member) {
    posenc_json_walk walk = posenc_json_walk_into(text, object);
    size_t n = strlen(key);
    while (posenc_json_walk_next(&walk, member))
        if (member->key_end - member->key == n + 2 && memcmp(text + member->key + 1, key, n) == 0) return true;
    return false;
}

/* A character of UTF-8 is as long as its escape says: a surrogate pair is 4 bytes, that is 2 for each half. */
static size_t escape_bytes(const uint8_t *digits) {
    unsigned unit = 0;
    for (int i = 0; i < 4; i++)
        unit = unit << 4 | (unsigned)(digits[i] <= '9' ? digits[i] - '0' : (digits[i] | 0x20) - 'a' + 10);
    return unit < 0x80 ? 1 : unit < 0x800 || (unit >= 0xD800 && unit <= 0xDFFF) ? 2 : 3;
}

size_t posenc_json_string_bytes(const uint8_t *text, size_t from, size_t to) {
    size_t bytes = 0;
    for (size_t i = from + 1; i < to - 1;) {
        bool escape = text[i] == '\\', code = escape && text[i + 1] == 'u';
        bytes += code ? escape_bytes(text + i + 2) : 1;
        i += code ? 6 : escape ? 2 : 1;
    }
    return bytes;
}
