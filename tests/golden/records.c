#include "records.h"
#include "vectors.h"

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
    json_t *root = vectors_load(path), *object;
    int n = 0;
    *n_all = (int)vectors_count(root);
    *records = calloc((size_t)*n_all + 1, sizeof **records);
    if (!*records) abort();
    for (size_t i = 0; i < vectors_count(root); i++)
        if ((object = vectors_at(root, i, "sinusoidal"))) (*records)[n++] = read_one(object);
    json_decref(root);
    return n;
}
