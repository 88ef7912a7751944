/* splitmix64 and the Box-Muller transform. */
#include "demo_random.h"

#include <math.h>

uint64_t posenc_demo_bits(posenc_demo_random *random) {
    uint64_t z = random->state += 0x9E3779B97F4A7C15u;
    z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9u;
    z = (z ^ z >> 27) * 0x94D049BB133111EBu;
    return z ^ z >> 31;
}

size_t posenc_demo_below(posenc_demo_random *random, size_t n) { return (size_t)(posenc_demo_bits(random) % n); }

/* In (0, 1]: 53 bits, never 0, so that its logarithm is finite. */
static double uniform(posenc_demo_random *random) { return ((double)(posenc_demo_bits(random) >> 11) + 1) * 0x1p-53; }

double posenc_demo_normal(posenc_demo_random *random) {
    double radius = sqrt(-2 * log(uniform(random)));
    return radius * cos(6.283185307179586 * uniform(random));
}
