/* Frequency families: which one a dictionary names, and what it makes of the dictionary's other keys. Every key is read
 * by the family that knows it or warned of; the rest of a dictionary is nobody's. */
#include <math.h>
#include <string.h>

#include "formats/config.h"

typedef struct reading {
    posenc_config_reader *r;
    const posenc_config_object *d;
    posenc_rotary_options *o;
} reading;

/* ---- which ---- */

typedef struct family {
    const char *written, *name;
    posenc_scaling scaling;
} family;

static const family families[] = {
    {"default", "default", POSENC_SCALING_DEFAULT},
    {"mrope", "default", POSENC_SCALING_DEFAULT}, /* Qwen2-VL: axes by mrope_section, frequencies as usual */
    {"linear", "linear", POSENC_SCALING_LINEAR},
    {"ntk", "ntk", POSENC_SCALING_NTK},
    {"dynamic", "dynamic", POSENC_SCALING_DYNAMIC},
    {"yarn", "yarn", POSENC_SCALING_YARN},
    {"longrope", "longrope", POSENC_SCALING_LONGROPE},
    {"su", "longrope", POSENC_SCALING_LONGROPE},
    {"llama3", "llama3", POSENC_SCALING_LLAMA3},
    {"proportional", "proportional", POSENC_SCALING_PROPORTIONAL},
};

static const family *family_of(const char *written) {
    for (size_t i = 0; i < sizeof families / sizeof *families; i++)
        if (strcmp(families[i].written, written) == 0) return &families[i];
    return NULL;
}

/* rope_type is the newer key, type the older; a file may have both, "default" beside "mrope" too. */
static const family *find_written(posenc_config_reader *r, const posenc_config_object *d) {
    const char *newer = NULL, *older = NULL;
    bool is_newer = posenc_config_string(r, d, "rope_type", &newer);
    bool is_older = posenc_config_string(r, d, "type", &older);
    if (!is_newer && !is_older) return NULL;
    const family *f = family_of(is_newer ? newer : older), *g = is_older ? family_of(older) : NULL;
    if (!f)
        posenc_config_refuse(r, d, is_newer ? "rope_type" : "type",
                             "expected default, linear, ntk, dynamic, yarn, longrope, su, llama3, proportional or "
                             "mrope, got another");
    if (f && is_newer && is_older && (!g || strcmp(g->name, f->name) != 0))
        posenc_config_warn(r, d, "type", "It differs from rope_type, %s, which was taken.", f->name);
    return f;
}

/* The model's own, where the file names none. */
static const family *find_silent(posenc_config_reader *r, const posenc_config_object *d,
                                 const posenc_config_model_facts *facts, const posenc_config_layers *layers) {
    bool proportional =
        facts && facts->flags & POSENC_MODEL_PROPORTIONAL && d->n == 0 && strcmp(layers->type, "full_attention") == 0;
    if (proportional) {
        posenc_config_assume(r, "Full attention rotates proportionally, a quarter of the head, as in its model.");
        return family_of("proportional");
    }
    if (d->n > 0 && r->status == POSENC_OK) posenc_config_assume(r, "%s names no rope_type: default.", d->path);
    return family_of("default");
}

void posenc_config_find_family(posenc_config_reader *r, const posenc_config_object *d,
                               const posenc_config_model_facts *facts, posenc_config_layers *layers) {
    const family *f = find_written(r, d);
    if (!f && r->status == POSENC_OK) f = find_silent(r, d, facts, layers);
    if (!f || r->status != POSENC_OK) return;
    layers->family = f->name;
    layers->rotary.scaling = f->scaling;
    if (f->scaling == POSENC_SCALING_PROPORTIONAL && d->n == 0) layers->rotary.fraction = 0.25;
}

/* ---- numbers that several families have ---- */

static void must_be_positive(const reading *g, const char *key, double value) {
    if (g->r->status == POSENC_OK && !(value > 0))
        posenc_config_refuse(g->r, g->d, key, "expected more than 0, got %.10g", value);
}

static bool positive(const reading *g, const char *key, double *out) {
    if (!posenc_config_number(g->r, g->d, key, out)) return false;
    must_be_positive(g, key, *out);
    return g->r->status == POSENC_OK;
}

static void need_factor(const reading *g) {
    if (!positive(g, "factor", &g->o->factor) && g->r->status == POSENC_OK)
        posenc_config_refuse(g->r, g->d, "factor", "expected a number, got none");
}

/* Inside the dictionary, else beside it. */
static bool find_original(const reading *g) {
    const posenc_config_object *where;
    static const char key[] = "original_max_position_embeddings";
    int64_t outside = 0, *out = &g->o->original_length;
    const char *beside = posenc_config_look(g->r, key, &where);
    bool given = beside && posenc_config_integer(g->r, where, beside, 1, POSENC_CONFIG_MOST_LENGTH, &outside);
    if (!posenc_config_integer(g->r, g->d, key, 1, POSENC_CONFIG_MOST_LENGTH, out)) {
        *out = outside;
        return given;
    }
    if (given && outside != *out)
        posenc_config_warn(g->r, where, beside, "It says %lld, and %s.%s %lld, which was taken.", (long long)outside,
                           g->d->path, key, (long long)*out);
    return true;
}

