/* What table and apply share about rotary schemes. */
#ifndef POSENC_CLI_ROTARY_H
#define POSENC_CLI_ROTARY_H

#include "cli.h"

/* Whether the scheme turns pairs instead of adding rows. */
bool posenc_cli_rotates(const posenc_cli_arguments *arguments);

/* Describes a rotary plan. Prints the error and returns POSENC_CLI_TROUBLE where its frequencies depend on the length of
 * the sequence and none was given. */
int posenc_cli_rotary_facts(const posenc_cli_arguments *arguments, const posenc_plan *plan, posenc_rotary_info *info);

/* Whether ids are positions of a tensor (batch, tokens, ...): (tokens), (batch, tokens) or, with so many axes, one more
 * axis at the end. *by_batch, *by_axis: which. Shapes that could be either are none. */
bool posenc_cli_rotary_ids_fit(const DLTensor *ids, int64_t batch, int64_t tokens, int64_t axes, bool *by_batch,
                               bool *by_axis);

/* Views ids from batch row `batch` and token `token` on as (batches, tokens, axes): what they do not tell apart has a
 * stride of 0. all_tokens: of a batch row of ids. */
const DLTensor *posenc_cli_rotary_ids(const DLTensor *ids, bool by_batch, bool by_axis, int64_t all_tokens,
                                      const int64_t first[2], const int64_t shape[3], posenc_view *view);

/* Writes rows of cosines and sines, (rows, pairs, 2). */
posenc_status posenc_cli_rotary_rows(const posenc_plan *plan, const posenc_positions *positions, posenc_dtype dtype,
                                     int64_t rows, int64_t pairs, void *out, posenc_error *error);

#endif
