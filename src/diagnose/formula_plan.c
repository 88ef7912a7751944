/* The caller's plan made anew with exact arithmetic, by its parameters. */
#include <stdio.h>
#include <string.h>

#include <posenc/axes.h>
#include <posenc/scheme.h>

#include "base/text.h"
#include "diagnose/formula.h"

enum { MOST_PARAMETERS = 16, PARAMETER_BYTES = 64 };

typedef struct parameters {
    posenc_parameter list[MOST_PARAMETERS];
    char texts[MOST_PARAMETERS][PARAMETER_BYTES];
    size_t n;
} parameters;

static const char *value_of(const parameters *p, const char *name) {
    for (size_t i = 0; i < p->n; i++)
        if (strcmp(p->list[i].name, name) == 0) return p->list[i].text;
    return "";
}

/* Parameters that say how to compute, and not what. */
static void choose(const posenc_checkup *c, const char *name, char text[PARAMETER_BYTES]) {
    if (strcmp(name, "arithmetic") == 0) snprintf(text, PARAMETER_BYTES, "exact");
    bool grid = posenc_plan_tokens(c->options.plan) > 0; /* which says itself how long it is */
    if (strcmp(name, "max-len") == 0 && !grid) snprintf(text, PARAMETER_BYTES, "%lld", (long long)c->table.rows);
}

static void read_parameters(const posenc_checkup *c, parameters *p) {
    const posenc_plan *plan = c->options.plan;
    const posenc_scheme_info *scheme = posenc_scheme_find(posenc_plan_scheme(plan));
    p->n = 0;
    for (size_t i = 0; i < scheme->n_parameters && i < MOST_PARAMETERS; i++) {
        const char *name = scheme->parameters[i].name;
        if (posenc_plan_parameter(plan, name, p->texts[p->n], PARAMETER_BYTES) != POSENC_OK) continue;
        p->list[p->n] = (posenc_parameter){name, p->texts[p->n]};
        p->n++;
    }
}

static void describe(const posenc_checkup *c, const parameters *p, posenc_match *match) {
    static const char *const layouts[] = {"interleaved", "halves", "tensor2tensor"};
    static const char *const arithmetics[] = {"exact", "float32", "float32-exp"};
    *match = (posenc_match){.scheme = posenc_plan_scheme(c->options.plan), .start = c->options.start};
    if (!posenc_is_sinusoidal(match)) return;
    match->base_is_known = 1;
    for (int i = 0; i < 3; i++) {
        if (strcmp(value_of(p, "layout"), layouts[i]) == 0) match->layout = (posenc_layout)i;
        if (strcmp(value_of(p, "arithmetic"), arithmetics[i]) == 0) match->arithmetic = (posenc_arithmetic)i;
    }
    match->cos_first = strcmp(value_of(p, "cos-first"), "true") == 0;
    posenc_parse_f64(value_of(p, "base"), &match->base);
}

posenc_status posenc_formula_of_plan(const posenc_checkup *c, posenc_plan **exact, posenc_match *match,
                                     posenc_error *error) {
    parameters p;
    read_parameters(c, &p);
    describe(c, &p, match);
    for (size_t i = 0; i < p.n; i++) choose(c, p.list[i].name, p.texts[i]);
    return posenc_plan_create(c->context, posenc_plan_scheme(c->options.plan), p.list, p.n, exact, error);
}

bool posenc_is_sinusoidal(const posenc_match *match) {
    return match->scheme && strcmp(match->scheme, "sinusoidal") == 0;
}

void posenc_match_text(const posenc_match *match, char *text, size_t capacity) {
    static const char *const layouts[] = {"interleaved", "halves", "tensor2tensor"};
    char start[48] = "", base[40];
    if (!posenc_is_sinusoidal(match)) {
        snprintf(text, capacity, "%s", match->scheme);
        return;
    }
    if (match->start != 0) snprintf(start, sizeof start, ", from position %lld", (long long)match->start);
    if (match->base_is_known)
        snprintf(base, sizeof base, "%.9g", match->base);
    else
        snprintf(base, sizeof base, "about %.6g", match->base);
    snprintf(text, capacity, "%s, %s, base %s%s%s", match->scheme, layouts[match->layout], base,
             match->cos_first ? ", cosine first" : "", start);
}
