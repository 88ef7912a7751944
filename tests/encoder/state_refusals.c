/* State files that are none, or of another scheme or version, or whose parts do not go together: each refused with its
 * status and a sentence that names the file, nothing made. Damaged files, byte by byte. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../formats/folder.h"
#include "encoders.h"
#include "support/allocator.h"
#include "support/refusal.h"
#include "support/test.h"

enum { ROWS = 6, DIM = 4, MOST_PAIRS = 40 };

/* A good file, which each test spoils in one place. */
typedef struct draft {
    const char *pairs[2 * MOST_PAIRS];
    size_t n;
    const char *tensor;
    posenc_dtype dtype;
    int rank;
    int64_t shape[3];
} draft;

static draft good_draft(void) {
    draft d = {.pairs = {"posenc.version",
                         "1",
                         "posenc.scheme",
                         "sinusoidal",
                         "posenc.dim",
                         "4",
                         "posenc.max-len",
                         "6",
                         "posenc.base",
                         "10000",
                         "posenc.layout",
                         "interleaved",
                         "posenc.cos-first",
                         "false",
                         "posenc.arithmetic",
                         "exact",
                         "posenc.encoder.dropout",
                         "0.5",
                         "posenc.encoder.scale",
                         "2",
                         "posenc.encoder.past_end",
                         "error",
                         "posenc.encoder.padding_idx",
                         "3"},
               .n = 12,
               .tensor = "pe",
               .dtype = POSENC_F32,
               .rank = 2,
               .shape = {ROWS, DIM, 1}};
    return d;
}

/* Changes, adds or (value NULL) removes a pair. */
static void put(draft *d, const char *key, const char *value) {
    size_t i = 0;
    while (i < d->n && strcmp(d->pairs[2 * i], key) != 0) i++;
    if (!value) {
        d->n--;
        d->pairs[2 * i] = d->pairs[2 * d->n], d->pairs[2 * i + 1] = d->pairs[2 * d->n + 1];
        return;
    }
    if (i == d->n) d->n++;
    d->pairs[2 * i] = key, d->pairs[2 * i + 1] = value;
}

/* A JSON string; bytes of UTF-8 stay. */
static size_t put_text(char *at, const char *text) {
    size_t n = 0;
    at[n++] = '"';
    for (const char *c = text; *c; c++) {
        if ((unsigned char)*c < ' ')
            n += (size_t)sprintf(at + n, "\\u%04x", *c);
        else
            at[n++] = *c;
    }
    at[n++] = '"';
    return n;
}

static const char *type_text(posenc_dtype dtype) {
    static const char *const texts[] = {"F32", "F64", "F16", "BF16", "I8",  "I16", "I32",
                                        "I64", "U8",  "U16", "U32",  "U64", "BOOL"};
    return texts[dtype];
}

/* The bytes from the format's description, not with the library's writer. */
static void write_draft(const draft *d, const char *path) {
    static char file[1 << 14];
    char *text = file + 8;
    size_t n = (size_t)sprintf(text, "{\"__metadata__\":{"), bytes = posenc_dtype_bytes(d->dtype);
    for (size_t i = 0; i < d->n; i++) {
        if (i) text[n++] = ',';
        n += put_text(text + n, d->pairs[2 * i]);
        text[n++] = ':';
        n += put_text(text + n, d->pairs[2 * i + 1]);
    }
    n += (size_t)sprintf(text + n, "},\"%s\":{\"dtype\":\"%s\",\"shape\":[", d->tensor, type_text(d->dtype));
    for (int i = 0; i < d->rank; bytes *= (size_t)d->shape[i], i++)
        n += (size_t)sprintf(text + n, i ? ",%d" : "%d", (int)d->shape[i]);
    n += (size_t)sprintf(text + n, "],\"data_offsets\":[0,%d]}}", (int)bytes);
    for (size_t i = 0; i < 8; i++) file[i] = (char)((uint64_t)n >> 8 * i);
    memset(text + n, 0, bytes);
    folder_write(path, file, 8 + n + bytes);
}

/* Also that no block stays behind, and none of more than a few kilobytes was asked for. */
static posenc_status try_load(const char *path, posenc_error *error) {
    static char somewhere;
    allocator memory;
    posenc_context_options options;
    posenc_context *context;
    posenc_encoder *untouched = (posenc_encoder *)(void *)&somewhere, *encoder = untouched;
    posenc_context_default(&options, sizeof options);
    allocator_init(&memory);
    allocator_use(&memory, &options);
    assert_int_equal(posenc_context_create(&options, &context, NULL), POSENC_OK);
    posenc_status status = posenc_encoder_load(context, path, &encoder, error);
    check((status == POSENC_OK) == (encoder != untouched), "status %s, and out %s", posenc_status_name(status),
          encoder == untouched ? "untouched" : "written");
    if (status == POSENC_OK) posenc_encoder_destroy(encoder);
    posenc_context_destroy(context);
    check(atomic_load(&memory.live) == 0 && atomic_load(&memory.mistakes) == 0, "%ld blocks leak",
          atomic_load(&memory.live));
    check(atomic_load(&memory.peak_bytes) < 200000, "%zu bytes for a small file", atomic_load(&memory.peak_bytes));
    return status;
}

