/* Notes signals that would end the program, so that it can tidy up first. */
#include "interrupt.h"

#include <signal.h>
#include <stddef.h>

static volatile sig_atomic_t noted; /* the signal's number */

static const int signals[] = {SIGINT, SIGTERM, SIGHUP};
enum { N_SIGNALS = sizeof signals / sizeof *signals };

static void note(int number) { noted = number; }

void posenc_cli_interrupt_catch(void) {
    struct sigaction action = {.sa_handler = note}, before;
    sigemptyset(&action.sa_mask);
    for (size_t i = 0; i < N_SIGNALS; i++)
        if (sigaction(signals[i], NULL, &before) == 0 && before.sa_handler == SIG_DFL)
            sigaction(signals[i], &action, NULL);
}

bool posenc_cli_interrupted(void) { return noted != 0; }

void posenc_cli_interrupt_obey(void) {
    struct sigaction before;
    for (size_t i = 0; i < N_SIGNALS; i++)
        if (sigaction(signals[i], NULL, &before) == 0 && before.sa_handler == note) signal(signals[i], SIG_DFL);
    if (noted) raise(noted);
}
