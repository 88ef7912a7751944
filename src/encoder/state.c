/* An encoder's saved state: a safetensors file that holds the table as tensor "pe" ("weight" where it is trained) and
 * everything else as text in its metadata, so that any reader of such files can use the table and this one gets the
 * same encoder back. */
#include <stdio.h>
#include <string.h>

#include <posenc/files.h>

#include "base/error.h"
#include "base/tensor.h"
#include "base/text.h"
#include "encoder/encoder.h"
#include "formats/escape.h"
#include "schemes/scheme.h"

/* The version of this arrangement, not of the library. */
#define STATE_VERSION "1"

static const char *const past_end_names[] = {"extend", "error", "clamp", "resize"};

/* Keys beside the scheme's own parameters. */
enum { VERSION, SCHEME, DROPOUT, SCALE, PAST_END, PADDING_IDX, ROW_OFFSET, GAIN, N_KEYS };
static const char *const key_names[N_KEYS] = {"posenc.version",
                                              "posenc.scheme",
                                              "posenc.encoder.dropout",
                                              "posenc.encoder.scale",
                                              "posenc.encoder.past_end",
                                              "posenc.encoder.padding_idx",
                                              "posenc.encoder.row_offset",
                                              "posenc.encoder.gain"};

static const char *tensor_name(const char *scheme) {
    const posenc_scheme *found = posenc_scheme_inside(scheme);
    return found && found->trained ? "weight" : "pe";
}

/* ---- save ---- */

enum { MOST_PAIRS = N_KEYS + POSENC_MOST_PARAMETERS, TEXT_BYTES = 96 };

typedef struct metadata {
    char keys[MOST_PAIRS][TEXT_BYTES], values[MOST_PAIRS][TEXT_BYTES];
    const char *pairs[2 * MOST_PAIRS];
    size_t n;
} metadata;

static void put(metadata *m, const char *key, const char *value) {
    snprintf(m->keys[m->n], TEXT_BYTES, "%s", key);
    snprintf(m->values[m->n], TEXT_BYTES, "%s", value);
    m->pairs[2 * m->n] = m->keys[m->n];
    m->pairs[2 * m->n + 1] = m->values[m->n];
    m->n++;
}

static void put_f64(metadata *m, const char *key, double value) {
    char text[32];
    posenc_print_f64(value, text);
    put(m, key, text);
}

static void describe(const posenc_encoder *e, metadata *m) {
    char text[64], key[TEXT_BYTES];
    put(m, key_names[VERSION], STATE_VERSION);
    put(m, key_names[SCHEME], posenc_plan_scheme(e->plan));
    const posenc_scheme_info *info = posenc_scheme_find(posenc_plan_scheme(e->plan));
    for (size_t i = 0; i < info->n_parameters; i++) {
        snprintf(key, sizeof key, "posenc.%s", info->parameters[i].name);
        if (posenc_plan_parameter(e->plan, info->parameters[i].name, text, sizeof text) == POSENC_OK) put(m, key, text);
    }
    put_f64(m, key_names[DROPOUT], e->options.dropout);
    put_f64(m, key_names[SCALE], e->options.scale);
    put_f64(m, key_names[GAIN], e->options.gain);
    put(m, key_names[PAST_END], past_end_names[e->options.past_end]);
    snprintf(text, sizeof text, "%lld", (long long)e->options.padding_idx);
    put(m, key_names[PADDING_IDX], text);
    if (!posenc_encoder_learns(e)) return;
    snprintf(text, sizeof text, "%lld", (long long)e->options.row_offset);
    put(m, key_names[ROW_OFFSET], text);
}

posenc_status posenc_encoder_save(const posenc_encoder *encoder, const char *path, posenc_error *error) {
    if (!encoder || !path)
        return posenc_fail(error, POSENC_ERROR_ARGUMENT, encoder ? "path" : "encoder", "expected a pointer, got NULL");
    metadata m = {.n = 0};
    describe(encoder, &m);
    posenc_output *output;
    posenc_status status = posenc_output_open(encoder->context, path, &output, error);
    if (status != POSENC_OK) return status;
    posenc_tensor_entry pe = {.name = tensor_name(posenc_plan_scheme(encoder->plan)),
                              .dtype = encoder->options.dtype,
                              .rank = 2,
                              .shape = encoder->table.shape};
    status = posenc_safetensors_header(output, &pe, 1, m.pairs, m.n, error);
    if (status == POSENC_OK)
        status = posenc_output_write_elements(output, encoder->table.tensor.data, encoder->options.dtype,
                                              encoder->table.shape[0] * encoder->table.shape[1], error);
    if (status == POSENC_OK) return posenc_output_commit(output, error);
    posenc_output_discard(output);
    return status;
}

