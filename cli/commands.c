/* The command table, in the order of the help. */
#include "commands.h"

#include <string.h>

static const posenc_cli_command *const table[] = {
    &posenc_cli_list,    &posenc_cli_table,      &posenc_cli_apply,
    &posenc_cli_bias,    &posenc_cli_resize,     &posenc_cli_convert_pairing,
    &posenc_cli_check,   &posenc_cli_similarity, &posenc_cli_plot,
    &posenc_cli_explain, &posenc_cli_selftest,   &posenc_cli_bench,
    &posenc_cli_demo,    &posenc_cli_help,
};

const posenc_cli_command *posenc_cli_command_at(size_t index) {
    return index < sizeof table / sizeof *table ? table[index] : NULL;
}

const posenc_cli_command *posenc_cli_command_find(const char *name) {
    for (size_t i = 0; i < sizeof table / sizeof *table; i++)
        if (strcmp(table[i]->name, name) == 0) return table[i];
    return NULL;
}
