/* Messages that only the program's own machinery prints. */
#ifndef POSENC_CLI_MESSAGE_H
#define POSENC_CLI_MESSAGE_H

/* A context's warn callback: "posenc: warning: ..." on standard error. */
void posenc_cli_warn(void *unused, const char *message);

/* Decides about colours, once, before anything is printed: "always", "never" or "auto" (NO_COLOR and the terminal). */
void posenc_cli_choose_color(const char *when);

#endif
