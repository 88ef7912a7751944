/* What a configuration means where it says something twice, or not at all: warnings by key, what was taken, what was
 * assumed; and what is not to be warned of. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "config_bytes.h"
#include "support/test.h"

#define MODEL "{\"model_type\":\"llama\",\"head_dim\":64,\"num_hidden_layers\":2,\"max_position_embeddings\":4096,"
#define SCALED(rest) MODEL "\"rope_theta\":10000,\"rope_scaling\":{" rest "}}"
#define YARN(rest) SCALED("\"type\":\"yarn\",\"factor\":4,\"original_max_position_embeddings\":1024" rest)

static const struct {
    const char *text, *key, *says; /* key NULL: no warning at all */
} meanings[] = {
    /* nothing to warn of */
    {YARN(""), NULL, NULL},
    {YARN(",\"mscale\":1.0,\"mscale_all_dim\":1.0,\"beta_fast\":32,\"beta_slow\":1,\"truncate\":true"), NULL, NULL},
    {YARN(",\"finetuned\":true,\"attention_factor\":1.1"), NULL, NULL},
    {YARN(",\"short_factor\":null,\"rope_type\":\"yarn\",\"rope_theta\":1e4"), NULL, NULL},
    {MODEL "\"rope_scaling\":null,\"rope_theta\":1e4}", NULL, NULL},
    {MODEL "\"rope_parameters\":{\"rope_type\":\"default\",\"rope_theta\":1e6},\"rope_theta\":1e6}", NULL, NULL},
    {MODEL "\"rope_parameters\":{\"rope_theta\":1e6},\"rope_scaling\":{\"rope_theta\":1e6}}", NULL, NULL},
    {"{\"model_type\":\"gpt_neox\",\"head_dim\":64,\"rotary_pct\":0.25,\"partial_rotary_factor\":0.25,"
     "\"rotary_emb_base\":10000,\"rope_theta\":10000}",
     NULL, NULL},
    {"{\"model_type\":\"gptj\",\"head_dim\":256,\"rotary_dim\":64,\"partial_rotary_factor\":0.25}", NULL, NULL},
    {SCALED("\"type\":\"mrope\",\"rope_type\":\"default\",\"mrope_section\":[8,12,12]"), NULL, NULL},

    {"{\"model_type\":\"llava\",\"rope_theta\":1e4,\"text_config\":{\"model_type\":\"llama\","
     "\"head_dim\":64,\"rope_theta\":1e4}}",
     NULL, NULL},
    {"{\"model_type\":\"yi\",\"rope_theta\":1e4,\"hidden_size\":64,\"num_attention_heads\":2,"
     "\"rotary_pct\":null,\"rope_scaling\":null}",
     NULL, NULL},
    {"{\"model_type\":\"dbrx\",\"head_dim\":64,\"attn_config\":{\"kv_n_heads\":8}}", NULL, NULL},
    {"{\"model_type\":\"dbrx\",\"head_dim\":64,\"attn_config\":3}", NULL, NULL},
    {"{\"model_type\":\"baichuan\",\"hidden_size\":4096,\"num_attention_heads\":32}", NULL, NULL},
    {"{\"model_type\":\"mpt\",\"d_model\":64,\"n_heads\":2,\"attn_config\":{\"rope\":true,"
     "\"rope_theta\":1e4}}",
     NULL, NULL},
    {"{\"model_type\":\"llama\",\"head_dim\":64,\"layer_types\":[]}", NULL, NULL},
    {"{\"model_type\":\"gemma3\",\"text_config\":{\"model_type\":\"new_text\",\"num_hidden_layers\":6,"
     "\"rope_theta\":1e6}}",
     NULL, NULL},
    {"{\"model_type\":\"a\",\"llm_config\":{\"language_config\":{\"thinker_config\":{\"text_config\":{}},"
     "\"head_dim\":2,\"rope_theta\":2}}}",
     NULL, NULL},
    {"{\"model_type\":\"phi3\",\"head_dim\":4,\"rope_theta\":1e4,\"original_max_position_embeddings\":8,"
     "\"rope_scaling\":{\"type\":\"su\",\"short_factor\":[1,1],\"long_factor\":[1,1],"
     "\"attention_factor\":1.5}}",
     NULL, NULL},
    {"{\"model_type\":\"phi3\",\"head_dim\":4,\"max_position_embeddings\":16,"
     "\"original_max_position_embeddings\":8,\"rope_scaling\":{\"type\":\"longrope\",\"short_factor\":[1,"
     "1],\"long_factor\":[1,1],\"original_max_position_embeddings\":8}}",
     NULL, NULL},
    {"{\"model_type\":\"llama\",\"head_dim\":64,\"rope_scaling\":{\"type\":\"ntk\",\"alpha\":2}}", NULL, NULL},
    {"{\"model_type\":\"llama\",\"head_dim\":64,\"rope_scaling\":{\"type\":\"llama3\",\"factor\":2,"
     "\"low_freq_factor\":2,\"original_max_position_embeddings\":8}}",
     NULL, NULL},
    {"{\"model_type\":\"llama\",\"head_dim\":64,\"max_position_embeddings\":8,"
     "\"rope_scaling\":{\"type\":\"dynamic\",\"factor\":2,\"original_max_position_embeddings\":8}}",
     NULL, NULL},
    {"{\"model_type\":\"deepseek_v3\",\"qk_rope_head_dim\":64,\"qk_nope_head_dim\":64,"
     "\"partial_rotary_factor\":0.5,\"rope_interleave\":true}",
     NULL, NULL},
    {"{\"model_type\":\"deepseek_v3\",\"qk_rope_head_dim\":0,\"head_dim\":64}", NULL, NULL},
    {"{\"model_type\":\"olmo3\",\"head_dim\":64,\"layer_types\":[\"full_attention\"],"
     "\"rope_parameters\":{\"full_attention\":{\"rope_theta\":1e4},\"sliding_attention\":null}}",
     NULL, NULL},

    {YARN(",\"max_position_embeddings\":4096"), NULL, NULL},

    /* keys that nobody knows */
    {YARN(",\"beta_fats\":64"), "rope_scaling.beta_fats", "not known"},
    {YARN(",\"attn_factor\":1.2"), "rope_scaling.attn_factor", "not known"},
    {YARN(",\"extra\":{\"factor\":3}"), "rope_scaling.extra", "not known"},
    {MODEL "\"rope_tehta\":1e6}", "rope_tehta", "not known"},
    {MODEL "\"rotary_percent\":1}", "rotary_percent", "not known"},
    {MODEL "\"rope_th\\u0065t\":1e6}", "rope_thet", "not known"},
    {MODEL "\"rope_\\n\":1}", "rope_\\x0a", "not known"},

    /* keys that are known and do nothing here */
    {SCALED("\"type\":\"linear\",\"factor\":2,\"beta_fast\":32"), "rope_scaling.beta_fast", "linear does not read"},
    {SCALED("\"type\":\"linear\",\"factor\":2,\"original_max_position_embeddings\":7"),
     "rope_scaling.original_max_position_embeddings", "linear does not read"},
    {SCALED("\"factor\":2"), "rope_scaling.factor", "default does not read"},
    {SCALED("\"type\":\"default\",\"attention_factor\":2"), "rope_scaling.attention_factor", "default does not"},
    {SCALED("\"type\":\"llama3\",\"factor\":2,\"original_max_position_embeddings\":7,\"low_freq_factor\":1,"
            "\"high_freq_factor\":4,\"mscale\":1"),
     "rope_scaling.mscale", "llama3 does not read"},
    {MODEL "\"rope_local_base_freq\":1e4}", "rope_local_base_freq", "Nothing"},
    {MODEL "\"rotary_emb_scale_base\":512}", "rotary_emb_scale_base", "Nothing"},
    {SCALED("\"type\":\"default\",\"mrope_interleaved\":true"), "rope_scaling.mrope_interleaved", "no mrope_section"},

    /* one thing said twice, in two ways */
    {YARN(",\"attention_factor\":1.2,\"mscale\":1.0"), "rope_scaling.attention_factor", "beside mscale"},
    {YARN(",\"attention_factor\":1.2,\"mscale_all_dim\":1.0"), "rope_scaling.attention_factor",
     "beside mscale_all_dim"},
    {YARN(",\"mscale\":0.7"), "rope_scaling.mscale", "Without mscale_all_dim"},
    {SCALED("\"type\":\"yarn\",\"factor\":8,\"original_max_position_embeddings\":1024"), "rope_scaling.factor",
     "8 is not max_position_embeddings / original_max_position_embeddings, 4096 / 1024 = 4; 8 was taken"},
    {SCALED("\"rope_type\":\"linear\",\"type\":\"yarn\",\"factor\":4"), "rope_scaling.type",
     "differs from rope_type, linear"},
    {YARN(",\"rope_theta\":5e5"), "rope_theta", "It says 10000, and rope_scaling.rope_theta 500000, which was taken"},
    {MODEL "\"original_max_position_embeddings\":2048,\"rope_theta\":1e4,\"rope_scaling\":{\"type\":\"yarn\","
           "\"factor\":4,\"original_max_position_embeddings\":1024}}",
     "original_max_position_embeddings", "It says 2048, and rope_scaling"},
    {MODEL "\"rope_parameters\":{\"rope_theta\":1e6},\"rope_scaling\":{\"type\":\"linear\",\"factor\":2}}",
     "rope_scaling", "differs from rope_parameters"},
    {"{\"model_type\":\"gpt_neox\",\"head_dim\":64,\"rotary_pct\":0.25,\"partial_rotary_factor\":0.5}", "rotary_pct",
     "It says 0.25, and partial_rotary_factor says 0.5"},
    {"{\"model_type\":\"gptj\",\"head_dim\":256,\"rotary_dim\":64,\"partial_rotary_factor\":0.5}",
     "partial_rotary_factor", "0.5 of 256 channels is not rotary_dim, 64"},
    {"{\"model_type\":\"phi\",\"head_dim\":64,\"partial_rotary_factor\":0.5,\"rope_parameters\":{"
     "\"partial_rotary_factor\":0.25,\"rope_theta\":1e4}}",
     "partial_rotary_factor", "rope_parameters.partial_rotary_factor 0.25, which was taken"},
    {"{\"model_type\":\"deepseek_v3\",\"qk_nope_head_dim\":128,\"qk_rope_head_dim\":64,\"partial_rotary_factor\":0.5}",
     "partial_rotary_factor", "0.5 of 192 channels is not qk_rope_head_dim, 64"},
    {"{\"model_type\":\"qwen3_vl_text\",\"head_dim\":128,\"rope_scaling\":{\"rope_type\":\"default\","
     "\"mrope_section\":[24,20,20],\"mrope_interleaved\":false}}",
     "rope_scaling.mrope_interleaved", "interleaves sections whatever"},
    {SCALED("\"type\":\"dynamic\",\"factor\":2,\"original_max_position_embeddings\":1024"),
     "rope_scaling.original_max_position_embeddings", "is not max_position_embeddings, 4096"},
    {SCALED("\"type\":\"dynamic\",\"alpha\":1000,\"factor\":2"), "rope_scaling.factor", "beside alpha"},
    {"{\"model_type\":\"llava\",\"rope_theta\":5e5,\"text_config\":{\"model_type\":\"llama\",\"head_dim\":64,"
     "\"rope_theta\":1e4}}",
     "rope_theta", "Nothing in this configuration reads it"},

    {"{\"model_type\":\"qwen\",\"kv_channels\":128,\"rotary_emb_base\":1e4,\"use_dynamic_ntk\":true}",
     "use_dynamic_ntk", "not described"},

    {"{\"model_type\":\"llama\",\"head_dim\":64,\"rope_parameters\":{\"rope_theta\":1e6},"
     "\"rope_scaling\":{\"rope_theta\":2e6}}",
     "rope_scaling", "differs from rope_parameters"},
    {"{\"model_type\":\"llama\",\"head_dim\":64,\"rope_scaling\":{\"rope_type\":\"linear\","
     "\"type\":\"spiral\",\"factor\":2}}",
     "rope_scaling.type", "differs from rope_type"},
    {"{\"model_type\":\"llama\",\"head_dim\":64,\"layer_types\":[\"full_attention\",\"mamba\"],"
     "\"rope_parameters\":{\"full_attention\":{\"rope_theta\":1e4},\"mamba\":{\"rope_theta\":1e4}}}",
     "rope_parameters.mamba", "No layer that rotates"},

    {YARN(",\"max_position_embeddings\":8192"), "rope_scaling.max_position_embeddings",
     "It says 8192, and the model has 4096"},

    /* layers */
    {"{\"model_type\":\"olmo3\",\"head_dim\":64,\"layer_types\":[\"factor\",\"full_attention\"],\"rope_parameters\":{"
     "\"full_attention\":{}}}",
     "rope_parameters.factor", "nothing is said of them"},
    {"{\"model_type\":\"llama\",\"head_dim\":64,\"num_hidden_layers\":3,\"layer_types\":[\"full_attention\"]}",
     "layer_types", "lists 1 layers, and the model has 3"},
    {"{\"model_type\":\"olmo3\",\"head_dim\":64,\"layer_types\":[\"full_attention\",\"sliding_attention\"],"
     "\"rope_parameters\":{\"full_attention\":{\"rope_type\":\"default\"}}}",
     "rope_parameters.sliding_attention", "nothing is said of them"},
    {"{\"model_type\":\"olmo3\",\"head_dim\":64,\"layer_types\":[\"full_attention\"],\"rope_parameters\":{"
     "\"full_attention\":{},\"sliding_attention\":{}}}",
     "rope_parameters.sliding_attention", "No layer that rotates is of this type"},
    {"{\"model_type\":\"olmo3\",\"head_dim\":64,\"layer_types\":[\"full_attention\"],\"rope_parameters\":{"
     "\"full_attention\":{},\"factor\":2}}",
     "rope_parameters.factor", "beside dictionaries"},
    {"{\"model_type\":\"olmo3\",\"head_dim\":64,\"layer_types\":[\"full_attention\"],\"rope_parameters\":{"
     "\"full_attention\":{\"rope_type\":\"linear\",\"factor\":2,\"fator\":3}}}",
     "rope_parameters.full_attention.fator", "not known"},

    /* schemes */
    {"{\"model_type\":\"gpt2\",\"rope_theta\":1e4}", "rope_theta", "scheme is learned, which has no rotation"},
    {"{\"model_type\":\"nobody_knows\"}", "model_type", "This model is not known"},
    {"{\"model_type\":\"bert\",\"position_embedding_type\":\"spiral\"}", "position_embedding_type", "not known"},
};

