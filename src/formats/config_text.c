/* Gets the bytes of a configuration: from a file, from the config.json in a folder, or from a stream. A file that is
 * too long is refused by its length before anything is allocated; memory for a stream grows with what arrives. */
#include <string.h>

#include "base/memory.h"
#include "formats/config.h"

enum { FIRST_PIECE = 1 << 16 };

typedef struct source {
    const posenc_io *io;
    const posenc_context *context;
    int file;
    const char *name;
    posenc_error *error;
} source;

static posenc_status fail_io(const source *s, int code, const char *what) {
    char words[96];
    return posenc_fail(s->error, POSENC_ERROR_IO, s->name, "expected %s, got \"%s\"", what,
                       posenc_io_words(code, words));
}

static bool is_stdin(const char *path) { return strcmp(path, "-") == 0 || strcmp(path, "/dev/stdin") == 0; }

/* The path itself, or that of the configuration in the folder that it is. */
static posenc_status find_file(source *s, const char *path, char found[POSENC_IO_PATH], char shown[POSENC_SHOWN_PATH]) {
    static const char in_folder[] = "config.json";
    posenc_io_info info;
    size_t n = strlen(path);
    posenc_escape_path(is_stdin(path) ? "standard input" : path, shown);
    if (n + 1 + sizeof in_folder > POSENC_IO_PATH)
        return posenc_fail(s->error, POSENC_ERROR_IO, s->name, "expected a path of at most %d bytes, got %zu",
                           POSENC_IO_PATH - 1 - (int)sizeof in_folder, n);
    memcpy(found, path, n + 1);
    if (is_stdin(path) || s->io->info_at(s->io->user, path, &info) < 0 || info.kind != POSENC_IO_FOLDER)
        return POSENC_OK; /* what is not there is refused when it is opened */
    if (n > 0 && found[n - 1] != '/') found[n++] = '/';
    memcpy(found + n, in_folder, sizeof in_folder);
    posenc_escape_path(found, shown);
    return POSENC_OK;
}

static posenc_status too_long(const source *s, int64_t got) {
    return posenc_fail(s->error, POSENC_ERROR_FORMAT, s->name,
                       "expected a configuration of at most %d bytes, got %s%lld", POSENC_CONFIG_MOST_TEXT,
                       got > POSENC_CONFIG_MOST_TEXT ? "" : "more than ", (long long)got);
}

/* Doubles the memory; what is there is kept. */
static bool grow(const source *s, uint8_t **text, size_t *capacity) {
    uint8_t *larger = posenc_allocate(s->context, 2 * *capacity);
    if (!larger) return false;
    memcpy(larger, *text, *capacity);
    posenc_release(s->context, *text);
    *text = larger;
    *capacity *= 2;
    return true;
}

/* Reads to the end. *text is released by the caller, on failure too. */
static posenc_status read_all(const source *s, uint8_t **text, size_t capacity, size_t *n) {
    for (*n = 0;;) {
        size_t got;
        int code = posenc_io_read_all(s->io, s->file, *text + *n, capacity - *n, &got);
        *n += got;
        if (code < 0) return fail_io(s, code, "bytes to read");
        if (*n > POSENC_CONFIG_MOST_TEXT) return too_long(s, POSENC_CONFIG_MOST_TEXT);
        if (*n < capacity) return POSENC_OK;
        if (!grow(s, text, &capacity)) return posenc_fail_memory(s->error, s->name, 2 * capacity);
    }
}

static posenc_status read_open(const source *s, uint8_t **text, size_t *n) {
    posenc_io_info info;
    int code = s->io->info(s->io->user, s->file, &info);
    if (code < 0) return fail_io(s, code, "a file to read");
    if (info.kind == POSENC_IO_FOLDER)
        return posenc_fail(s->error, POSENC_ERROR_IO, s->name, "expected a file to read, got a folder");
    if (info.bytes_left > POSENC_CONFIG_MOST_TEXT) return too_long(s, info.bytes_left);
    /* one more than there should be, so that the end is seen */
    size_t capacity = info.bytes_left >= 0 ? (size_t)info.bytes_left + 1 : FIRST_PIECE;
    *text = posenc_allocate(s->context, capacity);
    if (!*text) return posenc_fail_memory(s->error, s->name, capacity);
    return read_all(s, text, capacity, n);
}

posenc_status posenc_config_text(const posenc_io *io, const posenc_context *context, const char *path,
                                 char shown[POSENC_SHOWN_PATH], uint8_t **text, size_t *n, posenc_error *error) {
    source s = {.io = io, .context = context, .name = shown, .error = error};
    char found[POSENC_IO_PATH];
    uint8_t *bytes = NULL;
    posenc_status status = find_file(&s, path, found, shown);
    if (status != POSENC_OK) return status;
    s.file = is_stdin(found) ? POSENC_IO_STDIN : io->open(io->user, found, POSENC_IO_READ, 0);
    if (s.file < 0) return fail_io(&s, s.file, "a file to read");
    status = read_open(&s, &bytes, n);
    if (!is_stdin(found)) io->close(io->user, s.file); /* all has been read: nothing is left to be lost */
    if (status == POSENC_OK)
        *text = bytes;
    else
        posenc_release(context, bytes);
    return status;
}
