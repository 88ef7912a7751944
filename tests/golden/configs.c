/* Configurations of published models, as far as they are about positions, and what is right for each: pairing, extent
 * and layers as the models' papers and code have them, and frequencies by the equations of the papers, written here
 * once more in long double, beside values that were computed at 50 digits. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <posenc/posenc.h>

#include "support/test.h"

/* ---- the equations ---- */

/* The options as long doubles. */
typedef struct numbers {
    long double d, base, factor, orig, fast, slow, low, high, turning;
} numbers;

static numbers numbers_of(const posenc_rotary_options *o) {
    return (numbers){(long double)o->dim,
                     (long double)o->base,
                     (long double)o->factor,
                     (long double)o->original_length,
                     (long double)o->beta_fast,
                     (long double)o->beta_slow,
                     (long double)o->low_freq_factor,
                     (long double)o->high_freq_factor,
                     floorl((long double)o->fraction * (long double)o->head_dim / 2)};
}

static long double plain(const numbers *n, long double base, int64_t i) {
    return powl(base, -2 * (long double)i / n->d);
}

static long double by_base(const numbers *n, long double stretch, int64_t i) {
    return plain(n, n->base * powl(stretch, n->d / (n->d - 2)), i);
}

static long double yarn(const numbers *n, bool truncate, int64_t i) {
    long double turn = 8 * atanl(1);
    long double low = n->d * logl(n->orig / (turn * n->fast)) / (2 * logl(n->base));
    long double high = n->d * logl(n->orig / (turn * n->slow)) / (2 * logl(n->base));
    if (truncate) low = floorl(low), high = ceill(high);
    low = fmaxl(low, 0);
    high = fminl(high, n->d - 1);
    long double ramp = fminl(fmaxl(((long double)i - low) / (high - low), 0), 1), omega = plain(n, n->base, i);
    return ramp * omega / n->factor + (1 - ramp) * omega;
}

static long double llama3(const numbers *n, int64_t i) {
    long double omega = plain(n, n->base, i), wave = 8 * atanl(1) / omega;
    if (wave > n->orig / n->low) return omega / n->factor;
    if (wave < n->orig / n->high) return omega;
    long double s = (n->orig / wave - n->low) / (n->high - n->low);
    return omega * ((1 - s) / n->factor + s);
}

static long double equation(const posenc_rotary_options *o, int64_t length, int64_t i) {
    const numbers n = numbers_of(o);
    const double *divisors = length > o->original_length ? o->long_factor : o->short_factor;
    switch (o->scaling) {
        case POSENC_SCALING_LINEAR:
            return plain(&n, n.base, i) / n.factor;
        case POSENC_SCALING_NTK:
            return by_base(&n, n.factor, i);
        case POSENC_SCALING_DYNAMIC:
            return by_base(&n, n.factor * fmaxl((long double)length, n.orig) / n.orig - (n.factor - 1), i);
        case POSENC_SCALING_YARN:
            return yarn(&n, o->truncate != 0, i);
        case POSENC_SCALING_LONGROPE:
            return plain(&n, n.base, i) / (long double)divisors[i];
        case POSENC_SCALING_LLAMA3:
            return llama3(&n, i);
        case POSENC_SCALING_PROPORTIONAL:
            return (long double)i < n.turning ? plain(&n, n.base, i) / n.factor : 0;
        default:
            return plain(&n, n.base, i);
    }
}

/* ---- what is right ---- */

#define HALVES POSENC_PAIRING_HALVES
#define INTERLEAVED POSENC_PAIRING_INTERLEAVED
#define DEEPSEEK POSENC_PAIRING_INTERLEAVED_IN_HALVES_OUT
enum { TYPED = 3 };

typedef struct expected {
    const char *file, *type;
    int64_t count;
    const char *scheme, *family;
    posenc_pairing pairing;
    int64_t start, width, head_dim;
    const char *axes; /* NULL: one */
    double base, amplitude, softmax;
    int64_t kept, blended, divided, length; /* length 0: as the plan has it */
    int warnings;
    struct {
        int64_t pair;
        double omega;
    } typed[TYPED]; /* omega 0: no more of them */
} expected;

