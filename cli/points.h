/* Positions of tokens on several axes: what their shape says, and parts of them. */
#ifndef POSENC_CLI_POINTS_H
#define POSENC_CLI_POINTS_H

#include "cli.h"

/* Whether ids are positions of a tensor (batch, tokens, ...): (tokens), (batch, tokens) or, with so many axes, one more
 * axis at the end. *by_batch, *by_axis: which. Shapes that could be either are none. */
bool posenc_cli_points_fit(const DLTensor *ids, int64_t batch, int64_t tokens, int64_t axes, bool *by_batch,
                           bool *by_axis);

/* Views ids from batch row `batch` and token `token` on as (batches, tokens, axes): what they do not tell apart has a
 * stride of 0. all_tokens: of a batch row of ids. */
const DLTensor *posenc_cli_points_view(const DLTensor *ids, bool by_batch, bool by_axis, int64_t all_tokens,
                                       const int64_t first[2], const int64_t shape[3], posenc_view *view);

#endif
