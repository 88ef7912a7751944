#include "support/refusal.h"

#include <stdio.h>
#include <string.h>

#include "support/test.h"

posenc_error error_blank(void) {
    posenc_error error;
    memset(&error, 0, sizeof error);
    error.offset = 77;
    return error;
}

void must_refuse(const char *what, posenc_status got, posenc_status expected, const posenc_error *error,
                 const char *argument) {
    char start[70];
    check(got == expected, "%s: expected status %s, got %s: %s", what, posenc_status_name(expected),
          posenc_status_name(got), error ? error->message : "");
    if (!error) return;
    check(error->status == expected, "%s: the detail says %s", what, posenc_status_name(error->status));
    check(!argument || strcmp(error->argument, argument) == 0, "%s: expected argument %s, got %s", what, argument,
          error->argument);
    snprintf(start, sizeof start, "%s: ", error->argument);
    check(strncmp(error->message, start, strlen(start)) == 0, "%s: message is \"%s\"", what, error->message);
    check(!strchr(error->message, '\n'), "%s: message has a newline: \"%s\"", what, error->message);
    check(strstr(error->message, "expected ") && strstr(error->message, "got "), "%s: message is \"%s\"", what,
          error->message);
    check(error->offset == -1, "%s: offset is %lld", what, (long long)error->offset);
}