/* ---- load ---- */

/* A state file that is being read. */
typedef struct state {
    const posenc_safetensors *file;
    const char *name; /* as messages show it */
} state;

static posenc_status refuse_value(const state *s, const char *key, const char *wanted, const char *got,
                                  posenc_error *error) {
    return posenc_fail(error, POSENC_ERROR_FORMAT, s->name, "expected %s of %s, got \"%.40s\"", key, wanted, got);
}

static bool is_ours(const char *key) { return strncmp(key, "posenc.", 7) == 0; }

static bool is_plain(const char *text) {
    while (*text >= ' ' && *text <= '~') text++;
    return !*text;
}

/* Whatever posenc.* holds may stand in a message further on, so it must be harmless there. */
static posenc_status check_plain(const state *s, posenc_error *error) {
    const char *key;
    char shown[2][48];
    for (size_t i = 0; (key = posenc_safetensors_key(s->file, i)); i++) {
        const char *value = posenc_safetensors_metadata(s->file, key);
        if (!is_ours(key) || (is_plain(key) && is_plain(value))) continue;
        return refuse_value(s, posenc_escape(key, strlen(key), shown[0], sizeof shown[0]), "plain text",
                            posenc_escape(value, strlen(value), shown[1], sizeof shown[1]), error);
    }
    return POSENC_OK;
}

static posenc_status need(const state *s, int key, const char **value, posenc_error *error) {
    *value = posenc_safetensors_metadata(s->file, key_names[key]);
    if (*value) return POSENC_OK;
    return posenc_fail(error, POSENC_ERROR_FORMAT, s->name, "expected metadata %s, got none", key_names[key]);
}

/* A metadata value that an option may be read from; absent ones keep the default. */
static posenc_status read_f64(const state *s, int key, double *out, posenc_error *error) {
    const char *text = posenc_safetensors_metadata(s->file, key_names[key]);
    if (!text || posenc_parse_f64(text, out)) return POSENC_OK;
    return refuse_value(s, key_names[key], "a number", text, error);
}

static posenc_status read_i64(const state *s, int key, int64_t *out, posenc_error *error) {
    const char *text = posenc_safetensors_metadata(s->file, key_names[key]);
    if (!text || posenc_parse_i64(text, out)) return POSENC_OK;
    return refuse_value(s, key_names[key], "an integer", text, error);
}

enum { N_POLICIES = sizeof past_end_names / sizeof *past_end_names };

static posenc_status read_options(const state *s, posenc_encoder_options *o, posenc_error *error) {
    posenc_status status = read_f64(s, DROPOUT, &o->dropout, error);
    if (status == POSENC_OK) status = read_f64(s, SCALE, &o->scale, error);
    if (status == POSENC_OK) status = read_f64(s, GAIN, &o->gain, error);
    if (status != POSENC_OK) return status;
    const char *past = posenc_safetensors_metadata(s->file, key_names[PAST_END]);
    int policy = 0;
    while (past && policy < N_POLICIES && strcmp(past, past_end_names[policy]) != 0) policy++;
    if (policy == N_POLICIES)
        return refuse_value(s, key_names[PAST_END], "extend, error, clamp or resize", past, error);
    if (past) o->past_end = (posenc_past_end)policy;
    status = read_i64(s, PADDING_IDX, &o->padding_idx, error);
    return status == POSENC_OK ? read_i64(s, ROW_OFFSET, &o->row_offset, error) : status;
}

static bool is_option(const char *key) {
    for (int i = 0; i < N_KEYS; i++)
        if (strcmp(key, key_names[i]) == 0) return true;
    return false;
}

/* Every other posenc.* key is a parameter of the scheme. Foreign keys are left alone. */
static posenc_status read_parameters(const state *s, posenc_parameter *parameters, size_t *n, posenc_error *error) {
    *n = 0;
    const char *key;
    for (size_t i = 0; (key = posenc_safetensors_key(s->file, i)); i++) {
        if (!is_ours(key) || is_option(key)) continue;
        if (*n == POSENC_MOST_PARAMETERS)
            return posenc_fail(error, POSENC_ERROR_FORMAT, s->name, "expected at most %d parameters, got more",
                               POSENC_MOST_PARAMETERS);
        parameters[(*n)++] = (posenc_parameter){key + 7, posenc_safetensors_metadata(s->file, key)};
    }
    return POSENC_OK;
}

