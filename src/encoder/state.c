/* An encoder's saved state: a safetensors file that holds the table as tensor "pe" and everything else as text in its
 * metadata, so that any reader of such files can use the table and this one gets the same encoder back. */
#include <stdio.h>
#include <string.h>

#include <posenc/files.h>

#include "base/error.h"
#include "base/text.h"
#include "encoder/encoder.h"
#include "schemes/scheme.h"

/* The version of this arrangement, not of the library. */
#define STATE_VERSION "1"

static const char *const past_end_names[] = {"extend", "error"};

/* Keys beside the scheme's own parameters. */
enum { VERSION, SCHEME, DROPOUT, SCALE, PAST_END, PADDING_IDX, N_KEYS };
static const char *const key_names[N_KEYS] = {"posenc.version", "posenc.scheme",   "posenc.dropout",
                                              "posenc.scale",   "posenc.past_end", "posenc.padding_idx"};

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
    put(m, key_names[PAST_END], past_end_names[e->options.past_end]);
    snprintf(text, sizeof text, "%lld", (long long)e->options.padding_idx);
    put(m, key_names[PADDING_IDX], text);
}

posenc_status posenc_encoder_save(const posenc_encoder *encoder, const char *path, posenc_error *error) {
    if (!encoder || !path)
        return posenc_fail(error, POSENC_ERROR_ARGUMENT, encoder ? "path" : "encoder", "expected a pointer, got NULL");
    metadata m = {.n = 0};
    describe(encoder, &m);
    posenc_output *output;
    posenc_status status = posenc_output_open(encoder->context, path, &output, error);
    if (status != POSENC_OK) return status;
    posenc_tensor_entry pe = {.name = "pe", .dtype = encoder->options.dtype, .rank = 2, .shape = encoder->table.shape};
    status = posenc_safetensors_header(output, &pe, 1, m.pairs, m.n, error);
    if (status == POSENC_OK)
        status = posenc_output_write_elements(output, encoder->table.tensor.data, encoder->options.dtype,
                                              encoder->table.shape[0] * encoder->table.shape[1], error);
    if (status == POSENC_OK) return posenc_output_commit(output, error);
    posenc_output_discard(output);
    return status;
}

/* ---- load ---- */

static posenc_status need(const posenc_safetensors *file, const char *path, int key, const char **value, posenc_error *error) {
    *value = posenc_safetensors_metadata(file, key_names[key]);
    if (*value) return POSENC_OK;
    return posenc_fail(error, POSENC_ERROR_FORMAT, path, "expected metadata %s, got none", key_names[key]);
}

static posenc_status refuse_value(const char *path, int key, const char *wanted, const char *value, posenc_error *error) {
    return posenc_fail(error, POSENC_ERROR_FORMAT, path, "expected %s of %s, got \"%.40s\"", key_names[key], wanted, value);
}

/* A metadata value that an option may be read from; absent ones keep the default. */
static posenc_status read_f64(const posenc_safetensors *file, const char *path, int key, double *out, posenc_error *error) {
    const char *text = posenc_safetensors_metadata(file, key_names[key]);
    if (!text || posenc_parse_f64(text, out)) return POSENC_OK;
    return refuse_value(path, key, "a number", text, error);
}

static posenc_status read_options(const posenc_safetensors *file, const char *path, posenc_encoder_options *o,
                                  posenc_error *error) {
    posenc_status status = read_f64(file, path, DROPOUT, &o->dropout, error);
    if (status == POSENC_OK) status = read_f64(file, path, SCALE, &o->scale, error);
    if (status != POSENC_OK) return status;
    const char *past = posenc_safetensors_metadata(file, key_names[PAST_END]);
    if (past && strcmp(past, past_end_names[0]) != 0 && strcmp(past, past_end_names[1]) != 0)
        return refuse_value(path, PAST_END, "extend or error", past, error);
    if (past) o->past_end = strcmp(past, past_end_names[1]) == 0 ? POSENC_PAST_END_ERROR : POSENC_PAST_END_EXTEND;
    const char *padding = posenc_safetensors_metadata(file, key_names[PADDING_IDX]);
    if (padding && !posenc_parse_i64(padding, &o->padding_idx)) return refuse_value(path, PADDING_IDX, "an integer", padding, error);
    return POSENC_OK;
}

