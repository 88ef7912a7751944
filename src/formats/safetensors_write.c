/* Writes the header of a .safetensors file. All is checked before the first byte goes out. The text is made twice by
 * the same code, once only to be counted, so that it needs no memory. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/checked.h"
#include "base/error.h"
#include "base/memory.h"
#include "formats/bytes.h"
#include "formats/escape.h"
#include "formats/output.h"
#include "formats/safetensors.h"
#include "formats/utf8.h"

enum { ALIGNMENT = 8, SHOWN_NAME = 72 };

/* ---- checks ---- */

static posenc_status check_text(const char *argument, const char *text, const char *what, posenc_error *error) {
    char got[SHOWN_NAME];
    if (!text) return posenc_fail(error, POSENC_ERROR_ARGUMENT, argument, "expected %s, got NULL", what);
    size_t n = strlen(text);
    if (posenc_utf8_prefix(text, n) == n) return POSENC_OK;
    return posenc_fail(error, POSENC_ERROR_ARGUMENT, argument, "expected %s in UTF-8, got \"%s\"", what,
                       posenc_escape(text, n, got, sizeof got));
}

static posenc_status check_name(const posenc_tensor_entry *entry, posenc_error *error) {
    posenc_status status = check_text("entries", entry->name, "a name", error);
    if (status != POSENC_OK) return status;
    if (entry->name[0] != '\0' && strcmp(entry->name, POSENC_SAFETENSORS_METADATA) != 0) return POSENC_OK;
    return posenc_fail(error, POSENC_ERROR_ARGUMENT, "entries", "expected a name for a tensor, got \"%s\"",
                       entry->name);
}

static posenc_status check_extents(const posenc_tensor_entry *entry, posenc_error *error) {
    if (entry->rank < 0 || entry->rank > POSENC_SAFETENSORS_MOST_RANK)
        return posenc_fail(error, POSENC_ERROR_SHAPE, "entries", "expected a rank of 0..%d, got %d",
                           POSENC_SAFETENSORS_MOST_RANK, entry->rank);
    if (entry->rank > 0 && !entry->shape)
        return posenc_fail(error, POSENC_ERROR_ARGUMENT, "entries", "expected a shape, got NULL");
    for (int k = 0; k < entry->rank; k++)
        if (entry->shape[k] < 0)
            return posenc_fail(error, POSENC_ERROR_SHAPE, "entries", "expected extents from 0 on, got %lld",
                               (long long)entry->shape[k]);
    return POSENC_OK;
}

/* The type of an entry as the file names it; *known: NULL for one that is copied without being known. */
static posenc_status find_type(const posenc_tensor_entry *entry, const char **text,
                               const posenc_safetensors_type **known, posenc_error *error) {
    if (entry->dtype == POSENC_DTYPE_COUNT) {
        posenc_status status = check_text("entries", entry->dtype_text, "a dtype_text", error);
        *text = entry->dtype_text;
        *known = status == POSENC_OK ? posenc_safetensors_type_find(*text) : NULL;
        return status;
    }
    *known = posenc_safetensors_type_of(entry->dtype);
    if (!*known)
        return posenc_fail(error, POSENC_ERROR_DTYPE, "entries", "expected a dtype, got %d", (int)entry->dtype);
    *text = (*known)->text;
    return POSENC_OK;
}

/* Where the data of the next entry begin. */
static posenc_status add_bytes(const posenc_tensor_entry *entry, const posenc_safetensors_type *known, uint64_t *end,
                               posenc_error *error) {
    uint64_t bytes = entry->bytes;
    bool whole;
    if (known && !posenc_safetensors_bytes(known, entry->rank, entry->shape, &bytes, &whole))
        return posenc_fail(error, POSENC_ERROR_SHAPE, "entries", "expected a shape of %s, got %s",
                           whole ? "at most 2^63-1 bytes" : "whole bytes", whole ? "more" : "a fraction");
    if (entry->dtype == POSENC_DTYPE_COUNT && bytes != entry->bytes)
        return posenc_fail(error, POSENC_ERROR_SHAPE, "entries", "expected %llu bytes for this shape of %s, got %llu",
                           (unsigned long long)bytes, known->text, (unsigned long long)entry->bytes);
    if (bytes > (uint64_t)INT64_MAX - POSENC_SAFETENSORS_MOST_HEADER - *end)
        return posenc_fail(error, POSENC_ERROR_SHAPE, "entries", "expected a file of at most 2^63-1 bytes, got more");
    *end += bytes;
    return POSENC_OK;
}

