/* JSON reports by jansson: "schema" first, numbers that read back exactly, one document on standard output. */
#ifndef POSENC_CLI_JSON_H
#define POSENC_CLI_JSON_H

#include <jansson.h>

/* A new document: {"schema": 1}. NULL when memory is out; jansson's *_new calls take NULL without harm, and
 * posenc_cli_json_print refuses a document that lost a part so. One document at a time. */
json_t *posenc_cli_json_document(void);

/* A number; one that is not finite becomes the text "inf", "-inf" or "nan". */
json_t *posenc_cli_json_real(double value);

/* Prints the document to standard output, releases it, and returns the exit status: 0, or 2 with nothing
 * printed if memory was out since posenc_cli_json_document. */
int posenc_cli_json_print(json_t *document);

#endif
