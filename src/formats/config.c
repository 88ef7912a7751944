/* Reads a model's configuration: the text, what it says of layers and of the rotation in each kind of them, and the
 * sentences about what it leaves open or says twice. */
#include <string.h>

#include "base/memory.h"
#include "formats/config.h"

/* ---- memory ---- */

enum { BLOCK = 8192, ALIGNED = 16 };

/* Small pieces share a block; a large one has its own. */
typedef struct block {
    struct block *next;
    size_t left; /* bytes at its end that nobody has yet */
    size_t capacity;
    size_t unused; /* keeps what follows aligned as every type needs */
} block;

static block *add_block(posenc_config_reader *r, size_t bytes) {
    size_t capacity = bytes > BLOCK / 4 ? bytes : BLOCK;
    block *b = capacity < SIZE_MAX - sizeof *b ? posenc_allocate(r->config->context, sizeof *b + capacity) : NULL;
    if (!b) {
        r->status = posenc_fail_memory(r->error, r->name, bytes);
        return NULL;
    }
    *b = (block){.next = r->config->blocks, .left = capacity, .capacity = capacity};
    r->config->blocks = b;
    return b;
}

void *posenc_config_keep(posenc_config_reader *r, size_t bytes) {
    if (r->status != POSENC_OK) return NULL;
    block *b = r->config->blocks;
    size_t rounded = (bytes / ALIGNED + 1) * ALIGNED; /* a text has at most 4 MiB: no overflow */
    if (!b || b->left < rounded) b = add_block(r, rounded);
    if (!b) return NULL;
    void *piece = (char *)(b + 1) + (b->capacity - b->left);
    b->left -= rounded;
    return memset(piece, 0, bytes);
}

void posenc_config_destroy(posenc_config *config) {
    if (!config) return;
    const posenc_context *context = config->context;
    for (block *b = config->blocks, *next; b; b = next) {
        next = b->next;
        posenc_release(context, b);
    }
    posenc_release(context, config);
}

/* ---- scopes ---- */

