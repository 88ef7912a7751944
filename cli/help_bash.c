/* The completion script for bash. A fixed frame, and between its parts what the tables say. */
#include <string.h>

#include "commands.h"
#include "help.h"
#include "options.h"

/* Finds the word being completed, the option before it ("--name=" is three words to bash), the command and the operand.
 * An option's value may stand before the operand, so an operand is a word that is known as a scheme or a command. */
static const char frame_start[] =
    "# bash completion for posenc, made by \"posenc help --format bash\"\n"
    "\n"
    "_posenc_words() { COMPREPLY+=($(compgen -W \"$1\" -- \"$cur\")); }\n"
    "\n"
    "_posenc_files() {\n"
    "    local IFS=$'\\n'\n"
    "    compopt -o filenames 2>/dev/null\n"
    "    COMPREPLY+=($(compgen -f -- \"$cur\"))\n"
    "}\n"
    "\n"
    "_posenc() {\n"
    "    local cur=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]} command= operand= i\n"
    "    COMPREPLY=()\n";

static const char frame_middle[] =
    "    if [[ $cur == \"=\" ]]; then\n"
    "        cur=\n"
    "    elif [[ $before == \"=\" ]]; then\n"
    "        before=${COMP_WORDS[COMP_CWORD-2]}\n"
    "    fi\n"
    "    for ((i = 1; i < COMP_CWORD; i++)); do\n"
    "        [[ -z $command && ${COMP_WORDS[i]} != -* ]] && command=${COMP_WORDS[i]} && continue\n"
    "        [[ -n $command && -z $operand && $known == *\" ${COMP_WORDS[i]} \"* ]] && operand=${COMP_WORDS[i]}\n"
    "    done\n";

static const char frame_end[] =
    "}\n"
    "\n"
    "complete -F _posenc posenc\n";

static void print_names(void) {
    for (size_t i = 0; posenc_cli_command_at(i); i++) printf("%s%s", i ? " " : "", posenc_cli_command_at(i)->name);
}

static void print_schemes(void) {
    for (size_t s = 0; s < posenc_scheme_count(); s++) printf("%s%s", s ? " " : "", posenc_scheme_at(s)->name);
}

/* Those that a table can hold rows of, for --scheme. */
static void print_adding_schemes(void) {
    const char *mark = "";
    for (size_t s = 0; s < posenc_scheme_count(); s++) {
        if (posenc_scheme_at(s)->effect != POSENC_EFFECT_ADDS_ROWS) continue;
        printf("%s%s", mark, posenc_scheme_at(s)->name);
        mark = " ";
    }
}

/* A line of "case $command:$before in" for an option that takes a value. */
static void print_value_case(const char *command, const posenc_cli_option *option) {
    if (option->kind == POSENC_CLI_FLAG) return;
    printf("        %s:--%s", command, option->name);
    if (option->letter) printf("|%s:-%c", command, option->letter);
    fputs(") ", stdout);
    if (option->kind == POSENC_CLI_FILE) fputs("_posenc_files; ", stdout);
    if (option->kind == POSENC_CLI_SCHEME) {
        fputs("_posenc_words \"", stdout);
        print_adding_schemes();
        fputs("\"; ", stdout);
    }
    if (option->kind == POSENC_CLI_CHOICE) {
        fputs("_posenc_words \"", stdout);
        for (size_t i = 0; option->choices[i]; i++) printf("%s%s", i ? " " : "", option->choices[i]);
        fputs("\"; ", stdout);
    }
    puts("return ;;");
}

/* Parameters of equal names in several schemes are completed as the first of them, after options of the command. */
static bool seen_before(size_t s, const char *name) {
    while (s-- > 0)
        if (posenc_cli_parameter_find(posenc_scheme_at(s), name)) return true;
    return false;
}

static void print_parameter_cases(const posenc_cli_command *command) {
    for (size_t s = 0; s < posenc_scheme_count(); s++) {
        const posenc_scheme_info *scheme = posenc_scheme_at(s);
        for (size_t i = 0; i < scheme->n_parameters; i++) {
            posenc_cli_option option = posenc_cli_option_of(&scheme->parameters[i]);
            bool own = posenc_cli_option_find(command, option.name, '\0') != NULL;
            if (!own && !seen_before(s, option.name)) print_value_case(command->name, &option);
        }
    }
}

static void print_values(void) {
    puts("    case $command:$before in");
    for (size_t c = 0; posenc_cli_command_at(c); c++) {
        const posenc_cli_command *command = posenc_cli_command_at(c);
        const posenc_cli_option *option;
        for (size_t i = 0; posenc_cli_option_at(command, i, &option); i++)
            if (!option->hidden) print_value_case(command->name, option);
        if (command->takes & POSENC_CLI_TAKES_PARAMETERS) print_parameter_cases(command);
    }
    puts("    esac");
}

static void print_scheme_options(void) {
    puts("            case $operand in");
    for (size_t s = 0; s < posenc_scheme_count(); s++) {
        const posenc_scheme_info *scheme = posenc_scheme_at(s);
        printf("                %s) _posenc_words \"", scheme->name);
        for (size_t i = 0; i < scheme->n_parameters; i++) printf("%s--%s", i ? " " : "", scheme->parameters[i].name);
        puts("\" ;;");
    }
    puts("            esac");
}

static bool operand_is_scheme(const posenc_cli_command *command) {
    return command->most_operands > 0 && !posenc_cli_option_for_scheme(command) &&
           (command->takes & (POSENC_CLI_TAKES_PARAMETERS | POSENC_CLI_NAMES_SCHEME));
}

static void print_command(const posenc_cli_command *command) {
    const posenc_cli_option *option;
    printf("        %s)\n", command->name);
    if (operand_is_scheme(command)) {
        fputs("            [[ -z $operand && $cur != -* ]] && _posenc_words \"", stdout);
        print_schemes();
        puts("\" && return");
    }
    if (strncmp(command->operands, "FILE", 4) == 0)
        fputs("            [[ $cur != -* ]] && _posenc_files && return\n", stdout);
    if (command->takes & POSENC_CLI_NAMES_COMMAND) {
        fputs("            [[ -z $operand && $cur != -* ]] && _posenc_words \"", stdout);
        print_names();
        puts("\" && return");
    }
    fputs("            _posenc_words \"", stdout);
    for (size_t i = 0; posenc_cli_option_at(command, i, &option); i++)
        if (!option->hidden) printf("%s--%s", i ? " " : "", option->name);
    puts("\"");
    if (command->takes & POSENC_CLI_TAKES_PARAMETERS) print_scheme_options();
    puts("            ;;");
}

int posenc_cli_help_bash(void) {
    fputs(frame_start, stdout);
    fputs("    local known=\" ", stdout);
    print_schemes();
    putchar(' ');
    print_names();
    puts(" \"");
    fputs(frame_middle, stdout);
    print_values();
    puts("    case $command in");
    fputs("        \"\") _posenc_words \"", stdout);
    print_names();
    puts(" --help --version\" ;;");
    for (size_t i = 0; posenc_cli_command_at(i); i++) print_command(posenc_cli_command_at(i));
    puts("    esac");
    fputs(frame_end, stdout);
    return POSENC_CLI_FINE;
}
