/* What no configuration can mean: the key is named, the byte of its value too, and nothing is made. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "config_bytes.h"
#include "formats/config.h"
#include "marked.h"

/* Eight heads of 64 channels; what follows is the rest of the object. */
#define MODEL "{\"model_type\":\"llama\",\"head_dim\":64,\"num_hidden_layers\":2,"
#define LONG MODEL "\"max_position_embeddings\":4096,"
#define SCALED(rest) LONG "\"rope_theta\":10000,\"rope_scaling\":{" rest "}}"

static const struct {
    const char *marked, *says;
} refused[] = {
    /* not a configuration */
    {"^", "a value, got the end"},
    {"^[]", "an object {...}, got another value"},
    {" ^1", "an object {...}, got another value"},
    {"{\"a\":nul^}", "true, false or null"},
    {"{}^x", "blanks up to the end"},
    {"^{}", "model_type: expected the type of a model, or keys about positions, got neither"},
    {"^{\"hidden_size\":64}", "model_type: expected the type of a model"},
    {"{\"model_type\":\"a^\\u0000\"}", "text without NUL"},
    {"{\"a^\\ud800\":1}", "both halves"},
    {"^\xEF\xBB\xBF{}", "a value, got \"\\xef\""},
    {"{\"model_type\":\"llama\",\"hidden_size\":^99999999999999999999}", "at most 2^63-1"},

    /* types */
    {"{\"model_type\":^7}", "model_type: expected a text, got 7"},
    {MODEL "\"rope_theta\":^\"10000\"}", "rope_theta: expected a number, got \"10000\""},
    {MODEL "\"rope_theta\":^true}", "rope_theta: expected a number, got true"},
    {MODEL "\"rope_theta\":^[1]}", "rope_theta: expected a number, got [1]"},
    {MODEL "\"rope_scaling\":^[1]}", "rope_scaling: expected an object {...}, got [1]"},
    {MODEL "\"rope_scaling\":^\"yarn\"}", "rope_scaling: expected an object"},
    {MODEL
     "\"layer_types\":[\"sliding_attention\"],\"rope_parameters\":{\"full_attention\":{},\"sliding_attention\":^3}}",
     "got 3"},
    {MODEL "\"max_position_embeddings\":^4096.5}", "a whole number of 1..1099511627776, got 4096.5"},
    {MODEL "\"max_position_embeddings\":^-1}", "a whole number of 1.."},
    {MODEL "\"layer_types\":^[1,2]}", "layer_types: expected a list of texts, got [1,2]"},
    {MODEL "\"layer_types\":^\"all\"}", "layer_types: expected a list of texts"},
    {"{\"model_type\":\"llama\",\"head_dim\":^\"64\"}", "head_dim: expected a number"},
    {"{\"model_type\":\"llama\",\"head_dim\":^0}", "head_dim: expected a whole number of 1..16777216, got 0"},
    {"{\"model_type\":\"llama\",\"head_dim\":^16777218}", "got 16777218"},
    {"{\"model_type\":\"llama\",\"num_hidden_layers\":^1000000000}", "a whole number of 0..65536"},
    {SCALED("\"rope_type\":null,\"type\":^3"), "type: expected a text"},
    {SCALED("\"type\":\"yarn\",\"factor\":4,\"original_max_position_embeddings\":1024,\"truncate\":^0"),
     "truncate: expected true or false, got 0"},
    {SCALED("\"type\":\"linear\",\"factor\":^{}"), "rope_scaling.factor: expected a number, got {}"},
    {SCALED("\"type\":\"longrope\",\"short_factor\":^[1,\"2\"],\"long_factor\":[]"), "a list of numbers"},
    {SCALED("\"type\":\"longrope\",\"short_factor\":^[1,[2]],\"long_factor\":[]"), "a list of numbers"},
    {MODEL "\"rope_theta\":^1."
           "0000000000000000000000000000000000000000000000000000000000000000000000}",
     "a finite number of at most 63 letters"},

    {"{\"model_type\":\"bert\",\"position_embedding_type\":^1}", "position_embedding_type: expected a text, got 1"},
    {"{\"model_type\":\"chatglm\",\"kv_channels\":64,\"rope_ratio\":^\"500\"}", "rope_ratio: expected a number"},
    {"{\"model_type\":\"chatglm\",\"kv_channels\":64,\"rope_ratio\":^0}", "rope_ratio: expected a base"},
    {"{\"model_type\":\"dbrx\",\"head_dim\":64,\"attn_config\":{\"rope_theta\":^[]}}",
     "attn_config.rope_theta: expected a"},
    {"{\"model_type\":\"dbrx\",\"head_dim\":64,\"attn_config\":{\"rope_theta\":^0}}",
     "attn_config.rope_theta: expected a"},
    {"{\"model_type\":\"mpt\",\"attn_config\":{\"alibi\":^1}}", "attn_config.alibi: expected true or false"},
    {"{\"model_type\":\"falcon\",\"alibi\":^\"yes\"}", "alibi: expected true or false"},
    {"{\"model_type\":\"exaone4\",\"head_dim\":64,\"sliding_window_pattern\":^\"\"}", "expected letters L and G"},

    /* widths */
    {"{\"model_type\":\"llama\",\"head_dim\":^65}", "an even width of rotated channels, at most 65, got 65"},
    {"{\"model_type\":\"phi\",\"head_dim\":4,\"partial_rotary_factor\":^0.75}", "at most 4, got 3"},
    {"{\"model_type\":\"gptj\",\"head_dim\":64,\"rotary_dim\":^128}", "rotary_dim: expected an even width"},
    {"{\"model_type\":\"gptj\",\"head_dim\":64,\"rotary_dim\":^33}", "got 33"},
    {"{\"model_type\":\"gpt_neox\",\"head_dim\":64,\"rotary_pct\":^0}", "a part of the head, more than 0"},
    {"{\"model_type\":\"gpt_neox\",\"head_dim\":64,\"rotary_pct\":^1e22}", "at most 1, got 1e+22"},
    {"{\"model_type\":\"gpt_neox\",\"head_dim\":64,\"rotary_pct\":^1.5}", "at most 1, got 1.5"},
    {"{\"model_type\":\"deepseek_v3\",\"qk_nope_head_dim\":128,\"qk_rope_head_dim\":^63}", "got 63"},
    {"{\"model_type\":\"qwen2\",\"hidden_size\":^100,\"num_attention_heads\":3}", "a multiple of the 3 heads, got 100"},
    {"^{\"model_type\":\"phi3\"}", "head_dim: expected it, or hidden_size and num_attention_heads, got neither"},

    /* families */
    {SCALED("\"type\":^\"yarm\",\"factor\":4"), "rope_scaling.type: expected default, linear"},
    {SCALED("\"rope_type\":^\"yarm\",\"type\":\"yarn\",\"factor\":4"), "rope_scaling.rope_type: expected default"},
    {MODEL "\"rope_scaling\":^{\"type\":\"linear\"}}", "rope_scaling.factor: expected a number, got none"},
    {SCALED("\"type\":\"linear\",\"factor\":^0"), "expected more than 0, got 0"},
    {SCALED("\"type\":\"linear\",\"factor\":^-2"), "expected more than 0, got -2"},
    {MODEL "\"rope_scaling\":^{\"type\":\"yarn\",\"factor\":4}}", "original_max_position_embeddings: expected it, or"},
    {MODEL "\"rope_scaling\":^{\"type\":\"dynamic\",\"factor\":4}}", "original_max_position_embeddings"},
    {MODEL "\"rope_theta\":5e5,\"rope_scaling\":^{\"type\":\"llama3\",\"factor\":8,\"low_freq_factor\":1,"
           "\"high_freq_factor\":4}}",
     "rope_scaling.original_max_position_embeddings: expected a number, got none"},
    {SCALED("\"type\":\"llama3\",\"factor\":8,\"low_freq_factor\":4,\"high_freq_factor\":^1,"
            "\"original_max_position_embeddings\":1024"),
     "expected low_freq_factor not above high_freq_factor, got 4 and 1"},
    {SCALED("\"type\":\"llama3\",\"factor\":8,\"original_max_position_embeddings\":^4096"),
     "expected less than max_position_embeddings, 4096, got 4096"},
    {SCALED("\"type\":\"yarn\",\"factor\":4,\"original_max_position_embeddings\":1024,\"beta_fast\":^0.5"),
     "expected at least beta_slow, 1, got 0.5"},
    {SCALED("\"type\":\"yarn\",\"factor\":4,\"original_max_position_embeddings\":^0"), "a whole number of 1.."},
    {SCALED("\"type\":\"longrope\",\"short_factor\":^[1,2,3],\"long_factor\":[1]"),
     "rope_scaling.short_factor: expected a number for each of 32 pairs, got 3"},
    {LONG "\"rope_scaling\":^{\"type\":\"su\"}}", "short_factor: expected a number for each pair, got none"},
    {MODEL "\"rope_theta\":^0}", "expected a base of 1e-6..1e30, got 0"},
    {MODEL "\"rope_theta\":^-5}", "expected a base"},
    {MODEL "\"rope_theta\":^1e300}", "expected a base"},

    /* axes */
    {SCALED("\"type\":\"mrope\",\"mrope_section\":^[8,8,8]"), "a sum of 32 pairs, got 24"},
    {SCALED("\"type\":\"mrope\",\"mrope_section\":^[32]"), "the pairs of 2 to 8 axes, got 1 numbers"},
    {SCALED("\"type\":\"mrope\",\"mrope_section\":^[16,16],\"mrope_interleaved\":true"), "the pairs of 3 axes, got 2"},
    {SCALED("\"type\":\"mrope\",\"mrope_section\":^[40,-4,-4]"), "a whole number of 0..16777216, got -4"},
    {SCALED("\"type\":\"mrope\",\"mrope_section\":[8,12,12],\"mrope_interleaved\":^1"), "expected true or false"},

    /* layers */
    {"{\"model_type\":\"gemma3_text\",\"num_hidden_layers\":6,\"sliding_window_pattern\":^0}", "a whole number of 1.."},
    {"{\"model_type\":\"exaone4\",\"head_dim\":64,\"num_hidden_layers\":4,\"sliding_window_pattern\":^\"LLXG\"}",
     "expected letters L and G"},
    {"{\"model_type\":\"smollm3\",\"head_dim\":64,\"num_hidden_layers\":4,\"no_rope_layers\":^[1,0]}",
     "a 0 or 1 for each of 4 layers, got 2"},
    {"{\"model_type\":\"smollm3\",\"head_dim\":64,\"num_hidden_layers\":2,\"no_rope_layers\":^[1,2]}",
     "a whole number of 0..1, got 2"},
};

