/* Help for a terminal. */
#include <string.h>

#include "commands.h"
#include "details.h"
#include "help.h"
#include "options.h"
#include "wrap.h"

enum { HELP_COLUMN = 26 };

static void heading(const char *text) {
    printf("\n%s%s%s\n", posenc_cli_styled(stdout, POSENC_CLI_BOLD), text, posenc_cli_styled(stdout, POSENC_CLI_PLAIN));
}

/* "  -o, --output FILE     Where to write (...)" */
static void print_option(const posenc_cli_option *option) {
    char left[80], text[1024];
    posenc_cli_option_left(option, left, sizeof left);
    posenc_cli_option_text(option, text, sizeof text);
    int column = printf("  %s%s", option->letter ? "" : "    ", left);
    if (column > HELP_COLUMN - 2) {
        putchar('\n');
        column = 0;
    }
    printf("%*s", HELP_COLUMN - column, "");
    posenc_cli_wrap(stdout, text, HELP_COLUMN, HELP_COLUMN);
}

static void print_options(const posenc_cli_command *command, const char *title, bool shared) {
    const posenc_cli_option *option;
    bool titled = false;
    for (size_t i = 0; posenc_cli_option_at(command, i, &option); i++) {
        if (option->hidden || posenc_cli_option_shared(command, i) != shared) continue;
        if (!titled) heading(title);
        titled = true;
        print_option(option);
    }
}

static void print_parameters(const posenc_scheme_info *scheme) {
    char title[128];
    snprintf(title, sizeof title, "Parameters of %s:", scheme->name);
    heading(title);
    for (size_t i = 0; i < scheme->n_parameters; i++) {
        posenc_cli_option option = posenc_cli_option_of(&scheme->parameters[i]);
        print_option(&option);
    }
}

static void print_usage(const posenc_cli_command *command) {
    char usage[512];
    heading("Usage:");
    posenc_cli_usage(command, usage, sizeof usage);
    int column = printf("  posenc %s ", command->name);
    posenc_cli_wrap_usage(stdout, usage, column, column);
}

static void print_command(const posenc_cli_command *command) {
    printf("posenc %s - %s\n", command->name, command->summary);
    print_usage(command);
    putchar('\n');
    posenc_cli_wrap(stdout, command->description, 0, 0);
    print_options(command, "Options:", false);
    if (command->takes & POSENC_CLI_TAKES_PARAMETERS)
        for (size_t s = 0; s < posenc_scheme_count(); s++) print_parameters(posenc_scheme_at(s));
    print_options(command, "Common options:", true);
    heading("Examples:");
    for (size_t i = 0; command->examples[i]; i++) printf("  %s\n", command->examples[i]);
}

static void print_overview(void) {
    printf("posenc %s - positional encodings, exact at memory speed\n", posenc_version());
    heading("Usage:");
    puts("  posenc COMMAND [options]\n  posenc --version");
    heading("Commands:");
    for (size_t i = 0; posenc_cli_command_at(i); i++)
        printf("  %-15s %s\n", posenc_cli_command_at(i)->name, posenc_cli_command_at(i)->summary);
    heading("Examples:");
    puts(
        "  posenc demo\n"
        "  posenc table sinusoidal --dim 512 --length 4\n"
        "  posenc help table");
    puts("\nExit status: 0 fine, 1 the answer is bad news, 2 usage or input error.");
}

int posenc_cli_help_text(const posenc_cli_command *command) {
    if (command)
        print_command(command);
    else
        print_overview();
    return POSENC_CLI_FINE;
}
