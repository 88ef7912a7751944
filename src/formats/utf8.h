/* UTF-8 as RFC 3629 has it: no overlong form, no surrogate, nothing past U+10FFFF. */
#ifndef POSENC_FORMATS_UTF8_H
#define POSENC_FORMATS_UTF8_H

#include <stddef.h>
#include <stdint.h>

/* Bytes of the well-formed character of two to four bytes at the front, and its code point; 0 if there is none (a plain
 * ASCII byte is none either). n >= 1. */
size_t posenc_utf8_wide(const uint8_t *bytes, size_t n, uint32_t *code);

/* Bytes at the front that are well-formed characters: n when all are. */
size_t posenc_utf8_prefix(const void *bytes, size_t n);

#endif
