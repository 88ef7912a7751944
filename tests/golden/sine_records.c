#include "sine_records.h"
#include "vectors.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/isa.h"
#include "support/number.h"
#include "support/oracle.h"
#include "support/tensors.h"
#include "support/test.h"

/* Members of a record and the parameters that they are. */
static const char *const members[][2] = {{"dim", "dim"},
                                         {"shift", "shift"},
                                         {"cos_first", "cos-first"},
                                         {"max_period", "max-period"},
                                         {"resolution", "resolution"}};

static void add_parameter(sine_record *r, const char *name, const char *text) {
    snprintf(r->names[r->n_parameters], sizeof r->names[0], "%s", name);
    snprintf(r->texts[r->n_parameters], sizeof r->texts[0], "%s", text);
    r->n_parameters++;
}

static void add_member(sine_record *r, const char *name, json_t *value) {
    char text[32];
    if (!value) return;
    if (json_is_boolean(value))
        snprintf(text, sizeof text, "%s", json_is_true(value) ? "true" : "false");
    else
        snprintf(text, sizeof text, "%.17g", json_number_value(value));
    add_parameter(r, name, text);
}

static sine_record read_one(json_t *object) {
    sine_record r = {.n_columns = 0};
    json_t *columns = json_object_get(object, "columns"), *values = json_object_get(object, "values"), *bands;
    const char *id = json_string_value(json_object_get(object, "id"));
    const char *position = json_string_value(json_object_get(object, "position"));
    check(id && position && json_array_size(values) > 0 && json_array_size(values) <= SINE_COLUMNS &&
              (!columns || json_array_size(columns) == json_array_size(values)),
          "%s: expected an id, a position and one value for each column", id ? id : "a record");
    snprintf(r.id, sizeof r.id, "%s", id);
    r.position = strtod(position, NULL);
    for (size_t i = 0; i < sizeof members / sizeof *members; i++)
        add_member(&r, members[i][1], json_object_get(object, members[i][0]));
    bands = json_object_get(object, "bands");
    if (bands) {
        char text[32];
        snprintf(text, sizeof text, "%" PRId64, (int64_t)(2 * json_integer_value(bands)));
        add_parameter(&r, "dim", text);
    }
    r.n_columns = (int)json_array_size(values);
    for (int i = 0; i < r.n_columns; i++) {
        r.columns[i] = columns ? json_integer_value(json_array_get(columns, (size_t)i)) : i;
        snprintf(r.values[i], sizeof r.values[i], "%s", json_string_value(json_array_get(values, (size_t)i)));
    }
    return r;
}

int sine_records_read(const char *path, const char *scheme, sine_record **records) {
    json_t *root = vectors_load(path), *object;
    int n = 0;
    *records = calloc(vectors_count(root) + 1, sizeof **records);
    if (!*records) abort();
    for (size_t i = 0; i < vectors_count(root); i++)
        if ((object = vectors_at(root, i, scheme))) (*records)[n++] = read_one(object);
    json_decref(root);
    return n;
}

posenc_plan *sine_record_plan(const posenc_context *context, const char *scheme, const sine_record *r) {
    posenc_parameter parameters[SINE_PARAMETERS];
    for (size_t i = 0; i < r->n_parameters; i++) parameters[i] = (posenc_parameter){r->names[i], r->texts[i]};
    posenc_plan *plan = NULL;
    posenc_error error = {0};
    check(posenc_plan_create(context, scheme, parameters, r->n_parameters, &plan, &error) == POSENC_OK, "%s: %s", r->id,
          error.message);
    return plan;
}

static void check_rows(const sine_record *r, const posenc_plan *plan) {
    mpfr_t exact;
    mpfr_init2(exact, ORACLE_BITS);
    int64_t dim = posenc_plan_dim(plan);
    for (int d = 0; d < 4; d++) {
        posenc_dtype dtype = encoding_dtypes[d];
        char *row = must_allocate((size_t)dim * 8), *again = must_allocate((size_t)dim * 8);
        must_write_ids(plan, POSENC_F64, &r->position, 1, dtype, row);
        for (int i = 0; i < r->n_columns; i++) {
            mpfr_set_str(exact, r->values[i], 10, MPFR_RNDN);
            uint64_t bits = number_load(dtype, row + (size_t)r->columns[i] * posenc_dtype_bytes(dtype));
            check(oracle_accepts(dtype, bits, exact), "%s %s %s column %" PRId64 ": expected %s, got %.17g", r->id,
                  posenc_plan_isa(plan), posenc_dtype_name(dtype), r->columns[i], r->values[i],
                  number_decode(dtype, bits));
        }
        if (r->position == floor(r->position)) must_write(plan, (int64_t)r->position, 1, dtype, again);
        if (r->position == floor(r->position)) must_equal(r->id, dtype, row, again, dim);
        free(row);
        free(again);
    }
    mpfr_clear(exact);
}

static void check_equation(const sine_record *r, const posenc_plan *plan) {
    for (int i = 0; i < r->n_columns; i++) {
        double value, known = strtod(r->values[i], NULL);
        assert_int_equal(posenc_plan_equation(plan, r->position, r->columns[i], &value), POSENC_OK);
        check(fabs(value - known) <= 2e-15, "%s equation column %" PRId64 ": expected %s, got %.17g", r->id,
              r->columns[i], r->values[i], value);
    }
}

void sine_records_check(const char *scheme, const sine_record *records, int n) {
    for (size_t isa = 0; isa < isa_count(); isa++) {
        posenc_context *context = isa_context(isa, 1);
        for (int i = 0; i < n; i++) {
            posenc_plan *plan = sine_record_plan(context, scheme, &records[i]);
            check_rows(&records[i], plan);
            check_equation(&records[i], plan);
            posenc_plan_destroy(plan);
        }
        posenc_context_destroy(context);
    }
}
