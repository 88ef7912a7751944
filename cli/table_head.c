/* How a report on a table begins. */
#include "table_head.h"

#include <inttypes.h>

void posenc_cli_table_head(const posenc_cli_input_table *table) {
    posenc_cli_escape(stdout, table->title);
    fputs(": ", stdout);
    for (int i = 0; i < table->tensor->ndim; i++) printf("%s%" PRId64, i ? " x " : "", table->tensor->shape[i]);
    printf(", %s", posenc_dtype_name(table->dtype));
}

json_t *posenc_cli_json_table(const posenc_cli_input_table *table) {
    json_t *document = posenc_cli_json_document(), *shape = json_array();
    for (int i = 0; i < table->tensor->ndim; i++)
        json_array_append_new(shape, json_integer((json_int_t)table->tensor->shape[i]));
    json_object_set_new(document, "file", json_string(table->file));
    json_object_set_new(document, "tensor", table->name ? json_string(table->name) : json_null());
    json_object_set_new(document, "shape", shape);
    json_object_set_new(document, "dtype", json_string(posenc_dtype_name(table->dtype)));
    return document;
}
