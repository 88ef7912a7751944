/* Messages to the user: one line on standard error, and the exit status that belongs to it. */
#include "message.h"

#include <stdarg.h>
#include <string.h>

#include "cli.h"

static int print_line(const char *kind, posenc_cli_style style, const char *text) {
    fflush(stdout); /* what was reported before stands before */
    fprintf(stderr, "posenc: %s%s:%s ", posenc_cli_styled(stderr, style), kind,
            posenc_cli_styled(stderr, POSENC_CLI_PLAIN));
    posenc_cli_escape(stderr, text);
    fputc('\n', stderr);
    return POSENC_CLI_TROUBLE;
}

int posenc_cli_fail(const char *format, ...) {
    char text[2048];
    va_list list;
    va_start(list, format);
    vsnprintf(text, sizeof text, format, list);
    va_end(list);
    return print_line("error", POSENC_CLI_RED, text);
}

int posenc_cli_refuse(const posenc_error *error) { return print_line("error", POSENC_CLI_RED, error->message); }

int posenc_cli_no_memory(const char *for_what, size_t bytes) {
    return posenc_cli_fail("%s: expected %zu bytes of memory, got none", for_what, bytes);
}

void posenc_cli_shape_text(int rank, const int64_t *shape, char *text, size_t capacity) {
    size_t used = 0;
    for (int i = 0; i < rank && used < capacity; i++)
        used += (size_t)snprintf(text + used, capacity - used, "%s%lld", i ? ", " : "(", (long long)shape[i]);
    if (used < capacity) snprintf(text + used, capacity - used, rank ? rank == 1 ? ",)" : ")" : "()");
}

void posenc_cli_warn(void *unused, const char *message) {
    (void)unused;
    print_line("warning", POSENC_CLI_BOLD, message);
}
