#include "support/isa.h"

#include "support/test.h"

size_t isa_count(void) {
    size_t n = 0;
    while (posenc_isa_name(n)) n++;
    return n;
}

posenc_context *isa_context(size_t index, int threads) {
    posenc_context_options options;
    posenc_context_default(&options, sizeof options);
    options.isa = posenc_isa_name(index);
    options.threads = threads;
    posenc_context *context = NULL;
    posenc_error error = {0};
    posenc_status status = posenc_context_create(&options, &context, &error);
    check(status == POSENC_OK, "context for %s: %s", options.isa, error.message);
    return context;
}