#define ROTARY "rotary"
#define T4 "TTTT"
#define THW20 "THWTHWTHWTHWTHWTHWTHWTHWTHWTHWTHWTHWTHWTHWTHWTHWTHWTHWTHWTHW"

/* clang-format off */
static const expected models[] = {
    {"llama-2-7b", "all", 32, ROTARY, "default", HALVES, 0, 128, 128,
     NULL, 1e4, 1, 1, 64, 0, 0, 0, 0, {{0, 1}}},
    {"llama-3.1-8b", "all", 32, ROTARY, "llama3", HALVES, 0, 128, 128,
     NULL, 5e5, 1, 1, 29, 6, 29, 0, 0, {{0, 1}}},
    {"llama-3.2-1b", "all", 16, ROTARY, "llama3", HALVES, 0, 64, 64,
     NULL, 5e5, 1, 1, 15, 3, 14, 0, 0, {{15, 1.2905479e-3}, {16, 4.2955680e-4}, {17, 9.7082878e-5}}},
    {"llama-4-scout", "all", 36, ROTARY, "llama3", INTERLEAVED, 0, 128, 128,
     NULL, 5e5, 1, 1, 35, 0, 29, 0, 0, {{0, 1}}},
    {"llama-4-scout", "all", 12, "none", .warnings = 0},
    {"mistral-7b", "all", 32, ROTARY, "default", HALVES, 0, 128, 128,
     NULL, 1e6, 1, 1, 64, 0, 0, 0, 0, {{0, 1}}},
    {"vicuna-16k", "all", 32, ROTARY, "linear", HALVES, 0, 128, 128,
     NULL, 1e4, 1, 1, 64, 0, 0, 0, 0, {{0, 0.25}}},
    /* theta' 30527.7367488 */
    {"llama-dynamic", "all", 32, ROTARY, "dynamic", HALVES, 0, 128, 128,
     NULL, 1e4, 1, 1, 64, 0, 0, 4096, 0, {{32, 5.72338151e-03}}},
    {"llama-dynamic", "all", 32, ROTARY, "dynamic", HALVES, 0, 128, 128,
     NULL, 1e4, 1, 1, 64, 0, 0, 2048, 0, {{32, 0.01}}},
    {"qwen2.5-7b-yarn", "all", 28, ROTARY, "yarn", HALVES, 0, 128, 128,
     NULL, 1e6, 1.1386294, 1, 24, 16, 24, 0, 1, {{0, 1}}},
    {"qwen2-vl-7b", "all", 28, ROTARY, "default", HALVES, 0, 128, 128,
     "TTTTTTTTTTTTTTTTHHHHHHHHHHHHHHHHHHHHHHHHWWWWWWWWWWWWWWWWWWWWWWWW", 1e6, 1, 1, 64, 0, 0, 0, 0, {{32, 1e-3}}},
    {"qwen3-vl-8b", "all", 36, ROTARY, "default", HALVES, 0, 128, 128,
     THW20 T4, 5e6, 1, 1, 64, 0, 0, 0, 0, {{0, 1}}},
    {"qwen3.5-35b", "linear_attention", 30, "none", .warnings = 0},
    {"qwen3.5-35b", "full_attention", 10, ROTARY, "default", HALVES, 0, 64, 256,
     "THWTHWTHWTHWTHWTHWTHWTHWTHWTHWTH", 1e7, 1, 1, 32, 0, 0, 0, 0, {{0, 1}}},
    {"phi-3.5-mini", "all", 32, ROTARY, "longrope", HALVES, 0, 96, 96,
     NULL, 1e4, 1.19023807, 1, 48, 0, 0, 4096, 0, {{0, 1}}},
    {"phi-3.5-mini", "all", 32, ROTARY, "longrope", HALVES, 0, 96, 96,
     NULL, 1e4, 1.19023807, 1, 48, 0, 0, 4097, 0, {{0, 1 / 1.0800000429153442}}},
    {"phi-2", "all", 32, ROTARY, "default", HALVES, 0, 32, 80,
     NULL, 1e4, 1, 1, 16, 0, 0, 0, 0, {{8, 0.01}}},
    {"deepseek-v2", "all", 60, ROTARY, "yarn", DEEPSEEK, 128, 64, 192,
     NULL, 1e4, 1, 1.58962617, 11, 12, 9, 0, 0, {{0, 1}}},
    {"deepseek-v3", "all", 61, ROTARY, "yarn", DEEPSEEK, 128, 64, 192,
     NULL, 1e4, 1, 1.87385421, 11, 12, 9, 0, 0, {{0, 1}}},
    {"mistral-small-4", "all", 36, ROTARY, "yarn", DEEPSEEK, 64, 64, 128,
     NULL, 1e4, 1, 2.20582803, 13, 12, 7, 0, 0, {{0, 1}}},
    {"gpt-oss-20b", "sliding_attention", 12, ROTARY, "yarn", HALVES, 0, 64, 64,
     NULL, 150000, 1.34657359028, 1, 9, 9, 14, 0, 0, {{17, 1.29318701e-4}}},
    {"gpt-oss-20b", "full_attention", 12, ROTARY, "yarn", HALVES, 0, 64, 64,
     NULL, 150000, 1.34657359028, 1, 9, 9, 14, 0, 0, {{17, 1.29318701e-4}}},
    {"gemma-3-4b", "sliding_attention", 29, ROTARY, "default", HALVES, 0, 256, 256,
     NULL, 1e4, 1, 1, 128, 0, 0, 0, 0, {{64, 0.01}}},
    {"gemma-3-4b", "full_attention", 5, ROTARY, "linear", HALVES, 0, 256, 256,
     NULL, 1e6, 1, 1, 128, 0, 0, 0, 0, {{64, 1.25e-4}}},
    {"gemma-3-12b-nested", "sliding_attention", 40, ROTARY, "default", HALVES, 0, 256, 256,
     NULL, 1e4, 1, 1, 128, 0, 0, 0, 0, {{64, 0.01}}},
    {"gemma-3-12b-nested", "full_attention", 8, ROTARY, "linear", HALVES, 0, 256, 256,
     NULL, 1e6, 1, 1, 128, 0, 0, 0, 0, {{64, 1.25e-4}}},
    {"gemma-4-12b", "sliding_attention", 40, ROTARY, "default", HALVES, 0, 256, 256,
     NULL, 1e4, 1, 1, 128, 0, 0, 0, 0, {{64, 0.01}}},
    {"gemma-4-12b", "full_attention", 8, ROTARY, "proportional", HALVES, 0, 512, 512,
     NULL, 1e6, 1, 1, 256, 0, 0, 0, 0, {{63, 0.033376247}}},
    {"gpt-neox-20b", "all", 44, ROTARY, "default", HALVES, 0, 24, 96,
     NULL, 1e4, 1, 1, 12, 0, 0, 0, 0, {{6, 0.01}}},
    {"gpt-j-6b", "all", 28, ROTARY, "default", INTERLEAVED, 0, 64, 256,
     NULL, 1e4, 1, 1, 32, 0, 0, 0, 0, {{16, 0.01}}},
    {"glm-4-9b", "all", 40, ROTARY, "default", INTERLEAVED, 0, 64, 128,
     NULL, 1e4, 1, 1, 32, 0, 0, 0, 0, {{16, 0.01}}},
    {"glm-4.1v-9b", "all", 40, ROTARY, "default", INTERLEAVED, 0, 64, 128,
     "TTTTTTTTHHHHHHHHHHHHWWWWWWWWWWWW", 1e4, 1, 1, 32, 0, 0, 0, 0, {{16, 0.01}}},
    {"command-r7b", "sliding_attention", 24, ROTARY, "default", INTERLEAVED, 0, 128, 128,
     NULL, 5e4, 1, 1, 64, 0, 0, 0, 0, {{0, 1}}},
    {"command-r7b", "full_attention", 8, "none", .warnings = 0},
    {"hunyuan-7b", "all", 32, ROTARY, "ntk", HALVES, 0, 128, 128,
     NULL, 1e4, 1, 1, 64, 0, 0, 0, 0, {{0, 1}}},
    {"bloom-7b1", "all", 30, "alibi", .warnings = 0},
    {"mpt-7b", "all", 32, "alibi", .warnings = 0},
    {"falcon-rw-1b", "all", 24, "alibi", .warnings = 0},
    {"gpt2", "all", 12, "learned", .warnings = 0},
    {"bert-base", "all", 12, "learned", .warnings = 0},
    {"t5-base", "all", 12, "t5", .warnings = 0},
};
/* clang-format on */
enum { N_MODELS = sizeof models / sizeof *models };

