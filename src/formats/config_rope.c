/* The rotation in one kind of layers, as far as it does not depend on the family: which dictionary is meant, how wide a
 * head is and which channels of it turn, base, pairing, axes. */
#include <math.h>
#include <string.h>

#include "base/rotary_options.h"
#include "formats/config.h"

static const char sliding[] = "sliding_attention", full[] = "full_attention";
static const posenc_config_object nothing = {.path = ""};

/* ---- dictionaries ---- */

/* The newer spelling comes first. Both at once must say the same. */
static bool find_whole(posenc_config_reader *r, posenc_config_object *whole) {
    const posenc_config_object *where = NULL, *other = NULL;
    const char *newer = posenc_config_look(r, "rope_parameters", &where);
    const char *older = posenc_config_look(r, "rope_scaling", newer ? &other : &where);
    if (!newer && !older) return false;
    if (newer && older) {
        const posenc_config_member *a = posenc_config_find(r, where, newer), *b = posenc_config_find(r, other, older);
        if (a->to - a->from != b->to - b->from || memcmp(r->text + a->from, r->text + b->from, a->to - a->from) != 0)
            posenc_config_warn(r, other, older, "It differs from rope_parameters, which was taken.");
    }
    return posenc_config_inner(r, where, newer ? newer : older, whole);
}

/* A kind of layers that there is; or, in a dictionary that names no family itself, any object that no family knows. */
static bool names_layers(const posenc_config_reader *r, const posenc_config_rope *rope, const posenc_config_member *m) {
    if (posenc_config_knows(m->key)) return false; /* what stands there is wrong, should it be an object */
    for (size_t i = 0; i < r->config->n_layers; i++)
        if (strcmp(r->config->layers[i].type, m->key) == 0) return true;
    return !rope->named && posenc_config_is(r, m, '{');
}

static bool names_family(const posenc_config_object *whole) {
    for (size_t i = 0; i < whole->n; i++)
        if (strcmp(whole->members[i].key, "rope_type") == 0 || strcmp(whole->members[i].key, "type") == 0) return true;
    return false;
}

static void find_inner(posenc_config_reader *r, posenc_config_rope *rope) {
    for (size_t i = 0; i < rope->whole.n && r->status == POSENC_OK; i++) {
        posenc_config_member *m = &rope->whole.members[i];
        if (!names_layers(r, rope, m)) continue;
        if (i >= POSENC_CONFIG_MOST_KINDS)
            posenc_config_refuse(r, &rope->whole, m->key, "expected at most %d kinds of layers, got more",
                                 POSENC_CONFIG_MOST_KINDS);
        else if (r->text[m->from] != 'n')
            posenc_config_inner(r, &rope->whole, m->key, &rope->inner[i]);
    }
}

/* One kind of layers for each inner dictionary. */
static void split_layers(posenc_config_reader *r, const posenc_config_rope *rope) {
    posenc_config *c = r->config;
    char *type;
    if (c->n_layers != 1 || strcmp(c->layers[0].type, "all") != 0 || strcmp(c->layers[0].scheme, "rotary") != 0) return;
    size_t n = 0;
    for (size_t i = 0; i < rope->whole.n; i++) {
        const char *key = rope->whole.members[i].key;
        if (!names_layers(r, rope, &rope->whole.members[i]) || !(type = posenc_config_keep(r, 64))) continue;
        c->layers[n++] = (posenc_config_layers){.type = posenc_escape(key, strlen(key), type, 64), .scheme = "rotary"};
    }
    if (r->status == POSENC_OK) c->n_layers = n;
    posenc_config_assume(r, "The file does not say how many layers there are of each kind.");
}

void posenc_config_find_rope(posenc_config_reader *r, posenc_config_rope *rope) {
    rope->whole = nothing;
    rope->given = find_whole(r, &rope->whole);
    rope->named = names_family(&rope->whole);
    for (size_t i = 0; r->status == POSENC_OK && i < rope->whole.n; i++)
        if (names_layers(r, rope, &rope->whole.members[i])) rope->nested = true;
    if (!rope->nested) return;
    find_inner(r, rope);
    if (r->status == POSENC_OK) split_layers(r, rope);
}

