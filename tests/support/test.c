#include "support/test.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

void test_failed(const char *file, int line, const char *condition, const char *format, ...) {
    char sentence[1024];
    va_list list;
    va_start(list, format);
    vsnprintf(sentence, sizeof sentence, format, list);
    va_end(list);
    print_error("%s\n  does not hold: %s\n  repeat with POSENC_SEED=%" PRIu64 "\n", sentence, condition, test_seed());
    _fail(file, line);
    abort(); /* not reached: cmocka jumps out of _fail */
}
