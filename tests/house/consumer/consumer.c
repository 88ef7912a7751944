/* A user's program: it knows the installed headers only. Prints the version, the exact bits of sin 1, and whether the
 * program and the library agree on the version. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <posenc/posenc.h>

int main(void) {
    float rows[2][8];
    posenc_plan *plan = NULL;
    if (posenc_sinusoidal_create(NULL, 8, &plan, NULL) || posenc_plan_write_f32(plan, 0, 2, &rows[0][0])) return 1;
    posenc_plan_destroy(plan);
    unsigned bits;
    memcpy(&bits, &rows[1][0], sizeof bits);
    printf("posenc %s %08x\n", posenc_version(), bits);
    return strcmp(posenc_version(), POSENC_VERSION_TEXT) != 0;
}
