/* posenc_output_open over a table of calls. */
#ifndef POSENC_FORMATS_OUTPUT_H
#define POSENC_FORMATS_OUTPUT_H

#include <posenc/files.h>

#include "formats/io.h"

posenc_status posenc_output_open_with(const posenc_io *io, const posenc_context *context, const char *path,
                                      posenc_output **out, posenc_error *error);

/* Where an output's memory comes from. */
const posenc_context *posenc_output_context(const posenc_output *output);

#endif