/* words: what the message must hold; NULL: anything. */
static void refuse(const draft *d, const char *what, posenc_status expected, const char *words) {
    folder f = folder_make();
    const char *path = folder_path(&f, "state");
    posenc_error error = error_blank();
    write_draft(d, path);
    must_refuse(what, try_load(path, &error), expected, &error, NULL);
    check(!words || strstr(error.message, words), "%s: expected \"%s\" in \"%s\"", what, words, error.message);
    check(expected != POSENC_ERROR_FORMAT || strncmp(error.message, path, strlen(path)) == 0, "%s: no file in \"%s\"",
          what, error.message);
    posenc_encoder *encoder;
    assert_int_equal(posenc_encoder_load(NULL, path, &encoder, NULL), expected);
    folder_end(&f);
}

static void test_the_good_file_is_good(void **state) {
    (void)state;
    folder f = folder_make();
    draft d = good_draft();
    write_draft(&d, folder_path(&f, "state"));
    posenc_error error = error_blank(), before = error;
    check(try_load(folder_path(&f, "state"), &error) == POSENC_OK, "%s", error.message);
    assert_memory_equal(&error, &before, sizeof error);
    folder_end(&f);
}

static void test_versions_and_schemes(void **state) {
    (void)state;
    static const char *const versions[] = {"2", "0", "", "1.0", "01", "one"};
    static const char *const schemes[] = {"rotatory", "sinusodial", "", "Sinusoidal"};
    draft d;
    for (size_t i = 0; i < sizeof versions / sizeof *versions; i++) {
        d = good_draft();
        put(&d, "posenc.version", versions[i]);
        refuse(&d, "version", POSENC_ERROR_FORMAT, "posenc.version");
    }
    for (size_t i = 0; i < sizeof schemes / sizeof *schemes; i++) {
        d = good_draft();
        put(&d, "posenc.scheme", schemes[i]);
        refuse(&d, "scheme", POSENC_ERROR_UNKNOWN, schemes[i]);
        d.tensor = "weight"; /* the scheme is wrong before the tensor is */
        refuse(&d, "scheme without a table", POSENC_ERROR_UNKNOWN, schemes[i]);
    }
    d = good_draft();
    put(&d, "posenc.version", NULL);
    refuse(&d, "no version", POSENC_ERROR_FORMAT, "posenc.version");
    d = good_draft();
    put(&d, "posenc.scheme", NULL);
    refuse(&d, "no scheme", POSENC_ERROR_FORMAT, "posenc.scheme");
    d.n = 0;
    refuse(&d, "a file that is no state", POSENC_ERROR_FORMAT, "posenc.version");
}

static void test_tables(void **state) {
    (void)state;
    const posenc_dtype dtypes[] = {POSENC_F16, POSENC_BF16, POSENC_I32, POSENC_BOOL, POSENC_U64};
    static const int64_t shapes[][3] = {{ROWS + 1, DIM}, {ROWS, DIM + 1}, {DIM, ROWS},
                                        {0, DIM},        {ROWS, 0},       {1, ROWS * DIM}};
    draft d = good_draft();
    d.tensor = "weight";
    refuse(&d, "another tensor", POSENC_ERROR_FORMAT, "tensor pe");
    for (size_t i = 0; i < sizeof dtypes / sizeof *dtypes; i++) {
        d = good_draft();
        d.dtype = dtypes[i];
        refuse(&d, "dtype of pe", POSENC_ERROR_FORMAT, "F32 or F64");
    }
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
        d = good_draft();
        memcpy(d.shape, shapes[i], sizeof d.shape);
        refuse(&d, "shape of pe", POSENC_ERROR_FORMAT, "shape");
    }
    for (int rank = 0; rank < 4; rank++) {
        d = good_draft();
        d.rank = rank;
        if (rank != 2) refuse(&d, "rank of pe", POSENC_ERROR_FORMAT, "shape");
    }
}

