/* Feeds bytes to the reader of configurations and holds it to its promises:
 *   a file and a stream of the same bytes get the same answer, at the same offset;
 *   nothing is kept, and memory stays in proportion to what is there;
 *   a refusal names a byte of the file;
 *   what is accepted has layers, and options that make a plan or are refused for a value out of range; its texts are
 *   safe to show.
 * A broken promise aborts, as a sanitizer does. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "../formats/memory_io.h"
#include "formats/config.h"
#include "meter.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n);

enum { WIDEST = 4096 }; /* a plan of 2^23 pairs takes its time */

typedef struct outcome {
    posenc_status status;
    posenc_error error;
    posenc_config *config;
} outcome;

static outcome read_bytes(posenc_context *context, const uint8_t *bytes, size_t n, bool stream, size_t piece) {
    memory_file file;
    outcome got = {.error = {.offset = -1}};
    got.status = posenc_config_read_with(memory_file_io(&file, bytes, n, stream, piece), context, "input", &got.config,
                                         &got.error);
    must(file.open == 0);
    must((got.status == POSENC_OK) == (got.config != NULL));
    if (got.status == POSENC_OK || got.status == POSENC_ERROR_UNSUPPORTED) return got; /* without jansson */
    must(got.error.status == got.status && strlen(got.error.message) > 0);
    must(got.status == POSENC_ERROR_FORMAT && got.error.offset >= 0 && (uint64_t)got.error.offset <= n);
    return got;
}

static void must_be_shown(const char *text) {
    must(text != NULL);
    for (; *text; text++) must((unsigned char)*text >= 0x20 && (unsigned char)*text < 0x7F);
}

static void must_plan(posenc_context *context, const posenc_rotary_options *options) {
    posenc_rotary_options o = *options;
    posenc_plan *plan = NULL;
    posenc_error error;
    must(o.head_dim > 0 && o.dim > 0 && o.dim % 2 == 0 && o.rotary_start + o.dim <= o.head_dim && o.max_len > 0);
    if (o.dim > WIDEST) return;
    o.max_len = 1;
    posenc_status status = posenc_rotary_create(context, &o, &plan, &error);
    must(status == POSENC_OK || status == POSENC_ERROR_ARGUMENT);
    posenc_plan_destroy(plan);
}

static void must_describe(posenc_context *context, const posenc_config *config) {
    const posenc_config_layers *layers;
    const posenc_config_warning *w;
    const char *sentence;
    must(posenc_config_at(config, 0) != NULL);
    for (size_t i = 0; (layers = posenc_config_at(config, i)); i++) {
        must_be_shown(layers->type);
        must(layers->count >= 0 && (strcmp(layers->scheme, "rotary") == 0) == (layers->rotary.size > 0));
        must((layers->family != NULL) == (layers->rotary.size > 0));
        if (layers->family) must_plan(context, &layers->rotary);
    }
    for (size_t i = 0; (sentence = posenc_config_assumed(config, i)); i++) must_be_shown(sentence);
    for (size_t i = 0; (w = posenc_config_warned(config, i)); i++) {
        must_be_shown(w->key);
        must_be_shown(w->sentence);
    }
    if (posenc_config_model(config)) must_be_shown(posenc_config_model(config));
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n) {
    meter m = {0};
    posenc_context *context = meter_context(&m);
    outcome file = read_bytes(context, bytes, n, false, 0);
    must(m.peak <= (1 << 16) + 64 * n);
    outcome stream = read_bytes(context, bytes, n, true, n % 97);
    must(file.status == stream.status && file.error.offset == stream.error.offset);
    if (file.config) must_describe(context, file.config);
    posenc_config_destroy(stream.config);
    posenc_config_destroy(file.config);
    posenc_context_destroy(context);
    must(m.live == 0);
    return 0;
}