static int compare(const void *left, const void *right) {
    return strcmp(*(const char *const *)left, *(const char *const *)right);
}

/* names[n] are put in order. */
static posenc_status check_once(const char *argument, const char **names, size_t n, posenc_error *error) {
    char got[SHOWN_NAME];
    if (n > 1) qsort(names, n, sizeof *names, compare);
    for (size_t i = 1; i < n; i++)
        if (strcmp(names[i - 1], names[i]) == 0)
            return posenc_fail(error, POSENC_ERROR_ARGUMENT, argument, "expected each name once, got \"%s\" twice",
                               posenc_escape(names[i], strlen(names[i]), got, sizeof got));
    return POSENC_OK;
}

static posenc_status check_entries(const posenc_tensor_entry *entries, size_t n, const char **names,
                                   posenc_error *error) {
    uint64_t end = 0;
    for (size_t i = 0; i < n; i++) {
        const char *text;
        const posenc_safetensors_type *known;
        posenc_status status = check_name(&entries[i], error);
        if (status == POSENC_OK) status = check_extents(&entries[i], error);
        if (status == POSENC_OK) status = find_type(&entries[i], &text, &known, error);
        if (status == POSENC_OK) status = add_bytes(&entries[i], known, &end, error);
        if (status != POSENC_OK) return status;
        names[i] = entries[i].name;
    }
    return check_once("entries", names, n, error);
}

static posenc_status check_metadata(const char *const *metadata, size_t n, const char **names, posenc_error *error) {
    for (size_t i = 0; i < n; i++) {
        posenc_status status = check_text("metadata", metadata[2 * i], "a key", error);
        if (status == POSENC_OK) status = check_text("metadata", metadata[2 * i + 1], "a value", error);
        if (status != POSENC_OK) return status;
        names[i] = metadata[2 * i];
    }
    return check_once("metadata", names, n, error);
}

static posenc_status check_all(const posenc_context *context, const posenc_tensor_entry *entries, size_t n_entries,
                               const char *const *metadata, size_t n_metadata, posenc_error *error) {
    size_t n = n_entries > n_metadata ? n_entries : n_metadata, bytes;
    if (!posenc_size_multiply(n, sizeof(char *), &bytes)) bytes = SIZE_MAX;
    const char **names = posenc_allocate(context, bytes);
    if (!names) return posenc_fail_memory(error, "names", bytes);
    posenc_status status = check_entries(entries, n_entries, names, error);
    if (status == POSENC_OK) status = check_metadata(metadata, n_metadata, names, error);
    posenc_release(context, (void *)names);
    return status;
}

/* ---- text ---- */

/* Takes text: counts it, and writes it unless output is NULL. The first failure stays. */
typedef struct sink {
    posenc_output *output;
    uint64_t n;
    posenc_status status;
    posenc_error *error;
} sink;

static void put(sink *s, const char *text, size_t n) {
    s->n += n;
    if (s->output && s->status == POSENC_OK) s->status = posenc_output_write(s->output, text, n, s->error);
}

static void put_plain(sink *s, const char *text) { put(s, text, strlen(text)); }

static void put_number(sink *s, uint64_t number) {
    char text[24];
    put(s, text, (size_t)snprintf(text, sizeof text, "%" PRIu64, number));
}

