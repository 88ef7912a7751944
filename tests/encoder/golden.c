/* The dropout records of vectors.json: keep masks that a program of another origin made. x is 1 and E is known, so that
 * each element says whether it was kept; in every dtype, on every instruction set, forward and backward. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include <jansson.h>

#include "encoders.h"
#include "support/isa.h"
#include "support/number.h"
#include "support/test.h"

enum { TOKENS = 8, DIM = 8, KEPT = TOKENS * DIM, MOST_RECORDS = 16 };

typedef struct record {
    char id[64];
    uint64_t seed, stream;
    double p;
    bool keep[KEPT];
} record;

static record records[MOST_RECORDS];
static int n_records;

/* Seeds are text because they have up to 64 bits, and JSON numbers do not. */
static void read_one(json_t *object) {
    const char *id, *seed, *stream;
    json_t *keep;
    json_error_t error;
    check(n_records < MOST_RECORDS, "more than %d records", MOST_RECORDS);
    record *r = &records[n_records++];
    int bad = json_unpack_ex(object, &error, 0, "{s:s, s:s, s:s, s:F, s:o}", "id", &id, "seed", &seed, "stream",
                             &stream, "p", &r->p, "keep", &keep);
    check(bad == 0, "vectors.json: %s", error.text);
    check(json_array_size(keep) == KEPT, "%s: expected %d marks", id, KEPT);
    strncpy(r->id, id, sizeof r->id - 1);
    r->seed = strtoull(seed, NULL, 10);
    r->stream = strtoull(stream, NULL, 10);
    for (size_t i = 0; i < KEPT; i++) r->keep[i] = json_integer_value(json_array_get(keep, i)) != 0;
}

static int read_records(void **state) {
    (void)state;
    json_error_t error;
    json_t *root = json_load_file(POSENC_VECTORS, JSON_REJECT_DUPLICATES, &error), *object;
    check(root, "%s: line %d: %s", POSENC_VECTORS, error.line, error.text);
    size_t i;
    json_array_foreach(json_object_get(root, "vectors"), i, object) {
        const char *scheme = json_string_value(json_object_get(object, "scheme"));
        if (scheme && strcmp(scheme, "dropout") == 0) read_one(object);
    }
    json_decref(root);
    return 0;
}

static void test_all_records_are_there(void **state) {
    (void)state;
    assert_int_equal(n_records, 3);
}

static void check_forward(const record *r, const posenc_encoder *encoder, posenc_dtype dtype, const char *isa) {
    char x[KEPT * 8], y[KEPT * 8], e[KEPT * 8];
    size_t bytes = posenc_dtype_bytes(dtype);
    posenc_dtype e_dtype = dtype == POSENC_F64 ? POSENC_F64 : POSENC_F32;
    posenc_step step = training_step(r->seed, r->stream, 0);
    for (int i = 0; i < KEPT; i++) number_store(dtype, number_encode(dtype, 1), x + (size_t)i * bytes);
    must_write(posenc_encoder_plan(encoder), 0, TOKENS, e_dtype, e);
    must_forward(encoder, NULL, &step, dtype, 1, TOKENS, x, y);
    for (int i = 0; i < KEPT; i++) {
        double sum = 1 + number_decode(e_dtype, number_load(e_dtype, e + (size_t)i * posenc_dtype_bytes(e_dtype)));
        if (dtype != POSENC_F64)
            sum = (double)((float)sum * (float)(1 / (1 - r->p)));
        else
            sum *= 1 / (1 - r->p);
        uint64_t want = r->keep[i] ? number_encode(dtype, sum) : 0, got = number_load(dtype, y + (size_t)i * bytes);
        check(want == got, "%s %s %s element %d, %s: expected %" PRIx64 ", got %" PRIx64, r->id, isa,
              posenc_dtype_name(dtype), i, r->keep[i] ? "kept" : "dropped", want, got);
    }
}

static void check_backward(const record *r, const posenc_encoder *encoder, posenc_dtype dtype, const char *isa) {
    char d[KEPT * 8];
    size_t bytes = posenc_dtype_bytes(dtype);
    posenc_step step = training_step(r->seed, r->stream, 0);
    for (int i = 0; i < KEPT; i++) number_store(dtype, number_encode(dtype, 1), d + (size_t)i * bytes);
    must_backward(encoder, &step, dtype, 1, TOKENS, d, d);
    for (int i = 0; i < KEPT; i++)
        check((number_load(dtype, d + (size_t)i * bytes) != 0) == r->keep[i], "%s %s %s backward, element %d", r->id,
              isa, posenc_dtype_name(dtype), i);
}

static void test_masks_are_the_records(void **state) {
    (void)state;
    for (size_t isa = 0; isa < isa_count(); isa++) {
        posenc_context *context = isa_context(isa, 1);
        for (int i = 0; i < n_records; i++)
            for (int d = 0; d < 4; d++) {
                posenc_encoder_options options = encoder_options(encoding_dtypes[d]);
                options.dropout = records[i].p;
                posenc_encoder *encoder = must_encoder(context, &(plan_shape){.dim = DIM, .max_len = 16}, &options);
                check_forward(&records[i], encoder, encoding_dtypes[d], posenc_isa_name(isa));
                check_backward(&records[i], encoder, encoding_dtypes[d], posenc_isa_name(isa));
                posenc_encoder_destroy(encoder);
            }
        posenc_context_destroy(context);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_all_records_are_there),
                                       cmocka_unit_test(test_masks_are_the_records)};
    test_announce_seed();
    return cmocka_run_group_tests(tests, read_records, NULL);
}
