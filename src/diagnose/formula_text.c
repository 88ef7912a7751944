/* Formulas in words. */
#include <stdio.h>
#include <string.h>

#include <posenc/scheme.h>

#include "diagnose/formula.h"

enum { VALUE_BYTES = 64 };

/* A plan in words: "rotary, from position 2, scaling yarn, factor 8". */
static void plan_text(const posenc_plan *plan, int64_t start, char *text, size_t capacity) {
    char parameters[160], from[48] = "";
    posenc_formula_parameters(plan, parameters, sizeof parameters);
    if (start != 0) snprintf(from, sizeof from, ", from position %lld", (long long)start);
    snprintf(text, capacity, "%s%s%s%s", posenc_plan_scheme(plan), from, *parameters ? ", " : "", parameters);
}

void posenc_match_text(const posenc_checkup *c, const posenc_match *match, char *text, size_t capacity) {
    static const char *const layouts[] = {"interleaved", "halves", "tensor2tensor"};
    char start[48] = "", base[40];
    if (!posenc_is_sinusoidal(match)) {
        plan_text(match == &c->report.match ? c->formula.exact : c->options.plan, match->start, text, capacity);
        return;
    }
    if (match->start != 0) snprintf(start, sizeof start, ", from position %lld", (long long)match->start);
    if (match->base_is_known)
        snprintf(base, sizeof base, "%.9g", match->base);
    else
        snprintf(base, sizeof base, "about %.6g", match->base);
    if (c->turns.are)
        snprintf(text, capacity, "rotary, base %s%s%s", base, match->cos_first ? "" : ", sine first", start);
    else
        snprintf(text, capacity, "sinusoidal, %s, base %s%s%s", layouts[match->layout], base,
                 match->cos_first ? ", cosine first" : "", start);
}

/* What says how wide or long a table is, or how it is computed, is seen elsewhere. */
static bool is_told(const posenc_parameter_info *p, const char *value) {
    static const char *const passed[] = {"dim", "head-dim", "max-len", "arithmetic"};
    for (size_t i = 0; i < sizeof passed / sizeof *passed; i++)
        if (strcmp(p->name, passed[i]) == 0) return false;
    return !p->default_text || strcmp(p->default_text, value) != 0;
}

void posenc_formula_parameters(const posenc_plan *plan, char *text, size_t capacity) {
    const posenc_scheme_info *scheme = posenc_scheme_find(posenc_plan_scheme(plan));
    size_t used = 0;
    *text = '\0';
    for (size_t i = 0; i < scheme->n_parameters; i++) {
        char value[VALUE_BYTES], part[VALUE_BYTES + 48];
        const posenc_parameter_info *p = &scheme->parameters[i];
        if (posenc_plan_parameter(plan, p->name, value, sizeof value) != POSENC_OK)
            snprintf(value, sizeof value, "...");
        if (!is_told(p, value)) continue;
        int n = snprintf(part, sizeof part, "%s%s %s", used ? ", " : "", p->name, value);
        if (n < 0 || used + (size_t)n >= capacity) return; /* the first ones say most */
        memcpy(text + used, part, (size_t)n + 1);
        used += (size_t)n;
    }
}