/* A file says of its own table that it is huge: refused before a byte of it is allocated (try_load looks). */
static void test_sizes_that_only_the_file_claims(void **state) {
    (void)state;
    static const char *const keys[] = {"posenc.max-len", "posenc.dim"};
    static const char *const values[] = {"1000000000000",
                                         "16777216",
                                         "9223372036854775807",
                                         "9223372036854775808",
                                         "-6",
                                         "0",
                                         "",
                                         "6.0",
                                         "4e0",
                                         " 4",
                                         "0x4"};
    for (int k = 0; k < 2; k++) {
        for (size_t i = 0; i < sizeof values / sizeof *values; i++) {
            draft d = good_draft();
            put(&d, keys[k], values[i]);
            refuse(&d, keys[k], POSENC_ERROR_FORMAT, NULL);
        }
        draft d = good_draft();
        put(&d, keys[k], NULL);
        refuse(&d, "no size", POSENC_ERROR_FORMAT, NULL);
    }
    draft d = good_draft(); /* they agree, and there is no such table all the same */
    put(&d, "posenc.max-len", "0");
    d.shape[0] = 0;
    refuse(&d, "max-len 0", POSENC_ERROR_FORMAT, "max-len");
}

static void test_values(void **state) {
    (void)state;
    static const char *const bad[][2] = {{"posenc.encoder.dropout", "1"},
                                         {"posenc.encoder.dropout", "-0.1"},
                                         {"posenc.encoder.dropout", "nan"},
                                         {"posenc.encoder.dropout", "much"},
                                         {"posenc.encoder.dropout", ""},
                                         {"posenc.encoder.scale", "inf"},
                                         {"posenc.encoder.scale", "1e999"},
                                         {"posenc.encoder.scale", "two"},
                                         {"posenc.encoder.gain", "nan"},
                                         {"posenc.encoder.gain", "1e39"},
                                         {"posenc.encoder.gain", ""},
                                         {"posenc.encoder.past_end", "wrap"},
                                         {"posenc.encoder.past_end", ""},
                                         {"posenc.encoder.past_end", "Extend"},
                                         {"posenc.encoder.padding_idx", "-2"},
                                         {"posenc.encoder.padding_idx", "1.5"},
                                         {"posenc.encoder.padding_idx", ""},
                                         {"posenc.base", "-1"},
                                         {"posenc.base", "nan"},
                                         {"posenc.base", "ten"},
                                         {"posenc.layout", "sideways"},
                                         {"posenc.cos-first", "maybe"},
                                         {"posenc.arithmetic", "float16"}};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        draft d = good_draft();
        put(&d, bad[i][0], bad[i][1]);
        refuse(&d, bad[i][0], POSENC_ERROR_FORMAT, strrchr(bad[i][0], '.') + 1);
    }
}

static void test_parameters(void **state) {
    (void)state;
    static const char *const names[] = {"posenc.dimm", "posenc.", "posenc.posenc.dim", "posenc.Dim", "posenc.gain"};
    static char many[30][32];
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        draft d = good_draft();
        put(&d, names[i], "4");
        refuse(&d, names[i], POSENC_ERROR_UNKNOWN, NULL);
    }
    draft d = good_draft();
    for (int i = 0; i < 28; i++) {
        snprintf(many[i], sizeof many[i], "posenc.parameter-%d", i);
        put(&d, many[i], "1");
    }
    posenc_error error = error_blank();
    folder f = folder_make();
    write_draft(&d, folder_path(&f, "many"));
    posenc_status status = try_load(folder_path(&f, "many"), &error);
    check(status == POSENC_ERROR_FORMAT || status == POSENC_ERROR_UNKNOWN, "many parameters: %s", error.message);
    folder_end(&f);
}

/* Others may add what they like. */
static void test_foreign_metadata(void **state) {
    (void)state;
    folder f = folder_make();
    draft d = good_draft();
    put(&d, "format", "pt");
    put(&d, "posencoder", "1");
    put(&d, "POSENC.dim", "99");
    put(&d, "dim", "99");
    put(&d, "note", "line\nof \x1b[31mred");
    write_draft(&d, folder_path(&f, "state"));
    posenc_error error;
    check(try_load(folder_path(&f, "state"), &error) == POSENC_OK, "%s", error.message);
    folder_end(&f);
}

/* Nothing of a hostile file reaches a terminal through a message. */
static void test_hostile_texts(void **state) {
    (void)state;
    static const char *const texts[] = {"a\nb", "\x1b[2J", "\xe2\x80\xae", "tab\t", "\x7f"};
    static const char *const keys[] = {"posenc.version", "posenc.scheme", "posenc.encoder.dropout", "posenc.base",
                                       "posenc.encoder.past_end"};
    for (size_t t = 0; t < sizeof texts / sizeof *texts; t++) {
        for (size_t k = 0; k < sizeof keys / sizeof *keys; k++) {
            draft d = good_draft();
            put(&d, keys[k], texts[t]);
            refuse(&d, "hostile value", POSENC_ERROR_FORMAT, keys[k]);
        }
        draft d = good_draft();
        char key[32];
        snprintf(key, sizeof key, "posenc.%s", texts[t]);
        put(&d, key, "1");
        folder f = folder_make();
        posenc_error error = error_blank();
        write_draft(&d, folder_path(&f, "state"));
        must_refuse("hostile key", try_load(folder_path(&f, "state"), &error), POSENC_ERROR_FORMAT, &error, NULL);
        for (const char *c = error.message; *c; c++)
            check(*c >= ' ' && *c <= '~', "the message is \"%s\"", error.message);
        folder_end(&f);
    }
}

