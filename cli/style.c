/* Colours: decided once, from --color, NO_COLOR (no-color.org) and what the stream is. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli.h"
#include "message.h"

static enum { AUTO, ALWAYS, NEVER } choice = AUTO;

void posenc_cli_choose_color(const char *when) {
    choice = strcmp(when, "always") == 0 ? ALWAYS : strcmp(when, "never") == 0 ? NEVER : AUTO;
}

static bool wanted(FILE *stream) {
    const char *no_color = getenv("NO_COLOR"), *term = getenv("TERM");
    if (choice != AUTO) return choice == ALWAYS;
    return !(no_color && no_color[0]) && term && strcmp(term, "dumb") != 0 && isatty(fileno(stream));
}

const char *posenc_cli_styled(FILE *stream, posenc_cli_style style) {
    static const char *const sequences[] = {"\033[0m", "\033[1m", "\033[31m", "\033[32m"};
    return wanted(stream) ? sequences[style] : "";
}
