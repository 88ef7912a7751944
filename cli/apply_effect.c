/* What apply does with a scheme depends on its effect: which schemes it serves, and which options belong to which
 * effect. */
#include <string.h>

#include "apply.h"

enum { ADDS = 1 << POSENC_EFFECT_ADDS_ROWS, ROTATES = 1 << POSENC_EFFECT_ROTATES_PAIRS };
enum { BIASES = 1 << POSENC_EFFECT_BIASES_SCORES };

static const struct {
    const char *name;
    unsigned effects;
} belongs[] = {{"scale", ADDS},          {"dropout", ADDS},      {"seed", ADDS},    {"stream", ADDS},  {"video", ADDS},
               {"axes", ADDS | ROTATES}, {"direction", ROTATES}, {"role", ROTATES}, {"causal", BIASES}};

/* Schemes whose part in attention takes more than one tensor, and what serves them. */
static const struct {
    const char *name, *why;
} others[] = {
    {"deberta",
     "which puts distances into buckets and has no bias: \"posenc bias deberta\" and posenc_bias_index give "
     "the buckets"},
    {"shaw",
     "whose scores take queries and its table: posenc_shaw_scores and posenc_shaw_values make them, \"posenc "
     "table shaw\" shows the vectors"},
    {"transformer-xl", "whose scores take queries, keys and its weights: posenc_xl_scores makes them"},
};

static int check_scheme(const posenc_scheme_info *scheme) {
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (strcmp(scheme->name, others[i].name) == 0)
            return posenc_cli_fail("scheme: expected one that adds rows, rotates pairs or biases scores, got %s, %s",
                                   scheme->name, others[i].why);
    return POSENC_CLI_FINE;
}

/* "adds rows or rotates pairs" */
static void name_effects(unsigned effects, char *text, size_t capacity) {
    size_t used = 0;
    text[0] = '\0';
    for (int effect = POSENC_EFFECT_ADDS_ROWS; effect <= POSENC_EFFECT_BIASES_SCORES && used < capacity; effect++)
        if (effects & 1u << effect)
            used += (size_t)snprintf(text + used, capacity - used, "%s%s", used ? " or " : "",
                                     posenc_effect_name((posenc_effect)effect));
}

int posenc_cli_apply_check_effect(const posenc_cli_apply_job *job) {
    const posenc_scheme_info *scheme = posenc_cli_scheme(job->arguments);
    int status = check_scheme(scheme);
    if (status == POSENC_CLI_FINE) status = posenc_cli_apply_check_bias_options(job);
    if (status != POSENC_CLI_FINE) return status;
    for (size_t i = 0; i < sizeof belongs / sizeof *belongs; i++) {
        char effects[80];
        if (belongs[i].effects & 1u << scheme->effect || !posenc_cli_given(job->arguments, belongs[i].name)) continue;
        name_effects(belongs[i].effects, effects, sizeof effects);
        return posenc_cli_fail("%s: expected a scheme that %s beside it, got %s", belongs[i].name, effects,
                               scheme->name);
    }
    return POSENC_CLI_FINE;
}
