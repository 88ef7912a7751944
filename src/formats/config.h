/* Inside the reader of configurations: the configuration in the making, the text that it is made of, and the sentences
 * that it collects.
 *
 * The first error stays: once reader->status is not POSENC_OK, every function below does nothing and answers "absent",
 * so that a long list of keys reads as a list. Whoever hands out a result asks the status first. */
#ifndef POSENC_FORMATS_CONFIG_H
#define POSENC_FORMATS_CONFIG_H

#include <posenc/config.h>
#include <stdbool.h>

#include "base/error.h"
#include "formats/escape.h"
#include "formats/io.h"

enum {
    POSENC_CONFIG_MOST_TEXT = 1 << 22,   /* bytes: the largest in use list 21 000 labels in 1 MB */
    POSENC_CONFIG_MOST_TOKENS = 1 << 18, /* keys and values: what jansson makes of them stays below 50 MB */
    POSENC_CONFIG_MOST_DEPTH = 32,
    POSENC_CONFIG_MOST_SCOPES = 4, /* text_config within text_config ... */
    POSENC_CONFIG_MOST_LAYERS = 1 << 16,
    POSENC_CONFIG_MOST_KINDS = 64, /* of layers */
    POSENC_CONFIG_MOST_DIM = 1 << 24
};

/* Tokens of a context. */
#define POSENC_CONFIG_MOST_LENGTH (INT64_C(1) << 40)

/* A member of an object: its key, decoded, and where key and value stand in the text. */
typedef struct posenc_config_member {
    const char *key;
    size_t key_at, key_end, from, to;
    bool read; /* somebody asked for it */
} posenc_config_member;

/* An object of the text that is looked into. */
typedef struct posenc_config_object {
    const char *path; /* "rope_scaling"; "" for the whole */
    size_t at;        /* of its { */
    posenc_config_member *members;
    size_t n;
} posenc_config_object;

typedef struct posenc_config_note {
    struct posenc_config_note *next;
    posenc_config_warning warning; /* key NULL: a sentence of assumed */
} posenc_config_note;

typedef struct posenc_config_notes {
    posenc_config_note *first, *last;
    size_t n;
} posenc_config_notes;

typedef struct posenc_config_reader {
    const uint8_t *text;
    size_t n;
    posenc_config *config; /* owns what is kept */
    const char *name;      /* of the file, as messages show it */
    posenc_error *error;
    posenc_status status;
    posenc_config_object
        scopes[POSENC_CONFIG_MOST_SCOPES]; /* the innermost first: the text model, then what holds it */
    size_t n_scopes;
    posenc_config_notes assumed, warnings;
    bool checking_keys; /* each key is seen once now, so nothing is said twice */
} posenc_config_reader;

/* posenc_config_read over a table of calls. */
posenc_status posenc_config_read_with(const posenc_io *io, const posenc_context *context, const char *path,
                                      posenc_config **out, posenc_error *error);

/* ---- text (config_text.c) ---- */

/* Reads the file, whole, into new memory of the context that the caller releases. shown: its name for messages. */
posenc_status posenc_config_text(const posenc_io *io, const posenc_context *context, const char *path,
                                 char shown[POSENC_SHOWN_PATH], uint8_t **text, size_t *n, posenc_error *error);

/* ---- memory (config.c) ---- */

/* Zeroed memory that lives as long as the configuration; NULL with the status set where there is none. */
void *posenc_config_keep(posenc_config_reader *r, size_t bytes);

/* ---- JSON (config_json.c) ---- */

/* Whether the text is a JSON object within limits, each key once in its object. */
void posenc_config_check_json(posenc_config_reader *r);

/* Where the whole object stands. */
size_t posenc_config_first(const posenc_config_reader *r);

/* The object whose { stands at a place. path is kept as it is. */
posenc_config_object posenc_config_object_at(posenc_config_reader *r, const char *path, size_t at);

/* A member that is there and not null; marks it as read. */
posenc_config_member *posenc_config_find(const posenc_config_reader *r, const posenc_config_object *object,
                                         const char *key);

/* Whether the value is an object, a list, a text. */
bool posenc_config_is(const posenc_config_reader *r, const posenc_config_member *member, char opening);

/* The member's value, checked and decoded. Each gives false, and an error where the value is of another type. */
bool posenc_config_number(posenc_config_reader *r, const posenc_config_object *o, const char *key, double *out);
bool posenc_config_integer(posenc_config_reader *r, const posenc_config_object *o, const char *key, int64_t minimum,
                           int64_t maximum, int64_t *out);
bool posenc_config_flag(posenc_config_reader *r, const posenc_config_object *o, const char *key, bool *out);
bool posenc_config_string(posenc_config_reader *r, const posenc_config_object *o, const char *key, const char **out);
bool posenc_config_inner(posenc_config_reader *r, const posenc_config_object *o, const char *key,
                         posenc_config_object *out);
bool posenc_config_numbers(posenc_config_reader *r, const posenc_config_object *o, const char *key, const double **out,
                           size_t *n);
bool posenc_config_integers(posenc_config_reader *r, const posenc_config_object *o, const char *key, int64_t minimum,
                            int64_t maximum, const int64_t **out, size_t *n);
