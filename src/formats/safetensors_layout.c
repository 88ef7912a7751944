/* Where the tensors of a .safetensors file lie. Every byte of the data belongs to exactly one tensor: a gap could hide
 * something, an overlap could make a small file large. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/tensor.h"
#include "formats/escape.h"
#include "formats/json_walk.h"
#include "formats/safetensors.h"

enum { SHOWN_NAME = 72 };

typedef struct layout {
    const char *name;
    const uint8_t *text;
    size_t n;
    uint64_t data_bytes;
    posenc_error *error;
} layout;

/* Empty tensors come before the one that begins where they stand; what is equal keeps the order of the header. */
static int compare(const void *left, const void *right) {
    const posenc_safetensors_entry *a = left, *b = right;
    if (a->info.offset != b->info.offset) return a->info.offset < b->info.offset ? -1 : 1;
    if (a->info.bytes != b->info.bytes) return a->info.bytes < b->info.bytes ? -1 : 1;
    return a->key < b->key ? -1 : a->key > b->key;
}

void posenc_safetensors_sort(posenc_safetensors_table *table) {
    if (table->n_entries > 1) qsort(table->entries, table->n_entries, sizeof *table->entries, compare);
}

static const char *shown(const posenc_tensor_info *info, char text[SHOWN_NAME]) {
    return posenc_escape(info->name, info->name_bytes, text, SHOWN_NAME);
}

/* The byte of the file where an entry says something; its own where the key is written with escapes. */
static int64_t place(const layout *l, const posenc_safetensors_entry *entry, const char *key) {
    posenc_json_member m;
    bool found = posenc_json_walk_find(l->text, entry->value, key, &m);
    return POSENC_SAFETENSORS_PREFIX + (int64_t)(found ? m.value : entry->value);
}

static posenc_status check_order(const layout *l, const posenc_safetensors_table *table, uint64_t *end) {
    char text[SHOWN_NAME];
    *end = 0;
    for (size_t i = 0; i < table->n_entries; i++) {
        const posenc_tensor_info *info = &table->entries[i].info;
        if (info->offset != *end)
            return posenc_fail_at(l->error, POSENC_ERROR_FORMAT, l->name, place(l, &table->entries[i], "data_offsets"),
                                  "expected the data of \"%s\" to begin at %llu, where those before end, got %llu",
                                  shown(info, text), (unsigned long long)*end, (unsigned long long)info->offset);
        *end += info->bytes; /* offset + bytes was a number of the header: no overflow */
    }
    return POSENC_OK;
}

/* A file that is too short is refused where it ends, one that is too long where its tensors end. */
static posenc_status check_end(const layout *l, uint64_t end) {
    int64_t start = POSENC_SAFETENSORS_PREFIX + (int64_t)l->n;
    if (end > l->data_bytes)
        return posenc_fail_at(l->error, POSENC_ERROR_FORMAT, l->name, start + (int64_t)l->data_bytes,
                              "expected %llu bytes of data, got the end of the file after %llu",
                              (unsigned long long)end, (unsigned long long)l->data_bytes);
    if (end < l->data_bytes)
        return posenc_fail_at(l->error, POSENC_ERROR_FORMAT, l->name, start + (int64_t)end,
                              "expected the end of the file, as the header says, got %llu more bytes",
                              (unsigned long long)(l->data_bytes - end));
    return POSENC_OK;
}

static posenc_status refuse_shape(const layout *l, const posenc_safetensors_entry *entry, bool whole) {
    char text[SHOWN_NAME];
    if (whole)
        return posenc_fail_at(l->error, POSENC_ERROR_FORMAT, l->name, place(l, entry, "shape"),
                              "expected a shape of at most 2^63-1 bytes for \"%s\", got more",
                              shown(&entry->info, text));
    return posenc_fail_at(l->error, POSENC_ERROR_FORMAT, l->name, place(l, entry, "shape"),
                          "expected a shape of whole bytes for \"%s\" of %s, got a fraction", shown(&entry->info, text),
                          entry->info.dtype_text);
}

/* An unknown type keeps within its bytes, and that is all that can be said. */
static posenc_status check_size(const layout *l, const posenc_safetensors_entry *entry) {
    const posenc_tensor_info *info = &entry->info;
    const posenc_safetensors_type *type = posenc_safetensors_type_find(info->dtype_text);
    char text[SHOWN_NAME], shape[96];
    uint64_t bytes = info->bytes;
    bool whole;
    if (type && !posenc_safetensors_bytes(type, info->rank, info->shape, &bytes, &whole))
        return refuse_shape(l, entry, whole);
    if (bytes == info->bytes) return POSENC_OK;
    posenc_shape_text(info->rank, info->shape, shape);
    return posenc_fail_at(l->error, POSENC_ERROR_FORMAT, l->name, place(l, entry, "shape"),
                          "expected %llu bytes for \"%s\", %s of shape %s, got %llu", (unsigned long long)bytes,
                          shown(info, text), info->dtype_text, shape, (unsigned long long)info->bytes);
}

posenc_status posenc_safetensors_layout(const char *name, const uint8_t *text, size_t n, uint64_t data_bytes,
                                        posenc_safetensors_table *table, posenc_error *error) {
    layout l = {name, text, n, data_bytes, error};
    uint64_t end;
    posenc_status status = check_order(&l, table, &end);
    if (status == POSENC_OK) status = check_end(&l, end);
    for (size_t i = 0; status == POSENC_OK && i < table->n_entries; i++) status = check_size(&l, &table->entries[i]);
    if (status != POSENC_OK) return status;
    for (size_t i = 0; i < table->n_entries; i++) table->entries[i].info.offset += POSENC_SAFETENSORS_PREFIX + n;
    return POSENC_OK;
}
