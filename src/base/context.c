/* Context: options checked once, then only read. */
#include "base/context.h"

#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/options.h"

void posenc_context_default(posenc_context_options *options, size_t size) {
    posenc_context_options all = {.size = size, .threads = 1};
    posenc_options_write(options, size, &all, sizeof all);
}

static posenc_status find_isa(const char *name, posenc_isa *out, posenc_error *error) {
    if (!name) {
        *out = posenc_isa_best();
        return POSENC_OK;
    }
    for (int isa = 0; isa < POSENC_ISA_COUNT; isa++) {
        if (strcmp(name, posenc_isa_text((posenc_isa)isa)) != 0) continue;
        if (!posenc_isa_runs((posenc_isa)isa))
            return posenc_fail(error, POSENC_ERROR_UNSUPPORTED, "isa",
                               "expected one that this machine runs (the best here is %s), got %s",
                               posenc_isa_text(posenc_isa_best()), name);
        *out = (posenc_isa)isa;
        return POSENC_OK;
    }
    return posenc_fail(error, POSENC_ERROR_UNKNOWN, "isa", "expected baseline, avx2, avx512 or neon, got \"%s\"", name);
}

posenc_status posenc_context_create(const posenc_context_options *options, posenc_context **out, posenc_error *error) {
    posenc_context_options all;
    posenc_context_default(&all, sizeof all);
    if (!out) return posenc_fail(error, POSENC_ERROR_ARGUMENT, "out", "expected a pointer, got NULL");
    posenc_status status = posenc_options_read(options, &all, sizeof all, "options.size", error);
    if (status != POSENC_OK) return status;
    if (all.threads < 1 || all.threads > POSENC_MOST_THREADS)
        return posenc_fail(error, POSENC_ERROR_ARGUMENT, "threads", "expected 1..%d, got %d", POSENC_MOST_THREADS,
                           all.threads);
    if (!all.allocate != !all.release)
        return posenc_fail(error, POSENC_ERROR_ARGUMENT, "allocate", "expected both allocate and release, got one");
    posenc_isa isa = POSENC_ISA_BASELINE;
    status = find_isa(all.isa, &isa, error);
    if (status != POSENC_OK) return status;
    all.isa = posenc_isa_text(isa); /* the caller's text need not live on */
    posenc_context made = {all, isa};
    posenc_context *context = posenc_allocate(&made, sizeof *context);
    if (!context) return posenc_fail_memory(error, "context", sizeof *context);
    *context = made;
    *out = context;
    return POSENC_OK;
}

void posenc_context_destroy(posenc_context *context) {
    if (!context) return;
    posenc_context own = *context;
    posenc_release(&own, context);
}

posenc_isa posenc_context_isa_index(const posenc_context *context) {
    return context ? context->isa : posenc_isa_best();
}

const char *posenc_context_isa(const posenc_context *context) {
    return posenc_isa_text(posenc_context_isa_index(context));
}

int posenc_context_threads(const posenc_context *context) { return context ? context->options.threads : 1; }

void posenc_warn(const posenc_context *context, const char *message) {
    if (context && context->options.warn) context->options.warn(context->options.warn_user, message);
}