static void warnings(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof meanings / sizeof *meanings; i++) {
        posenc_config *config = must_config(meanings[i].text);
        const posenc_config_warning *w = posenc_config_warned(config, 0);
        if (!meanings[i].key) {
            check(!w, "%s: %s: %s", meanings[i].text, w->key, w->sentence);
        } else {
            check(w != NULL, "%s: no warning", meanings[i].text);
            check(strcmp(w->key, meanings[i].key) == 0, "%s: %s: %s", meanings[i].text, w->key, w->sentence);
            check(strstr(w->sentence, meanings[i].says), "%s: %s: %s", meanings[i].text, w->key, w->sentence);
            check(!posenc_config_warned(config, 1), "%s: and %s: %s", meanings[i].text,
                  posenc_config_warned(config, 1)->key, posenc_config_warned(config, 1)->sentence);
        }
        posenc_config_destroy(config);
    }
}

/* One value of the options, where it matters which of two was taken. */
typedef struct taken {
    const char *text;
    double base, factor, attention_factor;
    int64_t dim, original_length;
} taken;

static void what_was_taken(void **state) {
    static const taken cases[] = {
        {YARN(",\"attention_factor\":1.2,\"mscale\":1.0"), 1e4, 4, 1.2, 64, 1024},
        {YARN(",\"rope_theta\":5e5"), 5e5, 4, 0, 64, 1024},
        {SCALED("\"type\":\"yarn\",\"factor\":8,\"original_max_position_embeddings\":1024"), 1e4, 8, 0, 64, 1024},
        {SCALED("\"type\":\"yarn\",\"original_max_position_embeddings\":1024"), 1e4, 4, 0, 64, 1024},
        {SCALED("\"type\":\"yarn\",\"factor\":2"), 1e4, 2, 0, 64, 4096},
        {SCALED("\"type\":\"dynamic\",\"factor\":2"), 1e4, 2, 0, 64, 4096},
        {SCALED("\"type\":\"ntk\",\"factor\":3"), 1e4, 3, 0, 64, 0},
        {"{\"model_type\":\"llama\",\"head_dim\":64,\"rope_scaling\":{\"type\":\"yarn\",\"max_position_embeddings\":64,"
         "\"original_max_position_embeddings\":16}}",
         1e4, 4, 0, 64, 16},
        {SCALED("\"type\":\"dynamic\",\"alpha\":1000"), 1e4, 1000, 0, 64, 0},
        {MODEL "\"partial_rotary_factor\":0.5}", 1e4, 1, 0, 32, 0},
        {MODEL "\"rope_ratio\":500}", 5e6, 1, 0, 64, 0},
        {"{\"model_type\":\"dbrx\",\"head_dim\":64,\"attn_config\":{\"rope_theta\":5e5}}", 5e5, 1, 0, 64, 0},
        {"{\"model_type\":\"chatglm\",\"kv_channels\":128,\"rope_ratio\":500}", 5e6, 1, 0, 64, 0},
        {"{\"model_type\":\"gptj\",\"head_dim\":128}", 1e4, 1, 0, 64, 0},
        {"{\"model_type\":\"gptj\",\"head_dim\":128,\"rotary_dim\":null}", 1e4, 1, 0, 128, 0},
        {"{\"model_type\":\"persimmon\",\"head_dim\":64}", 25000, 1, 0, 32, 0},
        {MODEL "\"max_position_embeddings2\":1,\"rope_theta\":1e4,\"rope_scaling\":null}", 1e4, 1, 0, 64, 0},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        posenc_config *config = must_config(cases[i].text);
        const posenc_rotary_options *o = &posenc_config_at(config, 0)->rotary;
        check(o->base == cases[i].base && o->factor == cases[i].factor, "%s: base %g, factor %g", cases[i].text,
              o->base, o->factor);
        check(o->attention_factor == cases[i].attention_factor, "%s: %g", cases[i].text, o->attention_factor);
        check(o->dim == cases[i].dim && o->original_length == cases[i].original_length, "%s: dim %lld, length %lld",
              cases[i].text, (long long)o->dim, (long long)o->original_length);
        posenc_config_destroy(config);
    }
}