/* What was trained first is what is there now, unless told otherwise. */
static void need_original(const reading *g) {
    if (find_original(g) || g->r->status != POSENC_OK) return;
    g->o->original_length = g->o->max_position_embeddings;
    if (g->o->original_length == 0)
        posenc_config_refuse(g->r, g->d, "original_max_position_embeddings",
                             "expected it, or max_position_embeddings, got neither");
    else
        posenc_config_assume(g->r, "original_max_position_embeddings is not given: max_position_embeddings, %lld.",
                             (long long)g->o->original_length);
}

/* factor against the lengths that it should lead from and to. */
static void compare_factor(const reading *g) {
    const posenc_rotary_options *o = g->o;
    if (o->max_position_embeddings == 0 || o->original_length == 0) return;
    double ratio = (double)o->max_position_embeddings / (double)o->original_length;
    if (fabs(ratio - o->factor) > 1e-6 * o->factor)
        posenc_config_warn(g->r, g->d, "factor",
                           "%.10g is not max_position_embeddings / original_max_position_embeddings, %lld / %lld = "
                           "%.10g; %.10g was taken.",
                           o->factor, (long long)o->max_position_embeddings, (long long)o->original_length, ratio,
                           o->factor);
}

/* ---- the families ---- */

/* Hunyuan writes "dynamic" with alpha, and means a base that is raised once and for all. */
static bool read_alpha(const reading *g, posenc_config_layers *layers) {
    double alpha;
    if (!positive(g, "alpha", &alpha)) return false;
    posenc_config_assume(g->r, "alpha is given: the base is raised once, by alpha^(d/(d-2)), whatever the length.");
    g->o->scaling = POSENC_SCALING_NTK;
    g->o->factor = alpha;
    layers->family = "ntk";
    return true;
}

static void read_dynamic(const reading *g, posenc_config_layers *layers) {
    if (read_alpha(g, layers)) {
        double factor;
        if (posenc_config_number(g->r, g->d, "factor", &factor) && factor != 1)
            posenc_config_warn(g->r, g->d, "factor", "It stands beside alpha, which was taken.");
        return;
    }
    need_factor(g);
    int64_t longest = g->o->max_position_embeddings;
    bool given = find_original(g);
    if (given && longest > 0 && g->o->original_length != longest)
        posenc_config_warn(g->r, g->d, "original_max_position_embeddings",
                           "%lld is not max_position_embeddings, %lld, from which dynamic scaling counts.",
                           (long long)g->o->original_length, (long long)longest);
    if (longest > 0)
        g->o->original_length = longest;
    else
        need_original(g);
}

static void read_ntk(const reading *g) {
    if (!positive(g, "alpha", &g->o->factor)) need_factor(g);
}

static void find_amplitude(const reading *g) {
    posenc_rotary_options *o = g->o;
    bool given = positive(g, "attention_factor", &o->attention_factor);
    bool m = posenc_config_number(g->r, g->d, "mscale", &o->mscale);
    bool all = posenc_config_number(g->r, g->d, "mscale_all_dim", &o->mscale_all_dim);
    if (given && (m || all))
        posenc_config_warn(g->r, g->d, "attention_factor",
                           "It stands beside %s and is the amplitude itself: mscale does not count for that.",
                           m ? "mscale" : "mscale_all_dim");
    else if (m && !all && o->mscale != 0 && o->mscale != 1)
        posenc_config_warn(g->r, g->d, "mscale", "Without mscale_all_dim it is not read: the amplitude is the usual.");
}

static void read_yarn(const reading *g) {
    posenc_rotary_options *o = g->o;
    bool truncate = true, finetuned;
    need_original(g);
    if (positive(g, "factor", &o->factor)) {
        compare_factor(g);
    } else if (g->r->status == POSENC_OK && o->max_position_embeddings > 0) {
        o->factor = (double)o->max_position_embeddings / (double)o->original_length;
        posenc_config_assume(g->r,
                             "factor is not given: max_position_embeddings / original_max_position_embeddings, "
                             "%.10g.",
                             o->factor);
    } else {
        need_factor(g);
    }
    positive(g, "beta_fast", &o->beta_fast);
    positive(g, "beta_slow", &o->beta_slow);
    if (o->beta_fast < o->beta_slow)
        posenc_config_refuse(g->r, g->d, "beta_fast", "expected at least beta_slow, %.10g, got %.10g", o->beta_slow,
                             o->beta_fast);
    if (posenc_config_flag(g->r, g->d, "truncate", &truncate)) o->truncate = truncate;
    posenc_config_flag(g->r, g->d, "finetuned", &finetuned); /* says how the model came to be, and changes nothing */
    find_amplitude(g);
}