/* A quoted string: what JSON demands is escaped, all else stays UTF-8. */
static void put_string(sink *s, const char *text) {
    put(s, "\"", 1);
    for (size_t start = 0, i = 0;; i++) {
        unsigned char c = (unsigned char)text[i];
        if (c >= 0x20 && c != '"' && c != '\\') continue;
        put(s, text + start, i - start);
        start = i + 1;
        if (c == '\0') break;
        char escape[8] = {'\\', (char)c, '\0'};
        if (c < 0x20) snprintf(escape, sizeof escape, "\\u%04x", c);
        put_plain(s, escape);
    }
    put(s, "\"", 1);
}

static void put_metadata(sink *s, const char *const *metadata, size_t n) {
    put_plain(s, "\"" POSENC_SAFETENSORS_METADATA "\":{");
    for (size_t i = 0; i < n; i++) {
        if (i > 0) put_plain(s, ",");
        put_string(s, metadata[2 * i]);
        put_plain(s, ":");
        put_string(s, metadata[2 * i + 1]);
    }
    put_plain(s, "}");
}

static void put_entry(sink *s, const posenc_tensor_entry *entry, uint64_t *end) {
    const char *text = "";
    const posenc_safetensors_type *known = NULL;
    uint64_t begin = *end;
    find_type(entry, &text, &known, NULL); /* it was checked, as the sizes were */
    add_bytes(entry, known, end, NULL);
    put_string(s, entry->name);
    put_plain(s, ":{\"dtype\":");
    put_string(s, text);
    put_plain(s, ",\"shape\":[");
    for (int k = 0; k < entry->rank; k++) {
        if (k > 0) put_plain(s, ",");
        put_number(s, (uint64_t)entry->shape[k]);
    }
    put_plain(s, "],\"data_offsets\":[");
    put_number(s, begin);
    put_plain(s, ",");
    put_number(s, *end);
    put_plain(s, "]}");
}

static void put_header(sink *s, const posenc_tensor_entry *entries, size_t n_entries, const char *const *metadata,
                       size_t n_metadata) {
    uint64_t end = 0;
    put_plain(s, "{");
    if (n_metadata > 0) put_metadata(s, metadata, n_metadata);
    for (size_t i = 0; i < n_entries; i++) {
        if (i > 0 || n_metadata > 0) put_plain(s, ",");
        put_entry(s, &entries[i], &end);
    }
    put_plain(s, "}");
    put(s, "       ", (ALIGNMENT - s->n % ALIGNMENT) % ALIGNMENT);
}

posenc_status posenc_safetensors_header(posenc_output *output, const posenc_tensor_entry *entries, size_t n_entries,
                                        const char *const *metadata, size_t n_metadata, posenc_error *error) {
    if (!output || (!entries && n_entries > 0) || (!metadata && n_metadata > 0))
        return posenc_fail(error, POSENC_ERROR_ARGUMENT,
                           !output                     ? "output"
                           : !entries && n_entries > 0 ? "entries"
                                                       : "metadata",
                           "expected a pointer, got NULL");
    posenc_status status = check_all(posenc_output_context(output), entries, n_entries, metadata, n_metadata, error);
    if (status != POSENC_OK) return status;
    sink counter = {.output = NULL}, writer = {.output = output, .error = error};
    put_header(&counter, entries, n_entries, metadata, n_metadata);
    if (counter.n > POSENC_SAFETENSORS_MOST_TEXT)
        return posenc_fail(error, POSENC_ERROR_ARGUMENT, "entries", "expected a header of at most %d bytes, got %llu",
                           POSENC_SAFETENSORS_MOST_TEXT, (unsigned long long)counter.n);
    uint8_t length[POSENC_SAFETENSORS_PREFIX];
    posenc_store_le_u64(length, counter.n);
    status = posenc_output_write(output, length, sizeof length, error);
    if (status != POSENC_OK) return status;
    put_header(&writer, entries, n_entries, metadata, n_metadata);
    return writer.status;
}
