/* A configuration explained, for people. */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "explain.h"
#include "wrap.h"

enum { INDENT = 15, LINE = 256, MOST_RUNS = 8 };

static const double turn = 6.283185307179586;

/* "  pairing      halves, (i, i + 64)" */
static void print_line(const char *name, const char *text) {
    printf("  %-*s", INDENT - 2, name);
    posenc_cli_wrap(stdout, text, INDENT, INDENT);
}

static void print_head(const posenc_cli_explained *e) {
    const char *model = posenc_config_model(e->config);
    posenc_cli_escape(stdout, strcmp(e->path, "-") == 0 ? "standard input" : e->path);
    printf(": %s\n", model ? model : "a model without a name");
}

static void print_kind(const posenc_config_layers *layers) {
    char count[64] = "";
    if (layers->count > 0)
        snprintf(count, sizeof count, ", %" PRId64 " layer%s", layers->count, layers->count == 1 ? "" : "s");
    printf("\n%s%s%s%s: %s%s%s\n", posenc_cli_styled(stdout, POSENC_CLI_BOLD), layers->type,
           posenc_cli_styled(stdout, POSENC_CLI_PLAIN), count, layers->scheme, layers->family ? ", " : "",
           layers->family ? layers->family : "");
}

static int64_t width_of(const posenc_rotary_options *o) { return o->dim > 0 ? o->dim : o->head_dim; }

static void print_pairing(const posenc_rotary_options *o) {
    char text[LINE];
    int64_t half = width_of(o) / 2;
    if (o->pairing == POSENC_PAIRING_HALVES)
        snprintf(text, sizeof text, "halves: channels i and i + %" PRId64, half);
    else if (o->pairing == POSENC_PAIRING_INTERLEAVED)
        snprintf(text, sizeof text, "interleaved: channels 2i and 2i + 1");
    else
        snprintf(text, sizeof text,
                 "interleaved-in-halves-out: channels 2i and 2i + 1 are read, i and i + %" PRId64 " written", half);
    print_line("pairing", text);
}

static void print_extent(const posenc_rotary_options *o) {
    char text[LINE];
    int64_t width = width_of(o);
    if (width == o->head_dim)
        snprintf(text, sizeof text, "the whole head, %" PRId64 " channels", width);
    else
        snprintf(text, sizeof text, "channels %" PRId64 " to %" PRId64 " of a head of %" PRId64, o->rotary_start,
                 o->rotary_start + width - 1, o->head_dim);
    print_line("extent", text);
}

static int64_t count_runs(const char *axes) {
    int64_t runs = 1;
    for (size_t i = 1; axes[i]; i++) runs += axes[i] != axes[i - 1];
    return runs;
}

/* "T x 16, H x 24, W x 24" where there are few runs of pairs with one axis, else a letter for each pair. */
static void print_axes(const posenc_cli_spectrum *s) {
    char text[LINE] = "";
    size_t used = 0, n;
    if (!s->axes) return;
    if (count_runs(s->axes) > MOST_RUNS) {
        print_line("axes", s->axes);
        return;
    }
    for (const char *run = s->axes; *run; run += n) {
        n = strspn(run, (const char[]){*run, '\0'});
        used += (size_t)snprintf(text + used, sizeof text - used, "%s%c x %zu", used > 0 ? ", " : "", *run, n);
    }
    print_line("axes", text);
}

static void print_scaling(const posenc_rotary_options *o) {
    char text[LINE] = "";
    size_t used = 0;
    if (o->scaling == POSENC_SCALING_DEFAULT) return;
    if (o->factor > 0)
        used += (size_t)snprintf(text, sizeof text, "factor %.10g", o->factor);
    else
        used +=
            (size_t)snprintf(text, sizeof text, "factor %" PRId64 " / %" PRId64 " = %.10g", o->max_position_embeddings,
                             o->original_length, (double)o->max_position_embeddings / (double)o->original_length);
    if (o->original_length > 0)
        used += (size_t)snprintf(text + used, sizeof text - used, ", original length %" PRId64, o->original_length);
    if (o->scaling == POSENC_SCALING_PROPORTIONAL)
        snprintf(text + used, sizeof text - used, ", %.10g of the pairs", o->fraction);
    print_line("scaling", text);
}

