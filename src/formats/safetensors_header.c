/* The header of a .safetensors file, from text to table.
 *
 *     {"__metadata__": {"key": "value"}, "name": {"dtype": "F32", "shape": [2, 3], "data_offsets": [0, 24]}}
 *
 * The text is scanned first (formats/json_scan.h), so that what comes after it meets JSON of bounded depth and size.
 * Then jansson decodes it piece by piece, a name or an entry at a time: it needs up to 75 times the text that it is
 * given, so it is never given much of an enemy's file at once.
 *
 * jansson's memory comes from malloc and not from the context. json_set_alloc_funcs could change that, but for the
 * whole process, and a library has no business to do so. Under want of memory jansson may also lose letters of long
 * tokens without a word: the length of each string is compared with what the text says. (Real numbers, which jansson
 * reads by the locale, are refused by the scan.) */
#include "formats/safetensors.h"

#include "base/error.h"

#if defined(POSENC_HAVE_JANSSON)

#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "formats/escape.h"
#include "formats/json_scan.h"
#include "formats/json_walk.h"

enum {
    SHOWN = 72,
    LEAST_ENTRY = 47,      /* "":{"dtype":"","shape":[],"data_offsets":[0,0]} */
    MOST_ENTRY = 1 << 16,  /* bytes of an entry: three short members and blanks */
    MOST_DEPTH = 16,       /* 3 are used */
    MOST_TOKENS = 1 << 22, /* 10 or more in an entry */
};

typedef struct reader {
    const uint8_t *text;
    size_t n;
    const posenc_context *context;
    const char *name;
    posenc_error *error;
    posenc_safetensors_table *table;
    char *texts;      /* decoded strings: none is longer than its quoted form, so n bytes are enough */
    int64_t *extents; /* where the next shape goes */
} reader;

static int64_t place(size_t at) { return POSENC_SAFETENSORS_PREFIX + (int64_t)at; }

/* "expected WHAT, got" what stands at text[from..to). */
static posenc_status expected(const reader *r, size_t from, size_t to, const char *what) {
    char got[SHOWN];
    return posenc_fail_at(
        r->error, POSENC_ERROR_FORMAT, r->name, place(from), "expected %s, got %s", what,
        to > from ? posenc_escape(r->text + from, to - from, got, sizeof got) : "the end of the header");
}

/* ---- jansson ---- */

/* NULL: jansson had no memory, or says what is wrong; *duplicate: a key stands twice. The scan has refused all else. */
static json_t *load(const reader *r, size_t from, size_t to, bool *duplicate) {
    json_error_t why;
    memset(&why, 0, sizeof why); /* out of memory it may leave the code as it was */
    json_t *value = json_loadb((const char *)r->text + from, to - from, JSON_REJECT_DUPLICATES | JSON_DECODE_ANY, &why);
    *duplicate = !value && json_error_code(&why) == json_error_duplicate_key;
    return value;
}

/* Decodes the string text[from..to) into the table's texts. */
static posenc_status read_text(reader *r, size_t from, size_t to, const char **out, size_t *out_bytes) {
    bool duplicate;
    json_t *value = load(r, from, to, &duplicate);
    size_t bytes = posenc_json_string_bytes(r->text, from, to);
    bool whole = value && json_string_length(value) == bytes;
    if (whole) {
        memcpy(r->texts, json_string_value(value), bytes);
        r->texts[bytes] = '\0';
        *out = r->texts;
        *out_bytes = bytes;
        r->texts += bytes + 1;
    }
    json_decref(value);
    return whole ? POSENC_OK : posenc_fail_memory(r->error, r->name, to - from);
}

/* ---- an entry ---- */

enum { DTYPE, SHAPE, DATA_OFFSETS, MEMBERS };
static const char *const members[MEMBERS] = {"dtype", "shape", "data_offsets"};

/* Where a member's value stands; the whole entry, where its key is written with escapes. */
static posenc_json_member find(const reader *r, const posenc_safetensors_entry *entry, const char *member) {
    posenc_json_member m, whole = {entry->value, entry->value_end, entry->value, entry->value_end};
    return posenc_json_walk_find(r->text, entry->value, member, &m) ? m : whole;
}

static posenc_status blame(const reader *r, const posenc_safetensors_entry *entry, int member, const char *what) {
    posenc_json_member m = find(r, entry, members[member]);
    return expected(r, m.value, m.value_end, what);
}

