/* What the files of the command convert-pairing share: which tensors are converted, and one of them on its way. */
#ifndef POSENC_CLI_CONVERT_PAIRING_H
#define POSENC_CLI_CONVERT_PAIRING_H

#include "cli.h"
#include "target.h"

typedef enum posenc_cli_role { POSENC_CLI_OTHER, POSENC_CLI_QUERIES, POSENC_CLI_KEYS } posenc_cli_role;

/* A tensor of the input, and what becomes of it. */
typedef struct posenc_cli_projection {
    const posenc_tensor_info *info;
    posenc_cli_role role;
    int64_t heads;
} posenc_cli_projection;

typedef struct posenc_cli_conversion {
    const posenc_cli_arguments *arguments;
    const char *file, *output;
    posenc_cli_form form; /* of the output */
    posenc_pairing_options options;
    posenc_cli_projection *tensors; /* all of the input */
    size_t n;
    double difference; /* the largest of the self-check */
    posenc_cli_target target;
} posenc_cli_conversion;

/* convert_pairing_choice.c: roles by --tensor, --q and --k, then heads by the shapes, all before anything is written.
 */
int posenc_cli_conversion_choose(posenc_cli_conversion *c);

/* Converts whole heads of a tensor, data to out, and tries them out. columns: elements of a row. */
int posenc_cli_conversion_run(posenc_cli_conversion *c, const posenc_cli_projection *p, int64_t heads, void *data,
                              void *out);

/* convert_pairing_container.c: the whole of a .safetensors input, from opening to commit. */
int posenc_cli_convert_container(posenc_cli_conversion *c);

/* Prints what was converted. To be called before the commit, since memory may be out. */
int posenc_cli_conversion_report(const posenc_cli_conversion *c);

#endif
