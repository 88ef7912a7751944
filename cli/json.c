/* JSON reports by jansson. */
#include "json.h"

#include <math.h>
#include <stdio.h>

#include "cli.h"

json_t *posenc_cli_json_document(void) { return json_pack("{s:i}", "schema", 1); }

json_t *posenc_cli_json_real(double value) {
    if (isnan(value)) return json_string("nan");
    if (isinf(value)) return json_string(value > 0 ? "inf" : "-inf");
    return json_real(value);
}

int posenc_cli_json_print(json_t *document) {
    if (!document) return posenc_cli_no_memory("json", 1);
    int failed = json_dumpf(document, stdout, JSON_INDENT(2)); /* reals with 17 digits: they read back exactly */
    json_decref(document);
    if (failed && !ferror(stdout)) return posenc_cli_no_memory("json", 1);
    fputc('\n', stdout); /* a failed write is reported once, when standard output is closed */
    return POSENC_CLI_FINE;
}