static posenc_status check_members(const reader *r, const posenc_safetensors_entry *entry, json_t *object) {
    const char *key;
    json_t *value;
    char got[SHOWN];
    json_object_foreach(object, key, value) {
        int known = 0;
        while (known < MEMBERS && strcmp(key, members[known]) != 0) known++;
        if (known == MEMBERS)
            return posenc_fail_at(r->error, POSENC_ERROR_FORMAT, r->name, place(find(r, entry, key).key),
                                  "expected dtype, shape and data_offsets, got \"%s\"",
                                  posenc_escape(key, strlen(key), got, sizeof got));
    }
    for (int k = 0; k < MEMBERS; k++)
        if (!json_object_get(object, members[k]))
            return posenc_fail_at(r->error, POSENC_ERROR_FORMAT, r->name, place(entry->value),
                                  "expected the member %s, got an entry without it", members[k]);
    return POSENC_OK;
}

static posenc_status read_dtype(reader *r, posenc_safetensors_entry *entry, const json_t *value) {
    if (!json_is_string(value)) return blame(r, entry, DTYPE, "a type such as \"F32\"");
    posenc_tensor_info *info = &entry->info;
    posenc_json_member m = find(r, entry, members[DTYPE]);
    size_t bytes = json_string_length(value);
    if (r->text[m.value] == '"' && posenc_json_string_bytes(r->text, m.value, m.value_end) != bytes)
        return posenc_fail_memory(r->error, r->name, m.value_end - m.value);
    memcpy(r->texts, json_string_value(value), bytes + 1);
    info->dtype_text = r->texts;
    r->texts += bytes + 1;
    const posenc_safetensors_type *type = posenc_safetensors_type_find(info->dtype_text);
    info->dtype = type ? type->dtype : POSENC_DTYPE_COUNT;
    return POSENC_OK;
}

/* Integers from 0 on, into out[n]. */
static posenc_status read_integers(const reader *r, const posenc_safetensors_entry *entry, int member,
                                   const json_t *array, int64_t *out) {
    for (size_t i = 0; i < json_array_size(array); i++) {
        const json_t *value = json_array_get(array, i);
        if (!json_is_integer(value) || json_integer_value(value) < 0)
            return blame(r, entry, member, "whole numbers from 0 on");
        out[i] = json_integer_value(value);
    }
    return POSENC_OK;
}

static posenc_status read_shape(reader *r, posenc_safetensors_entry *entry, const json_t *value) {
    if (!json_is_array(value)) return blame(r, entry, SHAPE, "a shape such as [2, 3]");
    if (json_array_size(value) > POSENC_SAFETENSORS_MOST_RANK)
        return posenc_fail_at(r->error, POSENC_ERROR_SHAPE, r->name, place(find(r, entry, members[SHAPE]).value),
                              "expected at most %d axes, got %zu", POSENC_SAFETENSORS_MOST_RANK,
                              json_array_size(value));
    entry->info.rank = (int)json_array_size(value);
    entry->info.shape = r->extents;
    posenc_status status = read_integers(r, entry, SHAPE, value, r->extents);
    r->extents += entry->info.rank;
    return status;
}

static posenc_status read_offsets(reader *r, posenc_safetensors_entry *entry, const json_t *value) {
    int64_t ends[2];
    if (!json_is_array(value) || json_array_size(value) != 2)
        return blame(r, entry, DATA_OFFSETS, "two offsets such as [0, 24]");
    posenc_status status = read_integers(r, entry, DATA_OFFSETS, value, ends);
    if (status != POSENC_OK) return status;
    if (ends[0] > ends[1]) return blame(r, entry, DATA_OFFSETS, "an end that is not before the beginning");
    entry->info.offset = (uint64_t)ends[0];
    entry->info.bytes = (uint64_t)(ends[1] - ends[0]);
    return POSENC_OK;
}

static posenc_status read_members(reader *r, posenc_safetensors_entry *entry, json_t *object) {
    posenc_status status = check_members(r, entry, object);
    if (status == POSENC_OK) status = read_dtype(r, entry, json_object_get(object, members[DTYPE]));
    if (status == POSENC_OK) status = read_shape(r, entry, json_object_get(object, members[SHAPE]));
    if (status == POSENC_OK) status = read_offsets(r, entry, json_object_get(object, members[DATA_OFFSETS]));
    return status;
}