static void read_divisors(const reading *g, const char *key, const double **list, size_t *n) {
    if (!posenc_config_numbers(g->r, g->d, key, list, n)) {
        posenc_config_refuse(g->r, g->d, key, "expected a number for each pair, got none");
        return;
    }
    if ((int64_t)*n != g->o->dim / 2)
        posenc_config_refuse(g->r, g->d, key, "expected a number for each of %lld pairs, got %zu",
                             (long long)(g->o->dim / 2), *n);
    for (size_t i = 0; g->r->status == POSENC_OK && i < *n; i++) must_be_positive(g, key, (*list)[i]);
}

/* Phi-3.5-MoE names the amplitude twice, for short and for long. */
static void read_mscales(const reading *g) {
    double small, large;
    bool both = positive(g, "short_mscale", &small);
    both = positive(g, "long_mscale", &large) && both;
    if (!both) return;
    if (g->o->attention_factor > 0 || small != large)
        posenc_config_warn(g->r, g->d, "long_mscale",
                           g->o->attention_factor > 0 ? "It stands beside attention_factor, which was taken."
                                                      : "It differs from short_mscale, which was taken for both.");
    if (g->o->attention_factor == 0) g->o->attention_factor = small;
}

/* factor, else that of the lengths, which cannot shrink a context. */
static void find_stretch(const reading *g) {
    posenc_rotary_options *o = g->o;
    static const char original[] = "original_max_position_embeddings";
    o->factor = 0;
    bool given = positive(g, "factor", &o->factor);
    if (given) compare_factor(g);
    if (g->r->status != POSENC_OK) return;
    if (!given && o->max_position_embeddings == 0 && o->attention_factor == 0)
        posenc_config_refuse(g->r, g->d, "factor", "expected it, or max_position_embeddings, got neither");
    if (o->max_position_embeddings == 0 || o->original_length <= o->max_position_embeddings) return;
    if (!given) {
        o->factor = 1;
        posenc_config_warn(g->r, g->d, original, "%lld is more than max_position_embeddings, %lld: factor 1 was taken.",
                           (long long)o->original_length, (long long)o->max_position_embeddings);
    }
    o->max_position_embeddings = 0; /* has said what it has to say */
}

static void read_longrope(const reading *g) {
    posenc_rotary_options *o = g->o;
    need_original(g);
    positive(g, "attention_factor", &o->attention_factor);
    read_mscales(g);
    find_stretch(g);
    read_divisors(g, "short_factor", &o->short_factor, &o->n_short_factor);
    read_divisors(g, "long_factor", &o->long_factor, &o->n_long_factor);
}

static void read_llama3(const reading *g) {
    posenc_rotary_options *o = g->o;
    need_factor(g);
    if (!find_original(g) && g->r->status == POSENC_OK)
        posenc_config_refuse(g->r, g->d, "original_max_position_embeddings", "expected a number, got none");
    bool low = positive(g, "low_freq_factor", &o->low_freq_factor);
    bool high = positive(g, "high_freq_factor", &o->high_freq_factor);
    if (!low || !high)
        posenc_config_assume(g->r, "low_freq_factor and high_freq_factor are %.10g and %.10g where they are not given.",
                             o->low_freq_factor, o->high_freq_factor);
    if (g->r->status == POSENC_OK && o->high_freq_factor < o->low_freq_factor)
        posenc_config_refuse(g->r, g->d, high ? "high_freq_factor" : "low_freq_factor",
                             "expected low_freq_factor not above high_freq_factor, got %.10g and %.10g",
                             o->low_freq_factor, o->high_freq_factor);
    if (o->max_position_embeddings > 0 && o->original_length >= o->max_position_embeddings)
        posenc_config_refuse(g->r, g->d, "original_max_position_embeddings",
                             "expected less than max_position_embeddings, %lld, got %lld",
                             (long long)o->max_position_embeddings, (long long)o->original_length);
}

void posenc_config_family(posenc_config_reader *r, const posenc_config_object *dictionary,
                          posenc_config_layers *layers) {
    const reading g = {r, dictionary, &layers->rotary};
    double beta;
    switch (g.o->scaling) {
        case POSENC_SCALING_LINEAR:
            need_factor(&g);
            break;
        case POSENC_SCALING_NTK:
            read_ntk(&g);
            break;
        case POSENC_SCALING_DYNAMIC:
            read_dynamic(&g, layers);
            break;
        case POSENC_SCALING_YARN:
            read_yarn(&g);
            break;
        case POSENC_SCALING_LONGROPE:
            read_longrope(&g);
            break;
        case POSENC_SCALING_LLAMA3:
            read_llama3(&g);
            break;
        case POSENC_SCALING_PROPORTIONAL:
            positive(&g, "factor", &g.o->factor);
            break;
        default:
            break;
    }
    if (posenc_config_number(r, dictionary, "llama_4_scaling_beta", &beta))
        posenc_config_assume(r,
                             "llama_4_scaling_beta scales queries by their position; it is no part of the rotation.");
}
