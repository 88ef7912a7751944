/* A check's report as JSON. */
#include <math.h>
#include <string.h>

#include "check.h"
#include "table_head.h"

/* Rows and columns that there are none of are null. */
static json_t *index_or_null(int64_t index) { return index < 0 ? json_null() : json_integer((json_int_t)index); }

static json_t *json_looks(const posenc_check_report *report) {
    json_t *list = json_array();
    for (int i = 0; i < POSENC_LOOK_COUNT; i++)
        if (report->looked_at & 1u << i) json_array_append_new(list, json_string(posenc_look_name((posenc_look)i)));
    return list;
}

static json_t *json_finding(const posenc_finding *f) {
    json_t *where =
        json_pack("{s:o, s:o}", "position", index_or_null(f->position), "channel", index_or_null(f->channel));
    if (f->kind == POSENC_FINDING_REPEATED_ROWS) {
        json_object_set_new(where, "twin", index_or_null(f->twin));
        json_object_set_new(where, "period", index_or_null(f->period));
    }
    return json_pack("{s:s, s:s, s:o, s:o, s:s}", "kind", posenc_finding_name(f->kind), "level",
                     posenc_level_name(f->level), "where", where, "amount", posenc_cli_json_real(f->amount), "why",
                     f->why);
}

static json_t *json_findings(const posenc_check_report *report) {
    json_t *list = json_array();
    for (size_t i = 0; i < report->n_findings; i++) json_array_append_new(list, json_finding(&report->findings[i]));
    return list;
}

static void put_base(json_t *object, const posenc_match *match) {
    json_object_set_new(object, "cos-first", json_boolean(match->cos_first));
    json_object_set_new(object, "base", posenc_cli_json_real(match->base));
    json_object_set_new(object, "base_is_known", json_boolean(match->base_is_known));
}

static json_t *json_parameters(const posenc_match *match) {
    json_t *object = json_object();
    if (strcmp(match->scheme, "sinusoidal") == 0)
        json_object_set_new(object, "layout", json_string(posenc_cli_layout_name(match->layout)));
    if (match->base > 0) put_base(object, match);
    json_object_set_new(object, "start", json_integer((json_int_t)match->start));
    return object;
}

/* In the form of identify's answer; null: no known formula. */
static json_t *json_match(const posenc_check_report *report) {
    const posenc_match *match = &report->match;
    if (!match->scheme) return json_null();
    json_t *residual = json_pack("{s:o, s:o}", "max", posenc_cli_json_real(match->max_error), "rms",
                                 posenc_cli_json_real(match->rms_error));
    return json_pack("{s:s, s:o, s:s, s:s, s:o, s:o, s:I, s:I}", "scheme", match->scheme, "parameters",
                     json_parameters(match), "parameters_text", report->parameters, "arithmetic",
                     posenc_cli_arithmetic_name(match->arithmetic), "mistake",
                     match->doubled_exponent ? json_string("doubled-exponent") : json_null(), "residual", residual,
                     "rows", (json_int_t)match->rows, "rows_fit", (json_int_t)match->rows_fit);
}

static json_t *json_errors(const posenc_check_report *report) {
    json_t *list = json_array();
    for (size_t i = 0; i < report->n_errors; i++) {
        const posenc_error_bin *bin = &report->errors[i];
        json_array_append_new(list, json_pack("{s:I, s:I, s:o}", "first", (json_int_t)bin->first, "last",
                                              (json_int_t)bin->last, "max", posenc_cli_json_real(bin->max_error)));
    }
    return list;
}

static json_t *json_extensions(const posenc_check_report *report) {
    json_t *list = json_array();
    for (int i = 0; i < 2; i++) {
        const posenc_extension *e = &report->extensions[i];
        if (e->length == 0) continue;
        json_array_append_new(list, json_pack("{s:I, s:o, s:o, s:s}", "length", (json_int_t)e->length, "repeated_rows",
                                              index_or_null(e->repeated_rows), "float32_error",
                                              posenc_cli_json_real(e->float32_error), "sentence", e->sentence));
    }
    return list;
}

int posenc_cli_check_json(const posenc_cli_input_table *table, const posenc_check_report *report) {
    json_t *document = posenc_cli_json_table(table);
    json_object_set_new(document, "healthy", json_boolean(report->healthy));
    json_object_set_new(document, "looked_at", json_looks(report));
    json_object_set_new(document, "findings", json_findings(report));
    json_object_set_new(document, "match", json_match(report));
    json_object_set_new(document, "amplitude",
                        isnan(report->amplitude) ? json_null() : posenc_cli_json_real(report->amplitude));
    json_object_set_new(document, "minimum", posenc_cli_json_real(report->minimum));
    json_object_set_new(document, "maximum", posenc_cli_json_real(report->maximum));
    json_object_set_new(document, "rank", index_or_null(report->rank));
    json_object_set_new(document, "effective_dimension", posenc_cli_json_real(report->effective_dimension));
    json_object_set_new(document, "errors", json_errors(report));
    json_object_set_new(document, "first_imprecise", index_or_null(report->first_imprecise));
    json_object_set_new(document, "extensions", json_extensions(report));
    return posenc_cli_json_print(document);
}
