/* What the similarity command has found out, and its two forms. */
#ifndef POSENC_CLI_SIMILARITY_H
#define POSENC_CLI_SIMILARITY_H

#include "read_table.h"

typedef struct posenc_cli_similarity_result {
    const posenc_cli_arguments *arguments;
    posenc_cli_input_table table;
    posenc_similarity *similarity;
    posenc_similarity_report report; /* once the command has needed it, with ... */
    double *by_distance;             /* ... report.length of these */
} posenc_cli_similarity_result;

/* For people. Returns POSENC_CLI_FINE. */
int posenc_cli_similarity_text(const posenc_cli_similarity_result *s);

/* As one JSON document. Returns POSENC_CLI_FINE, or _TROUBLE with nothing printed. */
int posenc_cli_similarity_json(const posenc_cli_similarity_result *s);

#endif