static void refusals(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
        size_t n, at;
        const text marked = {refused[i].marked, strlen(refused[i].marked)};
        uint8_t *bytes = unmark(marked, &n, &at);
        posenc_config *config = NULL;
        posenc_error error = {.offset = -7, .message = ""};
        posenc_status status = config_of(NULL, bytes, n, &config, &error);
        check(status == POSENC_ERROR_FORMAT && !config, "%s: %s", marked.bytes, posenc_status_name(status));
        check(strstr(error.message, refused[i].says), "%s: %s", marked.bytes, error.message);
        check(error.offset == (int64_t)at, "%s: byte %lld (%s)", marked.bytes, (long long)error.offset, error.message);
        free(bytes);
    }
}

/* jansson says these two, with a byte behind the place. */
static void by_jansson(void **state) {
    static const char *const texts[] = {"{\"model_type\":\"gpt2\",\"model_type\":\"bert\"}",
                                        "{\"model_type\":\"gpt2\",\"x\":{\"y\":{\"z\":1,\"z\":1}}}",
                                        "{\"model_type\":\"gpt2\",\"x\":1e999}",
                                        "{\"model_type\":\"gpt2\",\"x\":[-1e999]}"};
    static const char *const says[] = {"each key once", "each key once", "in the range of a double",
                                       "in the range of a double"};
    (void)state;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        posenc_config *config = NULL;
        posenc_error error = {.message = ""};
        assert_int_equal(config_of(NULL, texts[i], strlen(texts[i]), &config, &error), POSENC_ERROR_FORMAT);
        check(strstr(error.message, says[i]) && !config, "%s: %s", texts[i], error.message);
        check(error.offset > 0 && error.offset <= (int64_t)strlen(texts[i]), "byte %lld", (long long)error.offset);
    }
}

