/* Context: how posenc works. Threads or the caller's executor, allocator, instruction set, warnings. */
#ifndef POSENC_CONTEXT_H
#define POSENC_CONTEXT_H

#include <posenc/status.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct posenc_context posenc_context;

/* One piece of parallel work. An executor calls task(argument, i) once for each i in 0..n_tasks-1, on any threads,
 * and returns when all calls have returned. */
typedef void posenc_task(void *argument, int index);

typedef struct posenc_context_options {
    size_t size; /* sizeof(posenc_context_options), as written by posenc_context_default */

    int threads;     /* most threads that one call may use, 1..256. Default 1. Bits never depend on it. */
    const char *isa; /* "baseline", "avx2", "avx512", "neon"; default NULL: the best that this machine has */

    /* Allocator. Default NULL: the C library's. allocate returns NULL on failure; alignment is a power of two. */
    void *(*allocate)(void *user, size_t bytes, size_t alignment);
    void (*release)(void *user, void *pointer, size_t bytes);
    void *allocator_user;

    /* Executor. Default NULL: threads are started for the call and joined before it returns. */
    void (*execute)(void *user, posenc_task *task, void *argument, int n_tasks);
    void *executor_user;

    /* Warnings, one line each without a newline. Default NULL: they are dropped. May be called from any thread. */
    void (*warn)(void *user, const char *message);
    void *warn_user;
} posenc_context_options;

/* Writes every default into *options. size is sizeof(*options) as the caller compiled it, and is stored there. */
POSENC_API void posenc_context_default(posenc_context_options *options, size_t size);

/* Makes a context.
 * options: what differs from the defaults; NULL means all defaults. Copied.
 * out: receives the context; the caller destroys it after every plan made with it.
 * Returns POSENC_ERROR_ARGUMENT (threads, size, only one of allocate and release), POSENC_ERROR_UNKNOWN (no such isa),
 * POSENC_ERROR_UNSUPPORTED (this machine lacks it), POSENC_ERROR_MEMORY; *out is untouched then.
 * Example: posenc_context_options o; posenc_context_default(&o, sizeof o); o.threads = 2;
 *          posenc_context *context; posenc_context_create(&o, &context, NULL); */
POSENC_API posenc_status posenc_context_create(const posenc_context_options *options, posenc_context **out,
                                               posenc_error *error);

/* Ends a context. NULL is fine. */
POSENC_API void posenc_context_destroy(posenc_context *context);

/* Name of the instruction set that a context uses; for NULL, the best one of this machine. The text is static. */
POSENC_API const char *posenc_context_isa(const posenc_context *context);

/* Names the instruction sets of this build that this machine can run, best last: index 0 is "baseline".
 * NULL past the last. The text is static. */
POSENC_API const char *posenc_isa_name(size_t index);

/* The name out of names[0..n_names-1] that is nearest to a mistyped one, or NULL when none is near.
 * Serves messages of the form: unknown scheme "sinusodial", did you mean "sinusoidal"? */
POSENC_API const char *posenc_nearest_name(const char *mistyped, const char *const *names, size_t n_names);

#ifdef __cplusplus
}
#endif

#endif