static void assumed(void **state) {
    static const struct {
        const char *text, *says;
    } cases[] = {
        {"{\"model_type\":\"nobody_knows\",\"head_dim\":64,\"rope_theta\":1e4}", "pairs are taken for halves"},
        {"{\"model_type\":\"llama\",\"hidden_size\":64,\"num_attention_heads\":4}",
         "head_dim is not given: 64 / 4 = 16."},
        {"{\"model_type\":\"gemma\"}", "head_dim is not given: 256, as in its model."},
        {"{\"model_type\":\"gpt_oss\"}", "The base of the rotation is not given: 150000, as in its model."},
        {"{\"model_type\":\"phi\",\"head_dim\":64}", "As in its model, 32 of 64 channels of a head turn."},
        {SCALED("\"type\":\"yarn\",\"factor\":2"), "original_max_position_embeddings is not given"},
        {SCALED("\"type\":\"yarn\",\"original_max_position_embeddings\":1024"), "factor is not given"},
        {SCALED("\"type\":\"llama3\",\"factor\":2,\"original_max_position_embeddings\":7"), "low_freq_factor and"},
        {SCALED("\"type\":\"dynamic\",\"alpha\":1000"), "alpha is given"},
        {YARN(",\"llama_4_scaling_beta\":0.1"), "llama_4_scaling_beta scales queries"},
        {"{\"model_type\":\"smollm3\",\"head_dim\":64,\"num_hidden_layers\":4}", "one layer in 4 does not rotate"},
        {"{\"model_type\":\"gemma4_text\",\"num_hidden_layers\":6}", "Full attention rotates proportionally"},
        {"{\"model_type\":\"baichuan\",\"num_attention_heads\":40,\"hidden_size\":5120}", "takes ALiBi"},
        {"{\"model_type\":\"llava\",\"text_config\":{\"model_type\":\"llama\"}}", "text_config is described"},
        {"{\"model_type\":\"qwen3_vl_text\",\"head_dim\":128,\"rope_scaling\":{\"mrope_section\":[24,20,20]}}",
         "Sections of axes are interleaved, as in its model"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        posenc_config *config = must_config(cases[i].text);
        check(assumes(config, cases[i].says), "%s: %s", cases[i].text, posenc_config_assumed(config, 0));
        posenc_config_destroy(config);
    }
}

/* Kinds of layers: "TYPE COUNT SCHEME; ..." */
static void layers(void **state) {
    static const struct {
        const char *text, *kinds;
    } cases[] = {
        {"{\"model_type\":\"llama\",\"head_dim\":64}", "all 32 rotary; "},
        {"{\"model_type\":\"x\",\"head_dim\":64,\"rope_theta\":1}", "all 0 rotary; "},
        {"{\"model_type\":\"gemma3_text\",\"num_hidden_layers\":5}", "sliding_attention 5 rotary; "},
        {"{\"model_type\":\"gemma3_text\",\"num_hidden_layers\":12}",
         "sliding_attention 10 rotary; full_attention 2 rotary; "},
        {"{\"model_type\":\"gemma4_text\",\"num_hidden_layers\":6}",
         "sliding_attention 5 rotary; full_attention 1 rotary; "},
        {"{\"model_type\":\"exaone4\",\"head_dim\":64,\"num_hidden_layers\":4,\"sliding_window_pattern\":\"LLLG\"}",
         "sliding_attention 3 rotary; full_attention 1 none; "},
        {"{\"model_type\":\"exaone4\",\"head_dim\":64,\"num_hidden_layers\":4}", "all 4 rotary; "},
        {"{\"model_type\":\"cohere2\",\"head_dim\":64,\"num_hidden_layers\":8}",
         "sliding_attention 6 rotary; full_attention 2 none; "},
        {"{\"model_type\":\"smollm3\",\"head_dim\":64,\"num_hidden_layers\":4,\"no_rope_layers\":[1,1,0,1]}",
         "all 3 rotary; all 1 none; "},
        {"{\"model_type\":\"smollm3\",\"head_dim\":64,\"num_hidden_layers\":4,\"no_rope_layer_interval\":2}",
         "all 2 rotary; all 2 none; "},
        {"{\"model_type\":\"modernbert\",\"head_dim\":64,\"num_hidden_layers\":7,\"global_attn_every_n_layers\":3}",
         "full_attention 3 rotary; sliding_attention 4 rotary; "},
        {"{\"model_type\":\"qwen3_next\",\"num_hidden_layers\":8,\"full_attention_interval\":4}",
         "linear_attention 6 none; full_attention 2 rotary; "},
        {"{\"model_type\":\"olmo3\",\"head_dim\":64,\"layer_types\":[\"full_attention\",\"sliding_attention\"],"
         "\"rope_parameters\":{\"full_attention\":null,\"sliding_attention\":{\"rope_theta\":1e4}}}",
         "full_attention 1 none; sliding_attention 1 rotary; "},
        {"{\"model_type\":\"olmo3\",\"head_dim\":64,\"rope_parameters\":{\"full_attention\":{\"rope_theta\":1e4},"
         "\"sliding_attention\":{\"rope_theta\":1e4}}}",
         "full_attention 0 rotary; sliding_attention 0 rotary; "},
        {"{\"model_type\":\"granitemoehybrid\",\"head_dim\":64,\"position_embedding_type\":\"nope\","
         "\"layer_types\":[\"mamba\",\"attention\"]}",
         "mamba 1 none; attention 1 none; "},
        {"{\"model_type\":\"esm\",\"position_embedding_type\":\"rotary\",\"head_dim\":64,\"num_hidden_layers\":2}",
         "all 2 rotary; "},
        {"{\"model_type\":\"bert\",\"position_embedding_type\":\"relative_key\",\"num_hidden_layers\":2}",
         "all 2 shaw; "},
        {"{\"model_type\":\"falcon\",\"alibi\":false,\"head_dim\":64,\"num_hidden_layers\":2}", "all 2 rotary; "},
        {"{\"model_type\":\"mpt\",\"n_layers\":2,\"attn_config\":{\"alibi\":false}}", "all 2 learned; "},
        {"{\"model_type\":\"marian\",\"num_hidden_layers\":2}", "all 2 sinusoidal; "},
        {"{\"model_type\":\"xlnet\",\"n_layer\":2}", "all 2 transformer-xl; "},
        {"{\"model_type\":\"mamba\",\"num_hidden_layers\":2}", "all 2 none; "},
        {"{\"model_type\":\"qwen2_5_omni\",\"thinker_config\":{\"text_config\":{\"model_type\":\"qwen2_5_omni_text\","
         "\"head_dim\":128,\"num_hidden_layers\":3}}}",
         "all 3 rotary; "},
        {"{\"model_type\":\"llama\",\"head_dim\":64,\"layer_types\":[\"\\u001b[31m\"]}", "\\x1b[31m 1 rotary; "},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        posenc_config *config = must_config(cases[i].text);
        char kinds[512] = "";
        const posenc_config_layers *l;
        for (size_t k = 0; (l = posenc_config_at(config, k)); k++)
            sprintf(kinds + strlen(kinds), "%s %lld %s; ", l->type, (long long)l->count, l->scheme);
        check(strcmp(kinds, cases[i].kinds) == 0, "%s: %s", cases[i].text, kinds);
        posenc_config_destroy(config);
    }
}

/* mrope_interleaved is about axes; which channels are a pair is another matter. */
static void interleaved_is_no_pairing(void **state) {
    static const char *const flags[] = {"", ",\"mrope_interleaved\":false", ",\"mrope_interleaved\":true"};
    char text[512];
    (void)state;
    for (int i = 0; i < 3; i++) {
        snprintf(text, sizeof text, SCALED("\"type\":\"mrope\",\"mrope_section\":[8,12,12]%s"), flags[i]);
        posenc_config *config = must_config(text);
        const posenc_rotary_options *o = &posenc_config_at(config, 0)->rotary;
        assert_int_equal(o->pairing, POSENC_PAIRING_HALVES);
        assert_int_equal(o->axes, i == 2 ? POSENC_AXES_INTERLEAVED : POSENC_AXES_SECTIONED);
        posenc_config_destroy(config);
    }
}

static void pairings(void **state) {
    static const struct {
        const char *text;
        posenc_pairing pairing;
    } cases[] = {
        {"{\"model_type\":\"codegen\",\"head_dim\":64}", POSENC_PAIRING_INTERLEAVED},
        {"{\"model_type\":\"cohere\",\"head_dim\":64}", POSENC_PAIRING_INTERLEAVED},
        {"{\"model_type\":\"glm4_moe\",\"head_dim\":64}", POSENC_PAIRING_HALVES},
        {"{\"model_type\":\"deepseek_v3\",\"qk_rope_head_dim\":64}", POSENC_PAIRING_INTERLEAVED_IN_HALVES_OUT},
        {"{\"model_type\":\"deepseek_v3\",\"qk_rope_head_dim\":64,\"rope_interleave\":false}", POSENC_PAIRING_HALVES},
        {"{\"model_type\":\"nomic_bert\",\"head_dim\":64,\"rotary_emb_interleaved\":true}", POSENC_PAIRING_INTERLEAVED},
        {"{\"model_type\":\"nomic_bert\",\"head_dim\":64,\"rotary_emb_interleaved\":false}", POSENC_PAIRING_HALVES},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        posenc_config *config = must_config(cases[i].text);
        check(posenc_config_at(config, 0)->rotary.pairing == cases[i].pairing, "%s", cases[i].text);
        posenc_config_destroy(config);
    }
}

/* Phi-3.5-MoE names its amplitude twice; a context that shrinks has none; more lists. */
static void longrope(void **state) {
    static const struct {
        const char *rest, *key;
        double attention_factor, factor;
    } cases[] = {
        {"\"type\":\"longrope\",\"short_mscale\":1.25,\"long_mscale\":1.25,", NULL, 1.25, 0},
        {"\"type\":\"longrope\",\"short_mscale\":1.25,\"long_mscale\":1.5,", "rope_scaling.long_mscale", 1.25, 0},
        {"\"type\":\"su\",\"attention_factor\":1.1,\"short_mscale\":1.25,\"long_mscale\":1.25,",
         "rope_scaling.long_mscale", 1.1, 0},
        {"\"type\":\"longrope\",\"factor\":4.0,\"original_max_position_embeddings\":1024,", NULL, 0, 4},
        {"\"type\":\"longrope\",\"factor\":5.0,\"original_max_position_embeddings\":1024,", "rope_scaling.factor", 0,
         5},
        {"\"type\":\"longrope\",\"original_max_position_embeddings\":4114,",
         "rope_scaling.original_max_position_embeddings", 0, 1},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[512];
        snprintf(text, sizeof text,
                 "{\"model_type\":\"phimoe\",\"head_dim\":4,\"max_position_embeddings\":4096,\"rope_theta\":1e4,"
                 "\"rope_scaling\":{%s\"short_factor\":[1,1.5],\"long_factor\":[2 , 4e0]}}",
                 cases[i].rest);
        posenc_config *config = must_config(text);
        const posenc_rotary_options *o = &posenc_config_at(config, 0)->rotary;
        check(o->attention_factor == cases[i].attention_factor && o->factor == cases[i].factor, "%s: %g %g", text,
              o->attention_factor, o->factor);
        assert_true(o->n_long_factor == 2 && o->long_factor[1] == 4 && o->short_factor[1] == 1.5);
        check(!posenc_config_warned(config, 0) == !cases[i].key, "%s", text);
        check(!cases[i].key || warning_of(config, cases[i].key), "%s: %s", text, posenc_config_warned(config, 0)->key);
        posenc_config_destroy(config);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(warnings),
        cmocka_unit_test(what_was_taken),
        cmocka_unit_test(assumed),
        cmocka_unit_test(layers),
        cmocka_unit_test(interleaved_is_no_pairing),
        cmocka_unit_test(pairings),
        cmocka_unit_test(longrope),
    };
    return TEST_RUN(tests);
}
