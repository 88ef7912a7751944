/* A layout in the making: what its steps hand on, and what they share. */
#ifndef POSENC_REPORT_LAYOUT_DRAFT_H
#define POSENC_REPORT_LAYOUT_DRAFT_H

#include "report/layout.h"

typedef struct posenc_layout_draft {
    const posenc_figure *figure;
    const posenc_measure *measure;
    posenc_figure_layout *out;
    double pad, title_size, label_size, note_size;
    double left, top, right, bottom; /* of the frame, as far as the steps have come */
} posenc_layout_draft;

/* layout.c. A label begins as one that is centred on x. */
bool posenc_layout_has_text(const char *text);
double posenc_layout_text_width(const posenc_layout_draft *d, const char *text, double size, bool bold);
posenc_label *posenc_layout_label(posenc_layout_draft *d, const char *text, double size, double x, double y);

/* Along an upright side. x is the baseline of the text; room its height. */
void posenc_layout_turned(posenc_layout_draft *d, const char *text, double x, double y, double room);

/* Ticks that an upright axis of that height has room for, and the width that they and their texts take. */
int posenc_layout_upright_ticks(const posenc_layout_draft *d, double height);
double posenc_layout_upright_width(const posenc_layout_draft *d, const posenc_ticks *ticks);

/* layout_right.c: the legend and the colour bar take their room from d->right. */
void posenc_layout_right(posenc_layout_draft *d, bool has_missing);

#endif
