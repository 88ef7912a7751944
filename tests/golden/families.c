/* Every record of vectors.json belongs to a family, the first word of its id. A family is read by a test, all of it; or
 * no scheme of that name is there yet. So a scheme cannot come in beside its records, nor a record beside its test. */
#include <stdio.h>
#include <string.h>

#include <posenc/posenc.h>

#include "support/test.h"
#include "vectors.h"

/* Families that tests read, and how many records those tests count. */
static const struct {
    const char *family, *test;
    int records;
} read_by[] = {
    {"sinusoidal", "golden_sinusoidal", 336},
    {"timestep", "golden_timestep", 30},
    {"fourier", "golden_fourier", 3},
    {"axes", "golden_axes", 7},
    {"resize", "golden_resize", 17},
    {"dropout", "encoder_golden", 3},
    {"alibi", "golden_bias", 16},
    {"t5", "golden_bias", 2},
    {"deberta", "golden_bias", 1},
    {"swin", "golden_bias", 3},
    {"mrope", "golden_rotary_spectrum", 3},
    {"rotary", "golden_rotary_spectrum and _apply", 47},
};

enum { N_READ = sizeof read_by / sizeof *read_by };

static int found[N_READ];

/* Index into read_by; -1 for a family that no test reads. */
static int family_of(const char *family) {
    for (int i = 0; i < N_READ; i++)
        if (strcmp(family, read_by[i].family) == 0) return i;
    return -1;
}

static void visit(const char *id, int *unread) {
    char family[32];
    size_t n = strcspn(id, "/");
    check(n > 0 && n < sizeof family && id[n], "%s: expected FAMILY/...", id);
    memcpy(family, id, n);
    family[n] = '\0';
    int i = family_of(family);
    if (i >= 0) {
        found[i]++;
        return;
    }
    check(!posenc_scheme_find(family), "%s: scheme %s is there, and no test reads its records", id, family);
    print_message("%s is not read yet\n", id);
    ++*unread;
}

static void test_families(void **state) {
    (void)state;
    json_t *root = vectors_load(POSENC_VECTORS), *record;
    size_t i;
    int unread = 0, total = 0;
    json_array_foreach(json_object_get(root, "vectors"), i, record) {
        const char *id = json_string_value(json_object_get(record, "id"));
        check(id, "record %zu: expected an id", i);
        visit(id, &unread);
    }
    for (int f = 0; f < N_READ; f++) {
        check(found[f] == read_by[f].records, "%s: %s reads %d records, the file has %d", read_by[f].family,
              read_by[f].test, read_by[f].records, found[f]);
        total += found[f];
    }
    assert_int_equal((size_t)(total + unread), vectors_count(root));
    print_message("%d records are read, %d are for schemes to come\n", total, unread);
    json_decref(root);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_families)};
    return TEST_RUN(tests);
}
