/* posenc: positional encodings, exact at memory speed.
 *
 * Three nouns carry the library.
 *   context  how to work: threads, instruction set, allocator, warnings. NULL is a good default.
 *   plan     what to compute: one scheme with its parameters. It never changes once made and serves many threads.
 *   cursor   a plan and the last position of one decoded sequence.
 *
 * The simple way, three lines:
 *
 *     posenc_plan *plan;
 *     posenc_sinusoidal_create(NULL, 512, &plan, NULL);
 *     posenc_plan_add_f32(plan, 0, batch, tokens, x, y);    // y = x + E(position)
 *
 * Beside the plain-pointer calls for contiguous f32 stand calls on DLPack's DLTensor for every dtype and any strides.
 * Every call that can fail returns a posenc_status, and on failure its outputs are untouched.
 * No call prints, exits or changes anything global. The caller's rounding mode and flush-to-zero setting do not matter.
 */
#ifndef POSENC_POSENC_H
#define POSENC_POSENC_H

#include <posenc/axes.h>
#include <posenc/bias.h>
#include <posenc/check.h>
#include <posenc/config.h>
#include <posenc/context.h>
#include <posenc/cursor.h>
#include <posenc/encoder.h>
#include <posenc/figure.h>
#include <posenc/files.h>
#include <posenc/fourier.h>
#include <posenc/pairing.h>
#include <posenc/plan.h>
#include <posenc/plot.h>
#include <posenc/position_ids.h>
#include <posenc/relative.h>
#include <posenc/resize.h>
#include <posenc/rotary.h>
#include <posenc/scheme.h>
#include <posenc/similarity.h>
#include <posenc/sinusoidal.h>
#include <posenc/status.h>
#include <posenc/tensor.h>
#include <posenc/timestep.h>
#include <posenc/video.h>

#endif
