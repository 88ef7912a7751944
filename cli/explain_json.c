/* A configuration explained, as JSON. */
#include <math.h>

#include "explain.h"
#include "json.h"

static const double turn = 6.283185307179586;

/* A pair at rest never comes round. */
static double wavelength(double omega) { return omega == 0 ? HUGE_VAL : turn / omega; }

static json_t *json_numbers(const double *values, int64_t n, bool wavelengths) {
    json_t *list = json_array();
    for (int64_t i = 0; i < n; i++)
        json_array_append_new(list, posenc_cli_json_real(wavelengths ? wavelength(values[i]) : values[i]));
    return list;
}

static json_t *json_extent(const posenc_rotary_options *o) {
    return json_pack("{s:I, s:I, s:I}", "start", (json_int_t)o->rotary_start, "width",
                     (json_int_t)(o->dim > 0 ? o->dim : o->head_dim), "head_dim", (json_int_t)o->head_dim);
}

static json_t *count_or_null(bool rotates, int64_t count) {
    return rotates ? json_integer((json_int_t)count) : json_null();
}

static json_t *json_layers(const posenc_config_layers *layers, const posenc_cli_spectrum *s) {
    const posenc_rotary_options *o = &layers->rotary;
    const posenc_rotary_info *info = &s->info;
    bool rotates = s->omega != NULL;
    json_t *object = json_pack("{s:s, s:o, s:s}", "type", layers->type, "count",
                               count_or_null(layers->count > 0, layers->count), "scheme", layers->scheme);
    json_object_set_new(object, "family", rotates ? json_string(layers->family) : json_null());
    json_object_set_new(object, "pairing", rotates ? json_string(posenc_cli_pairing_name(o->pairing)) : json_null());
    json_object_set_new(object, "extent", rotates ? json_extent(o) : json_null());
    json_object_set_new(object, "axes", s->axes ? json_string(s->axes) : json_null());
    json_object_set_new(object, "base", rotates ? posenc_cli_json_real(o->base) : json_null());
    json_object_set_new(object, "omega", json_numbers(s->omega, rotates ? info->pairs : 0, false));
    json_object_set_new(object, "wavelength", json_numbers(s->omega, rotates ? info->pairs : 0, true));
    json_object_set_new(object, "kept", count_or_null(rotates, info->kept));
    json_object_set_new(object, "blended", count_or_null(rotates, info->blended));
    json_object_set_new(object, "divided", count_or_null(rotates, info->divided));
    json_object_set_new(object, "amplitude", rotates ? posenc_cli_json_real(info->amplitude) : json_null());
    json_object_set_new(object, "softmax_factor", rotates ? posenc_cli_json_real(s->softmax_factor) : json_null());
    return object;
}

static json_t *json_all_layers(const posenc_cli_explained *e) {
    json_t *list = json_array();
    const posenc_config_layers *layers;
    for (size_t i = 0; (layers = posenc_config_at(e->config, i)); i++)
        json_array_append_new(list, json_layers(layers, &e->spectra[i]));
    return list;
}

static json_t *json_assumed(const posenc_config *config) {
    json_t *list = json_array();
    const char *sentence;
    for (size_t i = 0; (sentence = posenc_config_assumed(config, i)); i++)
        json_array_append_new(list, json_string(sentence));
    return list;
}

static json_t *json_warnings(const posenc_config *config) {
    json_t *list = json_array();
    const posenc_config_warning *w;
    for (size_t i = 0; (w = posenc_config_warned(config, i)); i++)
        json_array_append_new(list, json_pack("{s:s, s:s}", "key", w->key, "sentence", w->sentence));
    return list;
}

int posenc_cli_explain_json(const posenc_cli_explained *e) {
    json_t *document = posenc_cli_json_document();
    const char *model = posenc_config_model(e->config);
    json_object_set_new(document, "path", json_string(e->path));
    json_object_set_new(document, "model", model ? json_string(model) : json_null());
    json_object_set_new(document, "length", e->length > 0 ? json_integer((json_int_t)e->length) : json_null());
    json_object_set_new(document, "layers", json_all_layers(e));
    json_object_set_new(document, "assumed", json_assumed(e->config));
    json_object_set_new(document, "warnings", json_warnings(e->config));
    return posenc_cli_json_print(document);
}
