/* FILE or FILE:TENSOR: where a tensor comes from. */
#ifndef POSENC_CLI_TENSOR_PATH_H
#define POSENC_CLI_TENSOR_PATH_H

#include "cli.h"

typedef struct posenc_cli_tensor_path {
    char file[4096];
    const char *tensor; /* NULL: the whole file */
    bool container;     /* .safetensors; else .npy */
} posenc_cli_tensor_path;

/* Takes text apart. If all of it is a path that is there, it is the file; else the last colon parts the file from the
 * tensor, where what stands before it is a container. The text must outlive *out.
 * Returns POSENC_CLI_FINE, or prints the error and returns _TROUBLE. option: what messages call the text. */
int posenc_cli_tensor_path_of(const char *option, const char *text, posenc_cli_tensor_path *out);

/* The tensor of a container that path names; NULL, with the error printed, if there is none. */
const posenc_tensor_info *posenc_cli_tensor_find(const posenc_safetensors *container,
                                                 const posenc_cli_tensor_path *path);

#endif