/* The dictionary for a kind of layers; NULL: null stands there, they do not rotate. */
static const posenc_config_object *dictionary_of(posenc_config_reader *r, const posenc_config_rope *rope,
                                                 const char *type, size_t *index) {
    *index = 0;
    if (!rope->given) return &nothing;
    if (!rope->nested) return &rope->whole;
    for (size_t i = 0; i < rope->whole.n && i < POSENC_CONFIG_MOST_KINDS; i++) {
        posenc_config_member *m = &rope->whole.members[i];
        if (strcmp(m->key, type) != 0 || posenc_config_knows(m->key)) continue;
        m->read = true;
        *index = i;
        return r->text[m->from] == 'n' ? NULL : &rope->inner[i];
    }
    posenc_config_warn(r, &rope->whole, type,
                       "There are such layers, and nothing is said of them here: the default rotation was taken.");
    *index = POSENC_CONFIG_MOST_KINDS;
    return &nothing;
}

/* ---- a head and its channels ---- */

static int64_t divide_heads(posenc_config_reader *r, const posenc_config_model_facts *facts) {
    const posenc_config_object *where;
    const char *key = posenc_config_look(r, "hidden_size n_embd d_model", &where);
    int64_t width = facts ? facts->hidden_size : 0, heads = facts ? facts->heads : 0;
    if (key) posenc_config_integer(r, where, key, 1, POSENC_CONFIG_MOST_DIM, &width);
    posenc_config_look_integer(r, "num_attention_heads n_head n_heads num_heads", 1, POSENC_CONFIG_MOST_DIM, &heads);
    if (width == 0 || heads == 0) {
        posenc_config_refuse(r, &r->scopes[0], "head_dim",
                             "expected it, or hidden_size and num_attention_heads, got neither");
        return 0;
    }
    if (width % heads != 0) {
        posenc_config_refuse(r, key ? where : &r->scopes[0], key ? key : "hidden_size",
                             "expected a multiple of the %lld heads, got %lld", (long long)heads, (long long)width);
        return 0;
    }
    posenc_config_assume(r, "head_dim is not given: %lld / %lld = %lld.", (long long)width, (long long)heads,
                         (long long)(width / heads));
    return width / heads;
}

static int64_t find_head(posenc_config_reader *r, const posenc_config_model_facts *facts, const char *type) {
    int64_t head = 0;
    bool global = strcmp(type, full) == 0;
    if (global && posenc_config_look_integer(r, "global_head_dim", 1, POSENC_CONFIG_MOST_DIM, &head)) return head;
    if (global && facts && facts->global_head_dim > 0) {
        posenc_config_assume(r, "global_head_dim is not given: %lld, as in its model.",
                             (long long)facts->global_head_dim);
        return facts->global_head_dim;
    }
    if (posenc_config_look_integer(r, "head_dim kv_channels", 1, POSENC_CONFIG_MOST_DIM, &head)) return head;
    if (!facts || facts->head_dim == 0) return divide_heads(r, facts);
    posenc_config_assume(r, "head_dim is not given: %lld, as in its model.", (long long)facts->head_dim);
    return facts->head_dim;
}

/* The part of a head that turns, in the dictionary or beside it. */
static bool find_fraction(posenc_config_reader *r, const posenc_config_object *d, const char **key,
                          const posenc_config_object **where, double *fraction) {
    static const char keys[] = "partial_rotary_factor rotary_pct rotary_emb_fraction rope_pct";
    double outside;
    const char *beside = posenc_config_look(r, keys, where);
    bool given = beside && posenc_config_look_number(r, keys, &outside);
    *key = beside;
    if (given) *fraction = outside;
    if (posenc_config_number(r, d, "partial_rotary_factor", fraction)) {
        if (given && outside != *fraction)
            posenc_config_warn(r, *where, beside, "It says %.10g, and %s.partial_rotary_factor %.10g, which was taken.",
                               outside, d->path, *fraction);
        *key = "partial_rotary_factor";
        *where = d;
        given = true;
    }
    if (given && !(*fraction > 0 && *fraction <= 1))
        posenc_config_refuse(r, *where, *key, "expected a part of the head, more than 0 and at most 1, got %.10g",
                             *fraction);
    return given && r->status == POSENC_OK;
}

