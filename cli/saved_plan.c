/* The plan that a file's metadata speak of. */
#include "saved_plan.h"

#include <string.h>

#include "message.h"
#include "numbers.h"

enum { MOST = 64, PREFIX = 7 /* of "posenc." */ };

/* An encoder's state has its table as pe, cosines and sines are cos_sin; what is learned is no formula. */
static bool is_formula(const posenc_cli_input_table *t, const char *scheme) {
    bool ours = t->name && (strcmp(t->name, "pe") == 0 || strcmp(t->name, "cos_sin") == 0);
    return ours && scheme && strcmp(scheme, "learned") != 0;
}

/* Keys that are no parameters of the scheme: the file's own, and those of an encoder, which have a second point. */
static bool is_parameter(const char *key) {
    if (strncmp(key, "posenc.", PREFIX) != 0 || strchr(key + PREFIX, '.')) return false;
    return strcmp(key, "posenc.version") != 0 && strcmp(key, "posenc.scheme") != 0;
}

static size_t read_parameters(const posenc_safetensors *file, posenc_parameter parameters[MOST]) {
    const char *key;
    size_t n = 0;
    for (size_t i = 0; n < MOST && (key = posenc_safetensors_key(file, i)); i++)
        if (is_parameter(key))
            parameters[n++] = (posenc_parameter){key + PREFIX, posenc_safetensors_metadata(file, key)};
    return n;
}

static int set_aside(const posenc_cli_input_table *t, const char *why) {
    char text[1024];
    snprintf(text, sizeof text, "%s: metadata posenc.* left aside: %s", t->title, why);
    posenc_cli_warn(NULL, text);
    return POSENC_CLI_FINE;
}

/* ---- whether they speak of the tensor, before anything of the size that they say is made ---- */

static int64_t number_of(const posenc_cli_input_table *t, const char *key) {
    const char *text = posenc_safetensors_metadata(t->container, key);
    int64_t value = 0;
    return text && posenc_cli_parse_integer(text, &value) ? value : 0;
}

/* A table of rows is (max-len, dim). */
static bool fits_rows(const posenc_cli_input_table *t) {
    const DLTensor *tensor = t->tensor;
    return tensor->ndim == 2 && tensor->shape[0] == number_of(t, "posenc.max-len") &&
           tensor->shape[1] == number_of(t, "posenc.dim");
}

/* Cosines and sines are (any length, dim / 2, 2); a dim of 0 is all of a head. */
static bool fits_pairs(const posenc_cli_input_table *t) {
    const DLTensor *tensor = t->tensor;
    int64_t dim = number_of(t, "posenc.dim");
    if (dim == 0) dim = number_of(t, "posenc.head-dim");
    return tensor->ndim == 3 && tensor->shape[2] == 2 && dim > 0 && dim % 2 == 0 && tensor->shape[1] == dim / 2;
}

static bool fits(const posenc_cli_input_table *t, const posenc_scheme_info *scheme) {
    if (scheme->effect == POSENC_EFFECT_ROTATES_PAIRS) return fits_pairs(t);
    return scheme->effect == POSENC_EFFECT_ADDS_ROWS && fits_rows(t);
}

int posenc_cli_saved_plan(const posenc_context *context, const posenc_cli_input_table *table, posenc_plan **plan) {
    const char *scheme = table->container ? posenc_safetensors_metadata(table->container, "posenc.scheme") : NULL;
    posenc_parameter parameters[MOST];
    posenc_error error;
    *plan = NULL;
    if (!is_formula(table, scheme)) return POSENC_CLI_FINE;
    const posenc_scheme_info *found = posenc_scheme_find(scheme);
    if (found && !fits(table, found)) return set_aside(table, "the tensor has not the shape that they say");
    size_t n = read_parameters(table->container, parameters);
    posenc_status status = posenc_plan_create(context, scheme, parameters, n, plan, &error);
    if (status == POSENC_OK) return POSENC_CLI_FINE;
    return status == POSENC_ERROR_MEMORY ? posenc_cli_refuse(&error) : set_aside(table, error.message);
}