static void bombs(void **state) {
    enum { N = 3000000 };
    char *bytes = must_allocate(N);
    posenc_config *config = NULL;
    posenc_error error = {.message = ""};
    (void)state;
    for (size_t i = 0; i + 5 <= N; i += 5) memcpy(bytes + i, "{\"a\":", 5);
    assert_int_equal(config_of(NULL, bytes, N, &config, &error), POSENC_ERROR_FORMAT);
    check(strstr(error.message, "levels of brackets"), "%s", error.message);
    memset(bytes, ' ', N);
    memcpy(bytes, "{\"a\":[1", 7);
    for (size_t i = 7; i + 4 <= N; i += 2) memcpy(bytes + i, ",1", 2);
    memcpy(bytes + N - 2, "]}", 2);
    assert_int_equal(config_of(NULL, bytes, N, &config, &error), POSENC_ERROR_FORMAT);
    check(strstr(error.message, "keys and values"), "%s", error.message);
    free(bytes);
}

/* More kinds of layers than any model has. */
static void many_kinds(void **state) {
    char many[4096] = "{\"model_type\":\"llama\",\"head_dim\":64,\"layer_types\":[\"a\"";
    posenc_config *config = NULL;
    posenc_error error = {.message = ""};
    (void)state;
    for (int i = 1; i < POSENC_CONFIG_MOST_KINDS; i++) sprintf(many + strlen(many), ",\"k%d\"", i);
    size_t most = strlen(many);
    strcpy(many + most, "]}");
    posenc_config_destroy(must_config(many));
    strcpy(many + most, ",\"more\"]}");
    assert_int_equal(config_of(NULL, many, strlen(many), &config, &error), POSENC_ERROR_FORMAT);
    check(strstr(error.message, "layer_types: expected at most 64 kinds"), "%s", error.message);
}

