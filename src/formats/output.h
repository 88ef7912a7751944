/* posenc_output_open over a table of calls. */
#ifndef POSENC_FORMATS_OUTPUT_H
#define POSENC_FORMATS_OUTPUT_H

#include <posenc/files.h>

#include "formats/io.h"

posenc_status posenc_output_open_with(const posenc_io *io, const posenc_context *context, const char *path,
                                      posenc_output **out, posenc_error *error);

#endif
