/* The table of works: one row, one work. To add one: a row here; a group and a runner (works.h) only where none fits.
 * The goals are those that the project has set itself (docs/numerics.md), for AVX-512 and for AVX2; 0, 0 is none. */
#include "works.h"

#include "baselines.h"
#include "rotary.h"

enum {
    IN_PLACE = POSENC_BENCH_IN_PLACE,
    SCALED = POSENC_BENCH_SCALED,
    RANDOM = POSENC_BENCH_RANDOM,
    DROPOUT = POSENC_BENCH_DROPOUT,
    BACKWARD = POSENC_BENCH_BACKWARD,
    PACKED = POSENC_BENCH_PACKED,
    IN_CACHE = POSENC_BENCH_IN_CACHE,
    SUMMARY = POSENC_BENCH_SUMMARY,
    INTERLEAVED = POSENC_BENCH_INTERLEAVED,
    PARTIAL = POSENC_BENCH_PARTIAL,
    SECTIONED = POSENC_BENCH_SECTIONED,
    STORED = POSENC_BENCH_STORED,
    FLATTENED = POSENC_BENCH_FLATTENED,
    BUCKETS = POSENC_BENCH_BUCKETS,
    ANY_SLOPE = POSENC_BENCH_ANY_SLOPE,
    BOTH_WAYS = POSENC_BENCH_BOTH_WAYS,
    VALUES = POSENC_BENCH_VALUES
};

static const posenc_bench_group fills = {"Filling a table, the plan made before", POSENC_BENCH_RATIO,
                                         posenc_bench_fill};
static const posenc_bench_group fills_naive = {"Filling a table beside the naive loop", POSENC_BENCH_FASTER,
                                               posenc_bench_fill_naive};
static const posenc_bench_group colds = {"From nothing: plan made, rows written, plan destroyed", POSENC_BENCH_FASTER,
                                         posenc_bench_cold};
static const posenc_bench_group fresh = {"From nothing into fresh memory, page faults included", POSENC_BENCH_RATIO,
                                         posenc_bench_cold_fresh};
static const posenc_bench_group adds = {"x + encoding, computed on the fly", POSENC_BENCH_RATIO, posenc_bench_add};
static const posenc_bench_group encodes = {"x + stored table, by an encoder", POSENC_BENCH_RATIO, posenc_bench_encode};
static const posenc_bench_group rows = {"Rows with offsets, packed sequences, beside the plain call",
                                        POSENC_BENCH_RATIO, posenc_bench_encode_rows};
static const posenc_bench_group learned = {"A learned table: gather and add, and its gradient", POSENC_BENCH_RATIO,
                                           posenc_bench_learned};
static const posenc_bench_group grids = {"A grid: rows written, added on the fly, added from a table",
                                         POSENC_BENCH_RATIO, posenc_bench_grid};
static const posenc_bench_group videos = {"Video by frame, computed on the fly", POSENC_BENCH_RATIO,
                                          posenc_bench_video};
static const posenc_bench_group tokens = {"One decoded token, by a cursor", POSENC_BENCH_RATIO, posenc_bench_token};
static const posenc_bench_group reals = {"Real time steps beside the float32 loop of diffusion code",
                                         POSENC_BENCH_RATIO, posenc_bench_real};
static const posenc_bench_group threads = {"Two threads beside one", POSENC_BENCH_SPEED_UP, posenc_bench_two_threads};
static const posenc_bench_group rotations = {"Rotating q and k, angles computed inside", POSENC_BENCH_RATIO,
                                             posenc_bench_rotary};
static const posenc_bench_group rotary_threads = {"Rotating on two threads beside one", POSENC_BENCH_SPEED_UP,
                                                  posenc_bench_rotary_two_threads};
static const posenc_bench_group rotary_others = {"Rotating the usual way, in float32, one thread", POSENC_BENCH_RATIO,
                                                 posenc_bench_rotary_usual};
static const posenc_bench_group biases = {"Score biases: written, added in place, their gradient", POSENC_BENCH_RATIO,
                                          posenc_bench_bias};
static const posenc_bench_group shaws = {"Clipped relative positions, K = 128", POSENC_BENCH_RATIO, posenc_bench_shaw};
static const posenc_bench_group shaws_explicit = {"Clipped relative positions beside the explicit tensor",
                                                  POSENC_BENCH_FASTER, posenc_bench_shaw};
