/* Ctrl-C while a file is being written: the file is removed first, then the program ends by the signal as usual. */
#ifndef POSENC_CLI_INTERRUPT_H
#define POSENC_CLI_INTERRUPT_H

#include <stdbool.h>

/* From now on SIGINT, SIGTERM and SIGHUP (where not ignored) are only noted. */
void posenc_cli_interrupt_catch(void);

/* Whether one came. */
bool posenc_cli_interrupted(void);

/* Gives the signals their usual effect back; if one came, it takes effect now. */
void posenc_cli_interrupt_obey(void);

#endif
