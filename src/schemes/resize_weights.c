/* The weights of PyTorch's interpolate (upsample_linear, _bicubic and their _aa forms).
 *
 * New index o lies at x = (o + 1/2) in / out - 1/2, or, with the corners aligned, at o (in - 1) / (out - 1). Old index
 * j weighs kernel(j - x): the tent 1 - |d| below 1, or the cubic of Keys (1981, "Cubic convolution interpolation for
 * digital image processing") below 2, a = -3/4. Antialiasing, when it shrinks, stretches the kernel to in / out: then
 * every old row counts; its a is -1/2. */
#include "schemes/resize_weights.h"

static int64_t floor_divide(int64_t a, int64_t b) { return a / b - (a % b < 0); }

static posenc_old_position position_of(int64_t numerator, int64_t parts) {
    int64_t whole = floor_divide(numerator, parts);
    return (posenc_old_position){whole, numerator - whole * parts};
}

posenc_resize_axis posenc_resize_axis_of(const posenc_resize_options *options, int64_t in, int64_t out) {
    posenc_resize_axis axis = {.in = in,
                               .out = out,
                               .antialias = options->antialias != 0,
                               .cubic = options->mode == POSENC_INTERPOLATION_CUBIC,
                               .a = options->antialias ? -0.5 : -0.75,
                               .parts = 2 * out};
    if (options->align_corners) {
        axis.parts = out > 1 ? out - 1 : 1;
        if (out > 1) axis.step = position_of(in - 1, axis.parts);
    } else {
        axis.first = position_of(in - out, axis.parts);
        axis.step = (posenc_old_position){in / out, in % out * 2};
    }
    axis.unit = axis.antialias && in > out ? 2 * in : axis.parts;
    return axis;
}

static int64_t support(const posenc_resize_axis *axis) { return axis->unit * (axis->cubic ? 2 : 1); }

int64_t posenc_taps_most(const posenc_resize_axis *axis) {
    int64_t most = 2 * support(axis) / axis->parts + 1;
    return most < axis->in ? most : axis->in;
}

static posenc_old_position sum(const posenc_resize_axis *axis, posenc_old_position a, posenc_old_position b) {
    posenc_old_position c = {a.whole + b.whole, a.rest + b.rest};
    if (c.rest >= axis->parts) c.rest -= axis->parts, c.whole++;
    return c;
}

/* first + o step. By doubling: a product might not fit, while no sum here is larger than in. */
static posenc_old_position old_position(const posenc_resize_axis *axis, int64_t o) {
    posenc_old_position x = axis->first, step = axis->step;
    for (; o > 0; o >>= 1) {
        if (o & 1) x = sum(axis, x, step);
        if (o > 1) step = sum(axis, step, step);
    }
    return x;
}

/* At a distance of n units' parts. As products of differences that are taken in integers: small weights are as exact,
 * for their size, as large ones. */
static double kernel(const posenc_resize_axis *axis, int64_t n) {
    const double unit = (double)axis->unit, a = axis->a;
    n = n < 0 ? -n : n;
    const double d = (double)n / unit, to_1 = (double)(axis->unit - n) / unit,
                 to_2 = (double)(2 * axis->unit - n) / unit;
    if (n < axis->unit) return axis->cubic ? to_1 * (1 + d - (a + 2) * d * d) : to_1; /* (a+2) d^3 - (a+3) d^2 + 1 */
    return axis->cubic && to_2 > 0 ? -a * to_1 * to_2 * to_2 : 0;                     /* a d^3 - 5a d^2 + 8a d - 4a */
}

/* Old indices within the kernel's support, counted from x.whole: those k with |parts k - rest| < support. */
static void find_range(const posenc_resize_axis *axis, posenc_old_position x, int64_t *low, int64_t *high) {
    *low = floor_divide(x.rest - support(axis), axis->parts) + 1;
    *high = floor_divide(x.rest + support(axis) - 1, axis->parts);
    if (!axis->antialias) return;
    if (*low < -x.whole) *low = -x.whole; /* what lies outside is dropped */
    if (*high > axis->in - 1 - x.whole) *high = axis->in - 1 - x.whole;
}

static int64_t within(const posenc_resize_axis *axis, int64_t index) {
    return index < 0 ? 0 : index < axis->in ? index : axis->in - 1;
}

/* Plain: what lies outside counts for the border row. */
static void weigh(const posenc_resize_axis *axis, posenc_old_position x, posenc_taps *taps) {
    int64_t low, high;
    find_range(axis, x, &low, &high);
    taps->first = within(axis, x.whole + low);
    taps->count = within(axis, x.whole + high) - taps->first + 1;
    for (int64_t i = 0; i < taps->count; i++) taps->weights[i] = 0;
    for (int64_t k = low; k <= high; k++)
        taps->weights[within(axis, x.whole + k) - taps->first] += kernel(axis, axis->parts * k - x.rest);
}

/* Ends of weight 0: those of a kernel that just reaches them. */
static void trim(posenc_taps *taps) {
    int64_t skip = 0;
    while (skip + 1 < taps->count && taps->weights[skip] == 0) skip++;
    while (taps->count > skip + 1 && taps->weights[taps->count - 1] == 0) taps->count--;
    taps->first += skip;
    taps->count -= skip;
    for (int64_t i = 0; i < taps->count; i++) taps->weights[i] = taps->weights[i + skip];
}

static void normalise(posenc_taps *taps) {
    double total = 0;
    for (int64_t i = 0; i < taps->count; i++) total += taps->weights[i];
    for (int64_t i = 0; i < taps->count; i++) taps->weights[i] /= total;
}

void posenc_taps_find(const posenc_resize_axis *axis, int64_t o, posenc_taps *taps) {
    weigh(axis, old_position(axis, o), taps);
    trim(taps);
    if (axis->antialias) normalise(taps);
    if (taps->count == 1) taps->weights[0] = 1; /* its parts may have summed up to an ulp less */
    taps->heaviest = 0;
    for (int64_t i = 1; i < taps->count; i++)
        if (taps->weights[i] > taps->weights[taps->heaviest]) taps->heaviest = i;
}
