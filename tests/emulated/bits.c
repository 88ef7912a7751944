/* Prints one hash for each configuration of the library, the same on every machine: all layouts, dtypes and
 * arithmetics, tiny, odd and wide rows, starts near and far, position ids, adding in place and beside, dropout, rows
 * with gaps, threads, the cursor; the other schemes and resize (bits_schemes.c), rotary ones (bits_rotary.c), gradients
 * (bits_gradients.c); score biases (bits_biases.c), relative vectors (bits_relative.c). It needs nothing but the
 * library, so it also runs where no test harness does: another processor under an emulator, or as the first process of
 * a machine that has nothing else.
 *
 *     bits [ISA [WIDTH]]    prints to standard output what bits.txt holds, or the part for rows up to WIDTH
 *
 * Elements are hashed in little-endian order whatever the machine's. Hash: FNV-1a, 64 bits. */
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bits.h"
#include "machine.h"

enum { TOKENS = BITS_TOKENS, MOST_DIM = BITS_MOST_DIM, BATCH = BITS_BATCH };

static const char *const layouts[] = {"interleaved", "halves", "tensor2tensor"};
static const char *const arithmetics[] = {"exact", "float32", "float32-exp"};
static const posenc_dtype dtypes[] = {POSENC_F32, POSENC_F64, POSENC_F16, POSENC_BF16};
static const int dims[] = {1, 2, 3, 4, 5, 8, 15, 16, 31, 33, 64, 130, 512};
static const int64_t starts[] = {
    0, -70, 2015 - 64, -4096, 262000, 0x7FFFFFC0, -((int64_t)1 << 40), INT64_MAX - TOKENS, INT64_MIN};

static uint64_t all = BITS_HASH_START; /* over every line */

void bits_stop(const char *where, const posenc_error *error) {
    printf("failed: %s: %s\n", where, error ? error->message : "");
    bits_machine_end(1);
}

static void hash_bytes(uint64_t *hash, const unsigned char *bytes, size_t n) {
    uint64_t h = *hash;
    for (size_t i = 0; i < n; i++) h = (h ^ bytes[i]) * 0x100000001B3u;
    *hash = h;
}

static bool is_big_endian(void) {
    const uint16_t one = 1;
    unsigned char first;
    memcpy(&first, &one, 1);
    return first == 0;
}

void bits_hash_elements(uint64_t *hash, const void *data, size_t n, size_t element_bytes) {
    const unsigned char *bytes = data;
    if (!is_big_endian()) {
        hash_bytes(hash, bytes, n * element_bytes);
        return;
    }
    for (size_t i = 0; i < n; i++) {
        for (size_t k = element_bytes; k-- > 0;) hash_bytes(hash, bytes + i * element_bytes + k, 1);
    }
}

uint64_t bits_next_random(uint64_t *state) {
    uint64_t z = (*state += 0x9E3779B97F4A7C15u);
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    return z ^ (z >> 31);
}

/* Any bits are a number of the type but those of infinities and NaNs; the top exponent bit is cleared, so none comes.
 */
void bits_fill_random(void *data, size_t n, posenc_dtype dtype, uint64_t seed) {
    const size_t bytes = posenc_dtype_bytes(dtype);
    for (size_t i = 0; i < n; i++) {
        const uint64_t bits = bits_next_random(&seed);
        unsigned char *at = (unsigned char *)data + i * bytes;
        if (bytes == 8) {
            const uint64_t v = bits & 0xBFFFFFFFFFFFFFFFu;
            memcpy(at, &v, 8);
        } else if (bytes == 4) {
            const uint32_t v = (uint32_t)bits & 0xBFFFFFFFu;
            memcpy(at, &v, 4);
        } else {
            const uint16_t v = (uint16_t)(bits & 0xBFFFu);
            memcpy(at, &v, 2);
        }
    }
}

static posenc_plan *make_plan(const posenc_context *context, const char *layout, bool cos_first, const char *arithmetic,
                              int dim) {
    char width[16];
    snprintf(width, sizeof width, "%d", dim);
    const posenc_parameter parameters[] = {
        {"dim", width}, {"layout", layout}, {"cos-first", cos_first ? "true" : "false"}, {"arithmetic", arithmetic}};
    posenc_plan *plan = NULL;
    posenc_error error;
    if (posenc_plan_create(context, "sinusoidal", parameters, 4, &plan, &error)) bits_stop("plan", &error);
    return plan;
}

/* Rows from each start, contiguous. */
static void write_starts(bits_bench *b, posenc_dtype dtype, int dim) {
    const size_t n_starts = dim > 64 ? 3 : sizeof starts / sizeof *starts; /* emulators are slow */
    for (size_t s = 0; s < n_starts; s++) {
        posenc_view view;
        DLTensor *out = posenc_view_make(&view, b->y, dtype, 2, (int64_t[]){TOKENS, dim}, NULL);
        posenc_positions positions;
        posenc_positions_default(&positions, sizeof positions);
        positions.start = starts[s];
        posenc_error error;
        if (posenc_plan_write(b->plan, &positions, out, &error)) bits_stop("write", &error);
        bits_hash_elements(&b->hash, b->y, (size_t)(TOKENS * dim), posenc_dtype_bytes(dtype));
    }
}