/* ---- the comparison ---- */

static posenc_config *read_model(const char *file) {
    char path[256];
    posenc_config *config = NULL;
    posenc_error error = {.message = ""};
    snprintf(path, sizeof path, "configs/%s.json", file);
    check(posenc_config_read(NULL, path, &config, &error) == POSENC_OK, "%s: %s", file, error.message);
    return config;
}

/* Layers of that type and scheme. */
static const posenc_config_layers *find_layers(const posenc_config *config, const expected *e) {
    const posenc_config_layers *layers;
    for (size_t i = 0; (layers = posenc_config_at(config, i)); i++)
        if (strcmp(layers->type, e->type) == 0 && strcmp(layers->scheme, e->scheme) == 0) return layers;
    check(false, "%s has no layers %s that are %s", e->file, e->type, e->scheme);
}

static void check_options(const expected *e, const posenc_config_layers *layers) {
    const posenc_rotary_options *o = &layers->rotary;
    check(strcmp(layers->family, e->family) == 0, "%s: %s", e->file, layers->family);
    check(o->pairing == e->pairing, "%s: pairing %d", e->file, (int)o->pairing);
    check(o->rotary_start == e->start && o->dim == e->width && o->head_dim == e->head_dim, "%s: %lld + %lld of %lld",
          e->file, (long long)o->rotary_start, (long long)o->dim, (long long)o->head_dim);
    check(o->base == e->base, "%s: base %g", e->file, o->base);
    check(!layers->latent_attention == (e->pairing != DEEPSEEK), "%s: latent", e->file);
}