static const posenc_bench_group xls = {"Transformer-XL, 8 heads, as many earlier keys as queries", POSENC_BENCH_RATIO,
                                       posenc_bench_transformer_xl};
static const posenc_bench_group xls_usual = {"Transformer-XL beside padding and reshaping, products by OpenBLAS",
                                             POSENC_BENCH_FASTER, posenc_bench_transformer_xl};
static const posenc_bench_group shaws_threads = {"Clipped relative positions, two threads beside one",
                                                 POSENC_BENCH_SPEED_UP, posenc_bench_shaw};
static const posenc_bench_group xls_threads = {"Transformer-XL, two threads beside one", POSENC_BENCH_SPEED_UP,
                                               posenc_bench_transformer_xl};
static const posenc_bench_group similarities = {"All pairs of positions beside the product of all rows",
                                                POSENC_BENCH_RATIO, posenc_bench_similarity};
static const posenc_bench_group others = {"The ways of others, in C, one thread", POSENC_BENCH_RATIO,
                                          posenc_bench_baseline};

/* clang-format off */
static const posenc_bench_work works[] = {
    /* group, name, dtype, rank, first extent in quick, usual, full (0: left out), other extents, flags, goals, baseline */
    {&fills, "fill", POSENC_F32, 2, {1000, 1000, 1000}, {512}, 0, {0, 0}, 0},
    {&fills, "fill", POSENC_F32, 2, {5000, 5000, 5000}, {512}, POSENC_BENCH_IN_CACHE, {3.2, 3.5}, 0},
    {&fills, "fill", POSENC_F32, 2, {16384, 65536, 65536}, {1024}, 0, {1.12, 1.2}, 0},
    {&fills, "fill", POSENC_F64, 2, {0, 65536, 65536}, {1024}, 0, {0, 0}, 0},
    {&fills, "fill", POSENC_F16, 2, {0, 65536, 65536}, {1024}, 0, {0, 0}, 0},
    {&fills, "fill", POSENC_BF16, 2, {0, 65536, 65536}, {1024}, 0, {0, 0}, 0},

    {&fills_naive, "fill, times faster", POSENC_F32, 2, {5000, 5000, 5000}, {512}, 0, {120, 120}, 0},
    {&colds, "cold, times faster", POSENC_F32, 2, {1000, 1000, 1000}, {512}, 0, {60, 60}, 0},
    {&fresh, "cold and all fresh", POSENC_F32, 2, {1000, 1000, 1000}, {512}, POSENC_BENCH_FRESH, {1.1, 1.1}, 0},

    {&adds, "add", POSENC_F32, 3, {8, 8, 32}, {2048, 1024}, 0, {1.3, 1.8}, 0},
    {&adds, "add", POSENC_F16, 3, {8, 8, 32}, {2048, 1024}, 0, {1.3, 1.8}, 0},
    {&adds, "add", POSENC_BF16, 3, {8, 8, 32}, {2048, 1024}, 0, {1.3, 1.8}, 0},
    {&adds, "add in place", POSENC_F32, 3, {0, 8, 32}, {2048, 1024}, IN_PLACE, {1.3, 1.8}, 0},
    {&adds, "add in place", POSENC_F16, 3, {0, 8, 32}, {2048, 1024}, IN_PLACE, {1.3, 1.8}, 0},
    {&adds, "add in place", POSENC_BF16, 3, {0, 8, 32}, {2048, 1024}, IN_PLACE, {1.3, 1.8}, 0},
    {&adds, "add, x scaled", POSENC_F32, 3, {0, 8, 32}, {2048, 1024}, SCALED, {1.3, 1.8}, 0},
    {&adds, "add, x scaled", POSENC_F16, 3, {0, 8, 32}, {2048, 1024}, SCALED, {1.3, 1.8}, 0},
    {&adds, "add, x scaled", POSENC_BF16, 3, {0, 8, 32}, {2048, 1024}, SCALED, {1.3, 1.8}, 0},

    {&encodes, "encode", POSENC_F32, 3, {8, 8, 32}, {2048, 1024}, 0, {0.95, 1.0}, 0},
    {&encodes, "encode", POSENC_F16, 3, {0, 8, 32}, {2048, 1024}, 0, {0.95, 1.0}, 0},
    {&encodes, "encode", POSENC_BF16, 3, {0, 8, 32}, {2048, 1024}, 0, {0.95, 1.0}, 0},
    {&encodes, "encode in place", POSENC_F32, 3, {0, 8, 32}, {2048, 1024}, IN_PLACE, {0.85, 0.85}, 0},
    {&encodes, "encode in place", POSENC_F16, 3, {0, 8, 32}, {2048, 1024}, IN_PLACE, {0.85, 0.85}, 0},
    {&encodes, "encode in place", POSENC_BF16, 3, {0, 8, 32}, {2048, 1024}, IN_PLACE, {0.85, 0.85}, 0},
    {&encodes, "encode, dropout", POSENC_F32, 3, {8, 8, 32}, {2048, 1024}, DROPOUT, {1.2, 3}, 0},
    {&encodes, "encode, dropout", POSENC_F16, 3, {0, 8, 32}, {2048, 1024}, DROPOUT, {1.2, 3}, 0},
    {&encodes, "encode, dropout", POSENC_BF16, 3, {0, 8, 32}, {2048, 1024}, DROPOUT, {1.2, 3}, 0},
    {&encodes, "backward", POSENC_F32, 3, {0, 8, 32}, {2048, 1024}, BACKWARD, {0.95, 1.0}, 0},
    {&encodes, "backward", POSENC_F16, 3, {0, 8, 32}, {2048, 1024}, BACKWARD, {0.95, 1.0}, 0},
    {&encodes, "backward", POSENC_BF16, 3, {0, 8, 32}, {2048, 1024}, BACKWARD, {0.95, 1.0}, 0},
    {&encodes, "backward, dropout", POSENC_F32, 3, {0, 8, 32}, {2048, 1024}, BACKWARD | DROPOUT, {1.2, 3}, 0},
    {&encodes, "backward, dropout", POSENC_F16, 3, {0, 8, 32}, {2048, 1024}, BACKWARD | DROPOUT, {1.2, 3}, 0},
    {&encodes, "backward, dropout", POSENC_BF16, 3, {0, 8, 32}, {2048, 1024}, BACKWARD | DROPOUT, {1.2, 3}, 0},

    {&rows, "encode, row offsets", POSENC_F32, 3, {0, 8, 32}, {2048, 1024}, 0, {1.1, 1.1}, 0},
    {&rows, "encode, row offsets", POSENC_BF16, 3, {0, 8, 32}, {2048, 1024}, 0, {1.1, 1.1}, 0},
    {&rows, "encode, packed", POSENC_F32, 3, {0, 8, 32}, {2048, 1024}, PACKED, {1.1, 1.1}, 0},
    {&rows, "encode, packed", POSENC_BF16, 3, {0, 8, 32}, {2048, 1024}, PACKED, {1.1, 1.1}, 0},

    {&learned, "gather, random ids", POSENC_F32, 3, {0, 8, 32}, {2048, 1024}, RANDOM, {0.95, 0.95}, 0},
    {&learned, "gather, random ids, in place", POSENC_F32, 3, {0, 8, 32}, {2048, 1024}, RANDOM | IN_PLACE, {0.9, 0.9}, 0},
    {&learned, "scatter-add, random ids", POSENC_F32, 3, {0, 8, 32}, {2048, 1024}, RANDOM | BACKWARD, {1.5, 1.5}, 0},
    {&learned, "scatter-add, positions", POSENC_F32, 3, {0, 8, 32}, {2048, 1024}, BACKWARD, {1.25, 1.25}, 0},
    {&learned, "scatter-add, random ids", POSENC_BF16, 3, {0, 8, 32}, {2048, 1024}, RANDOM | BACKWARD, {1.5, 1.5}, 0},

    {&grids, "grid, fill", POSENC_F32, 2, {0, 65536, 65536}, {1024}, 0, {1.1, 1.1}, 0},
    {&grids, "grid, fill", POSENC_BF16, 2, {0, 65536, 65536}, {1024}, 0, {0, 0}, 0},
    {&grids, "grid, add to one image", POSENC_F32, 3, {0, 1, 1}, {65536, 1024}, 0, {0, 0}, 0},
    {&grids, "grid, add", POSENC_F32, 3, {0, 8, 32}, {4096, 1024}, 0, {1.1, 1.1}, 0},
    {&grids, "grid, add", POSENC_BF16, 3, {0, 8, 32}, {4096, 1024}, 0, {1.1, 1.1}, 0},
    {&grids, "grid, add", POSENC_F32, 3, {0, 128, 512}, {192, 768}, 0, {1.1, 1.1}, 0},
    {&grids, "grid, encode", POSENC_F32, 3, {0, 8, 32}, {4096, 1024}, STORED, {1.1, 1.1}, 0},

    {&videos, "video, flattened", POSENC_F32, 3, {0, 8, 32}, {16, 200704}, FLATTENED, {1.1, 1.1}, 0},
    {&videos, "video, broadcast", POSENC_F32, 3, {0, 8, 32}, {16, 200704}, 0, {1.1, 1.1}, 0},
    {&videos, "video, broadcast", POSENC_BF16, 3, {0, 16, 32}, {16, 200704}, 0, {1.1, 1.1}, 0},
    {&videos, "video, broadcast, in place", POSENC_F32, 3, {0, 8, 32}, {16, 200704}, IN_PLACE, {1.1, 1.1}, 0},

    {&tokens, "token, next position", POSENC_F32, 1, {4096, 4096, 4096}, {0}, 0, {11, 11}, 0},
    {&tokens, "token, random position", POSENC_F32, 1, {4096, 4096, 4096}, {0}, RANDOM, {14, 14}, 0},

    {&reals, "real positions", POSENC_F32, 2, {64, 64, 64}, {256}, 0, {0, 0}, 0},
    {&reals, "real positions", POSENC_F32, 2, {64, 64, 256}, {1024}, 0, {0, 0}, 0},

    {&threads, "fill on two threads", POSENC_F32, 2, {16384, 65536, 65536}, {1024}, 0, {0.9, 0.9}, 0},

    {&rotations, "rotate, halves", POSENC_F32, 3, {2048, 2048, 16384}, {32, 128}, 0, {1.05, 1.05}, 0},
    {&rotations, "rotate, interleaved", POSENC_F32, 3, {0, 2048, 16384}, {32, 128}, INTERLEAVED, {1.05, 1.05}, 0},
    {&rotations, "rotate, halves", POSENC_F16, 3, {0, 4096, 16384}, {32, 128}, 0, {1.0, 1.2}, 0},
    {&rotations, "rotate, halves", POSENC_BF16, 3, {2048, 4096, 16384}, {32, 128}, 0, {1.0, 1.2}, 0},
    {&rotations, "rotate, interleaved", POSENC_F16, 3, {0, 4096, 16384}, {32, 128}, INTERLEAVED, {1.0, 1.2}, 0},
    {&rotations, "rotate, interleaved", POSENC_BF16, 3, {0, 4096, 16384}, {32, 128}, INTERLEAVED, {1.0, 1.2}, 0},
    {&rotations, "rotate in place, halves", POSENC_F32, 3, {0, 2048, 16384}, {32, 128}, IN_PLACE, {0.85, 0.85}, 0},
    {&rotations, "rotate in place, interleaved", POSENC_F32, 3, {0, 2048, 16384}, {32, 128}, IN_PLACE | INTERLEAVED, {0.85, 0.85}, 0},
    {&rotations, "rotate in place, halves", POSENC_BF16, 3, {0, 4096, 16384}, {32, 128}, IN_PLACE, {1.0, 1.2}, 0},
    {&rotations, "rotate, 64 of 128", POSENC_F32, 3, {0, 2048, 16384}, {32, 128}, PARTIAL, {1.05, 1.05}, 0},
    {&rotations, "rotate, three axes", POSENC_F32, 3, {0, 2048, 16384}, {32, 128}, SECTIONED, {1.05, 1.05}, 0},
    {&rotations, "rotate backward, halves", POSENC_F32, 3, {0, 2048, 16384}, {32, 128}, BACKWARD, {1.05, 1.05}, 0},
    {&rotations, "rotate one head", POSENC_F32, 3, {0, 65536, 65536}, {1, 128}, 0, {1.4, 1.7}, 0},
    {&rotations, "rotate one head", POSENC_F16, 3, {0, 131072, 131072}, {1, 128}, 0, {3, 4}, 0},
    {&rotations, "rotate one head", POSENC_BF16, 3, {0, 131072, 131072}, {1, 128}, 0, {3, 4}, 0},
    {&rotations, "rotate one token", POSENC_F32, 2, {32, 32, 32}, {128}, IN_CACHE, {2, 3}, 0},
    {&rotations, "rotate one token", POSENC_BF16, 2, {32, 32, 32}, {128}, IN_CACHE, {0, 0}, 0},
    {&rotary_threads, "rotate on two threads", POSENC_F32, 3, {0, 2048, 16384}, {32, 128}, 0, {0.9, 0.9}, 0},
    {&rotary_others, "float32 rotary loop", POSENC_F32, 3, {2048, 2048, 16384}, {32, 128}, 0, {0, 0}, posenc_bench_rotary_float32},
    {&biases, "alibi written", POSENC_F32, 3, {4, 8, 32}, {2048, 2048}, 0, {1.15, 1.15}, 0},
    {&biases, "t5 written", POSENC_F32, 3, {0, 8, 32}, {2048, 2048}, BUCKETS, {1.15, 1.15}, 0},
    {&biases, "t5 written", POSENC_BF16, 3, {0, 8, 32}, {2048, 2048}, BUCKETS, {1.15, 1.15}, 0},
    {&biases, "alibi added", POSENC_F32, 3, {4, 8, 32}, {2048, 2048}, IN_PLACE, {1.15, 1.15}, 0},
    {&biases, "t5 added", POSENC_F32, 3, {0, 8, 32}, {2048, 2048}, IN_PLACE | BUCKETS, {1.15, 1.15}, 0},
    {&biases, "t5 added", POSENC_F16, 3, {0, 8, 32}, {2048, 2048}, IN_PLACE | BUCKETS, {1.15, 1.15}, 0},
    {&biases, "t5 added", POSENC_BF16, 3, {0, 8, 32}, {2048, 2048}, IN_PLACE | BUCKETS, {1.15, 1.9}, 0},
    {&biases, "alibi vector", POSENC_F32, 2, {1, 1, 1}, {1000000}, 0, {1.5, 1.5}, 0},
    {&biases, "alibi vector, any slope", POSENC_F32, 2, {0, 1, 1}, {1000000}, ANY_SLOPE, {1.5, 1.5}, 0},
    {&biases, "alibi vector", POSENC_F32, 2, {0, 16, 16}, {62500}, 0, {1.5, 1.5}, 0},
    {&biases, "alibi vector", POSENC_F32, 2, {0, 0, 12}, {83333}, 0, {1.5, 1.5}, 0},
    {&biases, "t5 vector", POSENC_F32, 2, {0, 1, 1}, {1000000}, BUCKETS, {1.5, 1.5}, 0},
    {&biases, "alibi backward", POSENC_F32, 3, {0, 8, 32}, {2048, 2048}, BACKWARD, {0, 0}, 0},
    {&biases, "t5 backward", POSENC_BF16, 3, {0, 8, 32}, {2048, 2048}, BACKWARD | BUCKETS, {0, 0}, 0},

    {&shaws, "shaw scores", POSENC_F32, 2, {1024, 2048, 2048}, {64}, 0, {1.4, 1.4}, 0},
    {&shaws, "shaw scores", POSENC_BF16, 2, {0, 2048, 2048}, {64}, 0, {0, 0}, 0},
    {&shaws, "shaw scores backward", POSENC_F32, 2, {0, 2048, 2048}, {64}, BACKWARD, {0, 0}, 0},
    {&shaws, "shaw values", POSENC_F32, 2, {0, 2048, 2048}, {64}, VALUES, {0, 0}, 0},
    {&shaws, "shaw values backward", POSENC_F32, 2, {0, 2048, 2048}, {64}, VALUES | BACKWARD, {0, 0}, 0},
    {&shaws_explicit, "shaw scores, times faster", POSENC_F32, 2, {0, 1024, 2048}, {64}, 0, {30, 30}, 0},

    {&shaws_threads, "shaw scores on two threads", POSENC_F32, 2, {0, 2048, 2048}, {64}, 0, {0.9, 0.9}, 0},
    {&shaws_threads, "shaw scores backward on two threads", POSENC_F32, 2, {0, 2048, 2048}, {64}, BACKWARD, {0.9, 0.9}, 0},

    {&xls, "xl scores", POSENC_F32, 2, {0, 512, 1024}, {64}, 0, {1.4, 1.4}, 0},
    {&xls, "xl scores, both ways", POSENC_F32, 2, {0, 512, 1024}, {64}, BOTH_WAYS, {1.4, 1.4}, 0},
    {&xls, "xl backward", POSENC_F32, 2, {0, 512, 1024}, {64}, BACKWARD, {0, 0}, 0},
    {&xls, "xl backward, both ways", POSENC_F32, 2, {0, 512, 1024}, {64}, BACKWARD | BOTH_WAYS, {0, 0}, 0},
    {&xls_threads, "xl scores on two threads", POSENC_F32, 2, {0, 512, 1024}, {64}, 0, {0.9, 0.9}, 0},
    {&xls_threads, "xl backward on two threads", POSENC_F32, 2, {0, 512, 1024}, {64}, BACKWARD, {0.9, 0.9}, 0},
    {&xls_usual, "xl scores, times faster", POSENC_F32, 2, {0, 512, 1024}, {64}, 0, {0, 0}, 0},
    {&xls_usual, "xl scores, both ways, times faster", POSENC_F32, 2, {0, 512, 1024}, {64}, BOTH_WAYS, {0, 0}, 0},

    {&similarities, "similarity", POSENC_F32, 2, {2000, 5000, 5000}, {512}, 0, {1.5, 1.5}, 0},
    {&similarities, "similarity summary", POSENC_F32, 2, {2000, 5000, 5000}, {512}, SUMMARY, {1.5, 1.5}, 0},

    {&others, "naive loop", POSENC_F32, 2, {1000, 1000, 1000}, {512}, 0, {0, 0}, posenc_bench_naive},
    {&others, "naive, 2i doubled", POSENC_F32, 2, {1000, 1000, 1000}, {512}, 0, {0, 0}, posenc_bench_naive_doubled},
    {&others, "frequency hoisted", POSENC_F32, 2, {1000, 1000, 1000}, {512}, 0, {0, 0}, posenc_bench_hoisted},
    {&others, "vectorised float32", POSENC_F32, 2, {1000, 1000, 1000}, {512}, 0, {0, 0}, posenc_bench_float32},
    {&others, "naive loop", POSENC_F32, 2, {5000, 5000, 5000}, {512}, 0, {0, 0}, posenc_bench_naive},
    {&others, "naive, 2i doubled", POSENC_F32, 2, {0, 5000, 5000}, {512}, 0, {0, 0}, posenc_bench_naive_doubled},
    {&others, "frequency hoisted", POSENC_F32, 2, {5000, 5000, 5000}, {512}, 0, {0, 0}, posenc_bench_hoisted},
    {&others, "vectorised float32", POSENC_F32, 2, {5000, 5000, 5000}, {512}, 0, {0, 0}, posenc_bench_float32},
    {&others, "naive loop", POSENC_F32, 2, {0, 65536, 65536}, {1024}, 0, {0, 0}, posenc_bench_naive},
    {&others, "frequency hoisted", POSENC_F32, 2, {0, 65536, 65536}, {1024}, 0, {0, 0}, posenc_bench_hoisted},
    {&others, "vectorised float32", POSENC_F32, 2, {0, 65536, 65536}, {1024}, 0, {0, 0}, posenc_bench_float32},
};
/* clang-format on */

const posenc_bench_work *posenc_bench_work_at(size_t index) {
    return index < sizeof works / sizeof *works ? &works[index] : NULL;
}

size_t posenc_bench_work_bytes(const posenc_bench_work *work, const int64_t *shape) {
    size_t bytes = posenc_dtype_bytes(work->dtype);
    for (int axis = 0; axis < work->rank; axis++) bytes *= (size_t)shape[axis];
    return bytes;
}