/* The slowest pair that moves at all. */
static void print_wavelengths(const posenc_cli_spectrum *s) {
    char text[LINE];
    int64_t still = 0;
    double slowest = HUGE_VAL, quickest = 0;
    for (int64_t i = 0; i < s->info.pairs; i++) {
        still += s->omega[i] == 0;
        if (s->omega[i] > 0 && s->omega[i] < slowest) slowest = s->omega[i];
        if (s->omega[i] > quickest) quickest = s->omega[i];
    }
    int n = snprintf(text, sizeof text, "%.6g to %.6g positions, %" PRId64 " pairs", turn / quickest, turn / slowest,
                     s->info.pairs);
    if (still > 0) snprintf(text + n, sizeof text - (size_t)n, ", %" PRId64 " of them at rest", still);
    print_line("wavelengths", text);
}

static void print_shares(const posenc_config_layers *layers, const posenc_cli_spectrum *s) {
    char text[LINE];
    if (layers->rotary.scaling != POSENC_SCALING_YARN && layers->rotary.scaling != POSENC_SCALING_LLAMA3) return;
    snprintf(text, sizeof text, "%" PRId64 " kept, %" PRId64 " blended, %" PRId64 " divided by %.10g", s->info.kept,
             s->info.blended, s->info.divided, layers->rotary.factor);
    print_line("pairs", text);
}

static void print_number(const char *name, double value) {
    char text[LINE];
    snprintf(text, sizeof text, "%.10g", value);
    print_line(name, text);
}

static void print_length(const posenc_cli_explained *e, const posenc_rotary_options *o, const posenc_cli_spectrum *s) {
    char text[LINE];
    if (!s->info.depends_on_length) return;
    snprintf(text, sizeof text, "frequencies depend on it; shown for %" PRId64 " tokens",
             e->length > 0 ? e->length : o->original_length);
    print_line("length", text);
}

static void print_layers(const posenc_cli_explained *e, const posenc_config_layers *layers,
                         const posenc_cli_spectrum *s) {
    print_kind(layers);
    if (!s->omega) return;
    print_pairing(&layers->rotary);
    print_extent(&layers->rotary);
    print_axes(s);
    print_number("base", layers->rotary.base);
    print_scaling(&layers->rotary);
    print_length(e, &layers->rotary, s);
    print_wavelengths(s);
    print_shares(layers, s);
    print_number("amplitude", s->info.amplitude);
    if (layers->latent_attention) print_number("softmax", s->softmax_factor);
}

static void print_assumed(const posenc_config *config) {
    const char *sentence;
    if (posenc_config_assumed(config, 0)) puts("\nAssumed");
    for (size_t i = 0; (sentence = posenc_config_assumed(config, i)); i++) {
        fputs("  ", stdout);
        posenc_cli_wrap(stdout, sentence, 2, 4);
    }
}

static void print_warnings(const posenc_config *config) {
    const posenc_config_warning *w;
    if (posenc_config_warned(config, 0)) puts("\nWarnings");
    for (size_t i = 0; (w = posenc_config_warned(config, i)); i++) {
        int column = printf("  %s", w->key);
        fputs(": ", stdout);
        posenc_cli_wrap(stdout, w->sentence, column + 2, 4);
    }
}

int posenc_cli_explain_text(const posenc_cli_explained *e) {
    const posenc_config_layers *layers;
    print_head(e);
    for (size_t i = 0; (layers = posenc_config_at(e->config, i)); i++) print_layers(e, layers, &e->spectra[i]);
    print_assumed(e->config);
    print_warnings(e->config);
    return POSENC_CLI_FINE;
}
