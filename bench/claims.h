/* What was reproduced of "the naive loop is 50 times slower" and "the vectorised way is 20 times faster". */
#ifndef POSENC_BENCH_CLAIMS_H
#define POSENC_BENCH_CLAIMS_H

#include "works.h"

enum { POSENC_BENCH_LENGTHS = 3, POSENC_BENCH_WAYS = 5 };

/* Multiples of memset of the ways to fill a table, by length (1000 x 512, 5000 x 512, 65536 x 1024); 0: not measured.
 * Multiples of the same run's memset compare better than seconds taken at different moments. */
typedef struct posenc_bench_times {
    double ratio[POSENC_BENCH_LENGTHS][POSENC_BENCH_WAYS];
    double error[POSENC_BENCH_LENGTHS][POSENC_BENCH_WAYS];
} posenc_bench_times;

/* Keeps a result if the claims need it. */
void posenc_bench_claims_note(posenc_bench_times *times, const posenc_bench_work *work,
                              const posenc_bench_result *result);

/* Writes the sentences. */
void posenc_bench_claims_make(const posenc_bench_times *times, posenc_bench_claims *claims);

#endif
