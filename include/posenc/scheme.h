/* Schemes describe themselves: what they do, who published them, which parameters they take.
 * The command line, the manual and the generic way to make a plan are derived from these tables. */
#ifndef POSENC_SCHEME_H
#define POSENC_SCHEME_H

#include <posenc/status.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum posenc_effect {
    POSENC_EFFECT_ADDS_ROWS = 1,
    POSENC_EFFECT_ROTATES_PAIRS = 2,
    POSENC_EFFECT_BIASES_SCORES = 3,
    POSENC_EFFECT_RELATES_VECTORS = 4
} posenc_effect;

typedef enum posenc_parameter_kind {
    POSENC_PARAMETER_INTEGER = 1, /* decimal int64 */
    POSENC_PARAMETER_REAL = 2,    /* decimal double */
    POSENC_PARAMETER_CHOICE = 3,  /* one of choices */
    POSENC_PARAMETER_FLAG = 4,    /* "true" or "false"; on the command line the bare option */
    POSENC_PARAMETER_LIST = 6     /* decimal doubles with commas between, "16,24,24"; "" is the empty list */
} posenc_parameter_kind;

typedef struct posenc_parameter_info {
    const char *name; /* with hyphens, "cos-first": the command line's --cos-first */
    posenc_parameter_kind kind;
    const char *default_text;   /* NULL: required */
    double minimum, maximum;    /* inclusive; integers, reals, and elements of lists */
    const char *const *choices; /* choices only, ends with NULL */
    const char *unit;           /* "tokens", "channels", "" */
    const char *help;           /* one sentence */
} posenc_parameter_info;

typedef struct posenc_scheme_info {
    const char *name;    /* "sinusoidal" */
    const char *summary; /* one sentence */
    const char *source;  /* paper and section */
    posenc_effect effect;
    const char *laws; /* what every member keeps; the tests hold it */
    const posenc_parameter_info *parameters;
    size_t n_parameters;
} posenc_scheme_info;

/* Name of an effect: "adds rows", "rotates pairs", "biases scores", "relates vectors". The text is static. */
POSENC_API const char *posenc_effect_name(posenc_effect effect);

/* Number of schemes. */
POSENC_API size_t posenc_scheme_count(void);

/* Describes a scheme by index 0..posenc_scheme_count()-1; NULL past the last. Static, never freed. */
POSENC_API const posenc_scheme_info *posenc_scheme_at(size_t index);

/* Describes a scheme by name; NULL if there is none. */
POSENC_API const posenc_scheme_info *posenc_scheme_find(const char *name);

#ifdef __cplusplus
}
#endif

#endif
