/* Sentences that a configuration collects: what was assumed, what is to be warned of, and the one error. Keys come from
 * the file and are made safe to show. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "formats/config.h"

enum { SENTENCE = 320, KEY = 48, PATH = 112 };

const char *posenc_config_path_of(posenc_config_reader *r, const posenc_config_object *o, const char *key) {
    char shown[KEY], path[PATH];
    posenc_escape(key, strlen(key), shown, sizeof shown);
    snprintf(path, sizeof path, "%s%s%s", o->path, o->path[0] ? "." : "", shown);
    char *copy = posenc_config_keep(r, strlen(path) + 1);
    return copy ? strcpy(copy, path) : "";
}

static const char *keep_text(posenc_config_reader *r, const char *text) {
    char *copy = posenc_config_keep(r, strlen(text) + 1);
    return copy ? strcpy(copy, text) : NULL;
}

static bool is_there(const posenc_config_notes *notes, const char *key, const char *sentence) {
    for (const posenc_config_note *n = notes->first; n; n = n->next)
        if (strcmp(n->warning.sentence, sentence) == 0 && (!key || strcmp(n->warning.key, key) == 0)) return true;
    return false;
}

static void append(posenc_config_reader *r, posenc_config_notes *notes, const char *key, const char *sentence) {
    posenc_config_note *note = posenc_config_keep(r, sizeof *note);
    if (!note) return;
    note->warning = (posenc_config_warning){key, keep_text(r, sentence)};
    if (r->status != POSENC_OK) return;
    if (notes->last)
        notes->last->next = note;
    else
        notes->first = note;
    notes->last = note;
    notes->n++;
}

void posenc_config_assume(posenc_config_reader *r, const char *format, ...) {
    char sentence[SENTENCE];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(sentence, sizeof sentence, format, arguments);
    va_end(arguments);
    if (r->status == POSENC_OK && !is_there(&r->assumed, NULL, sentence)) append(r, &r->assumed, NULL, sentence);
}

/* Unknown keys, of which a file may have very many, are warned of once each: only what has been said of other keys is
 * looked through. */
void posenc_config_warn(posenc_config_reader *r, const posenc_config_object *o, const char *key, const char *format,
                        ...) {
    char sentence[SENTENCE];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(sentence, sizeof sentence, format, arguments);
    va_end(arguments);
    const char *path = r->status == POSENC_OK ? posenc_config_path_of(r, o, key) : "";
    if (r->status == POSENC_OK && (r->checking_keys || !is_there(&r->warnings, path, sentence)))
        append(r, &r->warnings, path, sentence);
}

void posenc_config_refuse(posenc_config_reader *r, const posenc_config_object *o, const char *key, const char *format,
                          ...) {
    char sentence[SENTENCE], shown[KEY];
    size_t at = o->at;
    va_list arguments;
    if (r->status != POSENC_OK) return;
    va_start(arguments, format);
    vsnprintf(sentence, sizeof sentence, format, arguments);
    va_end(arguments);
    const posenc_config_member *m = posenc_config_find(r, o, key);
    if (m) at = m->from;
    r->status = posenc_fail_at(r->error, POSENC_ERROR_FORMAT, r->name, (int64_t)at, "%s%s%s: %s", o->path,
                               o->path[0] ? "." : "", posenc_escape(key, strlen(key), shown, sizeof shown), sentence);
}
