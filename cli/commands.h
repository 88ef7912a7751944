/* The command table. */
#ifndef POSENC_CLI_COMMANDS_H
#define POSENC_CLI_COMMANDS_H

#include "cli.h"

/* One descriptor for each command, defined at the end of the command's file. */
extern const posenc_cli_command posenc_cli_list;            /* list.c */
extern const posenc_cli_command posenc_cli_table;           /* table.c */
extern const posenc_cli_command posenc_cli_apply;           /* apply.c */
extern const posenc_cli_command posenc_cli_bias;            /* bias.c */
extern const posenc_cli_command posenc_cli_resize;          /* resize.c */
extern const posenc_cli_command posenc_cli_convert_pairing; /* convert_pairing.c */
extern const posenc_cli_command posenc_cli_check;           /* check.c */
extern const posenc_cli_command posenc_cli_similarity;      /* similarity.c */
extern const posenc_cli_command posenc_cli_plot;            /* plot.c */
extern const posenc_cli_command posenc_cli_explain;         /* explain.c */
extern const posenc_cli_command posenc_cli_selftest;        /* selftest.c */
extern const posenc_cli_command posenc_cli_bench;           /* bench.c */
extern const posenc_cli_command posenc_cli_demo;            /* demo.c */
extern const posenc_cli_command posenc_cli_help;            /* help.c */

/* A command by index, in the order of the help; NULL past the last. */
const posenc_cli_command *posenc_cli_command_at(size_t index);

/* A command by name; NULL if there is none. */
const posenc_cli_command *posenc_cli_command_find(const char *name);

#endif
