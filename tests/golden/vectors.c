#include "vectors.h"

#include <string.h>

#include "support/test.h"

json_t *vectors_load(const char *path) {
    json_error_t error;
    json_t *root = json_load_file(path, JSON_REJECT_DUPLICATES, &error);
    check(root, "%s: line %d: %s", path, error.line, error.text);
    return root;
}

size_t vectors_count(const json_t *root) { return json_array_size(json_object_get(root, "vectors")); }

json_t *vectors_at(const json_t *root, size_t i, const char *scheme) {
    json_t *record = json_array_get(json_object_get(root, "vectors"), i);
    const char *name = json_string_value(json_object_get(record, "scheme"));
    return name && strcmp(name, scheme) == 0 ? record : NULL;
}
