/* Checks that a call refuses in the library's one form: the status, the same status and the argument's name in the
 * error detail, and a message "argument: expected ..., got ..." of one line. */
#ifndef POSENC_TESTS_SUPPORT_REFUSAL_H
#define POSENC_TESTS_SUPPORT_REFUSAL_H

#include <posenc/status.h>

/* argument NULL: any name. Fails the running test with what, and the message that came. */
void must_refuse(const char *what, posenc_status got, posenc_status expected, const posenc_error *error,
                 const char *argument);

/* An error detail with a known content, to see whether a call has written it. */
posenc_error error_blank(void);

#endif
