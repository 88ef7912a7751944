/* FILE or FILE:TENSOR, read as a table of encodings: .npy, .safetensors, or .csv. What check, similarity, plot and the
 * like look at. */
#ifndef POSENC_CLI_READ_TABLE_H
#define POSENC_CLI_READ_TABLE_H

#include "cli.h"
#include "tensor_path.h"

/* A table in memory. Its pointers point into itself, so it stays in place until it is freed. */
typedef struct posenc_cli_input_table {
    const DLTensor *tensor; /* f32, f64, f16 or bf16, contiguous; any rank: the library says which it takes */
    posenc_dtype dtype;
    const char *file;              /* as given, without :TENSOR; "-" for standard input */
    char *name;                    /* of the tensor in the file; NULL where a file holds one without a name */
    char *title;                   /* "pe.npy", "model.safetensors:pe", "standard input": for messages and pictures */
    posenc_safetensors *container; /* where the table is from one: for its metadata, read_metadata.h; else NULL */
    posenc_array *array;           /* what the table lives in: a file's content, ... */
    void *numbers;                 /* ... or the numbers of a .csv file */
    posenc_view view;
    posenc_cli_tensor_path path;
} posenc_cli_input_table;

/* Reads the table that text names.
 * option: what messages call the text, "table".
 * .npy, and "-" for .npy on standard input. .safetensors: the named tensor; without a name its only one, or the only
 * one that has a name that posenc itself gives, pe, weight or cos_sin. .csv: decimal numbers parted by commas, as many in each
 * line, after at most one line of names; f32 where no number has more than 9 digits, else f64.
 * Memory grows with what has arrived, never with what a file claims.
 * Returns POSENC_CLI_FINE, or prints the error and returns _TROUBLE; *table holds nothing then. */
int posenc_cli_read_table(const posenc_context *context, const char *option, const char *text,
                          posenc_cli_input_table *table);

/* Frees what was read; harmless on a zeroed struct. */
void posenc_cli_free_table(posenc_cli_input_table *table);

/* Reads a table of numbers from a .csv file (read_csv.c). *numbers receives rows * columns float or double, as *dtype
 * says; the caller frees it. */
int posenc_cli_read_csv(const char *path, void **numbers, posenc_dtype *dtype, int64_t shape[2]);

#endif
