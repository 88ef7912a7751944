/* Model configurations: what a Hugging Face config.json says about positions, and what it leaves open.
 * A description lists the layers by kind, each with the scheme that tells it where a token stands and, where that is
 * rotary, with the options of a plan. It also lists what had to be assumed, and every key that contradicts another or
 * that nobody knows: such a key is never ignored without a word. */
#ifndef POSENC_CONFIG_H
#define POSENC_CONFIG_H

#include <posenc/rotary.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A configuration, read and described. Immutable; owns all texts and lists below. */
typedef struct posenc_config posenc_config;

/* Layers that are alike. */
typedef struct posenc_config_layers {
    const char *type;   /* as the configuration calls them, "full_attention"; "all" where it knows one kind only */
    int64_t count;      /* how many; 0 where the configuration does not say */
    const char *scheme; /* "rotary", "none", "learned", "sinusoidal", "alibi", "t5", "shaw", "transformer-xl", "swin",
                           "disentangled"; "unknown" where nothing can be told */
    const char *family; /* rotary: "default", "linear", "ntk", "dynamic", "yarn", "longrope", "llama3", "proportional",
                           else NULL */
    posenc_rotary_options rotary; /* rotary: for posenc_rotary_create as they stand; its lists live as long as the
                                     configuration. Else zeros */
    int latent_attention;         /* not 0: posenc_rotary_info's softmax_factor is for this model (DeepSeek); else it
                                     keeps its softmax scale, whatever mscale_all_dim says */
} posenc_config_layers;

/* A key that is unknown, is not read, or contradicts another. */
typedef struct posenc_config_warning {
    const char *key;      /* "rope_scaling.attention_factor" */
    const char *sentence; /* what is wrong with it, and what was made of it */
} posenc_config_warning;

/* Reads a configuration, in the older spelling (rope_scaling, rope_theta, rotary_pct, ...) or the newer
 * (rope_parameters, also nested for each type of layer). Of a model of text and images the text model is described.
 * context: NULL for defaults; else it must outlive the configuration. The JSON library's own memory is not from it.
 * path: config.json, a folder that holds one, or "-" for standard input.
 * What is given but cannot be meant (a value of the wrong type, an odd width, a list of the wrong length, sections that
 * do not sum to the pairs, a factor of 0, a family without what it needs) is an error that names the key and its byte;
 * what can be meant in two ways is a warning.
 * Returns POSENC_ERROR_IO, POSENC_ERROR_FORMAT (with the byte offset), POSENC_ERROR_UNSUPPORTED (a build without
 * jansson), POSENC_ERROR_ARGUMENT, POSENC_ERROR_MEMORY; *out is untouched then.
 * Example: posenc_config *config;
 *          if (posenc_config_read(NULL, "model/config.json", &config, &error) == POSENC_OK) {
 *              const posenc_config_layers *layers = posenc_config_at(config, 0);
 *              if (layers->family) posenc_rotary_create(NULL, &layers->rotary, &plan, &error);
 *              posenc_config_destroy(config);
 *          } */
POSENC_API posenc_status posenc_config_read(const posenc_context *context, const char *path, posenc_config **out,
                                            posenc_error *error);

/* Ends it. NULL is fine. */
POSENC_API void posenc_config_destroy(posenc_config *config);

/* The file's model_type, made safe to show; NULL where there is none. */
POSENC_API const char *posenc_config_model(const posenc_config *config);

/* Layers by index, in the order of their first appearance; NULL past the last. There is at least one kind. */
POSENC_API const posenc_config_layers *posenc_config_at(const posenc_config *config, size_t index);

/* A sentence about what the configuration leaves open and what was taken for it; NULL past the last. */
POSENC_API const char *posenc_config_assumed(const posenc_config *config, size_t index);

/* A warning by index; NULL past the last. */
POSENC_API const posenc_config_warning *posenc_config_warned(const posenc_config *config, size_t index);

#ifdef __cplusplus
}
#endif

#endif
