/* Which column is the sine or the cosine of which frequency, and how a base and the frequencies hang together, layout
 * by layout. Frequency i is base^(-i / rungs) in all of them:
 *     interleaved    base^(-2i/dim)
 *     halves         base^(-i/h),  h = floor(dim / 2)
 *     tensor2tensor  base^(-i/(h-1))
 * so halves and tensor2tensor differ in nothing but what they call the base. */
#include "diagnose/match_parts.h"

posenc_columns posenc_columns_of(int64_t dim, bool planar, bool cos_first) {
    return (posenc_columns){
        .dim = dim, .pairs = dim / 2, .planar = planar, .cos_first = cos_first, .lone = !planar && dim % 2 != 0};
}

static int64_t first_column(const posenc_columns *c, int64_t i) {
    if (i >= c->pairs + c->lone) return -1;
    return c->planar ? i : 2 * i;
}

static int64_t second_column(const posenc_columns *c, int64_t i) {
    if (i >= c->pairs) return -1;
    return c->planar ? c->pairs + i : 2 * i + 1;
}

int64_t posenc_sine_column(const posenc_columns *columns, int64_t i) {
    return columns->cos_first ? second_column(columns, i) : first_column(columns, i);
}

int64_t posenc_cosine_column(const posenc_columns *columns, int64_t i) {
    return columns->cos_first ? first_column(columns, i) : second_column(columns, i);
}

int64_t posenc_column_frequency(const posenc_columns *columns, int64_t column) {
    if (!columns->planar) return column / 2;
    return column < 2 * columns->pairs ? column % columns->pairs : -1;
}

bool posenc_layout_is_planar(posenc_layout layout) { return layout != POSENC_LAYOUT_INTERLEAVED; }

double posenc_layout_rungs(posenc_layout layout, int64_t dim) {
    int64_t h = dim / 2;
    if (layout == POSENC_LAYOUT_INTERLEAVED) return (double)dim / 2;
    if (layout == POSENC_LAYOUT_HALVES) return h > 0 ? (double)h : 1;
    return h > 1 ? (double)(h - 1) : 1;
}
