#include "report/cairo/svg_numbers.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* Names that cairo 1.16 and 1.18 put such a number behind. Those of glyphs and clips count within the document. */
static bool is_numbered(const posenc_svg_numbers *numbers) {
    static const char *const names[] = {"surface", "image", "source-"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strlen(names[i]) == (size_t)numbers->n_name && memcmp(numbers->name, names[i], strlen(names[i])) == 0)
            return true;
    return false;
}

/* Our number for cairo's. More than there is room for stay as they are, and are out of reach of ours. */
static uint64_t renumber(posenc_svg_numbers *numbers) {
    for (int i = 0; i < numbers->n_seen; i++)
        if (numbers->seen[i] == numbers->number) return (uint64_t)i + 1;
    if (numbers->n_seen == POSENC_SVG_MOST_NUMBERS) return numbers->number + POSENC_SVG_MOST_NUMBERS;
    numbers->seen[numbers->n_seen++] = numbers->number;
    return (uint64_t)numbers->n_seen;
}

static posenc_status write_number(posenc_svg_numbers *numbers, posenc_output *output, posenc_error *error) {
    char text[24];
    int n = snprintf(text, sizeof text, "%" PRIu64, renumber(numbers));
    numbers->counting = false;
    numbers->number = 0;
    return posenc_output_write(output, text, (size_t)n, error);
}

static bool is_digit(unsigned char byte) { return byte >= '0' && byte <= '9'; }

/* A name stands behind a quote or a # and goes on with letters. */
static void follow_name(posenc_svg_numbers *numbers, unsigned char byte) {
    if (byte == '"' || byte == '#') {
        numbers->naming = true;
        numbers->n_name = 0;
        return;
    }
    bool letter = (byte >= 'a' && byte <= 'z') || byte == '-';
    if (letter && numbers->naming && numbers->n_name < (int)sizeof numbers->name)
        numbers->name[numbers->n_name++] = (char)byte;
    else
        numbers->naming = false;
}

/* Bytes go on as they are, in runs between the numbers. */
posenc_status posenc_svg_write(posenc_svg_numbers *numbers, posenc_output *output, const unsigned char *bytes, size_t n,
                               posenc_error *error) {
    size_t begin = 0; /* of the run */
    posenc_status status = POSENC_OK;
    for (size_t i = 0; i < n && status == POSENC_OK; i++) {
        if (is_digit(bytes[i]) && !numbers->counting && numbers->naming && is_numbered(numbers)) {
            status = posenc_output_write(output, bytes + begin, i - begin, error);
            numbers->counting = true;
            numbers->naming = false;
        }
        if (numbers->counting && is_digit(bytes[i])) {
            numbers->number = 10 * numbers->number + (uint64_t)(bytes[i] - '0');
            begin = i + 1;
            continue;
        }
        if (numbers->counting && status == POSENC_OK) status = write_number(numbers, output, error);
        follow_name(numbers, bytes[i]);
    }
    return status == POSENC_OK ? posenc_output_write(output, bytes + begin, n - begin, error) : status;
}
