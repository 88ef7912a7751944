/* Words of UTF-8 text, without tables: ranges of code points say what is a letter, good enough for a tour. */
#include "demo_words.h"

/* Bytes of the character at text, and the character; 0 if it is not UTF-8 or cut off (RFC 3629: no overlong forms, no
 * surrogates, nothing above U+10FFFF). */
static int decode(const char *text, size_t bytes, uint32_t *character) {
    static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
    const unsigned char *b = (const unsigned char *)text;
    int length = b[0] < 0x80 ? 1 : b[0] < 0xC0 ? 0 : b[0] < 0xE0 ? 2 : b[0] < 0xF0 ? 3 : b[0] < 0xF8 ? 4 : 0;
    if (length == 0 || (size_t)length > bytes) return 0;
    uint32_t c = length == 1 ? b[0] : b[0] & (0x7Fu >> length);
    for (int i = 1; i < length; i++) {
        if ((b[i] & 0xC0) != 0x80) return 0;
        c = c << 6 | (b[i] & 0x3F);
    }
    if (c < least[length] || c > 0x10FFFF || (c >= 0xD800 && c <= 0xDFFF)) return 0;
    *character = c;
    return length;
}

typedef enum { OTHER, LETTER, JOINER, WORD_ALONE } kind;

typedef struct {
    uint32_t first, last;
    kind what;
} range;

/* Ascending; what lies in none of them is a letter (Greek, Cyrillic, Arabic, Hangul, ...). */
static const range ranges[] = {
    {0x00, 0x26, OTHER},           {0x27, 0x27, JOINER},         {0x28, 0x2C, OTHER},
    {0x2D, 0x2D, JOINER},          {0x2E, 0x2F, OTHER},          {0x30, 0x39, LETTER},
    {0x3A, 0x40, OTHER},           {0x41, 0x5A, LETTER},         {0x5B, 0x60, OTHER},
    {0x61, 0x7A, LETTER},          {0x7B, 0xA9, OTHER},          {0xAB, 0xB4, OTHER},
    {0xB6, 0xB9, OTHER},           {0xBB, 0xBF, OTHER},          {0xD7, 0xD7, OTHER},
    {0xF7, 0xF7, OTHER},           {0x2000, 0x2018, OTHER},      {0x2019, 0x2019, JOINER},
    {0x201A, 0x206F, OTHER},       {0x20A0, 0x20CF, OTHER},      {0x2190, 0x2BFF, OTHER},
    {0x3000, 0x3004, OTHER},       {0x3005, 0x3007, WORD_ALONE}, {0x3008, 0x3020, OTHER},
    {0x3021, 0x3029, WORD_ALONE},  {0x302A, 0x3040, OTHER},      {0x3041, 0x30FA, WORD_ALONE},
    {0x30FB, 0x30FB, OTHER},       {0x30FC, 0x30FF, WORD_ALONE}, {0x3400, 0x4DBF, WORD_ALONE},
    {0x4E00, 0x9FFF, WORD_ALONE},  {0xE000, 0xF8FF, OTHER},      {0xF900, 0xFAFF, WORD_ALONE},
    {0xFE00, 0xFE6F, OTHER},       {0xFEFF, 0xFF0F, OTHER},      {0xFF1A, 0xFF20, OTHER},
    {0xFF5B, 0xFF65, OTHER},       {0xFFF0, 0xFFFF, OTHER},      {0x1F000, 0x1FAFF, OTHER},
    {0x20000, 0x3FFFF, WORD_ALONE}};

static kind kind_of(uint32_t character) {
    for (size_t i = 0; i < sizeof ranges / sizeof *ranges; i++)
        if (character >= ranges[i].first && character <= ranges[i].last) return ranges[i].what;
    return LETTER;
}

/* The kind of the character at text and its bytes; what is not UTF-8 is skipped byte by byte. */
static kind next_kind(const char *text, size_t bytes, int *length) {
    uint32_t character = 0;
    *length = bytes ? decode(text, bytes, &character) : 0;
    if (*length > 0) return kind_of(character);
    *length = bytes ? 1 : 0;
    return OTHER;
}

/* Bytes of the word that begins with a letter at text. */
static int word_bytes(const char *text, size_t bytes) {
    size_t end = 0;
    for (;;) {
        int length, after;
        kind what = next_kind(text + end, bytes - end, &length);
        bool joins = what == JOINER && next_kind(text + end + length, bytes - end - (size_t)length, &after) == LETTER;
        if (what != LETTER && !joins) return (int)end;
        end += (size_t)length;
    }
}

int posenc_demo_cut(const char *text, size_t bytes, posenc_demo_word *words, int most_words) {
    int n = 0, length;
    for (size_t at = 0; at < bytes; at += (size_t)length) {
        kind what = next_kind(text + at, bytes - at, &length);
        if (what != LETTER && what != WORD_ALONE) continue;
        if (what == LETTER) length = word_bytes(text + at, bytes - at);
        if (n < most_words) words[n] = (posenc_demo_word){text + at, length};
        n++;
    }
    return n;
}

static char small(char letter) { return letter >= 'A' && letter <= 'Z' ? (char)(letter - 'A' + 'a') : letter; }

bool posenc_demo_same_word(posenc_demo_word a, posenc_demo_word b) {
    if (a.bytes != b.bytes) return false;
    for (int i = 0; i < a.bytes; i++)
        if (small(a.text[i]) != small(b.text[i])) return false;
    return true;
}

uint64_t posenc_demo_word_hash(posenc_demo_word word) {
    uint64_t hash = 0xCBF29CE484222325u;
    for (int i = 0; i < word.bytes; i++) hash = (hash ^ (unsigned char)small(word.text[i])) * 0x100000001B3u;
    return hash;
}

static bool is_control(uint32_t c) {
    return (c < 0x20 && c != '\t' && c != '\n' && c != '\f' && c != '\r') || c == 0x7F;
}

size_t posenc_demo_not_text(const char *text, size_t bytes, bool may_be_cut) {
    size_t at = 0;
    while (at < bytes) {
        uint32_t character;
        int length = decode(text + at, bytes - at, &character);
        if (length == 0 && may_be_cut && bytes - at < 4) return bytes;
        if (length == 0 || is_control(character)) return at;
        at += (size_t)length;
    }
    return bytes;
}
