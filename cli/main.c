/* posenc: positional encodings from the command line. Finds the command, parses its words, runs it. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

#include "arguments.h"
#include "cli.h"
#include "commands.h"
#include "help.h"
#include "message.h"

/* A reader that goes away ends the program quietly, whatever the parent did with SIGPIPE; a file-size limit is an error
 * of the write, not a signal. */
static void set_signals(void) {
    sigset_t pipe_signal;
    signal(SIGPIPE, SIG_DFL);
    signal(SIGXFSZ, SIG_IGN);
    sigemptyset(&pipe_signal);
    sigaddset(&pipe_signal, SIGPIPE);
    sigprocmask(SIG_UNBLOCK, &pipe_signal, NULL);
}

/* A standard stream that the parent closed must not be taken by a file that the program opens: reads and writes of it
 * fail instead. */
static void keep_standard_streams(void) {
    for (int fd = 0; fd <= 2; fd++)
        if (fcntl(fd, F_GETFD) < 0) (void)open("/dev/null", fd == 0 ? O_WRONLY : O_RDONLY);
}

/* Colours are decided before the line is parsed, so that its errors obey --color too. */
static void set_color(int n_words, char *const *words) {
    for (int i = 0; i < n_words && strcmp(words[i], "--") != 0; i++) {
        if (strncmp(words[i], "--color=", 8) == 0) posenc_cli_choose_color(words[i] + 8);
        if (strcmp(words[i], "--color") == 0 && i + 1 < n_words) posenc_cli_choose_color(words[i + 1]);
    }
}

static int make_context(posenc_cli_arguments *arguments) {
    posenc_context_options options;
    posenc_error error;
    posenc_context_default(&options, sizeof options);
    options.threads = (int)posenc_cli_integer(arguments, "threads");
    options.isa = posenc_cli_text(arguments, "isa");
    options.warn = posenc_cli_warn;
    if (posenc_context_create(&options, &arguments->context, &error) != POSENC_OK) return posenc_cli_refuse(&error);
    return POSENC_CLI_FINE;
}

static int run(const posenc_cli_command *command, int n_words, char *const *words) {
    posenc_cli_arguments arguments;
    if (posenc_cli_wants_help(n_words, words)) return posenc_cli_help_text(command);
    int status = posenc_cli_parse(command, n_words, words, &arguments);
    if (status == POSENC_CLI_FINE && (command->takes & POSENC_CLI_TAKES_CONTEXT)) status = make_context(&arguments);
    if (status == POSENC_CLI_FINE) status = command->run(&arguments);
    posenc_context_destroy(arguments.context);
    return status;
}

static int dispatch(int n_words, char *const *words) {
    if (n_words == 0) return posenc_cli_fail("expected a command, got nothing; \"posenc help\" lists them");
    if (strcmp(words[0], "--version") == 0 || strcmp(words[0], "-V") == 0) {
        printf("posenc %s\n", posenc_version());
        return POSENC_CLI_FINE;
    }
    if (posenc_cli_wants_help(1, words)) return posenc_cli_help_text(NULL);
    if (words[0][0] == '-')
        return posenc_cli_fail("expected a command first, got \"%s\"; \"posenc help\" lists them", words[0]);
    const posenc_cli_command *command = posenc_cli_command_find(words[0]);
    if (!command) return posenc_cli_unknown_command(words[0]);
    return run(command, n_words - 1, words + 1);
}

/* What was reported must have arrived: a full disk is an error, a reader that went away is none worth a word. */
static int close_stdout(int status) {
    bool failed = ferror(stdout);
    int cause = failed ? errno : 0; /* of a write before: closing may have nothing left to fail with */
    errno = 0;
    if (fclose(stdout) == 0 && !failed) return status;
    if (errno == 0) errno = cause;
    if (errno == EPIPE) return status;
    if (errno == 0) return posenc_cli_fail("standard output: expected room for more bytes, got none");
    return posenc_cli_fail("standard output: expected room for more bytes, got \"%s\"", strerror(errno));
}

int main(int n_words, char **words) {
    keep_standard_streams();
    set_signals();
    set_color(n_words - 1, words + 1);
    return close_stdout(dispatch(n_words - 1, words + 1));
}
