/* The instruction sets that this machine runs, and contexts that force them. */
#ifndef POSENC_TESTS_SUPPORT_ISA_H
#define POSENC_TESTS_SUPPORT_ISA_H

#include <stddef.h>

#include <posenc/context.h>

/* How many there are; posenc_isa_name names them, "baseline" first. */
size_t isa_count(void);

/* A context with that instruction set and number of threads. Fails the test when it cannot be made. */
posenc_context *isa_context(size_t index, int threads);

#endif
