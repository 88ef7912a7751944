/* The bench's two reports. */
#ifndef POSENC_CLI_BENCH_REPORT_H
#define POSENC_CLI_BENCH_REPORT_H

#include "bench.h"

/* Runs the bench and prints each result as a line when it is there. Returns the exit status. */
int posenc_cli_bench_text(const posenc_bench_options *options);

/* Runs the bench and prints one JSON document. Returns the exit status. */
int posenc_cli_bench_json(const posenc_bench_options *options);

#endif
