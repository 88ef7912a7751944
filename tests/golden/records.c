#include "records.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "support/test.h"

static posenc_layout layout_of(const char *name) {
    static const char *const names[] = {"interleaved", "halves", "tensor2tensor"};
    for (int i = 0; i < 3; i++)
        if (strcmp(name, names[i]) == 0) return (posenc_layout)i;
    test_failed(__FILE__, __LINE__, "a known layout", "layout %s", name);
}

static record read_one(json_t *object) {
    record r = {.n_columns = 0};
    const char *id, *layout;
    json_int_t dim, position;
    json_t *columns, *values;
    json_error_t error;
    int bad =
        json_unpack_ex(object, &error, 0, "{s:s, s:s, s:I, s:I, s:F, s:o, s:o}", "id", &id, "layout", &layout, "dim",
                       &dim, "position", &position, "base", &r.base, "columns", &columns, "values", &values);
    check(bad == 0, "vectors.json: %s", error.text);
    check(json_array_size(columns) == json_array_size(values) && json_array_size(values) > 0 &&
              json_array_size(values) <= RECORD_COLUMNS,
          "%s: expected one value for each of 1..%d columns", id, RECORD_COLUMNS);
    strncpy(r.id, id, sizeof r.id - 1);
    r.layout = layout_of(layout);
    r.dim = dim;
    r.position = position;
    r.n_columns = (int)json_array_size(values);
    for (int i = 0; i < r.n_columns; i++) {
        r.columns[i] = json_integer_value(json_array_get(columns, (size_t)i));
        strncpy(r.values[i], json_string_value(json_array_get(values, (size_t)i)), sizeof r.values[i] - 1);
    }
    return r;
}

int records_read(const char *path, record **records, int *n_all) {
    json_error_t error;
    json_t *root = json_load_file(path, JSON_REJECT_DUPLICATES, &error);
    check(root, "%s: line %d: %s", path, error.line, error.text);
    json_t *vectors = json_object_get(root, "vectors"), *object;
    size_t i;
    int n = 0;
    *n_all = (int)json_array_size(vectors);
    *records = calloc((size_t)*n_all + 1, sizeof **records);
    if (!*records) abort();
    json_array_foreach(vectors, i, object) {
        const char *scheme = json_string_value(json_object_get(object, "scheme"));
        if (scheme && strcmp(scheme, "sinusoidal") == 0) (*records)[n++] = read_one(object);
    }
    json_decref(root);
    return n;
}