static void must_be_even(posenc_config_reader *r, const posenc_config_object *where, const char *key,
                         const posenc_rotary_options *o) {
    if (r->status != POSENC_OK || (o->dim > 0 && o->dim % 2 == 0 && o->dim <= o->head_dim)) return;
    posenc_config_refuse(r, where, key, "expected an even width of rotated channels, at most %lld, got %lld",
                         (long long)o->head_dim, (long long)o->dim);
}

/* Latent attention: qk_nope_head_dim channels that stay, then those that turn. */
static void find_latent(posenc_config_reader *r, const posenc_config_object *d, int64_t turned,
                        posenc_rotary_options *o) {
    const posenc_config_object *where;
    const char *key;
    double fraction;
    if (!posenc_config_look_integer(r, "qk_nope_head_dim", 0, POSENC_CONFIG_MOST_DIM, &o->rotary_start))
        posenc_config_assume(r, "qk_nope_head_dim is not given: a head is its rotated channels alone.");
    o->dim = turned;
    o->head_dim = o->rotary_start + turned;
    posenc_config_look(r, "qk_rope_head_dim", &where);
    must_be_even(r, where, "qk_rope_head_dim", o);
    if (find_fraction(r, d, &key, &where, &fraction) && fraction != 1 &&
        floor(fraction * (double)o->head_dim) != (double)turned)
        posenc_config_warn(r, where, key, "%.10g of %lld channels is not qk_rope_head_dim, %lld, which was taken.",
                           fraction, (long long)o->head_dim, (long long)turned);
}

/* GPT-J with rotary_dim null turns the whole head. */
static bool is_null(const posenc_config_reader *r, const char *key) {
    for (size_t i = 0; i < r->scopes[0].n; i++)
        if (strcmp(r->scopes[0].members[i].key, key) == 0) return r->text[r->scopes[0].members[i].from] == 'n';
    return false;
}

/* A number of channels, or a part of the head; where both stand they must agree, and only one is applied. */
static void find_width(posenc_config_reader *r, const posenc_config_object *d, const posenc_config_model_facts *facts,
                       posenc_rotary_options *o) {
    const posenc_config_object *where = &r->scopes[0], *dim_where = NULL;
    const char *key = "head_dim", *dim_key = posenc_config_look(r, "rotary_dim", &dim_where);
    double fraction = facts && facts->fraction > 0 ? facts->fraction : o->fraction;
    bool given = find_fraction(r, d, &key, &where, &fraction);
    if (r->status != POSENC_OK) return;              /* a fraction that is none must not become a number of channels */
    if (o->scaling == POSENC_SCALING_PROPORTIONAL) { /* over the whole head */
        o->dim = o->head_dim;
        o->fraction = fraction;
    } else {
        o->dim = (int64_t)(fraction * (double)o->head_dim);
        if (!given && !dim_key && facts && facts->rotary_dim > 0 && !is_null(r, "rotary_dim"))
            o->dim = facts->rotary_dim;
        if (!given && !dim_key && o->dim != o->head_dim)
            posenc_config_assume(r, "As in its model, %lld of %lld channels of a head turn.", (long long)o->dim,
                                 (long long)o->head_dim);
    }
    int64_t turned = 0;
    if (dim_key && posenc_config_integer(r, dim_where, dim_key, 1, POSENC_CONFIG_MOST_DIM, &turned)) {
        if (given && turned != o->dim)
            posenc_config_warn(r, where, key, "%.10g of %lld channels is not rotary_dim, %lld, which was taken.",
                               fraction, (long long)o->head_dim, (long long)turned);
        o->dim = turned;
    }
    must_be_even(r, turned > 0 ? dim_where : where, turned > 0 ? dim_key : key ? key : "head_dim", o);
}

static void find_extent(posenc_config_reader *r, const posenc_config_object *d, const posenc_config_model_facts *facts,
                        posenc_config_layers *layers) {
    posenc_rotary_options *o = &layers->rotary;
    int64_t turned = 0;
    if (posenc_config_look_integer(r, "qk_rope_head_dim", 0, POSENC_CONFIG_MOST_DIM, &turned) && turned > 0) {
        layers->latent_attention = 1;
        find_latent(r, d, turned, o);
    } else {
        o->head_dim = find_head(r, facts, layers->type);
        find_width(r, d, facts, o);
    }
}

