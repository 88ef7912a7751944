/* .safetensors inside: the types, the header's text turned into a table, the reader over any posenc_io.
 * Format: https://huggingface.co/docs/safetensors
 *     u64, little-endian: bytes of the header · the header, a JSON object · the data up to the end of the file */
#ifndef POSENC_FORMATS_SAFETENSORS_H
#define POSENC_FORMATS_SAFETENSORS_H

#include <posenc/files.h>
#include <stdbool.h>

#include "formats/io.h"

/* The length field. */
#define POSENC_SAFETENSORS_PREFIX 8
/* Longest header that the format allows. */
#define POSENC_SAFETENSORS_MOST_HEADER 100000000
/* Longest header that is read and written here: the names and places of a hundred thousand tensors. */
#define POSENC_SAFETENSORS_MOST_TEXT 16777216
/* Most axes of a tensor that is listed: as many as PyTorch and NumPy know. */
#define POSENC_SAFETENSORS_MOST_RANK 64

#define POSENC_SAFETENSORS_METADATA "__metadata__"

/* ---- types ---- */

/* An element type of the format: `elements` of them take `bytes`. */
typedef struct posenc_safetensors_type {
    const char *text;
    posenc_dtype dtype; /* POSENC_DTYPE_COUNT: not decoded */
    int elements, bytes;
} posenc_safetensors_type;

/* NULL for a text that is no type known here. */
const posenc_safetensors_type *posenc_safetensors_type_find(const char *text);

/* NULL for what is no dtype. */
const posenc_safetensors_type *posenc_safetensors_type_of(posenc_dtype dtype);

/* Bytes of a tensor; extents of 0 count as 1 in the check, so that strides of views fit too.
 * False: *whole says why: false where the elements do not fill whole bytes, true where the bytes exceed int64. */
bool posenc_safetensors_bytes(const posenc_safetensors_type *type, int rank, const int64_t *shape, uint64_t *bytes,
                              bool *whole);

/* ---- header ---- */

typedef struct posenc_safetensors_entry {
    posenc_tensor_info info; /* first, so that the address of one is that of the other */
    size_t key, key_end;     /* places in the header's text */
    size_t value, value_end;
} posenc_safetensors_entry;

typedef struct posenc_safetensors_pair {
    const char *key, *value;
    size_t at, end; /* the key in the header's text */
} posenc_safetensors_pair;

/* What a header says. */
typedef struct posenc_safetensors_table {
    size_t n_entries, n_pairs;
    posenc_safetensors_entry *entries; /* in the order of their data */
    posenc_safetensors_entry **by_name;
    posenc_safetensors_pair *pairs; /* in the order of the text */
    posenc_safetensors_pair **by_key;
    char *texts;
    void *tensor_memory, *pair_memory;
} posenc_safetensors_table;

/* Reads the header text[n] of the file that messages call name; data_bytes follow it in the file. Nothing is read past
 * text[n], and what is allocated is in proportion to n.
 * Returns POSENC_ERROR_FORMAT, _SHAPE (a rank above the most), _MEMORY, and _UNSUPPORTED in a build without jansson;
 * then nothing is kept and *table is untouched. */
posenc_status posenc_safetensors_parse(const posenc_context *context, const char *name, const uint8_t *text, size_t n,
                                       uint64_t data_bytes, posenc_safetensors_table *table, posenc_error *error);

/* Releases what a table holds. Harmless on a zeroed one. */
void posenc_safetensors_table_end(const posenc_context *context, posenc_safetensors_table *table);

/* Puts the entries in the order of their data. */
void posenc_safetensors_sort(posenc_safetensors_table *table);

/* Refuses gaps, overlaps, an end that is not the file's, and sizes that do not go with shapes. The entries are sorted.
 * Offsets are counted from the first byte of data before, and from that of the file after. */
posenc_status posenc_safetensors_layout(const char *name, const uint8_t *text, size_t n, uint64_t data_bytes,
                                        posenc_safetensors_table *table, posenc_error *error);

/* ---- file ---- */

/* posenc_safetensors_open over a table of calls. */
posenc_status posenc_safetensors_open_with(const posenc_io *io, const posenc_context *context, const char *path,
                                           posenc_safetensors **out, posenc_error *error);

/* posenc_output_write_elements for a machine of either byte order. */
posenc_status posenc_output_write_swapped(posenc_output *output, const void *data, posenc_dtype dtype, int64_t elements,
                                          bool swapped, posenc_error *error);

#endif
