/* Keys that nobody knows, and keys that are known but were not read because what would read them is not there. None is
 * passed over without a word: a misspelt factor makes another model. */
#include <string.h>

#include "formats/config.h"

static bool among(const char *key, const char *const *keys) {
    for (; *keys; keys++)
        if (strcmp(key, *keys) == 0) return true;
    return false;
}

static bool is_null(const posenc_config_reader *r, const posenc_config_member *m) { return r->text[m->from] == 'n'; }

bool posenc_config_knows(const char *key) {
    static const char *const known[] = {"rope_type",
                                        "type",
                                        "rope_theta",
                                        "partial_rotary_factor",
                                        "mrope_section",
                                        "mrope_interleaved",
                                        "factor",
                                        "original_max_position_embeddings",
                                        "attention_factor",
                                        "beta_fast",
                                        "beta_slow",
                                        "truncate",
                                        "mscale",
                                        "mscale_all_dim",
                                        "finetuned",
                                        "short_factor",
                                        "long_factor",
                                        "short_mscale",
                                        "long_mscale",
                                        "low_freq_factor",
                                        "high_freq_factor",
                                        "alpha",
                                        "llama_4_scaling_beta",
                                        "max_position_embeddings",
                                        NULL};
    return among(key, known);
}

/* In a dictionary; family: which one has read it, NULL: none. */
static void check_dictionary(posenc_config_reader *r, const posenc_config_object *d, const char *family) {
    for (size_t i = 0; i < d->n && r->status == POSENC_OK; i++) {
        const posenc_config_member *m = &d->members[i];
        if (m->read) continue;
        if (!posenc_config_knows(m->key))
            posenc_config_warn(r, d, m->key, "This key is not known, and was not read.");
        else if (!is_null(r, m))
            posenc_config_warn(r, d, m->key, "%s does not read this key.", family ? family : "No layer");
    }
}

static void check_nested(posenc_config_reader *r, const posenc_config_rope *rope) {
    for (size_t i = 0; i < rope->whole.n && r->status == POSENC_OK; i++) {
        const posenc_config_member *m = &rope->whole.members[i];
        bool inner = i < POSENC_CONFIG_MOST_KINDS && rope->inner[i].at > 0;
        if (inner && rope->families[i])
            check_dictionary(r, &rope->inner[i], rope->families[i]);
        else if (inner)
            posenc_config_warn(r, &rope->whole, m->key, "No layer that rotates is of this type.");
        else if (!m->read && !is_null(r, m))
            posenc_config_warn(r, &rope->whole, m->key,
                               "It stands beside dictionaries for types of layers, and was not read.");
    }
}

static bool is_ropes(const char *key) {
    static const char *const beginnings[] = {"rope_", "rotary_", "mrope_", "partial_rotary"};
    for (size_t i = 0; i < sizeof beginnings / sizeof *beginnings; i++)
        if (strncmp(key, beginnings[i], strlen(beginnings[i])) == 0) return true;
    return false;
}

/* What stands outside the text model, too, may say the same again. */
static bool said_inside(const posenc_config_reader *r, size_t scope, const posenc_config_member *m) {
    for (size_t s = 0; s < scope; s++)
        for (size_t i = 0; i < r->scopes[s].n; i++) {
            const posenc_config_member *x = &r->scopes[s].members[i];
            if (strcmp(x->key, m->key) == 0 && x->to - x->from == m->to - m->from &&
                memcmp(r->text + x->from, r->text + m->from, m->to - m->from) == 0)
                return true;
        }
    return false;
}

static void check_scope(posenc_config_reader *r, size_t scope) {
    static const char *const known[] = {"rope_parameters",
                                        "rope_scaling",
                                        "rope_theta",
                                        "rope_local_base_freq",
                                        "rope_interleave",
                                        "rope_ratio",
                                        "rope_pct",
                                        "rotary_dim",
                                        "rotary_pct",
                                        "rotary_emb_base",
                                        "rotary_emb_fraction",
                                        "rotary_emb_interleaved",
                                        "rotary_emb_scale_base",
                                        "partial_rotary_factor",
                                        NULL};
    const posenc_config_object *o = &r->scopes[scope];
    for (size_t i = 0; i < o->n && r->status == POSENC_OK; i++) {
        const posenc_config_member *m = &o->members[i];
        if (m->read || !is_ropes(m->key)) continue;
        if (!among(m->key, known))
            posenc_config_warn(r, o, m->key, "This key is not known, and was not read.");
        else if (!is_null(r, m) && !said_inside(r, scope, m))
            posenc_config_warn(r, o, m->key, "Nothing in this configuration reads it.");
    }
}

/* Qwen 1 raises its base by steps, in a way of its own. */
static void check_ntk(posenc_config_reader *r) {
    const posenc_config_object *where;
    bool raises = false;
    const char *key = posenc_config_look(r, "use_dynamic_ntk", &where);
    if (key && posenc_config_flag(r, where, key, &raises) && raises)
        posenc_config_warn(r, where, key,
                           "Beyond its training length this model raises its base: that is not described.");
}

void posenc_config_check_keys(posenc_config_reader *r, const posenc_config_rope *rope) {
    r->checking_keys = true;
    if (rope->nested)
        check_nested(r, rope);
    else if (rope->given)
        check_dictionary(r, &rope->whole, rope->families[0]);
    for (size_t s = 0; s < r->n_scopes; s++) check_scope(r, s);
    check_ntk(r);
}