static bool says(const state *s, const char *key, int64_t extent) {
    const char *text = posenc_safetensors_metadata(s->file, key);
    int64_t value;
    return text && posenc_parse_i64(text, &value) && value == extent;
}

/* The table that the parameters speak of must be the one in the file, before anything of its size is allocated. */
static posenc_status check_table(const state *s, const char *name, const posenc_tensor_info *pe, posenc_error *error) {
    if (!pe || (pe->dtype != POSENC_F32 && pe->dtype != POSENC_F64))
        return posenc_fail(error, POSENC_ERROR_FORMAT, s->name, "expected a tensor %s of F32 or F64, got %s", name,
                           pe ? pe->dtype_text : "none");
    if (pe->rank == 2 && says(s, "posenc.max-len", pe->shape[0]) && says(s, "posenc.dim", pe->shape[1]))
        return POSENC_OK;
    char shape[96];
    posenc_shape_text(pe->rank, pe->shape, shape);
    return posenc_fail(error, POSENC_ERROR_FORMAT, s->name,
                       "expected tensor %s of shape (posenc.max-len, posenc.dim), got %s", name, shape);
}

/* What an encoder refuses is the file's fault here. */
static posenc_status blame_file(const state *s, posenc_status status, const posenc_error *why, posenc_error *error) {
    if (status == POSENC_ERROR_ARGUMENT)
        return posenc_fail(error, POSENC_ERROR_FORMAT, s->name, "expected what makes an encoder, got %.120s",
                           why->message);
    if (error) *error = *why;
    return status;
}

static posenc_status make_empty(const posenc_context *context, const state *s, const char *scheme,
                                const posenc_tensor_info *pe, posenc_encoder **out, posenc_error *error) {
    posenc_encoder_options options;
    posenc_encoder_default(&options, sizeof options);
    options.dtype = pe->dtype;
    posenc_parameter parameters[POSENC_MOST_PARAMETERS];
    size_t n;
    posenc_error why;
    posenc_status status = read_options(s, &options, error);
    if (status == POSENC_OK) status = read_parameters(s, parameters, &n, error);
    if (status != POSENC_OK) return status;
    status = posenc_encoder_allocate(context, scheme, parameters, n, &options, out, &why);
    return status == POSENC_OK ? status : blame_file(s, status, &why, error);
}

static posenc_status load_open(const posenc_context *context, const state *s, posenc_encoder **out,
                               posenc_error *error) {
    const char *version, *scheme;
    posenc_status status = check_plain(s, error);
    if (status == POSENC_OK) status = need(s, VERSION, &version, error);
    if (status == POSENC_OK) status = need(s, SCHEME, &scheme, error);
    if (status != POSENC_OK) return status;
    if (strcmp(version, STATE_VERSION) != 0) return refuse_value(s, key_names[VERSION], STATE_VERSION, version, error);
    posenc_plan *none;
    if (!posenc_scheme_find(scheme))
        return posenc_plan_create(context, scheme, NULL, 0, &none, error); /* which says so */
    const posenc_tensor_info *pe = posenc_safetensors_find(s->file, tensor_name(scheme));
    posenc_encoder *e = NULL;
    status = check_table(s, tensor_name(scheme), pe, error);
    if (status == POSENC_OK) status = make_empty(context, s, scheme, pe, &e, error);
    if (status == POSENC_OK)
        status = posenc_safetensors_read_elements(s->file, pe, 0, e->table.tensor.data,
                                                  (size_t)(e->table.shape[0] * e->table.shape[1]), error);
    if (status == POSENC_OK)
        *out = e;
    else
        posenc_encoder_destroy(e);
    return status;
}

posenc_status posenc_encoder_load(const posenc_context *context, const char *path, posenc_encoder **out,
                                  posenc_error *error) {
    if (!path || !out)
        return posenc_fail(error, POSENC_ERROR_ARGUMENT, path ? "out" : "path", "expected a pointer, got NULL");
    posenc_safetensors *file;
    posenc_status status = posenc_safetensors_open(context, path, &file, error);
    if (status != POSENC_OK) return status;
    char name[POSENC_SHOWN_PATH];
    status = load_open(context, &(state){file, posenc_escape_path(path, name)}, out, error);
    posenc_safetensors_close(file);
    return status;
}
