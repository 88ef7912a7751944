/* What a configuration's JSON text says, member by member. The text is scanned (formats/json_scan.h) and read by
 * jansson once as a whole, which refuses keys that stand twice; after that, values are decoded from where they stand,
 * so that a message can name the byte, numbers do not depend on the locale, and no letter of a long one is lost where
 * memory is short. jansson decodes once more what is written with escapes. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "formats/config.h"
#include "formats/json_scan.h"
#include "formats/json_walk.h"

enum { MOST_DIGITS = 64, SHOWN = 48 };

static bool is_blank(uint8_t c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

#if defined(POSENC_HAVE_JANSSON)

#include <jansson.h>

static void fail_at(posenc_config_reader *r, int64_t offset, const char *what) {
    r->status = posenc_fail_at(r->error, POSENC_ERROR_FORMAT, r->name, offset, "%s", what);
}

/* The scan has refused all that jansson could mind, but for these. */
static void load_whole(posenc_config_reader *r) {
    json_error_t why;
    memset(&why, 0, sizeof why); /* out of memory it may leave the code as it was */
    json_t *value = json_loadb((const char *)r->text, r->n, JSON_REJECT_DUPLICATES, &why);
    enum json_error_code code = json_error_code(&why);
    int64_t at = why.position > 0 && (size_t)why.position <= r->n ? why.position : 0;
    if (!value && code == json_error_duplicate_key)
        fail_at(r, at, "expected each key once, got one twice");
    else if (!value && code == json_error_numeric_overflow)
        fail_at(r, at, "expected numbers in the range of a double, got a larger one");
    else if (!value)
        r->status = posenc_fail_memory(r->error, r->name, r->n);
    json_decref(value);
}

/* Decodes the string text[from..to), quotes around it. */
static const char *unescape(posenc_config_reader *r, size_t from, size_t to) {
    json_t *value = json_loadb((const char *)r->text + from, to - from, JSON_DECODE_ANY, NULL);
    size_t bytes = posenc_json_string_bytes(r->text, from, to);
    char *copy = NULL;
    if (value && json_string_length(value) == bytes)
        copy = posenc_config_keep(r, bytes + 1);
    else
        r->status = posenc_fail_memory(r->error, r->name, to - from);
    if (copy) memcpy(copy, json_string_value(value), bytes);
    json_decref(value);
    return copy;
}

void posenc_config_check_json(posenc_config_reader *r) {
    static const posenc_json_limits limits = {POSENC_CONFIG_MOST_DEPTH, POSENC_CONFIG_MOST_TOKENS, false};
    posenc_json_count count;
    r->status = posenc_json_scan(r->name, r->text, r->n, 0, &limits, &count, r->error);
    if (r->status != POSENC_OK) return;
    size_t at = posenc_config_first(r);
    if (r->text[at] == '{')
        load_whole(r);
    else
        fail_at(r, (int64_t)at, "expected a configuration, which is an object {...}, got another value");
}

#else

static const char *unescape(posenc_config_reader *r, size_t from, size_t to) {
    (void)r, (void)from, (void)to;
    return NULL;
}

/* A build without jansson. */
void posenc_config_check_json(posenc_config_reader *r) {
    r->status = posenc_fail(r->error, POSENC_ERROR_UNSUPPORTED, r->name,
                            "expected a build that reads configurations (with jansson), got one without");
}

#endif

/* The scan has seen that there is a value. */
size_t posenc_config_first(const posenc_config_reader *r) {
    size_t at = 0;
    while (is_blank(r->text[at])) at++;
    return at;
}

/* ---- strings and objects ---- */

static const char *decode(posenc_config_reader *r, size_t from, size_t to) {
    size_t bytes = to - from - 2;
    if (memchr(r->text + from, '\\', to - from)) return unescape(r, from, to);
    char *copy = posenc_config_keep(r, bytes + 1);
    if (copy) memcpy(copy, r->text + from + 1, bytes);
    return copy;
}

static size_t count_members(const posenc_config_reader *r, size_t at) {
    posenc_json_walk walk = posenc_json_walk_into(r->text, at);
    posenc_json_member m;
    size_t n = 0;
    while (posenc_json_walk_next(&walk, &m)) n++;
    return n;
}

posenc_config_object posenc_config_object_at(posenc_config_reader *r, const char *path, size_t at) {
    posenc_config_object object = {.path = path, .at = at};
    if (r->status != POSENC_OK) return object;
    size_t n = count_members(r, at);
    object.members = posenc_config_keep(r, n * sizeof *object.members); /* no overflow: n is below the text's length */
    posenc_json_walk walk = posenc_json_walk_into(r->text, at);
    posenc_json_member m;
    while (r->status == POSENC_OK && posenc_json_walk_next(&walk, &m))
        object.members[object.n++] =
            (posenc_config_member){decode(r, m.key, m.key_end), m.key, m.key_end, m.value, m.value_end, false};
    if (r->status != POSENC_OK) object.n = 0;
    return object;
}

