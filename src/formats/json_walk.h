/* Where things stand in a JSON text: the members of an object, one after the other, as places of the text. The text has
 * passed posenc_json_scan, so nothing can go wrong here; nothing is decoded and nothing allocated. */
#ifndef POSENC_FORMATS_JSON_WALK_H
#define POSENC_FORMATS_JSON_WALK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct posenc_json_walk {
    const uint8_t *text;
    size_t at;
} posenc_json_walk;

/* text[key .. key_end) with its quotes, text[value .. value_end). */
typedef struct posenc_json_member {
    size_t key, key_end, value, value_end;
} posenc_json_member;

/* at: the { of an object. */
posenc_json_walk posenc_json_walk_into(const uint8_t *text, size_t at);

/* False past the last member. */
bool posenc_json_walk_next(posenc_json_walk *walk, posenc_json_member *member);

/* The first member whose key is written just like that, without escapes. False: there is none. */
bool posenc_json_walk_find(const uint8_t *text, size_t object, const char *key, posenc_json_member *member);

/* Bytes of the string text[from..to), quotes around it, once its escapes are resolved. */
size_t posenc_json_string_bytes(const uint8_t *text, size_t from, size_t to);

#endif
