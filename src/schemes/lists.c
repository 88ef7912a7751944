#include "schemes/lists.h"

#include <string.h>

#include "base/text.h"

/* Reads the number at text, which ends at a comma or at the end of the text; *next is what stands behind that. */
static bool read_number(const char *text, double *value, const char **next) {
    char one[64];
    size_t n = strcspn(text, ",");
    if (n >= sizeof one) return false;
    memcpy(one, text, n);
    one[n] = '\0';
    *next = text[n] ? text + n + 1 : NULL;
    return posenc_parse_f64(one, value);
}

bool posenc_list_of_text(const char *text, posenc_list *out) {
    posenc_list list = {.text = text};
    double value;
    for (const char *at = *text ? text : NULL; at; list.n++)
        if (!read_number(at, &value, &at)) return false;
    *out = list;
    return true;
}

/* Number i, where *text is what remains of the text. */
static double number_at(const posenc_list *list, size_t i, const char **text) {
    double value = 0;
    if (list->reals) return list->reals[i];
    if (list->integers) return (double)list->integers[i];
    read_number(*text, &value, text);
    return value;
}

void posenc_list_read(const posenc_list *list, double *out) {
    const char *text = list->text;
    for (size_t i = 0; i < list->n; i++) out[i] = number_at(list, i, &text);
}

bool posenc_list_outside(const posenc_list *list, double lowest, double highest, size_t *index, double *value) {
    const char *text = list->text;
    for (size_t i = 0; i < list->n; i++) {
        double number = number_at(list, i, &text);
        if (number >= lowest && number <= highest) continue;
        *index = i;
        *value = number;
        return true;
    }
    return false;
}

/* Writes number i with its comma, or with none where text is NULL; returns the bytes. */
static size_t print_number(const posenc_list *list, size_t i, char *text) {
    char one[32];
    posenc_print_f64(list->reals[i], one);
    size_t n = strlen(one), comma = i + 1 < list->n;
    if (text) memcpy(text, one, n);
    if (text && comma) text[n] = ',';
    return n + comma;
}

bool posenc_list_print(const posenc_list *list, char *text, size_t capacity) {
    size_t bytes = 0;
    for (size_t i = 0; i < list->n; i++) bytes += print_number(list, i, NULL);
    if (!text || bytes >= capacity) return false;
    for (size_t i = 0; i < list->n; i++) text += print_number(list, i, text);
    *text = '\0';
    return true;
}