/* More layers, and more dictionaries for types of layers. */
static void many_layers(void **state) {
    enum { N = POSENC_CONFIG_MOST_LAYERS };
    char *many = must_allocate(4 * N + 200);
    posenc_config *config = NULL;
    posenc_error error = {.message = ""};
    (void)state;
    for (int more = 0; more < 2; more++) {
        size_t n = (size_t)sprintf(many, "{\"model_type\":\"llama\",\"head_dim\":64,\"layer_types\":[\"a\"");
        for (int i = 1; i < N + more; i++, n += 4) memcpy(many + n, ",\"a\"", 4);
        n += (size_t)sprintf(many + n, "]}");
        posenc_status status = config_of(NULL, many, n, &config, &error);
        check(status == (more ? POSENC_ERROR_FORMAT : POSENC_OK), "%d: %s", more, error.message);
        if (!more) assert_int_equal(posenc_config_at(config, 0)->count, N);
        if (!more) posenc_config_destroy(config);
    }
    check(strstr(error.message, "layer_types: expected at most 65536 layers, got 65537"), "%s", error.message);
    size_t n = (size_t)sprintf(many, "{\"model_type\":\"olmo3\",\"head_dim\":64,\"rope_parameters\":{\"k\":{}");
    for (int i = 1; i <= POSENC_CONFIG_MOST_KINDS; i++) n += (size_t)sprintf(many + n, ",\"k%d\":{}", i);
    n += (size_t)sprintf(many + n, "}}");
    assert_int_equal(config_of(NULL, many, n, &config, &error), POSENC_ERROR_FORMAT);
    check(strstr(error.message, "rope_parameters.k64: expected at most 64 kinds"), "%s", error.message);
    free(many);
}

/* A file full of keys that nobody knows, in every place, takes a moment and no more. */
static size_t add_keys(char *many, size_t n, const char *opening) {
    n += (size_t)sprintf(many + n, "%s", opening);
    for (int i = 0; i < 30000; i++) n += (size_t)sprintf(many + n, "\"rope_%x\":{},", i);
    return n;
}

static void many_keys(void **state) {
    char *many = must_allocate(4 << 20);
    posenc_config *config = NULL;
    posenc_error error = {.message = ""};
    size_t n = add_keys(many, 0, "{"), warnings = 0;
    (void)state;
    n = add_keys(many, n, "\"text_config\":{");
    n = add_keys(many, n, "\"rope_scaling\":{\"type\":\"default\",");
    n += (size_t)sprintf(many + n, "\"factor\":1},\"model_type\":\"llama\",\"head_dim\":64}}");
    check(config_of(NULL, many, n, &config, &error) == POSENC_OK, "%s", error.message);
    while (posenc_config_warned(config, warnings)) warnings++;
    assert_int_equal(warnings, 3 * 30000 + 1);
    posenc_config_destroy(config);
    free(many);
}

/* The documented status, and outputs untouched. */
static void the_door(void **state) {
    posenc_config *config = NULL, *before = (posenc_config *)(void *)&config;
    posenc_error error = {.message = ""};
    (void)state;
    assert_int_equal(posenc_config_read(NULL, NULL, &before, &error), POSENC_ERROR_ARGUMENT);
    assert_string_equal(error.message, "path: expected a pointer, got NULL");
    assert_int_equal(posenc_config_read(NULL, "x", NULL, &error), POSENC_ERROR_ARGUMENT);
    assert_string_equal(error.message, "out: expected a pointer, got NULL");
    assert_int_equal(posenc_config_read(NULL, "/no/such/file", &before, NULL), POSENC_ERROR_IO);
    assert_ptr_equal(before, &config);
    posenc_config_destroy(NULL);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(refusals),   cmocka_unit_test(by_jansson), cmocka_unit_test(bombs),
        cmocka_unit_test(many_kinds), cmocka_unit_test(many_keys),  cmocka_unit_test(many_layers),
        cmocka_unit_test(the_door),
    };
    return TEST_RUN(tests);
}