/* Path and pointers. */
static void test_missing_things(void **state) {
    (void)state;
    folder f = folder_make();
    posenc_encoder *encoder = NULL;
    posenc_error error = error_blank();
    must_refuse("no file", try_load(folder_path(&f, "none"), &error), POSENC_ERROR_IO, &error, NULL);
    must_refuse("a folder", try_load(f.path, &error), POSENC_ERROR_IO, &error, NULL);
    must_refuse("no path", posenc_encoder_load(NULL, NULL, &encoder, &error), POSENC_ERROR_ARGUMENT, &error, "path");
    must_refuse("no out", posenc_encoder_load(NULL, "x", NULL, &error), POSENC_ERROR_ARGUMENT, &error, "out");
    must_refuse("no encoder", posenc_encoder_save(NULL, "x", &error), POSENC_ERROR_ARGUMENT, &error, "encoder");
    encoder = must_encoder(NULL, &(plan_shape){.dim = 4}, NULL);
    must_refuse("no path", posenc_encoder_save(encoder, NULL, &error), POSENC_ERROR_ARGUMENT, &error, "path");
    posenc_encoder_destroy(encoder);
    folder_end(&f);
}

static char *read_whole(const char *path, size_t *n) {
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    char *bytes = must_allocate(1 << 16);
    *n = fread(bytes, 1, 1 << 16, file);
    fclose(file);
    return bytes;
}

static void check_damaged(const char *path, const char *bytes, size_t n, const char *what, size_t at) {
    posenc_error error = {0};
    remove(path); /* some systems wait for the disk when a file is replaced */
    folder_write(path, bytes, n);
    posenc_status status = try_load(path, &error);
    check(status == POSENC_OK || status == POSENC_ERROR_FORMAT || status == POSENC_ERROR_UNKNOWN ||
              status == POSENC_ERROR_SHAPE,
          "%s %zu: %s, %s", what, at, posenc_status_name(status), error.message);
}

/* No prefix of a file is a file. */
static void test_every_prefix(void **state) {
    (void)state;
    folder f = folder_make();
    draft d = good_draft();
    size_t n;
    write_draft(&d, folder_path(&f, "state"));
    char *bytes = read_whole(folder_path(&f, "state"), &n);
    for (size_t k = 0; k < n; k++) {
        posenc_error error = {0};
        remove(folder_path(&f, "part"));
        folder_write(folder_path(&f, "part"), bytes, k);
        posenc_status status = try_load(folder_path(&f, "part"), &error);
        check(status == POSENC_ERROR_FORMAT && error.message[0], "%zu of %zu bytes: %s", k, n,
              posenc_status_name(status));
    }
    free(bytes);
    folder_end(&f);
}

/* Every bit of the header turned over: a status of its own or another good file, never more. */
static void test_every_bit_of_the_header(void **state) {
    (void)state;
    folder f = folder_make();
    draft d = good_draft();
    size_t n, header;
    write_draft(&d, folder_path(&f, "state"));
    char *bytes = read_whole(folder_path(&f, "state"), &n);
    header = n - ROWS * DIM * sizeof(float);
    for (size_t i = 0; i < header; i++)
        for (int bit = 0; bit < 8; bit++) {
            bytes[i] = (char)(bytes[i] ^ 1 << bit);
            check_damaged(folder_path(&f, "part"), bytes, n, "bit of byte", i);
            bytes[i] = (char)(bytes[i] ^ 1 << bit);
        }
    free(bytes);
    folder_end(&f);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_the_good_file_is_good),
                                       cmocka_unit_test(test_versions_and_schemes),
                                       cmocka_unit_test(test_tables),
                                       cmocka_unit_test(test_sizes_that_only_the_file_claims),
                                       cmocka_unit_test(test_values),
                                       cmocka_unit_test(test_parameters),
                                       cmocka_unit_test(test_foreign_metadata),
                                       cmocka_unit_test(test_hostile_texts),
                                       cmocka_unit_test(test_missing_things),
                                       cmocka_unit_test(test_every_prefix),
                                       cmocka_unit_test(test_every_bit_of_the_header)};
    return TEST_RUN(tests);
}
