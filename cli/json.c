/* JSON reports by jansson. */
#include "json.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#include "cli.h"

/* jansson takes a value that could not be made for one that is not wanted, and leaves it out. So the program, which
 * makes one document at a time, remembers whether memory ever was refused. */
static bool memory_was_refused;

static void *allocate(size_t bytes) {
    void *block = malloc(bytes);
    if (!block) memory_was_refused = true;
    return block;
}

json_t *posenc_cli_json_document(void) {
    memory_was_refused = false;
    json_set_alloc_funcs(allocate, free);
    return json_pack("{s:i}", "schema", 1);
}

json_t *posenc_cli_json_real(double value) {
    if (isnan(value)) return json_string("nan");
    if (isinf(value)) return json_string(value > 0 ? "inf" : "-inf");
    return json_real(value);
}

/* The text is whole before any of it is written. */
int posenc_cli_json_print(json_t *document) {
    char *text = document ? json_dumps(document, JSON_INDENT(2)) : NULL; /* 17 digits: reals read back exactly */
    json_decref(document);
    bool whole = text && !memory_was_refused;
    if (whole) puts(text); /* a failed write is reported once, when standard output is closed */
    free(text);
    return whole ? POSENC_CLI_FINE : posenc_cli_no_memory("json", 1);
}