/* Rows of scattered positions: int64 over the whole range, then doubles with a fraction. */
static void write_ids(bits_bench *b, posenc_dtype dtype, int dim) {
    enum { IDS = 24 };
    int64_t integers[IDS];
    double reals[IDS];
    uint64_t seed = 7;
    for (int i = 0; i < IDS; i++) {
        integers[i] = (int64_t)(bits_next_random(&seed) >> (i * 2)) * (i % 3 ? 1 : -1);
        reals[i] = (double)(integers[i] >> 12) / 1024.0;
    }
    for (int kind = 0; kind < 2; kind++) {
        posenc_view ids_view, view;
        posenc_positions positions;
        posenc_positions_default(&positions, sizeof positions);
        positions.ids = posenc_view_make(&ids_view, kind ? (void *)reals : (void *)integers,
                                         kind ? POSENC_F64 : POSENC_I64, 1, (int64_t[]){IDS}, NULL);
        DLTensor *out = posenc_view_make(&view, b->y, dtype, 2, (int64_t[]){IDS, dim}, NULL);
        posenc_error error;
        if (posenc_plan_write(b->plan, &positions, out, &error)) bits_stop("write ids", &error);
        bits_hash_elements(&b->hash, b->y, (size_t)(IDS * dim), posenc_dtype_bytes(dtype));
    }
}

/* y = x * scale + E, beside and in place; x is batch-first, y sequence-first. */
static void add_rows(bits_bench *b, posenc_dtype dtype, int dim) {
    static const double scales[] = {1.0, 22.62741699796952};
    const size_t n = (size_t)(BATCH * TOKENS * dim), bytes = posenc_dtype_bytes(dtype);
    for (int s = 0; s < 2; s++) {
        posenc_view from, to;
        const int64_t shape[] = {BATCH, TOKENS, dim};
        const int64_t sequence_first[] = {dim, BATCH * dim, 1};
        DLTensor *x = posenc_view_make(&from, b->x, dtype, 3, shape, NULL);
        DLTensor *y = posenc_view_make(&to, b->y, dtype, 3, shape, sequence_first);
        posenc_error error;
        bits_fill_random(b->x, n, dtype, 11);
        if (posenc_plan_add(b->plan, NULL, x, scales[s], y, &error)) bits_stop("add", &error);
        bits_hash_elements(&b->hash, b->y, n, bytes);
        if (posenc_plan_add(b->plan, NULL, x, scales[s], x, &error)) bits_stop("add in place", &error);
        bits_hash_elements(&b->hash, b->x, n, bytes);
    }
}

/* Dropout after the sum and its backward pass, in place; the counter passes 2^32 on the way. */
static void run_encoder(bits_bench *b, posenc_dtype dtype, int dim) {
    char width[16];
    snprintf(width, sizeof width, "%d", dim);
    const posenc_parameter parameters[] = {{"dim", width}, {"max-len", "40"}};
    const size_t n = (size_t)(BATCH * TOKENS * dim), bytes = posenc_dtype_bytes(dtype);
    posenc_encoder_options options;
    posenc_encoder_default(&options, sizeof options);
    options.dtype = dtype == POSENC_F64 ? POSENC_F64 : POSENC_F32;
    options.dropout = 0.1;
    posenc_step step;
    posenc_step_default(&step, sizeof step);
    step.training = 1, step.seed = 0x0123456789ABCDEFu, step.stream = 3, step.first_element = 0x3FFFFFF00u;

    posenc_encoder *encoder = NULL;
    posenc_error error;
    if (posenc_encoder_create(b->context, "sinusoidal", parameters, 2, &options, &encoder, &error))
        bits_stop("encoder", &error);
    posenc_view view;
    DLTensor *x = posenc_view_make(&view, b->x, dtype, 3, (int64_t[]){BATCH, TOKENS, dim}, NULL);
    bits_fill_random(b->x, n, dtype, 13);
    if (posenc_encoder_forward(encoder, NULL, &step, x, x, &error)) bits_stop("forward", &error);
    bits_hash_elements(&b->hash, b->x, n, bytes);
    if (posenc_encoder_backward(encoder, &step, x, x, &error)) bits_stop("backward", &error);
    bits_hash_elements(&b->hash, b->x, n, bytes);
    posenc_encoder_destroy(encoder);
}

