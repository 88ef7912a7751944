/* What the files of the command apply share: one tensor checked, its axes named, and parts of it added to. */
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
    posenc_plan *plan;            /* for these channels, prepared up to that reach; NULL: none yet */
    int64_t plan_dim, plan_reach; /* of a bias its heads stand for channels */
    posenc_encoder *encoder; /* of the scheme learned, for that width and so many tokens, or where there is dropout */
    posenc_context *quiet;   /* of an encoder of a formula: that it goes on past its table is no news here */
    posenc_dtype encoder_dtype;
    posenc_cli_input_table table;   /* --table: of learned, or of a trained bias */
    int64_t coordinates;            /* of a token: axes of a grid or of a rotation; else 1 */
    bool ids_by_batch, ids_by_axis; /* which axes the positions have besides tokens */
    posenc_cli_target target;
} posenc_cli_apply_job;

enum { POSENC_CLI_APPLY_RANK = 5, POSENC_CLI_APPLY_SCORES_RANK = 4 };

/* A tensor to add to. name: what messages call it. */
typedef struct posenc_cli_apply_tensor {
    const char *name;
    const char *type; /* its dtype in words, also where posenc has none for it */
    posenc_dtype dtype;
    bool is_k; /* rotary: named as keys are */
    int rank;
    const int64_t *shape;            /* in the order of the file */
    const char *letters;             /* of the axes in the library's order: "btd" */
    int axes[POSENC_CLI_APPLY_RANK]; /* which axis of the file is the batch, the tokens, ...: see posenc_cli_apply_axes
                                      */
} posenc_cli_apply_tensor;

/* Some of a tensor that lies in one piece in the file: on each of its axes, from first on, count indices. */
typedef struct posenc_cli_apply_part {
    int64_t first[POSENC_CLI_APPLY_RANK], count[POSENC_CLI_APPLY_RANK];
} posenc_cli_apply_part;

/* Every check that needs no data: type, shape, axes (which are named here), width, positions, and a plan for it. */
int posenc_cli_apply_check(posenc_cli_apply_job *job, posenc_cli_apply_tensor *x);

/* Adds to the data of a part, in place. The tensor has passed the check. */
int posenc_cli_apply_add(posenc_cli_apply_job *job, const posenc_cli_apply_tensor *x, posenc_cli_apply_part part,
                         void *data);

/* apply_axes.c: finds the axes of x, (tokens, dim), (batch, tokens, dim), (batch, tokens, heads, dim) or (batch,
 * frames, height, width, channels) in the order that --axes says. Rotary has (tokens, heads, dim) too, and no video.
 * Scores are (heads, queries, keys) or (batch, heads, queries, keys), in this order. */
int posenc_cli_apply_axes(const posenc_cli_apply_job *job, posenc_cli_apply_tensor *x);

/* Place in the file of the axis with that letter; -1 where x has none. */
int posenc_cli_apply_axis(const posenc_cli_apply_tensor *x, char letter);

/* Whether x is video, and whether each of its frames is one token. */
bool posenc_cli_apply_is_video(const posenc_cli_apply_tensor *x);
bool posenc_cli_apply_flattens(const posenc_cli_apply_job *job, const posenc_cli_apply_tensor *x);

/* Channels of a token, tokens or frames, and batches of x. */
int64_t posenc_cli_apply_width(const posenc_cli_apply_job *job, const posenc_cli_apply_tensor *x);
int64_t posenc_cli_apply_tokens(const posenc_cli_apply_tensor *x);
int64_t posenc_cli_apply_batches(const posenc_cli_apply_tensor *x);

/* The first part of x with about so many bytes at most (one that is larger where rows are), and the ones behind it;
 * false: there is no next one. */
posenc_cli_apply_part posenc_cli_apply_whole(const posenc_cli_apply_tensor *x);
posenc_cli_apply_part posenc_cli_apply_first_part(const posenc_cli_apply_job *job, const posenc_cli_apply_tensor *x,
                                                  int64_t bytes);
