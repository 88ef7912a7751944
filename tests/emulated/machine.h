/* What differs where bits is the first process of an emulated machine: the instruction set comes from the kernel's
 * command line (isa=...), nobody can read an exit status, and the end of the program must be the end of the machine. */
#ifndef POSENC_TESTS_MACHINE_H
#define POSENC_TESTS_MACHINE_H

/* Returns the instruction set to use; NULL for the best. */
const char *bits_machine_begin(const char *isa);

/* Ends the process, and the machine where there is one. */
void bits_machine_end(int status);

#endif
