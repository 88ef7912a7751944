/* A tensor read from a file, with its memory. */
#include "formats/array.h"

#include "base/memory.h"

posenc_array *posenc_array_create(const posenc_context *context, void *data, posenc_dtype dtype, int rank,
                                  const int64_t *shape) {
    posenc_array *array = posenc_allocate(context, sizeof *array);
    if (!array) return NULL;
    array->context = context;
    array->data = data;
    posenc_view_make(&array->view, data, dtype, rank, shape, NULL);
    return array;
}

DLTensor *posenc_array_tensor(posenc_array *array) { return array ? &array->view.tensor : NULL; }

void posenc_array_destroy(posenc_array *array) {
    if (!array) return;
    posenc_release(array->context, array->data);
    posenc_release(array->context, array);
}
