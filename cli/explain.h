/* A configuration explained, in two forms. */
#ifndef POSENC_CLI_EXPLAIN_H
#define POSENC_CLI_EXPLAIN_H

#include "cli.h"

/* The spectrum of one kind of layers; omega NULL where they do not rotate. */
typedef struct posenc_cli_spectrum {
    posenc_rotary_info info;
    double softmax_factor;
    double *omega; /* [pairs] */
    char *axes;    /* [pairs] and an end mark: T, H, W of three axes, H, W of two, else digits; NULL for one */
} posenc_cli_spectrum;

typedef struct posenc_cli_explained {
    const char *path; /* as the user wrote it */
    int64_t length;   /* 0: as the spectrum has it */
    const posenc_config *config;
    posenc_cli_spectrum *spectra; /* one for each kind of layers */
} posenc_cli_explained;

/* For people. Returns POSENC_CLI_FINE. */
int posenc_cli_explain_text(const posenc_cli_explained *explained);

/* As one JSON document. Returns POSENC_CLI_FINE, or _TROUBLE with nothing printed. */
int posenc_cli_explain_json(const posenc_cli_explained *explained);

/* "halves", "interleaved", "interleaved-in-halves-out". */
const char *posenc_cli_pairing_name(posenc_pairing pairing);

#endif
