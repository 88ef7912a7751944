/* Where a command's data go: a .npy, .safetensors or .csv file, a device, standard output. */
#ifndef POSENC_CLI_TARGET_H
#define POSENC_CLI_TARGET_H

#include "cli.h"

typedef enum posenc_cli_form { POSENC_CLI_NPY, POSENC_CLI_SAFETENSORS, POSENC_CLI_CSV } posenc_cli_form;

typedef struct posenc_cli_target {
    posenc_output *output;
    const char *path;
    posenc_cli_form form;
    posenc_cli_progress progress;
    bool bar;    /* unless the data themselves go to a terminal */
    double done; /* bytes of data taken so far */
    char *text;  /* csv: lines on their way */
    size_t n_text;
} posenc_cli_target;

/* Decides on the form of a file by its name: ".npy", ".safetensors", ".csv"; "-", devices and pipes have none and take
 * `otherwise`. Prints an error and returns POSENC_CLI_TROUBLE for another name, or for .csv where with_csv is false. */
int posenc_cli_target_form(const char *path, bool with_csv, posenc_cli_form otherwise, posenc_cli_form *form);

/* Whether a file of that form holds such a tensor: .npy has no bf16. To be asked before anything is opened. */
int posenc_cli_target_check(posenc_cli_form form, const posenc_tensor_entry *entry);

/* Opens the target. total: bytes of data to come; a file for which its disk has too little room is refused. While a regular file is being written an interrupt removes it.
 * Every function below prints its error and returns POSENC_CLI_TROUBLE; the target must then be discarded. */
int posenc_cli_target_open(const posenc_context *context, const char *path, posenc_cli_form form, double total,
                           posenc_cli_target *target);

/* Writes the header of a .npy file with the one entry, or of a .safetensors file with all. Nothing for .csv. */
int posenc_cli_target_header(posenc_cli_target *target, const posenc_tensor_entry *entries, size_t n_entries,
                             const char *const *metadata, size_t n_metadata);

/* Appends elements in the byte order of the form, in pieces, minding the progress bar. */
int posenc_cli_target_write_elements(posenc_cli_target *target, const void *data, posenc_dtype dtype, int64_t elements);

/* The same for bytes as they are. */
int posenc_cli_target_write(posenc_cli_target *target, const void *data, size_t bytes);

/* Appends lines of numbers: data (rows, columns), f32, f64, f16 or bf16, "%.*g" with digits. */
int posenc_cli_target_write_csv(posenc_cli_target *target, const void *data, posenc_dtype dtype, int64_t rows,
                                int64_t columns, int digits);

/* Appends a few words of text to a .csv target. */
int posenc_cli_target_write_text(posenc_cli_target *target, const char *text);

/* Puts the file in its place and ends the target. */
int posenc_cli_target_commit(posenc_cli_target *target);

/* Removes what was written and ends the target; harmless on a zeroed or ended one. If an interrupt was the reason, the
 * program ends by it. */
void posenc_cli_target_discard(posenc_cli_target *target);

#endif