static bool is_option(const char *key) {
    for (int i = 0; i < N_KEYS; i++)
        if (strcmp(key, key_names[i]) == 0) return true;
    return false;
}

/* Every other posenc.* key is a parameter of the scheme. Foreign keys are left alone. */
static posenc_status read_parameters(const posenc_safetensors *file, const char *path, posenc_parameter *parameters,
                                     size_t *n, posenc_error *error) {
    *n = 0;
    const char *key;
    for (size_t i = 0; (key = posenc_safetensors_key(file, i)); i++) {
        if (strncmp(key, "posenc.", 7) != 0 || is_option(key)) continue;
        if (*n == POSENC_MOST_PARAMETERS)
            return posenc_fail(error, POSENC_ERROR_FORMAT, path, "expected at most %d parameters, got more", POSENC_MOST_PARAMETERS);
        parameters[(*n)++] = (posenc_parameter){key + 7, posenc_safetensors_metadata(file, key)};
    }
    return POSENC_OK;
}

static posenc_status check_table(const posenc_encoder *e, const posenc_tensor_info *pe, const char *path, posenc_error *error) {
    if (pe->rank == 2 && pe->shape[0] == e->table.shape[0] && pe->shape[1] == e->table.shape[1]) return POSENC_OK;
    return posenc_fail(error, POSENC_ERROR_FORMAT, path, "expected tensor pe of shape (%lld, %lld), got another",
                       (long long)e->table.shape[0], (long long)e->table.shape[1]);
}

static posenc_status fill_table(posenc_encoder *e, const posenc_safetensors *file, const posenc_tensor_info *pe,
                                posenc_error *error) {
    posenc_array *array;
    posenc_status status = posenc_safetensors_read(file, pe, &array, error);
    if (status != POSENC_OK) return status;
    memcpy(e->table.tensor.data, posenc_array_tensor(array)->data, e->table_bytes);
    posenc_array_destroy(array);
    return POSENC_OK;
}

static posenc_status load_open(const posenc_context *context, const posenc_safetensors *file, const char *path,
                               posenc_encoder **out, posenc_error *error) {
    const char *version, *scheme;
    posenc_status status = need(file, path, VERSION, &version, error);
    if (status == POSENC_OK) status = need(file, path, SCHEME, &scheme, error);
    if (status != POSENC_OK) return status;
    if (strcmp(version, STATE_VERSION) != 0) return refuse_value(path, VERSION, STATE_VERSION, version, error);
    const posenc_tensor_info *pe = posenc_safetensors_find(file, "pe");
    if (!pe || (pe->dtype != POSENC_F32 && pe->dtype != POSENC_F64))
        return posenc_fail(error, POSENC_ERROR_FORMAT, path, "expected a tensor pe of F32 or F64, got %s", pe ? pe->dtype_text : "none");
    posenc_encoder_options options;
    posenc_encoder_default(&options, sizeof options);
    options.dtype = pe->dtype;
    posenc_parameter parameters[POSENC_MOST_PARAMETERS];
    size_t n;
    status = read_options(file, path, &options, error);
    if (status == POSENC_OK) status = read_parameters(file, path, parameters, &n, error);
    posenc_encoder *e = NULL;
    if (status == POSENC_OK) status = posenc_encoder_allocate(context, scheme, parameters, n, &options, &e, error);
    if (status == POSENC_OK) status = check_table(e, pe, path, error);
    if (status == POSENC_OK) status = fill_table(e, file, pe, error);
    if (status == POSENC_OK)
        *out = e;
    else
        posenc_encoder_destroy(e);
    return status;
}

posenc_status posenc_encoder_load(const posenc_context *context, const char *path, posenc_encoder **out, posenc_error *error) {
    if (!path || !out)
        return posenc_fail(error, POSENC_ERROR_ARGUMENT, path ? "out" : "path", "expected a pointer, got NULL");
    posenc_safetensors *file;
    posenc_status status = posenc_safetensors_open(context, path, &file, error);
    if (status != POSENC_OK) return status;
    status = load_open(context, file, path, out, error);
    posenc_safetensors_close(file);
    return status;
}
