/* Messages to the user: one line on standard error, and the exit status that belongs to it. */
#include "message.h"

#include <ctype.h>
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

/* ---- what the library refuses, in the words of the command line ---- */

/* Names of C that have an option. Other words with an underscore come from files: keys of a configuration, tensors. */
static const struct {
    const char *of_c, *of_option; /* which is no longer */
} words[] = {{"padding_idx", "padding-idx"},
             {"past_end", "past-end"},
             {"position_ids", "positions"},
             {"row_offset", "row-offset"}};

static bool is_of_path(char letter) { return isalnum((unsigned char)letter) || (letter && strchr("_-./\\", letter)); }

/* Which of the words stands here, as a whole; the number of them: none. */
static size_t word_at(const char *text, char before) {
    const size_t none = sizeof words / sizeof *words;
    for (size_t i = 0; i < none && !is_of_path(before); i++) {
        size_t n = strlen(words[i].of_c);
        if (strncmp(text, words[i].of_c, n) == 0 && !is_of_path(text[n])) return i;
    }
    return none;
}

/* What stands between quotes is the user's own. to has room for from. */
static void translate(const char *from, char *to) {
    bool quoted = false;
    for (char before = ' '; *from; before = from[-1]) {
        size_t word = quoted ? sizeof words / sizeof *words : word_at(from, before);
        if (*from == '"') quoted = !quoted;
        if (word < sizeof words / sizeof *words) {
            strcpy(to, words[word].of_option);
            to += strlen(words[word].of_option), from += strlen(words[word].of_c);
        } else {
            *to++ = *from++;
        }
    }
    *to = '\0';
}

int posenc_cli_refuse(const posenc_error *error) {
    char text[sizeof error->message];
    bool of_file = error->status == POSENC_ERROR_IO || error->status == POSENC_ERROR_FORMAT;
    if (of_file) return print_line("error", POSENC_CLI_RED, error->message);
    translate(error->message, text);
    return print_line("error", POSENC_CLI_RED, text);
}

/* ---- other lines ---- */

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
