/* The demo's pictures: heatmap.png, similarity.png, curves.png, error.png. */
#ifndef POSENC_DEMO_PICTURES_H
#define POSENC_DEMO_PICTURES_H

#include <stdbool.h>

/* Whether a folder is there or can be made, told before the tour begins; nothing is left behind. Returns an exit
 * status; the error has been printed then. */
int posenc_demo_pictures_check(const char *folder);

/* Draws them into a folder, which is made if it is not there, and prints what to see in each. Returns an exit status.
 * required: whether a folder that cannot be written to, and a build that cannot draw, are errors or a sentence. */
int posenc_demo_pictures(const char *folder, bool required);

#endif