bool posenc_config_strings(posenc_config_reader *r, const posenc_config_object *o, const char *key,
                           const char *const **out, size_t *n);

/* The same in the first of the scopes that has the member. Keys that mean the same are parted by a blank:
 * "num_hidden_layers n_layer"; the first of them counts, and numbers that differ are warned of. *where (may be NULL):
 * the scope. */
const char *posenc_config_look(const posenc_config_reader *r, const char *keys, const posenc_config_object **where);
bool posenc_config_look_number(posenc_config_reader *r, const char *keys, double *out);
bool posenc_config_look_integer(posenc_config_reader *r, const char *keys, int64_t minimum, int64_t maximum,
                                int64_t *out);
bool posenc_config_look_flag(posenc_config_reader *r, const char *keys, bool *out);
bool posenc_config_look_string(posenc_config_reader *r, const char *keys, const char **out);

/* ---- notes (config_notes.c) ---- */

/* "path.key", kept and safe to show. */
const char *posenc_config_path_of(posenc_config_reader *r, const posenc_config_object *o, const char *key);

/* A sentence for assumed; a warning about a key. A sentence that stands there already is not said again. */
void posenc_config_assume(posenc_config_reader *r, const char *format, ...) POSENC_PRINTF(2, 3);
void posenc_config_warn(posenc_config_reader *r, const posenc_config_object *o, const char *key, const char *format,
                        ...) POSENC_PRINTF(4, 5);

/* The error "path.key: expected ..., got ..." at the member's value, or at the object where it has no such member. */
void posenc_config_refuse(posenc_config_reader *r, const posenc_config_object *o, const char *key, const char *format,
                          ...) POSENC_PRINTF(4, 5);

/* ---- models (config_models.c) ---- */

enum {
    POSENC_MODEL_INTERLEAVED_AXES = 1, /* mrope sections are interleaved, whatever mrope_interleaved says */
    POSENC_MODEL_FULL_WITHOUT = 2,     /* layers of full attention do not rotate, where there are sliding ones */
    POSENC_MODEL_PROPORTIONAL = 4      /* Gemma 4: full attention is proportional, 0.25, unless told otherwise */
};

/* What is known of a model_type beyond its files. 0 or NULL: nothing. */
typedef struct posenc_config_model_facts {
    const char *type;
    const char *scheme;
    posenc_pairing pairing;
    unsigned flags;
    double base, local_base, fraction;
    int64_t head_dim, global_head_dim, rotary_dim, hidden_size, heads, layers;
    int64_t pattern; /* one layer in so many is of full attention, the others slide */
    int64_t without; /* one layer in so many does not rotate */
} posenc_config_model_facts;

/* NULL: not known. A "_text" at the end of the type does not matter. */
const posenc_config_model_facts *posenc_config_model_find(const char *type);

/* ---- layers (config_layers.c) ---- */

/* Which layers there are, into config->layers: type and count, and scheme "none" for those without any. */
void posenc_config_find_layers(posenc_config_reader *r, const posenc_config_model_facts *facts, const char *scheme);

/* ---- rotary (config_rope.c, config_family.c) ---- */

/* The dictionaries that hold the rotary keys. */
typedef struct posenc_config_rope {
    bool given;                                           /* there is one at all */
    bool named;                                           /* it names a family itself */
    bool nested;                                          /* one for each type of layer */
    posenc_config_object whole;                           /* rope_parameters or rope_scaling */
    posenc_config_object inner[POSENC_CONFIG_MOST_KINDS]; /* nested: of member i of whole; n 0 and at 0: null */
    const char *families[POSENC_CONFIG_MOST_KINDS];       /* nested: what each is; [0] where not nested; NULL: unused */
} posenc_config_rope;

/* Finds them. Where they are nested and nothing else tells layers apart, the kinds of layers are those named there. */
void posenc_config_find_rope(posenc_config_reader *r, posenc_config_rope *rope);

/* Fills a group of layers; its scheme may turn into "none". */
void posenc_config_describe(posenc_config_reader *r, posenc_config_rope *rope, const posenc_config_model_facts *facts,
                            posenc_config_layers *layers);

/* Which family the dictionary (an empty object where there is none) names: family, scaling. */
void posenc_config_find_family(posenc_config_reader *r, const posenc_config_object *dictionary,
                               const posenc_config_model_facts *facts, posenc_config_layers *layers);

/* What it makes of the dictionary's keys. layers->rotary has its width, base and the like already. */
void posenc_config_family(posenc_config_reader *r, const posenc_config_object *dictionary,
                          posenc_config_layers *layers);

/* Whether a family or all of them know a key of a dictionary. */
bool posenc_config_knows(const char *key);

/* Warns of keys that nobody knows, or that the family does not read: in the dictionaries and beside them. */
void posenc_config_check_keys(posenc_config_reader *r, const posenc_config_rope *rope);

struct posenc_config {
    const posenc_context *context;
    void *blocks; /* all that is kept, chained */
    const char *model;
    posenc_config_layers *layers;
    size_t n_layers;
    const char **assumed;
    size_t n_assumed;
    posenc_config_warning *warnings;
    size_t n_warnings;
};

#endif