/* ---- base, pairing, axes ---- */

static void check_base(posenc_config_reader *r, const posenc_config_object *where, const char *key, double base) {
    if (r->status == POSENC_OK && !(base >= 1e-6 && base <= 1e30))
        posenc_config_refuse(r, where, key, "expected a base of 1e-6..1e30, got %.10g", base);
}

/* attn_config.rope_theta (DBRX), and 10000 rope_ratio (ChatGLM). */
static bool find_other_base(posenc_config_reader *r, double *base) {
    const posenc_config_object *where;
    posenc_config_object inner;
    const char *key = posenc_config_look(r, "rope_ratio", &where);
    if (key && posenc_config_number(r, where, key, base)) {
        *base *= 10000;
        check_base(r, where, key, *base);
        return true;
    }
    key = posenc_config_look(r, "attn_config", &where);
    if (!key || !posenc_config_is(r, posenc_config_find(r, where, key), '{')) return false;
    if (!posenc_config_inner(r, where, key, &inner) || !posenc_config_number(r, &inner, "rope_theta", base))
        return false;
    check_base(r, &inner, "rope_theta", *base);
    return true;
}

/* local: a layer with a base of its own (Gemma 3, ModernBERT). */
static double find_base(posenc_config_reader *r, const posenc_config_object *d, const posenc_config_model_facts *facts,
                        bool local) {
    const char *keys = local ? "rope_local_base_freq local_rope_theta" : "rope_theta rotary_emb_base global_rope_theta";
    const posenc_config_object *where = NULL;
    double base = 10000, outside = 0;
    const char *key = posenc_config_look(r, keys, &where);
    bool beside = key && posenc_config_look_number(r, keys, &outside);
    if (posenc_config_number(r, d, "rope_theta", &base)) {
        check_base(r, d, "rope_theta", base);
        if (beside && outside != base)
            posenc_config_warn(r, where, key, "It says %.10g, and %s.rope_theta %.10g, which was taken.", outside,
                               d->path, base);
        return base;
    }
    if (beside) {
        check_base(r, where, key, outside);
        return outside;
    }
    if (find_other_base(r, &base)) return base;
    double known = !facts ? 0 : local ? facts->local_base : facts->base;
    if (known > 0) base = known;
    posenc_config_assume(r, "The base of %s is not given: %.10g, as %s.", local ? "sliding layers" : "the rotation",
                         base, known > 0 ? "in its model" : "usual");
    return base;
}

static posenc_pairing find_pairing(posenc_config_reader *r, const posenc_config_model_facts *facts) {
    posenc_pairing pairing = facts ? facts->pairing : POSENC_PAIRING_HALVES;
    bool interleaved;
    if (posenc_config_look_flag(r, "rope_interleave", &interleaved)) /* DeepSeek V3 */
        pairing = interleaved ? POSENC_PAIRING_INTERLEAVED_IN_HALVES_OUT : POSENC_PAIRING_HALVES;
    if (posenc_config_look_flag(r, "rotary_emb_interleaved", &interleaved)) /* Nomic */
        pairing = interleaved ? POSENC_PAIRING_INTERLEAVED : POSENC_PAIRING_HALVES;
    return pairing;
}

static void check_sections(posenc_config_reader *r, const posenc_config_object *d, const char *key,
                           const posenc_rotary_options *o) {
    int64_t sum = 0;
    if (o->n_sections < 2 || o->n_sections > POSENC_MOST_AXES ||
        (o->axes == POSENC_AXES_INTERLEAVED && o->n_sections != 3))
        posenc_config_refuse(r, d, key, "expected the pairs of %s axes, got %zu numbers",
                             o->axes == POSENC_AXES_INTERLEAVED ? "3" : "2 to 8", o->n_sections);
    for (size_t i = 0; r->status == POSENC_OK && i < o->n_sections; i++) sum += o->sections[i];
    if (r->status == POSENC_OK && sum != o->dim / 2)
        posenc_config_refuse(r, d, key, "expected a sum of %lld pairs, got %lld", (long long)(o->dim / 2),
                             (long long)sum);
}