bool posenc_cli_apply_next_part(const posenc_cli_apply_tensor *x, const posenc_cli_apply_part *size,
                                posenc_cli_apply_part *part);
int64_t posenc_cli_apply_part_elements(const posenc_cli_apply_tensor *x, const posenc_cli_apply_part *part);

bool posenc_cli_apply_part_is_empty(const posenc_cli_apply_tensor *x, const posenc_cli_apply_part *part);

/* Index of a part's first element in the file. */
int64_t posenc_cli_apply_part_begin(const posenc_cli_apply_tensor *x, const posenc_cli_apply_part *part);

/* The data of a part in the order that the library wants. */
DLTensor *posenc_cli_apply_part_view(const posenc_cli_apply_tensor *x, const posenc_cli_apply_part *part, void *data,
                                     posenc_view *view);

/* apply_positions.c: reads the file of --positions, if there is one; whether it fits the tokens of x, each of which has
 * one position, or several where the scheme has so many axes; whether --offset does; and the positions of a part. */
int posenc_cli_apply_read_positions(posenc_cli_apply_job *job);
int posenc_cli_apply_check_ids(posenc_cli_apply_job *job, const posenc_cli_apply_tensor *x);
int posenc_cli_apply_check_points(posenc_cli_apply_job *job, const posenc_cli_apply_tensor *x, int64_t axes);
int posenc_cli_apply_check_offset(const posenc_cli_apply_job *job, const posenc_cli_apply_tensor *x);
void posenc_cli_apply_place(const posenc_cli_apply_job *job, const posenc_cli_apply_tensor *x,
                            const posenc_cli_apply_part *part, posenc_positions *positions, posenc_view *view);

/* The whole of a .safetensors input, from opening to commit. */
int posenc_cli_apply_container(posenc_cli_apply_job *job);

/* apply_dropout.c: the encoder of a formula, for the plan that is there; and the step of --seed and --stream. */
int posenc_cli_apply_make_dropout(posenc_cli_apply_job *job);
bool posenc_cli_apply_drops(const posenc_cli_apply_job *job);
int posenc_cli_apply_check_dropout(const posenc_cli_apply_job *job);

/* apply_learned.c: whether the scheme is learned; its options only beside it; and its encoder. */
bool posenc_cli_apply_learns(const posenc_cli_apply_job *job);
int posenc_cli_apply_check_options(const posenc_cli_apply_job *job);
int posenc_cli_apply_make_encoder(posenc_cli_apply_job *job, const posenc_cli_apply_tensor *x);

/* apply_effect.c: whether apply serves the scheme; the options of one effect only beside it. */
int posenc_cli_apply_check_effect(const posenc_cli_apply_job *job);

/* apply_bias.c: options that a bias needs or has no use for; every check of scores that needs no data; and a part of
 * them added to in place. */
int posenc_cli_apply_check_bias_options(const posenc_cli_apply_job *job);
int posenc_cli_apply_check_bias(posenc_cli_apply_job *job, posenc_cli_apply_tensor *x);
int posenc_cli_apply_bias(const posenc_cli_apply_job *job, const posenc_cli_apply_tensor *x,
                          const posenc_cli_apply_part *part, void *data);

/* apply_rotate.c: the positions and the plan for x; a part turned in place; and whether q and k of a file belong
 * together. */
int posenc_cli_apply_check_rotary(posenc_cli_apply_job *job, const posenc_cli_apply_tensor *x);
int posenc_cli_apply_rotate(const posenc_cli_apply_job *job, const posenc_cli_apply_tensor *x,
                            const posenc_cli_apply_part *part, void *data);
int posenc_cli_apply_check_pair(const posenc_cli_apply_job *job, const posenc_cli_apply_tensor *q,
                                const posenc_cli_apply_tensor *k);

#endif
