/* What the files of the command apply share: one tensor checked, and rows of one added to. */
#ifndef POSENC_CLI_APPLY_H
#define POSENC_CLI_APPLY_H

#include "positions.h"
#include "read_table.h"
#include "target.h"
#include "tensor_path.h"

typedef struct posenc_cli_apply_job {
    const posenc_cli_arguments *arguments;
    posenc_cli_tensor_path input;
    const char *output;
    posenc_cli_form form; /* of the output */
    posenc_cli_positions positions;
    posenc_plan *plan; /* for these channels, prepared up to that reach; NULL: none yet */
    int64_t plan_dim, plan_reach;
    posenc_encoder *encoder; /* of the scheme learned, in place of the plan: for that width and so many tokens */
    posenc_dtype encoder_dtype;
    posenc_cli_input_table table; /* --table */
    posenc_cli_target target;
} posenc_cli_apply_job;

/* A tensor to add to: (tokens, dim) or (batch, tokens, dim). name: what messages call it. */
typedef struct posenc_cli_apply_tensor {
    const char *name;
    const char *type; /* its dtype in words, also where posenc has none for it */
    posenc_dtype dtype;
    int rank;
    const int64_t *shape;
} posenc_cli_apply_tensor;

/* Whole rows of a tensor: either some batches with all of their tokens, or some tokens of one batch. */
typedef struct posenc_cli_apply_part {
    int64_t batch, n_batches, token, n_tokens;
} posenc_cli_apply_part;

/* Every check that needs no data: type, shape, width, positions, and a plan for it. */
int posenc_cli_apply_check(posenc_cli_apply_job *job, const posenc_cli_apply_tensor *x);

/* Adds to the data of a part, in place. The tensor has passed the check. */
int posenc_cli_apply_add(posenc_cli_apply_job *job, const posenc_cli_apply_tensor *x, posenc_cli_apply_part part,
                         void *data);

/* Reads the file of --positions, if there is one. */
int posenc_cli_apply_read_positions(posenc_cli_apply_job *job);

/* The whole of a .safetensors input, from opening to commit. */
int posenc_cli_apply_container(posenc_cli_apply_job *job);

/* apply_learned.c: whether the scheme is learned; its options only beside it; and its encoder. */
bool posenc_cli_apply_learns(const posenc_cli_apply_job *job);
int posenc_cli_apply_check_options(const posenc_cli_apply_job *job);
int posenc_cli_apply_make_encoder(posenc_cli_apply_job *job, const posenc_cli_apply_tensor *x);

#endif
