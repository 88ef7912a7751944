/* The two forms of a check's report. */
#ifndef POSENC_CLI_CHECK_H
#define POSENC_CLI_CHECK_H

#include "read_table.h"

/* For people: what the table is, what was found, and the verdict. Returns POSENC_CLI_FINE. */
int posenc_cli_check_text(const posenc_cli_input_table *table, const posenc_check_report *report);

/* As one JSON document. Returns POSENC_CLI_FINE, or _TROUBLE with nothing printed. */
int posenc_cli_check_json(const posenc_cli_input_table *table, const posenc_check_report *report);

/* "interleaved", "halves", "tensor2tensor"; "exact", "float32", "float32-exp". */
const char *posenc_cli_layout_name(posenc_layout layout);
const char *posenc_cli_arithmetic_name(posenc_arithmetic arithmetic);

#endif
