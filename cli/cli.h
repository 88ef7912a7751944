/* What every command of the program is made of: its descriptor, its arguments, its messages.
 *
 * A command is one file. It ends with its descriptor, a posenc_cli_command; cli/commands.c lists the descriptors.
 * Option parsing, --help, `posenc help`, the man page, the completion script and docs/options.md are all derived from
 * these descriptors and from the library's scheme descriptors, so that nothing is written twice.
 *
 * Adding a command: its file, one line in commands.h, one in commands.c, one in CMakeLists.txt. */
#ifndef POSENC_CLI_H
#define POSENC_CLI_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include <posenc/posenc.h>

#if defined(__GNUC__)
#define POSENC_CLI_PRINTF(text, first) __attribute__((format(printf, text, first)))
#else
#define POSENC_CLI_PRINTF(text, first)
#endif

/* Exit status. */
enum {
    POSENC_CLI_FINE = 0,
    POSENC_CLI_BAD_NEWS = 1, /* the work was done and the answer is bad news: check finds an error */
    POSENC_CLI_TROUBLE = 2   /* usage or input error; one line "posenc: error: ..." was printed */
};

/* ---- Descriptors --------------------------------------------------------------------------------------------------
 */

typedef enum posenc_cli_kind {
    POSENC_CLI_INTEGER = 1, /* decimal int64 in minimum..maximum */
    POSENC_CLI_REAL,        /* finite decimal in minimum..maximum */
    POSENC_CLI_CHOICE,      /* one of choices */
    POSENC_CLI_FLAG,        /* the bare option; also --name=true, --name=false */
    POSENC_CLI_FILE,        /* a path, or "-" */
    POSENC_CLI_SCHEME,      /* the name of a scheme; at most one option of a command */
    POSENC_CLI_TEXT         /* anything else */
} posenc_cli_kind;

typedef struct posenc_cli_option {
    const char *name; /* "length" is --length; error messages call it "length" */
    char letter;      /* 'o' is -o; 0: none */
    posenc_cli_kind kind;
    const char *value; /* what the help calls the value: "N", "FILE"; flags: NULL */
    bool required;
    bool hidden;                /* for developers: parsed, but in no help */
    const char *default_text;   /* NULL: none */
    double minimum, maximum;    /* inclusive; integers and reals; 0, 0: unlimited */
    const char *const *choices; /* ends with NULL */
    const char *help;           /* one sentence, capital first, no full stop */
} posenc_cli_option;

typedef struct posenc_cli_arguments posenc_cli_arguments;

/* What a command takes besides its own options. Every command takes --help and --color. */
enum {
    POSENC_CLI_TAKES_JSON = 1,       /* --json */
    POSENC_CLI_TAKES_CONTEXT = 2,    /* --threads, --isa; posenc_cli_context() is ready when it runs */
    POSENC_CLI_TAKES_PARAMETERS = 4, /* a scheme's parameters are options; the option of kind POSENC_CLI_SCHEME names
                                        it, or where there is none the first operand */
    POSENC_CLI_NAMES_SCHEME = 8,     /* the first operand, if there, is a scheme (no parameters) */
    POSENC_CLI_NAMES_COMMAND = 16    /* the first operand, if there, is a command */
};

typedef struct posenc_cli_command {
    const char *name;
    const char *summary;     /* one line below 60 letters, capital first, no full stop */
    const char *description; /* paragraphs parted by an empty line; wrapped when printed */
    const char *usage;       /* what follows "posenc NAME"; NULL: operands and "[options]" */
    const char *operands;    /* "SCHEME", "[SCHEME]"; "" for none */
    int fewest_operands, most_operands;
    unsigned takes; /* POSENC_CLI_TAKES_... */
    const posenc_cli_option *options;
    size_t n_options;
    const char *const *examples;                       /* command lines that work as printed; ends with NULL */
    int (*run)(const posenc_cli_arguments *arguments); /* returns the exit status */
} posenc_cli_command;

/* ---- Arguments: parsed and validated before a command runs ---------------------------------------------------------
 */

/* The value of an option as text: as given, else its default, else NULL. A scheme's parameter: as given, else NULL. */
const char *posenc_cli_text(const posenc_cli_arguments *arguments, const char *option);

/* The same as a number; 0 where it was not given and has no default. */
int64_t posenc_cli_integer(const posenc_cli_arguments *arguments, const char *option);
double posenc_cli_real(const posenc_cli_arguments *arguments, const char *option);

/* Whether a flag is on; posenc_cli_flag(arguments, "json") too. */
bool posenc_cli_flag(const posenc_cli_arguments *arguments, const char *option);

/* Whether the user wrote the option. */
bool posenc_cli_given(const posenc_cli_arguments *arguments, const char *option);

/* Operand 0, 1, ...; NULL past the last. */
const char *posenc_cli_operand(const posenc_cli_arguments *arguments, int index);

/* The scheme that an option or operand 0 names; NULL where there is none. */
const posenc_scheme_info *posenc_cli_scheme(const posenc_cli_arguments *arguments);

/* The context of --threads and --isa. Owned by the program. */
posenc_context *posenc_cli_context(const posenc_cli_arguments *arguments);

/* ---- Messages: all on standard error -------------------------------------------------------------------------------
 */

/* Prints "posenc: error: ..." as one line, escaped, and returns POSENC_CLI_TROUBLE. */
int posenc_cli_fail(const char *format, ...) POSENC_CLI_PRINTF(1, 2);

/* The same from the library's error detail. */
int posenc_cli_refuse(const posenc_error *error);

/* A shape as Python writes it: "(2, 3, 512)", "(7,)", "()". Cut off where text is full. */
void posenc_cli_shape_text(int rank, const int64_t *shape, char *text, size_t capacity);

/* The same for memory that could not be had. */
int posenc_cli_no_memory(const char *for_what, size_t bytes);

/* Writes text to a stream so that names from outside cannot act: control characters, bidirectional marks and bytes that
 * are not UTF-8 come out as \xnn or \u{nnnn}. */
void posenc_cli_escape(FILE *stream, const char *text);

/* Terminal styles: the control sequence, or "" where --color, NO_COLOR or a stream that is no terminal say so. */
typedef enum posenc_cli_style {
    POSENC_CLI_PLAIN, /* ends the others */
    POSENC_CLI_BOLD,
    POSENC_CLI_RED,
    POSENC_CLI_GREEN
} posenc_cli_style;
const char *posenc_cli_styled(FILE *stream, posenc_cli_style style);

/* ---- Time and progress ---------------------------------------------------------------------------------------------
 */

/* Seconds of a clock that only goes forward. */
double posenc_cli_seconds(void);

/* A progress bar on standard error, only on a terminal and only after one second of work. */
typedef struct posenc_cli_progress {
    const char *what;
    double total, started, shown;
    bool visible;
} posenc_cli_progress;
void posenc_cli_progress_begin(posenc_cli_progress *progress, const char *what, double total);
void posenc_cli_progress_step(posenc_cli_progress *progress, double done);
void posenc_cli_progress_end(posenc_cli_progress *progress);

#endif
