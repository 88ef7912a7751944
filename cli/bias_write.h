/* What bias writes, and the writing of it. */
#ifndef POSENC_CLI_BIAS_WRITE_H
#define POSENC_CLI_BIAS_WRITE_H

#include "read_table.h"
#include "target.h"

typedef struct posenc_cli_bias_job {
    const posenc_cli_arguments *arguments;
    const posenc_scheme_info *scheme;
    const char *path; /* "-": standard output */
    posenc_cli_form form;
    posenc_dtype dtype; /* of what is written */
    bool index;         /* rows of the table instead of its values */
    bool trained;       /* there is a table */
    int digits;
    posenc_cli_input_table table;
    posenc_plan *plan;
    int64_t heads; /* 1 for an index */
    posenc_bias_extent extent;
    posenc_cli_target target;
} posenc_cli_bias_job;

/* Says what is wrong, if anything is, before a file is opened. */
int posenc_cli_bias_check(posenc_cli_bias_job *job);

/* Writes all of it, from opening the target to its commit. */
int posenc_cli_bias_write(posenc_cli_bias_job *job);

#endif
