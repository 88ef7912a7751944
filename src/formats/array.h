/* A tensor read from a file, with its memory. */
#ifndef POSENC_FORMATS_ARRAY_H
#define POSENC_FORMATS_ARRAY_H

#include <posenc/files.h>

struct posenc_array {
    const posenc_context *context; /* of the array and of its data */
    void *data;
    posenc_view view; /* points to data and into itself: the array stays where it was made */
};

/* An array around data, which it owns from now on. NULL, with data untouched, when memory is missing. */
posenc_array *posenc_array_create(const posenc_context *context, void *data, posenc_dtype dtype, int rank,
                                  const int64_t *shape);

#endif
