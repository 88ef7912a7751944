/* The context's inside. Every function takes NULL for the default context. */
#ifndef POSENC_BASE_CONTEXT_H
#define POSENC_BASE_CONTEXT_H

#include <posenc/context.h>

#include "base/cpu.h"

#define POSENC_MOST_THREADS 256

struct posenc_context {
    posenc_context_options options;
    posenc_isa isa;
};

/* The instruction set to use. */
posenc_isa posenc_context_isa_index(const posenc_context *context);

/* Most threads that a call may use. */
int posenc_context_threads(const posenc_context *context);

/* Hands one line to the caller's warning function, if there is one. */
void posenc_warn(const posenc_context *context, const char *message);

#endif