static void check_close(const char *file, const char *what, double got, double right, double allowed) {
    check(fabs(got - right) <= allowed * fabs(right), "%s: %s %.17g, not %.17g", file, what, got, right);
}

static void check_axes(const expected *e, const posenc_rotary_info *info, const int64_t *axis) {
    check(info->axes == (e->axes ? 3 : 1), "%s: %lld axes", e->file, (long long)info->axes);
    check(!e->axes || strlen(e->axes) == (size_t)info->pairs, "%s: the test is wrong", e->file);
    for (int64_t i = 0; i < info->pairs; i++)
        check(axis[i] == (e->axes ? strchr("THW", e->axes[i]) - "THW" : 0), "%s: axis of pair %lld", e->file,
              (long long)i);
}

static void check_spectrum(const expected *e, const posenc_config_layers *layers) {
    static double omega[512];
    static int64_t axis[512];
    posenc_rotary_info info = {.size = sizeof info};
    posenc_plan *plan = NULL;
    posenc_error error = {.message = ""};
    check(posenc_rotary_create(NULL, &layers->rotary, &plan, &error) == POSENC_OK, "%s: %s", e->file, error.message);
    check(posenc_rotary_describe(plan, e->length, &info, omega, axis, &error) == POSENC_OK, "%s: %s", e->file,
          error.message);
    posenc_plan_destroy(plan);
    check(info.pairs == e->width / 2, "%s: %lld pairs", e->file, (long long)info.pairs);
    check_axes(e, &info, axis);
    check_close(e->file, "amplitude", info.amplitude, e->amplitude, 1e-7);
    check_close(e->file, "softmax", layers->latent_attention ? info.softmax_factor : 1, e->softmax, 1e-8);
    check(info.kept == e->kept && info.blended == e->blended && info.divided == e->divided, "%s: %lld %lld %lld",
          e->file, (long long)info.kept, (long long)info.blended, (long long)info.divided);
    for (int64_t i = 0; i < info.pairs; i++)
        check_close(e->file, "omega", omega[i], (double)equation(&layers->rotary, e->length, i), 4e-15);
    for (int i = 0; i < TYPED && e->typed[i].omega > 0; i++)
        check_close(e->file, "typed omega", omega[e->typed[i].pair], e->typed[i].omega, 5e-8);
}

