/* Captions: texts of any origin, made safe to draw and cut to the room there is. */
#ifndef POSENC_REPORT_CAPTION_H
#define POSENC_REPORT_CAPTION_H

#include <stdbool.h>

enum { POSENC_CAPTION = 512 };

/* Tells how wide a text will be. Who draws supplies it; who lays out asks. */
typedef struct posenc_measure {
    double (*width)(void *user, const char *text, double size, bool bold);
    void *user;
} posenc_measure;

/* Writes a text, NULL being none, as valid UTF-8 in which nothing acts: see formats/escape.h. A long one is cut, and
 * ends in an ellipsis. */
void posenc_caption(const char *text, char out[POSENC_CAPTION]);

/* Takes characters from the end, and puts an ellipsis there, until the text fits. True if it had to. */
bool posenc_caption_shorten(char text[POSENC_CAPTION], double room, double size, bool bold,
                            const posenc_measure *measure);

/* Breaks a text at blanks into at most two lines that fit, the second shortened. Returns the number of lines. */
int posenc_caption_wrap(const char text[POSENC_CAPTION], double room, double size, const posenc_measure *measure,
                        char lines[2][POSENC_CAPTION]);

#endif
