/* The manual page, in troff's man macros. It carries no date, so that two builds give the same file. */
#include "commands.h"
#include "details.h"
#include "help.h"
#include "options.h"

/* Text that troff shall not read as requests: backslashes, hyphens that stay hyphens, a dot or quote at a line's start.
 */
static void print_text(const char *text) {
    bool line_starts = true;
    for (const char *p = text; *p; p++) {
        if (line_starts && (*p == '.' || *p == '\'')) fputs("\\&", stdout);
        if (*p == '\\')
            fputs("\\e", stdout);
        else if (*p == '-')
            fputs("\\-", stdout);
        else if (*p == '\n' && p[1] == '\n')
            fputs("\n.PP", stdout); /* the second newline ends the request */
        else
            putchar(*p);
        line_starts = *p == '\n';
    }
}

static void print_line(const char *text) {
    print_text(text);
    putchar('\n');
}

static void print_option(const posenc_cli_option *option) {
    char text[1024];
    posenc_cli_option_text(option, text, sizeof text);
    fputs(".TP\n", stdout);
    if (option->letter) printf("\\fB\\-%c\\fR, ", option->letter);
    fputs("\\fB", stdout);
    print_text("--");
    print_text(option->name);
    fputs("\\fR", stdout);
    if (option->value) printf(" \\fI%s\\fR", option->value);
    putchar('\n');
    print_line(text);
}

static void print_options(const posenc_cli_command *command) {
    const posenc_cli_option *option;
    for (size_t i = 0; posenc_cli_option_at(command, i, &option); i++)
        if (!option->hidden && !posenc_cli_option_shared(command, i)) print_option(option);
}

/* A shared option is described once for all; each command only names those it takes. */
static void print_shared_names(const posenc_cli_command *command) {
    const posenc_cli_option *option;
    const char *mark = "";
    fputs(".PP\nCommon options:", stdout);
    for (size_t i = 0; posenc_cli_option_at(command, i, &option); i++) {
        if (!posenc_cli_option_shared(command, i)) continue;
        printf("%s \\fB", mark);
        print_text("--");
        print_text(option->name);
        fputs("\\fR", stdout);
        mark = ",";
    }
    fputs(".\n", stdout);
}

static void print_examples(const char *const *lines) {
    fputs(".PP\n.RS 4\n.EX\n", stdout);
    for (size_t i = 0; lines[i]; i++) print_line(lines[i]);
    fputs(".EE\n.RE\n", stdout);
}

static void print_command(const posenc_cli_command *command) {
    char usage[512];
    posenc_cli_usage(command, usage, sizeof usage);
    printf(".SS %s\n", command->name);
    print_line(command->summary);
    fputs(".PP\n\\fBposenc ", stdout);
    print_text(command->name);
    fputs("\\fR ", stdout);
    print_line(usage);
    fputs(".PP\n", stdout);
    print_line(command->description);
    print_options(command);
    print_shared_names(command);
    print_examples(command->examples);
}

static void print_scheme(const posenc_scheme_info *scheme) {
    printf(".SS Parameters of %s\n", scheme->name);
    print_line(scheme->summary);
    for (size_t i = 0; i < scheme->n_parameters; i++) {
        posenc_cli_option option = posenc_cli_option_of(&scheme->parameters[i]);
        print_option(&option);
    }
}

/* A command that takes all there is to take: its shared options are all the shared options. */
static void print_common_options(void) {
    const posenc_cli_command all = {.takes = ~0u};
    const posenc_cli_option *option;
    fputs(".SH COMMON OPTIONS\n", stdout);
    for (size_t i = 0; posenc_cli_option_at(&all, i, &option); i++) print_option(option);
}

static void print_end(void) {
    fputs(
        ".SH EXIT STATUS\n"
        ".TP\n0\nfine\n"
        ".TP\n1\nthe work was done and the answer is bad news: a failed self\\-test\n"
        ".TP\n2\nusage or input error; one line on standard error names the argument or the file, what was expected "
        "and\n"
        "what came. No output file is left behind or damaged.\n"
        ".SH ENVIRONMENT\n"
        ".TP\n\\fBNO_COLOR\\fR\nif set and not empty, no colours unless \\fB\\-\\-color always\\fR asks for them\n"
        ".SH FILES\n"
        "Tensors are read from and written to NumPy's \\fI.npy\\fR; tables also to \\fI.csv\\fR.\n"
        "A file named \\fB\\-\\fR is standard input or output.\n"
        "Regular files are written beside their place and renamed when complete.\n",
        stdout);
}

int posenc_cli_help_man(void) {
    printf(".TH POSENC 1 \"\" \"posenc %s\" \"User Commands\"\n", posenc_version());
    fputs(".SH NAME\nposenc \\- positional encodings, exact at memory speed\n", stdout);
    fputs(".SH SYNOPSIS\n\\fBposenc\\fR \\fICOMMAND\\fR [\\fIoptions\\fR]\n.br\n\\fBposenc \\-\\-version\\fR\n",
          stdout);
    fputs(".SH COMMANDS\n", stdout);
    for (size_t i = 0; posenc_cli_command_at(i); i++) print_command(posenc_cli_command_at(i));
    print_common_options();
    fputs(".SH SCHEMES\n", stdout);
    for (size_t s = 0; s < posenc_scheme_count(); s++) print_scheme(posenc_scheme_at(s));
    print_end();
    return POSENC_CLI_FINE;
}