static void published(void **state) {
    (void)state;
    for (int i = 0; i < N_MODELS; i++) {
        const expected *e = &models[i];
        posenc_config *config = read_model(e->file);
        const posenc_config_layers *layers = find_layers(config, e);
        int warnings = 0;
        while (posenc_config_warned(config, (size_t)warnings)) warnings++;
        check(warnings == e->warnings, "%s: %d warnings, first of %s", e->file, warnings,
              warnings ? posenc_config_warned(config, 0)->key : "none");
        check(layers->count == e->count, "%s: %lld layers", e->file, (long long)layers->count);
        check(!layers->family == !e->family, "%s: family %s", e->file, layers->family ? layers->family : "none");
        if (e->family) check_options(e, layers);
        if (e->family) check_spectrum(e, layers);
        posenc_config_destroy(config);
    }
}

/* Every kind of layers of every file stands in the table above. */
static void all_kinds(void **state) {
    (void)state;
    for (int i = 0; i < N_MODELS; i++) {
        posenc_config *config = read_model(models[i].file);
        size_t kinds = 0;
        for (const posenc_config_layers *layers; (layers = posenc_config_at(config, kinds)); kinds++) {
            int found = 0;
            for (int k = 0; k < N_MODELS; k++)
                found += strcmp(models[k].file, models[i].file) == 0 && strcmp(models[k].type, layers->type) == 0 &&
                         strcmp(models[k].scheme, layers->scheme) == 0;
            check(found > 0, "%s: %s, %s", models[i].file, layers->type, layers->scheme);
        }
        check(kinds > 0, "%s: no layers", models[i].file);
        posenc_config_destroy(config);
    }
}

/* omega'_i of llama3 with factor 8 as the ratio to omega_i, at 50 digits. */
static void llama_3_1_blend(void **state) {
    static const double ratios[] = {1.207483871, 1.553414629, 2.026313206, 2.694529688, 3.684252528, 5.257326589};
    posenc_config *config = read_model("llama-3.1-8b");
    posenc_rotary_info info = {.size = sizeof info};
    posenc_plan *plan = NULL;
    double omega[64];
    (void)state;
    assert_int_equal(posenc_rotary_create(NULL, &posenc_config_at(config, 0)->rotary, &plan, NULL), POSENC_OK);
    posenc_config_destroy(config); /* a plan has copied what it needs */
    assert_int_equal(posenc_rotary_describe(plan, 0, &info, omega, NULL, NULL), POSENC_OK);
    for (int i = 0; i < 6; i++)
        check_close("llama-3.1-8b", "ratio", pow(5e5, -2.0 * (29 + i) / 128) / omega[29 + i], ratios[i], 1e-9);
    posenc_plan_destroy(plan);
}

/* What a silent configuration means is what the options' defaults mean. */
static void defaults(void **state) {
    posenc_config *config = read_model("llama-2-7b");
    posenc_rotary_options o = posenc_config_at(config, 0)->rotary, d;
    (void)state;
    posenc_rotary_default(&d, sizeof d);
    assert_int_equal(o.size, d.size);
    d.head_dim = o.head_dim; /* what this file does say, or what follows from it */
    d.dim = o.dim;
    d.max_position_embeddings = o.max_position_embeddings;
    assert_int_equal(o.max_len, 4096);
    assert_int_equal(d.max_len, 4096);
    assert_true(o.pairing == d.pairing && o.axes == d.axes && o.arithmetic == d.arithmetic && o.scaling == d.scaling);
    assert_true(o.base == d.base && o.factor == d.factor && o.amplitude == d.amplitude && o.fraction == d.fraction);
    assert_true(o.beta_fast == d.beta_fast && o.beta_slow == d.beta_slow && o.truncate == d.truncate);
    assert_true(o.mscale == d.mscale && o.mscale_all_dim == d.mscale_all_dim);
    assert_true(o.attention_factor == d.attention_factor && o.original_length == d.original_length);
    assert_true(o.low_freq_factor == d.low_freq_factor && o.high_freq_factor == d.high_freq_factor);
    assert_true(o.sequence_length == d.sequence_length && o.rotary_start == d.rotary_start);
    assert_true(o.xpos_scale_base == d.xpos_scale_base && o.xpos_centre == d.xpos_centre);
    posenc_config_destroy(config);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(published),
        cmocka_unit_test(all_kinds),
        cmocka_unit_test(llama_3_1_blend),
        cmocka_unit_test(defaults),
    };
    return TEST_RUN(tests);
}