/* mrope_section: which coordinate of a token turns which pairs. mrope_interleaved is about the sections alone and never
 * about which channels are a pair. */
static void find_axes(posenc_config_reader *r, const posenc_config_object *d, const posenc_config_model_facts *facts,
                      posenc_rotary_options *o) {
    static const char key[] = "mrope_section", flag[] = "mrope_interleaved";
    bool known = facts && facts->flags & POSENC_MODEL_INTERLEAVED_AXES, interleaved = known;
    bool given = posenc_config_flag(r, d, flag, &interleaved);
    if (!posenc_config_integers(r, d, key, 0, POSENC_CONFIG_MOST_DIM, &o->sections, &o->n_sections)) {
        if (given && r->status == POSENC_OK)
            posenc_config_warn(r, d, flag, "There is no mrope_section beside it: one axis was taken.");
        return;
    }
    if (known && given && !interleaved)
        posenc_config_warn(r, d, flag, "Its model interleaves sections whatever stands here: they were taken so.");
    if (known && !given) posenc_config_assume(r, "Sections of axes are interleaved, as in its model.");
    o->axes = interleaved || known ? POSENC_AXES_INTERLEAVED : POSENC_AXES_SECTIONED;
    check_sections(r, d, key, o);
}

/* ---- the whole ---- */

/* max_position_embeddings; Mistral 4 says it in the dictionary, too. 0: not given. */
static int64_t find_longest(posenc_config_reader *r, const posenc_config_object *d) {
    static const char key[] = "max_position_embeddings",
                      keys[] =
                          "max_position_embeddings n_positions max_seq_len max_sequence_length seq_length "
                          "model_max_length";
    int64_t longest = 0, inside = 0;
    bool given = posenc_config_look_integer(r, keys, 1, POSENC_CONFIG_MOST_LENGTH, &longest);
    if (!posenc_config_integer(r, d, key, 1, POSENC_CONFIG_MOST_LENGTH, &inside)) return longest;
    if (given && inside != longest)
        posenc_config_warn(r, d, key, "It says %lld, and the model has %lld, which was taken.", (long long)inside,
                           (long long)longest);
    return given ? longest : inside;
}

/* What a configuration means where it is silent. */
static void start(posenc_config_reader *r, const posenc_config_object *d, posenc_rotary_options *o) {
    *o = posenc_rotary_usual_options(sizeof *o);
    int64_t longest = find_longest(r, d);
    o->max_position_embeddings = longest;
    if (longest > 0) o->max_len = longest < INT64_C(1) << 31 ? longest : INT64_C(1) << 31;
}

/* Gemma 3, ModernBERT: sliding layers with a base of their own. */
static bool is_local(const posenc_config_reader *r, const posenc_config_model_facts *facts, const char *type) {
    return strcmp(type, sliding) == 0 &&
           (posenc_config_look(r, "rope_local_base_freq local_rope_theta", NULL) || (facts && facts->local_base > 0));
}

void posenc_config_describe(posenc_config_reader *r, posenc_config_rope *rope, const posenc_config_model_facts *facts,
                            posenc_config_layers *layers) {
    size_t index = POSENC_CONFIG_MOST_KINDS;
    bool local = is_local(r, facts, layers->type);
    /* they take nothing from a dictionary, unless it has a part for them */
    const posenc_config_object *d = local && !rope->nested ? &nothing : dictionary_of(r, rope, layers->type, &index);
    if (!d) {
        layers->scheme = "none";
        return;
    }
    start(r, d, &layers->rotary);
    posenc_config_find_family(r, d, facts, layers);
    if (r->status != POSENC_OK) return;
    if (index < POSENC_CONFIG_MOST_KINDS) rope->families[index] = layers->family;
    find_extent(r, d, facts, layers);
    layers->rotary.base = find_base(r, d, facts, local);
    layers->rotary.pairing = find_pairing(r, facts);
    if (r->status == POSENC_OK) find_axes(r, d, facts, &layers->rotary);
    if (r->status == POSENC_OK) posenc_config_family(r, d, layers);
}
