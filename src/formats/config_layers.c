/* Which kinds of layers a model has: from a list with a word for each layer, from a period (every sixth is of full
 * attention, the others slide), from a list or a period of layers that do not rotate; or one kind, called "all". */
#include <string.h>

#include "formats/config.h"

static const char full[] = "full_attention", sliding[] = "sliding_attention", all[] = "all";

typedef struct plan_of_layers {
    int64_t n;                /* 0: not said */
    const char *const *types; /* [n_types] by name; NULL: by period */
    size_t n_types;
    const char *letters;    /* "LLLG", repeated: L slides, G is of full attention; NULL: none */
    const char *local;      /* what the layers between the full ones are */
    int64_t period, at;     /* layer i is full where i mod period = at; period 0: one kind */
    const int64_t *rotates; /* [n_rotates] 0: that layer does not; NULL: by period */
    size_t n_rotates;
    int64_t without;   /* one layer in so many does not rotate; 0: none */
    bool full_without; /* nor do those of full attention */
} plan_of_layers;

/* ---- what the file says ---- */

static void find_list(posenc_config_reader *r, plan_of_layers *p) {
    const posenc_config_object *where;
    const char *key = posenc_config_look(r, "layer_types layers_block_type", &where);
    if (!key || !posenc_config_strings(r, where, key, &p->types, &p->n_types)) return;
    if (p->n_types == 0) { /* says nothing */
        p->types = NULL;
        return;
    }
    if (p->n_types > POSENC_CONFIG_MOST_LAYERS)
        posenc_config_refuse(r, where, key, "expected at most %d layers, got %zu", POSENC_CONFIG_MOST_LAYERS,
                             p->n_types);
    if (p->n > 0 && (size_t)p->n != p->n_types)
        posenc_config_warn(r, where, key, "It lists %zu layers, and the model has %lld: the list was taken.",
                           p->n_types, (long long)p->n);
    p->n = (int64_t)p->n_types;
}

/* sliding_window_pattern is a number, or letters. */
static void find_pattern(posenc_config_reader *r, plan_of_layers *p, const posenc_config_model_facts *facts) {
    const posenc_config_object *where;
    const char *key = posenc_config_look(r, "sliding_window_pattern _sliding_window_pattern", &where);
    p->local = sliding;
    if (key && posenc_config_is(r, posenc_config_find(r, where, key), '"')) {
        if (posenc_config_string(r, where, key, &p->letters) &&
            (!p->letters[0] || strspn(p->letters, "LG") < strlen(p->letters)))
            posenc_config_refuse(r, where, key, "expected letters L and G, got others");
    } else if (key) {
        posenc_config_integer(r, where, key, 1, POSENC_CONFIG_MOST_LAYERS, &p->period);
    } else if (facts && facts->pattern > 0 && p->n > 0) {
        p->period = facts->pattern;
        posenc_config_assume(r, "The file does not say which layers slide: as in its model, all but one in %lld.",
                             (long long)p->period);
    }
    if (p->period > 0) p->at = p->period - 1;
}

static void find_period(posenc_config_reader *r, plan_of_layers *p, const posenc_config_model_facts *facts) {
    if (posenc_config_look_integer(r, "global_attn_every_n_layers", 1, POSENC_CONFIG_MOST_LAYERS, &p->period)) {
        p->local = sliding; /* ModernBERT: the first of each period is the full one */
    } else if (posenc_config_look_integer(r, "full_attention_interval", 1, POSENC_CONFIG_MOST_LAYERS, &p->period)) {
        p->local = "linear_attention";
        p->at = p->period - 1;
    } else {
        find_pattern(r, p, facts);
    }
}

