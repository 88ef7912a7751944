/* Sums that are scaled: the short way for powers of two gives the bits of the long one, out to where floats end. */
#include <math.h>
#include <string.h>

#include "schemes/relative.h"
#include "support/random.h"
#include "support/test.h"

enum { N = 300 };

/* A number of any size within so many powers of two of 1; sometimes 0 or none. */
static float any(random_state *random, int lowest, int highest) {
    static const float others[] = {0, -0.0f, INFINITY, -INFINITY, NAN};
    if (random_between(random, 0, 199) == 0) return others[random_between(random, 0, 4)];
    double sign = random_between(random, 0, 1) ? 1 : -1,
           part = 1 + (double)random_between(random, 0, 1 << 23) * 0x1p-23;
    return (float)(sign * ldexp(part, (int)random_between(random, lowest, highest)));
}

static void check_blend(random_state *random, double scale, int lowest, int highest) {
    float a[N], b[N], out[N];
    for (int i = 0; i < N; i++) {
        a[i] = any(random, lowest, highest);
        b[i] = random_between(random, 0, 3) ? any(random, lowest, highest) : nextafterf(-a[i], 0); /* most of it goes */
    }
    int64_t n = random_between(random, 0, N);
    posenc_relative_f32.blend(a, b, n, scale, out);
    posenc_relative_f32.blend(a, b, n, scale, a); /* in place */
    assert_memory_equal(a, out, (size_t)n * sizeof *out);
}

/* The same, beside the long way. */
static void check_values(random_state *random, double scale, int lowest, int highest) {
    float a[N], b[N], out[N];
    for (int i = 0; i < N; i++) a[i] = any(random, lowest, highest), b[i] = any(random, lowest, highest);
    posenc_relative_f32.blend(a, b, N, scale, out);
    for (int i = 0; i < N; i++) {
        float want = (float)(((double)a[i] + (double)b[i]) * scale);
        check(isnan(want) ? isnan(out[i]) : memcmp(&want, &out[i], sizeof want) == 0,
              "(%a + %a) * %a: expected %a, got %a", (double)a[i], (double)b[i], scale, (double)want, (double)out[i]);
    }
}

static void test_blend(void **state) {
    (void)state;
    static const double scales[] = {1, 0.125, -0.5, 0x1p-40, 0x1p50, 0.1, 0x1p-70, 0x1p70, 0};
    static const int sizes[][2] = {{-3, 3}, {-148, -120}, {-126, -60}, {100, 127}, {-148, 127}};
    random_state random = random_start("blend");
    for (size_t s = 0; s < sizeof scales / sizeof *scales; s++)
        for (size_t z = 0; z < sizeof sizes / sizeof *sizes; z++)
            for (int round = 0; round < 20; round++) {
                check_values(&random, scales[s], sizes[z][0], sizes[z][1]);
                if (sizes[z][1] < 100) check_blend(&random, scales[s], sizes[z][0], sizes[z][1]);
            }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_blend)};
    return TEST_RUN(tests);
}