static posenc_status read_entry(reader *r, const posenc_json_member *m, const char *name, size_t name_bytes) {
    bool duplicate;
    posenc_status status;
    if (r->text[m->value] != '{') return expected(r, m->value, m->value_end, "an entry {dtype, shape, data_offsets}");
    if (m->value_end - m->value > MOST_ENTRY)
        return posenc_fail_at(r->error, POSENC_ERROR_FORMAT, r->name, place(m->value),
                              "expected an entry of at most %d bytes, got %zu", MOST_ENTRY, m->value_end - m->value);
    posenc_safetensors_entry *entry = &r->table->entries[r->table->n_entries];
    *entry = (posenc_safetensors_entry){.info = {.name = name, .name_bytes = name_bytes},
                                        .key = m->key,
                                        .key_end = m->key_end,
                                        .value = m->value,
                                        .value_end = m->value_end};
    json_t *object = load(r, m->value, m->value_end, &duplicate);
    if (object)
        status = read_members(r, entry, object);
    else if (duplicate)
        status = expected(r, m->value, m->value_end, "each member once");
    else
        status = posenc_fail_memory(r->error, r->name, m->value_end - m->value);
    json_decref(object);
    if (status == POSENC_OK) r->table->n_entries++;
    return status;
}

/* ---- metadata ---- */

static posenc_status count_pairs(const reader *r, size_t object, size_t *n) {
    posenc_json_walk walk = posenc_json_walk_into(r->text, object);
    posenc_json_member m;
    for (*n = 0; posenc_json_walk_next(&walk, &m); ++*n)
        if (r->text[m.value] != '"') return expected(r, m.value, m.value_end, "a text");
    return POSENC_OK;
}

static posenc_status read_metadata(reader *r, const posenc_json_member *metadata) {
    posenc_safetensors_table *table = r->table;
    posenc_json_member m;
    size_t n, unused;
    if (table->pair_memory) return expected(r, metadata->key, metadata->key_end, "each name once");
    if (r->text[metadata->value] != '{') return expected(r, metadata->value, metadata->value_end, "an object of texts");
    posenc_status status = count_pairs(r, metadata->value, &n);
    if (status != POSENC_OK) return status;
    size_t bytes = n * (sizeof *table->pairs + sizeof *table->by_key); /* a few times the text at most: no overflow */
    table->pair_memory = posenc_allocate(r->context, bytes);
    if (!table->pair_memory) return posenc_fail_memory(r->error, r->name, bytes);
    table->pairs = table->pair_memory;
    table->by_key = (posenc_safetensors_pair **)(void *)(table->pairs + n);
    posenc_json_walk walk = posenc_json_walk_into(r->text, metadata->value);
    while (status == POSENC_OK && posenc_json_walk_next(&walk, &m)) {
        posenc_safetensors_pair *pair = &table->pairs[table->n_pairs];
        table->by_key[table->n_pairs++] = pair;
        pair->at = m.key;
        pair->end = m.key_end;
        status = read_text(r, m.key, m.key_end, &pair->key, &unused);
        if (status == POSENC_OK) status = read_text(r, m.value, m.value_end, &pair->value, &unused);
    }
    return status;
}

/* ---- the whole ---- */

/* Equal names in the order of the text, so that the later one is blamed. */
static int compare_entries(const void *left, const void *right) {
    const posenc_safetensors_entry *a = *(posenc_safetensors_entry *const *)left;
    const posenc_safetensors_entry *b = *(posenc_safetensors_entry *const *)right;
    int order = strcmp(a->info.name, b->info.name);
    return order ? order : a->key < b->key ? -1 : a->key > b->key;
}

static int compare_pairs(const void *left, const void *right) {
    const posenc_safetensors_pair *a = *(posenc_safetensors_pair *const *)left;
    const posenc_safetensors_pair *b = *(posenc_safetensors_pair *const *)right;
    int order = strcmp(a->key, b->key);
    return order ? order : a->at < b->at ? -1 : a->at > b->at;
}

static posenc_status sort_pairs(const reader *r) {
    const posenc_safetensors_table *t = r->table;
    if (t->n_pairs > 1) qsort(t->by_key, t->n_pairs, sizeof *t->by_key, compare_pairs);
    for (size_t i = 1; i < t->n_pairs; i++)
        if (strcmp(t->by_key[i - 1]->key, t->by_key[i]->key) == 0)
            return expected(r, t->by_key[i]->at, t->by_key[i]->end, "each key of the metadata once");
    return POSENC_OK;
}

