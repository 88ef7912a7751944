/* FILE or FILE:TENSOR, read as a table. */
#include "read_table.h"

#include <stdlib.h>
#include <string.h>

#include "paths.h"

enum { FEW_NAMES = 5, NAME_BYTES = 60 };

/* The names that posenc gives: its tables, and learned ones. */
static bool is_our_name(const char *name) {
    return strcmp(name, "pe") == 0 || strcmp(name, "weight") == 0 || strcmp(name, "cos_sin") == 0;
}

static int name_some(const posenc_safetensors *container, const char *file) {
    char names[FEW_NAMES * (NAME_BYTES + 16)] = "";
    size_t count = posenc_safetensors_count(container), n = 0;
    if (count == 0) return posenc_cli_fail("%s: expected a tensor, got a file without one", file);
    for (size_t i = 0; i < count && i < FEW_NAMES; i++)
        n += (size_t)snprintf(names + n, sizeof names - n, "%s\"%.*s\"", i ? ", " : "", NAME_BYTES,
                              posenc_safetensors_at(container, i)->name);
    return posenc_cli_fail("%s: expected FILE:TENSOR, got FILE alone, which holds %zu tensors: %s%s", file, count,
                           names, count > FEW_NAMES ? ", ..." : "");
}

/* The tensor to take where none is named; NULL if that is not clear. */
static const posenc_tensor_info *only_tensor(const posenc_safetensors *container) {
    const posenc_tensor_info *ours = NULL, *info;
    size_t count = posenc_safetensors_count(container), n = 0;
    for (size_t i = 0; i < count && (info = posenc_safetensors_at(container, i)); i++) {
        if (!is_our_name(info->name)) continue;
        ours = info;
        n++;
    }
    if (count == 1) return posenc_safetensors_at(container, 0);
    return n == 1 ? ours : NULL;
}

static int read_tensor(const posenc_safetensors *container, posenc_cli_input_table *t) {
    posenc_error error;
    const posenc_tensor_info *info =
        t->path.tensor ? posenc_cli_tensor_find(container, &t->path) : only_tensor(container);
    if (!info) return t->path.tensor ? POSENC_CLI_TROUBLE : name_some(container, t->path.file);
    if (posenc_safetensors_read(container, info, &t->array, &error) != POSENC_OK) return posenc_cli_refuse(&error);
    t->tensor = posenc_array_tensor(t->array);
    t->name = malloc(info->name_bytes + 1);
    if (!t->name) return posenc_cli_no_memory("table", info->name_bytes + 1);
    memcpy(t->name, info->name, info->name_bytes + 1);
    return POSENC_CLI_FINE;
}

static int read_container(const posenc_context *context, posenc_cli_input_table *t) {
    posenc_error error;
    if (posenc_safetensors_open(context, t->path.file, &t->container, &error) != POSENC_OK)
        return posenc_cli_refuse(&error);
    return read_tensor(t->container, t);
}

static int read_npy(const posenc_context *context, posenc_cli_input_table *t) {
    posenc_error error;
    if (posenc_npy_read(context, t->path.file, &t->array, &error) != POSENC_OK) return posenc_cli_refuse(&error);
    t->tensor = posenc_array_tensor(t->array);
    return POSENC_CLI_FINE;
}

static int read_csv(posenc_cli_input_table *t) {
    int64_t shape[2];
    int status = posenc_cli_read_csv(t->path.file, &t->numbers, &t->dtype, shape);
    if (status == POSENC_CLI_FINE) t->tensor = posenc_view_make(&t->view, t->numbers, t->dtype, 2, shape, NULL);
    return status;
}

static int check_dtype(posenc_cli_input_table *t) {
    posenc_dtype_of(t->tensor, &t->dtype);
    if (t->dtype == POSENC_F32 || t->dtype == POSENC_F64 || t->dtype == POSENC_F16 || t->dtype == POSENC_BF16)
        return POSENC_CLI_FINE;
    return posenc_cli_fail("%s: expected a table in f32, f64, f16 or bf16, got %s", t->file,
                           posenc_dtype_name(t->dtype));
}

static int give_title(posenc_cli_input_table *t) {
    const char *file = strcmp(t->file, "-") == 0 ? "standard input" : t->file;
    bool named = t->path.tensor != NULL;
    size_t bytes = strlen(file) + (named ? strlen(t->name) : 0) + 2;
    t->title = malloc(bytes);
    if (!t->title) return posenc_cli_no_memory("table", bytes);
    snprintf(t->title, bytes, "%s%s%s", file, named ? ":" : "", named ? t->name : "");
    return POSENC_CLI_FINE;
}

int posenc_cli_read_table(const posenc_context *context, const char *option, const char *text,
                          posenc_cli_input_table *table) {
    *table = (posenc_cli_input_table){0};
    int status = posenc_cli_tensor_path_of(option, text, &table->path);
    table->file = table->path.file;
    if (status == POSENC_CLI_FINE)
        status = table->path.container                          ? read_container(context, table)
                 : posenc_cli_ends_in(table->path.file, ".csv") ? read_csv(table)
                                                                : read_npy(context, table);
    if (status == POSENC_CLI_FINE) status = check_dtype(table);
    if (status == POSENC_CLI_FINE) status = give_title(table);
    if (status != POSENC_CLI_FINE) posenc_cli_free_table(table);
    return status;
}

void posenc_cli_free_table(posenc_cli_input_table *table) {
    posenc_array_destroy(table->array);
    posenc_safetensors_close(table->container);
    free(table->numbers);
    free(table->name);
    free(table->title);
    *table = (posenc_cli_input_table){0};
}