/* One row after another, forwards and with jumps. */
static void run_cursor(bits_bench *b, int dim) {
    posenc_cursor *cursor = NULL;
    posenc_error error;
    if (posenc_cursor_create(b->plan, &cursor, &error)) bits_stop("cursor", &error);
    for (int64_t i = 0; i < 100; i++) {
        const int64_t position = i < 70 ? 2000 + i : i * i * i * 7919 - 5000000000;
        if (posenc_cursor_write_f32(cursor, position, (float *)(void *)b->y)) bits_stop("cursor write", NULL);
        bits_hash_elements(&b->hash, b->y, (size_t)dim, sizeof(float));
    }
    posenc_cursor_destroy(cursor);
}

void bits_print_line(const char *name, const char *kind, const char *arithmetic, posenc_dtype dtype, int dim,
                     uint64_t hash) {
    printf("%s %s %s %s %d %016" PRIx64 "\n", name, kind, arithmetic, posenc_dtype_name(dtype), dim, hash);
    hash_bytes(&all, (const unsigned char *)name, strlen(name));
    for (int k = 0; k < 8; k++) hash_bytes(&all, (const unsigned char[]){(unsigned char)(hash >> (8 * k))}, 1);
}

static void run_case(bits_bench *b, const char *layout, bool cos_first, const char *arithmetic, posenc_dtype dtype,
                     int dim) {
    if (dim > b->most_dim) return;
    b->plan = make_plan(b->context, layout, cos_first, arithmetic, dim);
    b->hash = BITS_HASH_START;
    write_starts(b, dtype, dim);
    write_ids(b, dtype, dim);
    add_rows(b, dtype, dim);
    if (dtype == POSENC_F32) run_cursor(b, dim);
    if (layout == layouts[0] && !cos_first && arithmetic == arithmetics[0]) run_encoder(b, dtype, dim);
    bits_print_line(layout, cos_first ? "cos-first" : "sin-first", arithmetic, dtype, dim, b->hash);
    posenc_plan_destroy(b->plan);
}

static void run_cases(bits_bench *b) {
    for (int l = 0; l < 3; l++) {
        for (int c = 0; c < 2; c++) {
            for (size_t d = 0; d < sizeof dims / sizeof *dims; d++) {
                for (int t = 0; t < 4; t++) run_case(b, layouts[l], c == 1, arithmetics[0], dtypes[t], dims[d]);
            }
        }
        for (int a = 1; a < 3; a++) {
            for (size_t d = 3; d < sizeof dims / sizeof *dims; d += 3) {
                for (int t = 0; t < 4; t += 2) run_case(b, layouts[l], false, arithmetics[a], dtypes[t], dims[d]);
            }
        }
    }
}

/* One table larger than most caches, where kernels may store past them, written on several threads. */
static void run_large(const posenc_context *context) {
    enum { ROWS = 12000, DIM = 512 };
    const size_t n = (size_t)ROWS * DIM;
    float *table = malloc(n * sizeof *table);
    if (!table) bits_stop("large table", NULL);
    uint64_t hash = BITS_HASH_START;
    posenc_plan *plan = make_plan(context, layouts[0], false, arithmetics[0], DIM);
    if (posenc_plan_write_f32(plan, -1000, ROWS, table)) bits_stop("large write", NULL);
    bits_hash_elements(&hash, table, n, sizeof *table);
    if (posenc_plan_add_f32(plan, 5, 1, ROWS, table, table)) bits_stop("large add", NULL);
    bits_hash_elements(&hash, table, n, sizeof *table);
    bits_print_line("large", "sin-first", arithmetics[0], POSENC_F32, DIM, hash);
    posenc_plan_destroy(plan);
    free(table);
}

static int run(const char *isa, int most_dim) {
    posenc_context_options options;
    posenc_context *context = NULL;
    posenc_error error;
    posenc_context_default(&options, sizeof options);
    options.threads = 3;
    options.isa = isa;
    const posenc_status status = posenc_context_create(&options, &context, &error);
    if (status == POSENC_ERROR_UNSUPPORTED) return 77; /* this machine has no such instructions: the test is skipped */
    if (status) bits_stop("context", &error);

    const size_t bytes = sizeof(double) * BATCH * TOKENS * MOST_DIM;
    bits_bench b = {context, NULL, malloc(bytes), malloc(bytes), 0, most_dim};
    if (!b.x || !b.y) bits_stop("buffers", NULL);
    run_cases(&b);
    bits_run_schemes(&b);
    bits_run_rotary(&b);
    bits_run_gradients(&b);
    bits_run_biases(&b);
    bits_run_relative(&b);
    if (most_dim == MOST_DIM) {
        run_large(context);
        printf("all %016" PRIx64 "\n", all);
    }
    free(b.x);
    free(b.y);
    posenc_context_destroy(context);
    return 0;
}

int main(int argc, char **argv) {
    setvbuf(stdout, NULL, _IOFBF, 1 << 16);
    const char *isa = bits_machine_begin(argc > 1 ? argv[1] : NULL);
    const int status = run(isa, argc > 2 ? atoi(argv[2]) : MOST_DIM);
    fflush(stdout);
    bits_machine_end(status);
    return status;
}
