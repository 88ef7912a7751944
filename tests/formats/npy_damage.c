/* Valid files damaged in every small way: cut after each byte, and each bit of the head flipped. */
#include <stdlib.h>
#include <string.h>

#include "formats/npy.h"
#include "memory_io.h"
#include "npy_bytes.h"
#include "support/allocator.h"
#include "support/tensors.h"
#include "support/test.h"

enum { SEEDS = 7 };

static void make_seeds(npy_bytes seeds[SEEDS]) {
    static const uint8_t data[240] = {1, 0, 1};
    seeds[0] = npy_bytes_make(1, "<f4", 0, "(3, 5)", data, 60);
    seeds[1] = npy_bytes_make(1, ">f8", 1, "(2, 3, 5)", data, 240);
    seeds[2] = npy_bytes_make(2, "|b1", 0, "(7,)", data, 7);
    seeds[3] = npy_bytes_make(3, ">i2", 1, "(4L, 5L)", data, 40);
    seeds[4] = npy_bytes_make(1, "<f2", 0, "()", data, 2);
    seeds[5] = npy_bytes_make(1, "<u8", 0, "(0, 512)", data, 0);
    const char *bare = "{'shape':(2,),'descr':'|u1','fortran_order':False}";
    seeds[6] = npy_bytes_raw(1, bare, strlen(bare), data, 2);
}

static void end_seeds(npy_bytes seeds[SEEDS]) {
    for (int i = 0; i < SEEDS; i++) npy_bytes_end(&seeds[i]);
}

typedef struct outcome {
    posenc_status status;
    int64_t offset;
} outcome;

/* Reads bytes that stand flush against the end of their block, so that a sanitizer sees one byte too many. Nothing may
 * be kept, and what is asked for is bounded by what is there. */
static outcome read_all(const uint8_t *bytes, size_t n, bool stream) {
    allocator a;
    posenc_context *context = allocator_context(&a);
    uint8_t *flush = must_allocate(n > 0 ? n : 1);
    memcpy(flush, bytes, n);
    memory_file file;
    const posenc_io *io = memory_file_io(&file, flush, n, stream, 0);
    posenc_array *array = NULL;
    posenc_error error = {.offset = -1};
    outcome got = {posenc_npy_read_with(io, context, "x", &array, &error), -1};
    check((got.status == POSENC_OK) == (array != NULL), "status %d and %p", (int)got.status, (void *)array);
    if (got.status != POSENC_OK) got.offset = error.offset;
    posenc_array_destroy(array);
    posenc_context_destroy(context);
    free(flush);
    check(a.live == 0 && a.mistakes == 0 && file.open == 0, "something was kept");
    check(a.peak_bytes <= (stream ? 131072 : 4096) + 4 * n, "%zu bytes for a file of %zu", (size_t)a.peak_bytes, n);
    return got;
}

/* A file that ends too early is refused where it ends, wherever that is. */
static void every_prefix(void **state) {
    npy_bytes seeds[SEEDS];
    (void)state;
    make_seeds(seeds);
    for (int s = 0; s < SEEDS; s++) {
        for (size_t n = 0; n <= seeds[s].n; n++) {
            for (int stream = 0; stream < 2; stream++) {
                outcome got = read_all(seeds[s].bytes, n, stream);
                if (n == seeds[s].n)
                    check(got.status == POSENC_OK, "seed %d: %s", s, posenc_status_name(got.status));
                else
                    check(got.status == POSENC_ERROR_FORMAT && got.offset == (int64_t)n,
                          "seed %d cut after %zu bytes: %s at %lld", s, n, posenc_status_name(got.status),
                          (long long)got.offset);
            }
        }
    }
    end_seeds(seeds);
}

/* One byte more is refused where it stands. */
static void every_seed_with_a_byte_more(void **state) {
    npy_bytes seeds[SEEDS];
    (void)state;
    make_seeds(seeds);
    for (int s = 0; s < SEEDS; s++) {
        uint8_t *longer = must_allocate(seeds[s].n + 1);
        memcpy(longer, seeds[s].bytes, seeds[s].n);
        for (int stream = 0; stream < 2; stream++) {
            outcome got = read_all(longer, seeds[s].n + 1, stream);
            check(got.status == POSENC_ERROR_FORMAT && got.offset == (int64_t)seeds[s].n, "seed %d: %s at %lld", s,
                  posenc_status_name(got.status), (long long)got.offset);
        }
        free(longer);
    }
    end_seeds(seeds);
}

/* A damaged head gives the same answer as a file and as a stream, with an offset inside the file or at its end. */
static void must_agree(const uint8_t *bytes, size_t n, const char *what, size_t where) {
    outcome file = read_all(bytes, n, false), stream = read_all(bytes, n, true);
    check(file.status == stream.status && file.offset == stream.offset, "%s %zu: %s at %lld, but %s at %lld", what,
          where, posenc_status_name(file.status), (long long)file.offset, posenc_status_name(stream.status),
          (long long)stream.offset);
    bool fine = file.status == POSENC_OK || file.status == POSENC_ERROR_FORMAT || file.status == POSENC_ERROR_DTYPE ||
                file.status == POSENC_ERROR_SHAPE;
    check(fine, "%s %zu: %s", what, where, posenc_status_name(file.status));
    check(file.status == POSENC_OK || (file.offset >= 0 && file.offset <= (int64_t)n), "%s %zu: byte %lld of %zu", what,
          where, (long long)file.offset, n);
}

static void every_bit_of_the_head(void **state) {
    npy_bytes seeds[SEEDS];
    (void)state;
    make_seeds(seeds);
    for (int s = 0; s < SEEDS; s++) {
        for (size_t bit = 0; bit < 8 * seeds[s].data_at; bit++) {
            seeds[s].bytes[bit / 8] ^= (uint8_t)(1 << bit % 8);
            must_agree(seeds[s].bytes, seeds[s].n, "bit", bit);
            seeds[s].bytes[bit / 8] ^= (uint8_t)(1 << bit % 8);
        }
    }
    end_seeds(seeds);
}

/* Several bytes at once, from the letters that headers are made of and from all. */
static void random_damage(void **state) {
    static const char letters[] = "{}()[]'\",: <>|=?fiub0123456789LTrueFalse\n\\";
    npy_bytes seeds[SEEDS];
    random_state random = random_start("npy random damage");
    (void)state;
    make_seeds(seeds);
    for (int round = 0; round < 20000; round++) {
        npy_bytes *seed = &seeds[round % SEEDS];
        uint8_t *copy = must_allocate(seed->n + 1);
        memcpy(copy, seed->bytes, seed->n);
        for (int64_t k = random_between(&random, 1, 4); k > 0; k--) {
            size_t at = (size_t)random_between(&random, 6, (int64_t)seed->data_at - 1);
            uint64_t r = random_u64(&random);
            copy[at] = r & 256 ? (uint8_t)r : (uint8_t)letters[r % (sizeof letters - 1)];
        }
        must_agree(copy, seed->n, "round", (size_t)round);
        free(copy);
    }
    end_seeds(seeds);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_prefix),
        cmocka_unit_test(every_seed_with_a_byte_more),
        cmocka_unit_test(every_bit_of_the_head),
        cmocka_unit_test(random_damage),
    };
    return TEST_RUN(tests);
}