posenc_config_member *posenc_config_find(const posenc_config_reader *r, const posenc_config_object *object,
                                         const char *key) {
    for (size_t i = 0; r->status == POSENC_OK && i < object->n; i++) {
        posenc_config_member *m = &object->members[i];
        if (strcmp(m->key, key) != 0) continue;
        m->read = true;
        return r->text[m->from] == 'n' ? NULL : m;
    }
    return NULL;
}

bool posenc_config_is(const posenc_config_reader *r, const posenc_config_member *member, char opening) {
    return member && r->text[member->from] == (uint8_t)opening;
}

/* ---- values ---- */

static void wrong(posenc_config_reader *r, const posenc_config_object *o, const char *key, size_t from, size_t to,
                  const char *what) {
    char got[SHOWN];
    posenc_config_refuse(r, o, key, "expected %s, got %s", what,
                         posenc_escape(r->text + from, to - from, got, sizeof got));
}

static bool is_number(const posenc_config_reader *r, size_t from) {
    return r->text[from] == '-' || (r->text[from] >= '0' && r->text[from] <= '9');
}

static bool parse_number(posenc_config_reader *r, const posenc_config_object *o, const char *key, size_t from,
                         size_t to, double *out) {
    char digits[MOST_DIGITS];
    bool number = is_number(r, from) && to - from < sizeof digits;
    if (number) memcpy(digits, r->text + from, to - from);
    digits[number ? to - from : 0] = '\0';
    if (number && posenc_parse_f64(digits, out) && isfinite(*out)) return true;
    wrong(r, o, key, from, to, is_number(r, from) ? "a finite number of at most 63 letters" : "a number");
    return false;
}

/* 4096, and 4096.0 as some writers have it. */
static bool parse_integer(posenc_config_reader *r, const posenc_config_object *o, const char *key, size_t from,
                          size_t to, int64_t minimum, int64_t maximum, int64_t *out) {
    char what[64];
    double value;
    if (!parse_number(r, o, key, from, to, &value)) return false;
    snprintf(what, sizeof what, "a whole number of %lld..%lld", (long long)minimum, (long long)maximum);
    if (value >= (double)minimum && value <= (double)maximum && value == floor(value) && fabs(value) < 0x1p53) {
        *out = (int64_t)value;
        return true;
    }
    wrong(r, o, key, from, to, what);
    return false;
}

bool posenc_config_number(posenc_config_reader *r, const posenc_config_object *o, const char *key, double *out) {
    const posenc_config_member *m = posenc_config_find(r, o, key);
    return m && parse_number(r, o, key, m->from, m->to, out);
}

bool posenc_config_integer(posenc_config_reader *r, const posenc_config_object *o, const char *key, int64_t minimum,
                           int64_t maximum, int64_t *out) {
    const posenc_config_member *m = posenc_config_find(r, o, key);
    return m && parse_integer(r, o, key, m->from, m->to, minimum, maximum, out);
}

bool posenc_config_flag(posenc_config_reader *r, const posenc_config_object *o, const char *key, bool *out) {
    const posenc_config_member *m = posenc_config_find(r, o, key);
    if (!m) return false;
    bool word = posenc_config_is(r, m, 't') || posenc_config_is(r, m, 'f');
    if (word)
        *out = posenc_config_is(r, m, 't');
    else
        wrong(r, o, key, m->from, m->to, "true or false");
    return word;
}

bool posenc_config_string(posenc_config_reader *r, const posenc_config_object *o, const char *key, const char **out) {
    const posenc_config_member *m = posenc_config_find(r, o, key);
    if (!m) return false;
    if (!posenc_config_is(r, m, '"')) {
        wrong(r, o, key, m->from, m->to, "a text");
        return false;
    }
    *out = decode(r, m->from, m->to);
    return *out != NULL;
}

bool posenc_config_inner(posenc_config_reader *r, const posenc_config_object *o, const char *key,
                         posenc_config_object *out) {
    const posenc_config_member *m = posenc_config_find(r, o, key);
    if (!m) return false;
    if (!posenc_config_is(r, m, '{')) {
        wrong(r, o, key, m->from, m->to, "an object {...}");
        return false;
    }
    *out = posenc_config_object_at(r, posenc_config_path_of(r, o, key), m->from);
    return r->status == POSENC_OK;
}

/* ---- lists of numbers and of texts ---- */

typedef struct element {
    size_t from, to;
} element;

static size_t skip_scalar(const uint8_t *text, size_t at) {
    bool quoted = text[at] == '"';
    for (at += quoted; quoted ? text[at] != '"' : text[at] != ',' && text[at] != ']' && !is_blank(text[at]); at++)
        if (text[at] == '\\') at++;
    return at + quoted;
}

/* The next element from *at on, which stands behind [ or an element; false at the end. Elements are scalars. */
static bool next_element(const posenc_config_reader *r, size_t *at, element *e) {
    while (is_blank(r->text[*at]) || r->text[*at] == ',') ++*at;
    if (r->text[*at] == ']') return false;
    e->from = *at;
    *at = e->to = skip_scalar(r->text, *at);
    return true;
}

