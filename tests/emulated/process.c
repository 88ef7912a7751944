/* The ordinary case: bits is a process like any other. */
#include "machine.h"

#include <stdio.h>
#include <stdlib.h>

const char *bits_machine_begin(const char *isa) { return isa; }

void bits_machine_end(int status) {
    fflush(stdout);
    exit(status);
}
