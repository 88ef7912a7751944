/* A video as the verbs on rows see it. */
#ifndef POSENC_SCHEMES_VIDEO_H
#define POSENC_SCHEMES_VIDEO_H

#include <posenc/video.h>

/* Checks a video for frames or pixels of dim channels, and makes the view of it: (batch, frames, dim) FLATTENED,
 * (batch, frames, pixels, dim) BROADCAST. Refuses axes that do not merge. */
posenc_status posenc_video_view(const DLTensor *video, const char *name, posenc_video form, int64_t dim,
                                posenc_view *view, posenc_error *error);

/* The same for an input and an output of one shape. */
posenc_status posenc_video_views(const DLTensor *x, const char *x_name, const DLTensor *y, const char *y_name,
                                 posenc_video form, int64_t dim, posenc_view views[2], posenc_error *error);

#endif
