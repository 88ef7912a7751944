/* The weights in vectors.json, as a resize of the unit matrix shows them: row o of the result is the weights of new
 * index o. On a grid the weight of an old place is the product of its two axes'. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "support/resizes.h"
#include "support/tensors.h"
#include "support/test.h"
#include "vectors.h"

enum { N_RECORDS = 17 };

typedef struct record {
    char id[64];
    resize_case way; /* one axis */
    double *weights; /* (to, from) */
} record;

static record records[N_RECORDS];
static int n_records;

static int64_t size_of(const record *r) { return r->way.from[1]; }

static void read_weights(record *r, json_t *rows) {
    json_t *row, *value;
    size_t o, i;
    assert_int_equal(json_array_size(rows), r->way.to[1]);
    r->weights = must_allocate((size_t)(r->way.to[1] * size_of(r)) * sizeof(double));
    json_array_foreach(rows, o, row) {
        assert_int_equal(json_array_size(row), size_of(r));
        json_array_foreach(row, i, value) r->weights[(int64_t)o * size_of(r) + (int64_t)i] =
            strtod(json_string_value(value), NULL);
    }
}

static void read_one(record *r, json_t *object) {
    const char *id, *mode;
    json_int_t size, to;
    json_t *rows;
    json_error_t error;
    int bad = json_unpack_ex(object, &error, 0, "{s:s, s:s, s:b, s:b, s:I, s:I, s:o}", "id", &id, "mode", &mode,
                             "antialias", &r->way.antialias, "align_corners", &r->way.align_corners, "size", &size,
                             "to", &to, "weights", &rows);
    check(bad == 0, "vectors.json: %s", error.text);
    strncpy(r->id, id, sizeof r->id - 1);
    r->way.mode = strcmp(mode, "cubic") == 0 ? POSENC_INTERPOLATION_CUBIC : POSENC_INTERPOLATION_LINEAR;
    r->way.from[0] = r->way.to[0] = 1;
    r->way.from[1] = size;
    r->way.to[1] = to;
    read_weights(r, rows);
}

static int read_records(void **state) {
    (void)state;
    json_t *root = vectors_load(POSENC_VECTORS), *object;
    for (size_t i = 0; i < vectors_count(root); i++) {
        if (!(object = vectors_at(root, i, "resize"))) continue;
        check(n_records < N_RECORDS, "vectors.json: expected %d records of resize, got more", N_RECORDS);
        read_one(&records[n_records++], object);
    }
    json_decref(root);
    return 0;
}

static int free_records(void **state) {
    (void)state;
    for (int i = 0; i < n_records; i++) free(records[i].weights);
    return 0;
}

static double *unit_matrix(int64_t n) {
    double *unit = must_allocate((size_t)(n * n) * sizeof *unit);
    for (int64_t i = 0; i < n * n; i++) unit[i] = i / n == i % n;
    return unit;
}

static void test_all_records_are_there(void **state) {
    (void)state;
    assert_int_equal(n_records, N_RECORDS);
}

static void check_axis(const record *r, const resize_case *way) {
    int64_t n = size_of(r), cells = r->way.to[1] * n;
    double *unit = unit_matrix(n), *got = must_allocate((size_t)cells * sizeof *got);
    must_resize(NULL, way, POSENC_F64, n, unit, got);
    for (int64_t i = 0; i < cells; i++)
        check(fabs(got[i] - r->weights[i]) <= 1e-15, "%s: new %" PRId64 " old %" PRId64 ": expected %.17g, got %.17g",
              r->id, i / n, i % n, r->weights[i], got[i]);
    free(unit);
    free(got);
}

static void test_one_axis(void **state) {
    (void)state;
    for (int i = 0; i < n_records; i++) {
        resize_case flat = records[i].way, tall = flat;
        tall.from[0] = flat.from[1], tall.to[0] = flat.to[1];
        tall.from[1] = tall.to[1] = 1;
        check_axis(&records[i], &flat);
        check_axis(&records[i], &tall);
    }
}

static void check_grid(const record *v, const record *h) {
    resize_case way = v->way;
    way.from[0] = size_of(v), way.from[1] = size_of(h);
    way.to[0] = v->way.to[1], way.to[1] = h->way.to[1];
    int64_t n = way.from[0] * way.from[1], cells = way.to[0] * way.to[1] * n;
    double *unit = unit_matrix(n), *got = must_allocate((size_t)cells * sizeof *got);
    must_resize(NULL, &way, POSENC_F64, n, unit, got);
    for (int64_t i = 0; i < cells; i++) {
        int64_t o = i / n, old = i % n;
        double want = v->weights[o / way.to[1] * way.from[0] + old / way.from[1]] *
                      h->weights[o % way.to[1] * way.from[1] + old % way.from[1]];
        check(fabs(got[i] - want) <= 1e-15, "%s and %s: new %" PRId64 " old %" PRId64 ": expected %.17g, got %.17g",
              v->id, h->id, o, old, want, got[i]);
    }
    free(unit);
    free(got);
}

static void test_grids_multiply(void **state) {
    (void)state;
    int pairs = 0;
    for (int i = 0; i < n_records; i++)
        for (int k = 0; k < n_records; k++) {
            const resize_case *v = &records[i].way, *h = &records[k].way;
            if (v->mode != h->mode || v->antialias != h->antialias || v->align_corners != h->align_corners) continue;
            check_grid(&records[i], &records[k]);
            pairs++;
        }
    assert_int_equal(pairs, 4 * 16 + 1);
}

/* The tests' own weights, which judge sizes that are not in the file. */
static void test_oracle_gives_the_records(void **state) {
    (void)state;
    for (int i = 0; i < n_records; i++) {
        const record *r = &records[i];
        long double weights[16];
        for (int64_t o = 0; o < r->way.to[1]; o++) {
            resize_weights(&r->way, size_of(r), r->way.to[1], o, weights);
            for (int64_t k = 0; k < size_of(r); k++)
                check(fabs((double)weights[k] - r->weights[o * size_of(r) + k]) <= 2e-16,
                      "%s: new %" PRId64 " old %" PRId64, r->id, o, k);
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_all_records_are_there),
        cmocka_unit_test(test_oracle_gives_the_records),
        cmocka_unit_test(test_one_axis),
        cmocka_unit_test(test_grids_multiply),
    };
    test_announce_seed();
    return cmocka_run_group_tests(tests, read_records, free_records);
}