/* Finds a list, checks that all of its elements are of the kind, and counts them. Gives its first place, or 0. */
static size_t open_list(posenc_config_reader *r, const posenc_config_object *o, const char *key, bool numbers,
                        size_t *n) {
    const posenc_config_member *m = posenc_config_find(r, o, key);
    const char *what = numbers ? "a list of numbers" : "a list of texts";
    if (!m) return 0;
    if (!posenc_config_is(r, m, '[')) {
        wrong(r, o, key, m->from, m->to, what);
        return 0;
    }
    element e;
    size_t at = m->from + 1;
    for (*n = 0; next_element(r, &at, &e); ++*n)
        if (!(numbers ? is_number(r, e.from) : r->text[e.from] == '"')) {
            wrong(r, o, key, m->from, m->to, what);
            return 0;
        }
    return m->from + 1;
}

bool posenc_config_numbers(posenc_config_reader *r, const posenc_config_object *o, const char *key, const double **out,
                           size_t *n) {
    size_t at = open_list(r, o, key, true, n);
    double *list = at > 0 ? posenc_config_keep(r, *n * sizeof *list) : NULL;
    element e;
    for (size_t i = 0; list && next_element(r, &at, &e); i++)
        if (!parse_number(r, o, key, e.from, e.to, &list[i])) return false;
    *out = list;
    return list != NULL;
}

bool posenc_config_integers(posenc_config_reader *r, const posenc_config_object *o, const char *key, int64_t minimum,
                            int64_t maximum, const int64_t **out, size_t *n) {
    size_t at = open_list(r, o, key, true, n);
    int64_t *list = at > 0 ? posenc_config_keep(r, *n * sizeof *list) : NULL;
    element e;
    for (size_t i = 0; list && next_element(r, &at, &e); i++)
        if (!parse_integer(r, o, key, e.from, e.to, minimum, maximum, &list[i])) return false;
    *out = list;
    return list != NULL;
}

bool posenc_config_strings(posenc_config_reader *r, const posenc_config_object *o, const char *key,
                           const char *const **out, size_t *n) {
    size_t at = open_list(r, o, key, false, n);
    const char **list = at > 0 ? posenc_config_keep(r, *n * sizeof *list) : NULL;
    element e;
    for (size_t i = 0; list && next_element(r, &at, &e); i++)
        if (!(list[i] = decode(r, e.from, e.to))) return false;
    *out = list;
    return list != NULL;
}

/* ---- in the scopes ---- */

/* The next of the keys that are parted by blanks, without its blank. */
static const char *next_key(const char *keys, char key[64]) {
    size_t n = strcspn(keys, " ");
    memcpy(key, keys, n);
    key[n] = '\0';
    return keys + n + (keys[n] == ' ');
}

const char *posenc_config_look(const posenc_config_reader *r, const char *keys, const posenc_config_object **where) {
    for (size_t s = 0; s < r->n_scopes; s++) {
        char key[64];
        for (const char *rest = next_key(keys, key);; rest = next_key(rest, key)) {
            const posenc_config_member *m = posenc_config_find(r, &r->scopes[s], key);
            if (m && where) *where = &r->scopes[s];
            if (m) return m->key;
            if (*rest == '\0') break;
        }
    }
    return NULL;
}

/* Keys that mean the same may stand side by side, but not with two values. */
bool posenc_config_look_number(posenc_config_reader *r, const char *keys, double *out) {
    const posenc_config_object *o;
    const char *first = posenc_config_look(r, keys, &o);
    char key[64];
    double other;
    if (!first || !posenc_config_number(r, o, first, out)) return false;
    for (const char *rest = next_key(keys, key);; rest = next_key(rest, key)) {
        if (strcmp(key, first) != 0 && posenc_config_number(r, o, key, &other) && other != *out)
            posenc_config_warn(r, o, key, "It says %.10g, and %s says %.10g, which was taken.", other, first, *out);
        if (*rest == '\0') break;
    }
    return r->status == POSENC_OK;
}

bool posenc_config_look_integer(posenc_config_reader *r, const char *keys, int64_t minimum, int64_t maximum,
                                int64_t *out) {
    const posenc_config_object *o;
    const char *key = posenc_config_look(r, keys, &o);
    return key && posenc_config_integer(r, o, key, minimum, maximum, out);
}

bool posenc_config_look_flag(posenc_config_reader *r, const char *keys, bool *out) {
    const posenc_config_object *o;
    const char *key = posenc_config_look(r, keys, &o);
    return key && posenc_config_flag(r, o, key, out);
}

bool posenc_config_look_string(posenc_config_reader *r, const char *keys, const char **out) {
    const posenc_config_object *o;
    const char *key = posenc_config_look(r, keys, &o);
    return key && posenc_config_string(r, o, key, out);
}
