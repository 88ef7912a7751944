/* bits as the first process of a machine under Bochs. The kernel hands "isa=NAME" on in the environment. Bochs ends
 * when the word Shutdown is written to its port 0x8900. Linux on x86 only. */
#define _DEFAULT_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <sys/io.h>
#include <termios.h>
#include <unistd.h>

#include "machine.h"

const char *bits_machine_begin(const char *isa) {
    printf("begin\n");
    const char *wanted = getenv("isa");
    return wanted ? wanted : isa;
}

void bits_machine_end(int status) {
    printf("end %d\n", status);
    fflush(stdout);
    tcdrain(STDOUT_FILENO);
    if (iopl(3) == 0) {
        for (const char *c = "Shutdown"; *c; c++) outb((unsigned char)*c, 0x8900);
    }
    for (;;) pause();
}