/* no_rope_layers has 1 for a layer that does rotate. */
static void find_without(posenc_config_reader *r, plan_of_layers *p, const posenc_config_model_facts *facts) {
    const posenc_config_object *where;
    const char *key = posenc_config_look(r, "no_rope_layers", &where);
    if (facts) p->without = facts->without;
    bool said = posenc_config_look_integer(r, "no_rope_layer_interval", 0, POSENC_CONFIG_MOST_LAYERS, &p->without);
    if (key && posenc_config_integers(r, where, key, 0, 1, &p->rotates, &p->n_rotates)) {
        if (p->n == 0 && p->n_rotates <= POSENC_CONFIG_MOST_LAYERS) p->n = (int64_t)p->n_rotates;
        if (p->n_rotates > 0 && (int64_t)p->n_rotates != p->n)
            posenc_config_refuse(r, where, key, "expected a 0 or 1 for each of %lld layers, got %zu", (long long)p->n,
                                 p->n_rotates);
        if (p->n_rotates == 0) p->rotates = NULL;
    }
    if (facts && facts->without > 0 && !said && !p->rotates)
        posenc_config_assume(r, "As in its model, one layer in %lld does not rotate.", (long long)p->without);
}

/* ---- layer by layer ---- */

static const char *type_of(const plan_of_layers *p, int64_t i) {
    if (p->types) return p->types[i];
    if (p->letters) return p->letters[(size_t)i % strlen(p->letters)] == 'G' ? full : sliding;
    if (p->period > 0) return i % p->period == p->at ? full : p->local;
    return all;
}

static bool attends(const char *type) {
    static const char *const others[] = {"linear_attention", "mamba", "mamba2", "conv", "recurrent", "linear", "moe"};
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (strcmp(type, others[i]) == 0) return false;
    return true;
}

static bool rotates(const plan_of_layers *p, const char *type, int64_t i) {
    if (!attends(type)) return false;
    if (p->rotates && p->rotates[i] == 0) return false;
    if (!p->rotates && p->without > 0 && (i + 1) % p->without == 0) return false;
    return !(p->full_without && strcmp(type, full) == 0);
}

static bool has_sliding(const plan_of_layers *p) {
    for (int64_t i = 0; i < p->n; i++)
        if (strcmp(type_of(p, i), sliding) == 0) return true;
    return false;
}

static const char *shown_type(posenc_config_reader *r, const char *type) {
    char *copy = posenc_config_keep(r, 64);
    return copy ? posenc_escape(type, strlen(type), copy, 64) : all;
}

/* Counts a layer to its kind. types[k] is the type of kind k as the file writes it. */
static void count_layer(posenc_config_reader *r, const char **types, const char *type, const char *scheme,
                        int64_t layers) {
    posenc_config *c = r->config;
    size_t k = 0;
    while (k < c->n_layers && (strcmp(types[k], type) != 0 || strcmp(c->layers[k].scheme, scheme) != 0)) k++;
    if (k == POSENC_CONFIG_MOST_KINDS) {
        posenc_config_refuse(r, &r->scopes[0], "layer_types", "expected at most %d kinds of layers, got more",
                             POSENC_CONFIG_MOST_KINDS);
        return;
    }
    if (k == c->n_layers) {
        types[k] = type;
        c->layers[k] = (posenc_config_layers){.type = shown_type(r, type), .scheme = scheme};
        c->n_layers++;
    }
    c->layers[k].count += layers;
}

void posenc_config_find_layers(posenc_config_reader *r, const posenc_config_model_facts *facts, const char *scheme) {
    const char *types[POSENC_CONFIG_MOST_KINDS];
    plan_of_layers p = {.local = sliding};
    bool rotary = strcmp(scheme, "rotary") == 0;
    posenc_config_look_integer(r, "num_hidden_layers n_layer n_layers num_layers", 0, POSENC_CONFIG_MOST_LAYERS, &p.n);
    find_list(r, &p);
    if (p.n == 0 && facts) p.n = facts->layers;
    if (!p.types) find_period(r, &p, facts);
    if (rotary) find_without(r, &p, facts);
    r->config->layers = posenc_config_keep(r, POSENC_CONFIG_MOST_KINDS * sizeof *r->config->layers);
    if (r->status != POSENC_OK) return;
    p.full_without = facts && facts->flags & POSENC_MODEL_FULL_WITHOUT && has_sliding(&p);
    if (p.n == 0) count_layer(r, types, all, scheme, 0);
    for (int64_t i = 0; r->status == POSENC_OK && i < p.n; i++) {
        const char *type = type_of(&p, i);
        count_layer(r, types, type, rotary && !rotates(&p, type, i) ? "none" : scheme, 1);
    }
}
