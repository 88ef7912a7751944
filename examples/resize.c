/* A vision transformer was trained on pictures of 224 pixels, 16 x 16 patches of 14, and is to read 336: its learned
 * table, one class token and a grid, becomes one of 24 x 24. Made at once, then block by block as for a file; both are
 * the same bits. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <posenc/posenc.h>

enum {
    DIM = 48,
    OLD_SIDE = 16,
    NEW_SIDE = 24,
    OLD = 1 + OLD_SIDE * OLD_SIDE,
    NEW = 1 + NEW_SIDE * NEW_SIDE,
    BLOCK = 100
};

static int fail(const char *why) {
    fprintf(stderr, "%s\n", why);
    return EXIT_FAILURE;
}

static posenc_status resize(posenc_resize_options *options, const DLTensor *old, float *out, int64_t rows,
                            posenc_error *error) {
    posenc_view view;
    return posenc_resize(NULL, options, old, posenc_view_make(&view, out, POSENC_F32, 2, (int64_t[]){rows, DIM}, NULL),
                         error);
}

int main(void) {
    static float table[OLD * DIM], whole[NEW * DIM], parts[NEW * DIM];
    posenc_resize_options options;
    posenc_view view;
    posenc_error error;
    for (int i = 0; i < OLD * DIM; i++) /* the column of the patch, and a little of the channel */
        table[i] = (float)((i / DIM + OLD_SIDE - 1) % OLD_SIDE) + (float)(i % DIM) / DIM;
    const DLTensor *old = posenc_view_make(&view, table, POSENC_F32, 2, (int64_t[]){OLD, DIM}, NULL);

    posenc_resize_default(&options, sizeof options);
    options.mode = POSENC_INTERPOLATION_CUBIC;
    options.prefix = 1; /* the class token stays as it is */
    options.from[0] = options.from[1] = OLD_SIDE;
    options.to[0] = options.to[1] = NEW_SIDE;
    if (resize(&options, old, whole, NEW, &error)) return fail(error.message);

    for (options.first = 0; options.first < NEW; options.first += BLOCK) {
        int64_t rows = NEW - options.first < BLOCK ? NEW - options.first : BLOCK;
        if (resize(&options, old, parts + options.first * DIM, rows, &error)) return fail(error.message);
    }
    if (memcmp(whole, parts, sizeof whole) != 0) return fail("expected the same bits in parts");
    if (memcmp(whole, table, DIM * sizeof *table) != 0) return fail("expected the class token as it was");
    printf("%d rows became %d; the one in the middle begins %.4f\n", OLD, NEW,
           (double)whole[(1 + NEW_SIDE * NEW_SIDE / 2 + NEW_SIDE / 2) * DIM]);
    return EXIT_SUCCESS;
}
