/* docs/options.md: the same tables as one page. */
#include "commands.h"
#include "details.h"
#include "help.h"
#include "options.h"

/* Text in a table's cell or a paragraph: marks that Markdown would read are escaped. */
static void print_text(const char *text) {
    for (const char *p = text; *p; p++) {
        if (*p == '|' || *p == '<' || *p == '*' || *p == '_' || *p == '\\') putchar('\\');
        putchar(*p);
    }
}

static void print_option(const posenc_cli_option *option) {
    char left[80], text[1024];
    posenc_cli_option_left(option, left, sizeof left);
    posenc_cli_option_text(option, text, sizeof text);
    printf("| `%s` | ", left);
    print_text(text);
    puts(" |");
}

static void begin_table(const char *first) { printf("\n| %s | meaning |\n| --- | --- |\n", first); }

static void print_options(const posenc_cli_command *command) {
    const posenc_cli_option *option;
    bool begun = false;
    for (size_t i = 0; posenc_cli_option_at(command, i, &option); i++) {
        if (option->hidden || posenc_cli_option_shared(command, i)) continue;
        if (!begun) begin_table("option");
        begun = true;
        print_option(option);
    }
}

static void print_shared_names(const posenc_cli_command *command) {
    const posenc_cli_option *option;
    const char *mark = "";
    fputs("\nCommon options: ", stdout);
    for (size_t i = 0; posenc_cli_option_at(command, i, &option); i++) {
        if (!posenc_cli_option_shared(command, i)) continue;
        printf("%s`--%s`", mark, option->name);
        mark = ", ";
    }
    puts(".");
}

static void print_command(const posenc_cli_command *command) {
    char usage[512];
    posenc_cli_usage(command, usage, sizeof usage);
    printf("\n## posenc %s\n\n", command->name);
    print_text(command->summary);
    printf(".\n\n    posenc %s %s\n\n", command->name, usage);
    print_text(command->description);
    putchar('\n');
    print_options(command);
    if (command->takes & POSENC_CLI_TAKES_PARAMETERS)
        puts("\nThe parameters of the scheme are options too: see [Schemes](#schemes).");
    print_shared_names(command);
    puts("\n```sh");
    for (size_t i = 0; command->examples[i]; i++) puts(command->examples[i]);
    puts("```");
}

static void print_scheme(const posenc_scheme_info *scheme) {
    printf("\n### %s\n\n", scheme->name);
    print_text(scheme->summary);
    printf("\n\nEffect: %s. Source: ", posenc_effect_name(scheme->effect));
    print_text(scheme->source);
    putchar('\n');
    begin_table("parameter");
    for (size_t i = 0; i < scheme->n_parameters; i++) {
        posenc_cli_option option = posenc_cli_option_of(&scheme->parameters[i]);
        print_option(&option);
    }
}

static void print_common_options(void) {
    const posenc_cli_command all = {.takes = ~0u};
    const posenc_cli_option *option;
    puts("\n## Common options");
    begin_table("option");
    for (size_t i = 0; posenc_cli_option_at(&all, i, &option); i++) print_option(option);
}

int posenc_cli_help_markdown(void) {
    puts("# Options of the posenc program\n");
    puts("Made by `posenc help --format markdown` from the command table and the scheme descriptors; do not edit.\n");
    puts("Exit status: 0 fine; 1 the answer is bad news; 2 usage or input error, with one line `posenc: error: ...`.");
    for (size_t i = 0; posenc_cli_command_at(i); i++) print_command(posenc_cli_command_at(i));
    print_common_options();
    puts("\n## Schemes");
    for (size_t s = 0; s < posenc_scheme_count(); s++) print_scheme(posenc_scheme_at(s));
    return POSENC_CLI_FINE;
}