/* Models of text and images hold the text model's keys in an object of their own, some in two. */
static bool step_inside(posenc_config_reader *r, posenc_config_object *inner) {
    static const char *const names[] = {"text_config", "llm_config", "language_config", "thinker_config"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (posenc_config_is(r, posenc_config_find(r, &r->scopes[0], names[i]), '{'))
            return posenc_config_inner(r, &r->scopes[0], names[i], inner);
    return false;
}

static void find_scopes(posenc_config_reader *r) {
    posenc_config_object inner;
    r->scopes[0] = posenc_config_object_at(r, "", posenc_config_first(r));
    for (r->n_scopes = 1; r->n_scopes < POSENC_CONFIG_MOST_SCOPES && step_inside(r, &inner); r->n_scopes++) {
        memmove(r->scopes + 1, r->scopes, r->n_scopes * sizeof *r->scopes);
        r->scopes[0] = inner;
        posenc_config_assume(r, "Of several models in one, %s is described.", inner.path);
    }
}

/* ---- scheme ---- */

static const char rope_keys[] =
    "rope_parameters rope_scaling rope_theta rotary_dim rotary_pct rotary_emb_base rotary_emb_fraction "
    "partial_rotary_factor qk_rope_head_dim global_rope_theta rope_ratio";

/* position_embedding_type, as BERT and its relatives write it. */
static const char *scheme_of_type(posenc_config_reader *r) {
    static const struct {
        const char *type, *scheme;
    } types[] = {{"absolute", "learned"},
                 {"learned", "learned"},
                 {"learned_absolute", "learned"},
                 {"rotary", "rotary"},
                 {"rope", "rotary"},
                 {"nope", "none"},
                 {"none", "none"},
                 {"alibi", "alibi"},
                 {"relative_key", "shaw"},
                 {"sinusoidal", "sinusoidal"},
                 {"relative_key_query", "shaw"}};
    const posenc_config_object *where;
    const char *key = posenc_config_look(r, "position_embedding_type", &where), *type;
    if (!key || !posenc_config_string(r, where, key, &type)) return NULL;
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        if (strcmp(types[i].type, type) == 0) return types[i].scheme;
    posenc_config_warn(r, where, key, "This type of position embedding is not known, and was not read.");
    return NULL;
}

/* MPT keeps its choice in attn_config. */
static const char *scheme_of_attention(posenc_config_reader *r) {
    posenc_config_object inner;
    const posenc_config_object *where;
    bool alibi = true, rope = false;
    const char *key = posenc_config_look(r, "attn_config", &where);
    if (!key || !posenc_config_is(r, posenc_config_find(r, where, key), '{')) return NULL;
    if (!posenc_config_inner(r, where, key, &inner)) return NULL;
    bool said = posenc_config_flag(r, &inner, "alibi", &alibi);
    said = posenc_config_flag(r, &inner, "rope", &rope) || said;
    return !said ? NULL : rope ? "rotary" : alibi ? "alibi" : "learned";
}

/* Baichuan's two sizes share a name; the larger one, 40 heads, takes ALiBi. */
static const char *scheme_of_model(posenc_config_reader *r, const posenc_config_model_facts *facts) {
    int64_t heads = 0;
    if (!facts) return NULL;
    if (strcmp(facts->type, "baichuan") != 0) return facts->scheme;
    posenc_config_look_integer(r, "num_attention_heads", 1, POSENC_CONFIG_MOST_DIM, &heads);
    if (heads == 40) posenc_config_assume(r, "Baichuan with 40 heads is the 13B model, which takes ALiBi.");
    return heads == 40 ? "alibi" : "rotary";
}

/* What the file says outright, then what is known of its model, then what its keys give away. */
static const char *find_scheme(posenc_config_reader *r, const posenc_config_model_facts *facts) {
    const posenc_config_object *where;
    const char *scheme = scheme_of_type(r), *key;
    bool alibi = false;
    if (!scheme && posenc_config_look_flag(r, "alibi", &alibi) && alibi) scheme = "alibi";
    if (!scheme) scheme = scheme_of_attention(r);
    if (!scheme) scheme = scheme_of_model(r, facts);
    if (scheme && strcmp(scheme, "rotary") == 0) return scheme;
    key = posenc_config_look(r, rope_keys, &where);
    if (scheme && key && r->status == POSENC_OK)
        posenc_config_warn(r, where, key, "The model's scheme is %s, which has no rotation: the key is not read.",
                           scheme);
    if (scheme) return scheme;
    return key ? "rotary" : "unknown";
}

static void explain_unknown(posenc_config_reader *r, const char *scheme) {
    if (strcmp(scheme, "unknown") != 0 || r->status != POSENC_OK) return;
    if (r->config->model)
        posenc_config_warn(r, &r->scopes[0], "model_type",
                           "This model is not known, and the file has no key about positions.");
    else
        posenc_config_refuse(r, &r->scopes[r->n_scopes - 1], "model_type",
                             "expected the type of a model, or keys about positions, got neither");
}

static void name_model(posenc_config_reader *r, const char *type) {
    char shown[64];
    char *copy = posenc_config_keep(r, sizeof shown);
    if (copy) r->config->model = posenc_escape(type, strlen(type), copy, sizeof shown);
}

/* ---- the whole ---- */

static void describe_layers(posenc_config_reader *r, const posenc_config_model_facts *facts) {
    posenc_config_rope *rope = posenc_config_keep(r, sizeof *rope);
    if (!rope) return;
    posenc_config_find_rope(r, rope);
    for (size_t i = 0; r->status == POSENC_OK && i < r->config->n_layers; i++)
        if (strcmp(r->config->layers[i].scheme, "rotary") == 0)
            posenc_config_describe(r, rope, facts, &r->config->layers[i]);
    posenc_config_check_keys(r, rope);
}

static void describe(posenc_config_reader *r) {
    const char *type = NULL;
    find_scopes(r);
    bool named = posenc_config_look_string(r, "model_type", &type);
    if (named) name_model(r, type);
    const posenc_config_model_facts *facts = named ? posenc_config_model_find(type) : NULL;
    if (!facts && named && r->n_scopes > 1) { /* what holds the text model may be known */
        if (posenc_config_string(r, &r->scopes[r->n_scopes - 1], "model_type", &type))
            facts = posenc_config_model_find(type);
    }
    const char *scheme = find_scheme(r, facts);
    explain_unknown(r, scheme);
    posenc_config_find_layers(r, facts, scheme);
    if (r->status == POSENC_OK && strcmp(scheme, "rotary") == 0) {
        if (!facts)
            posenc_config_assume(r, "The model is not known: pairs are taken for halves, (i, i + d/2), as in most.");
        describe_layers(r, facts);
    }
}

/* The notes as lists, for access by index. */
static void finish(posenc_config_reader *r) {
    posenc_config *c = r->config;
    c->assumed = posenc_config_keep(r, r->assumed.n * sizeof *c->assumed);
    c->warnings = posenc_config_keep(r, r->warnings.n * sizeof *c->warnings);
    if (r->status != POSENC_OK) return;
    for (const posenc_config_note *n = r->assumed.first; n; n = n->next)
        c->assumed[c->n_assumed++] = n->warning.sentence;
    for (const posenc_config_note *n = r->warnings.first; n; n = n->next) c->warnings[c->n_warnings++] = n->warning;
}

static posenc_status read_text(posenc_config_reader *r) {
    posenc_config_check_json(r);
    if (r->status == POSENC_OK) describe(r);
    if (r->status == POSENC_OK) finish(r);
    return r->status;
}

posenc_status posenc_config_read_with(const posenc_io *io, const posenc_context *context, const char *path,
                                      posenc_config **out, posenc_error *error) {
    char shown[POSENC_SHOWN_PATH];
    uint8_t *text = NULL;
    size_t n = 0;
    if (!path || !out)
        return posenc_fail(error, POSENC_ERROR_ARGUMENT, path ? "out" : "path", "expected a pointer, got NULL");
    posenc_config *config = posenc_allocate(context, sizeof *config);
    if (!config) return posenc_fail_memory(error, "config", sizeof *config);
    *config = (posenc_config){.context = context};
    posenc_status status = posenc_config_text(io, context, path, shown, &text, &n, error);
    posenc_config_reader r = {.text = text, .n = n, .config = config, .name = shown, .error = error};
    if (status == POSENC_OK) status = read_text(&r);
    posenc_release(context, text);
    if (status == POSENC_OK)
        *out = config;
    else
        posenc_config_destroy(config);
    return status;
}

posenc_status posenc_config_read(const posenc_context *context, const char *path, posenc_config **out,
                                 posenc_error *error) {
    return posenc_config_read_with(&posenc_io_system, context, path, out, error);
}

/* ---- answers ---- */

const char *posenc_config_model(const posenc_config *config) { return config->model; }

const posenc_config_layers *posenc_config_at(const posenc_config *config, size_t index) {
    return index < config->n_layers ? &config->layers[index] : NULL;
}

const char *posenc_config_assumed(const posenc_config *config, size_t index) {
    return index < config->n_assumed ? config->assumed[index] : NULL;
}

const posenc_config_warning *posenc_config_warned(const posenc_config *config, size_t index) {
    return index < config->n_warnings ? &config->warnings[index] : NULL;
}