static posenc_status sort_names(const reader *r) {
    const posenc_safetensors_table *t = r->table;
    for (size_t i = 0; i < t->n_entries; i++) t->by_name[i] = &t->entries[i];
    if (t->n_entries > 1) qsort(t->by_name, t->n_entries, sizeof *t->by_name, compare_entries);
    for (size_t i = 1; i < t->n_entries; i++)
        if (strcmp(t->by_name[i - 1]->info.name, t->by_name[i]->info.name) == 0)
            return expected(r, t->by_name[i]->key, t->by_name[i]->key_end, "each name once");
    return POSENC_OK;
}

/* The name is decoded first: "__metadata__" may be written with escapes as well. */
static posenc_status read_member(reader *r, const posenc_json_member *m) {
    const char *name;
    size_t bytes;
    posenc_status status = read_text(r, m->key, m->key_end, &name, &bytes);
    if (status != POSENC_OK) return status;
    return strcmp(name, POSENC_SAFETENSORS_METADATA) == 0 ? read_metadata(r, m) : read_entry(r, m, name, bytes);
}

static posenc_status read_all(reader *r) {
    posenc_json_walk walk = posenc_json_walk_into(r->text, 0);
    posenc_json_member m;
    posenc_status status = POSENC_OK;
    while (status == POSENC_OK && posenc_json_walk_next(&walk, &m)) status = read_member(r, &m);
    if (status != POSENC_OK) return status;
    posenc_safetensors_sort(r->table);
    status = sort_names(r);
    return status == POSENC_OK ? sort_pairs(r) : status;
}

/* One block: entries, extents, names in order, texts. No more entries than fit into the text. */
static posenc_status allocate_table(reader *r, const posenc_json_count *count) {
    posenc_safetensors_table *t = r->table;
    size_t entries = r->n / LEAST_ENTRY + 1;
    size_t bytes = entries * (sizeof *t->entries + sizeof *t->by_name) + count->numbers * sizeof(int64_t) + r->n;
    t->tensor_memory = posenc_allocate(r->context, bytes);
    if (!t->tensor_memory) return posenc_fail_memory(r->error, r->name, bytes);
    t->entries = t->tensor_memory;
    r->extents = (int64_t *)(void *)(t->entries + entries);
    t->by_name = (posenc_safetensors_entry **)(void *)(r->extents + count->numbers);
    r->texts = (char *)(t->by_name + entries);
    return POSENC_OK;
}

posenc_status posenc_safetensors_parse(const posenc_context *context, const char *name, const uint8_t *text, size_t n,
                                       uint64_t data_bytes, posenc_safetensors_table *table, posenc_error *error) {
    static const posenc_json_limits limits = {MOST_DEPTH, MOST_TOKENS, true};
    posenc_safetensors_table made = {.n_entries = 0};
    reader r = {.text = text, .n = n, .context = context, .name = name, .error = error, .table = &made};
    posenc_json_count count;
    if (n == 0 || text[0] != '{') return expected(&r, 0, n > 0, "{ at the beginning of the header");
    posenc_status status = posenc_json_scan(name, text, n, POSENC_SAFETENSORS_PREFIX, &limits, &count, error);
    if (status == POSENC_OK) status = allocate_table(&r, &count);
    if (status == POSENC_OK) status = read_all(&r);
    if (status == POSENC_OK) status = posenc_safetensors_layout(name, text, n, data_bytes, &made, error);
    if (status == POSENC_OK)
        *table = made;
    else
        posenc_safetensors_table_end(context, &made);
    return status;
}

void posenc_safetensors_table_end(const posenc_context *context, posenc_safetensors_table *table) {
    posenc_release(context, table->tensor_memory);
    posenc_release(context, table->pair_memory);
    *table = (posenc_safetensors_table){.n_entries = 0};
}

#else

/* A build without jansson: files can be written, not read. */
posenc_status posenc_safetensors_parse(const posenc_context *context, const char *name, const uint8_t *text, size_t n,
                                       uint64_t data_bytes, posenc_safetensors_table *table, posenc_error *error) {
    (void)context, (void)text, (void)n, (void)data_bytes, (void)table;
    return posenc_fail(error, POSENC_ERROR_UNSUPPORTED, name,
                       "expected a build that reads .safetensors (with jansson), got one without");
}

void posenc_safetensors_table_end(const posenc_context *context, posenc_safetensors_table *table) {
    (void)context, (void)table;
}

#endif
