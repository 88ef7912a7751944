/* Cursor: one decoded sequence. It remembers the product of the high digits of the last position, so that the next
 * token costs one product per pair. The bits are those of posenc_plan_write. */
#ifndef POSENC_CURSOR_H
#define POSENC_CURSOR_H

#include <posenc/plan.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct posenc_cursor posenc_cursor;

/* Makes a cursor. plan must outlive it. One cursor serves one thread at a time.
 * Returns POSENC_ERROR_ARGUMENT (NULL), POSENC_ERROR_UNSUPPORTED (a scheme that does not add rows), POSENC_ERROR_MEMORY;
 * *out is untouched then. */
POSENC_API posenc_status posenc_cursor_create(const posenc_plan *plan, posenc_cursor **out, posenc_error *error);

/* Ends a cursor. NULL is fine. */
POSENC_API void posenc_cursor_destroy(posenc_cursor *cursor);

/* Writes one row: out[dim] = E(position). Any int64 position, in any order; the next one is the cheapest.
 * Returns POSENC_ERROR_ARGUMENT (NULL), POSENC_ERROR_POSITION (a learned table has no such row) or POSENC_ERROR_MEMORY
 * (a position beyond the plan's max_len needs scratch); out is untouched then. */
POSENC_API posenc_status posenc_cursor_write_f32(posenc_cursor *cursor, int64_t position, float *out);

/* Adds one row: y[dim] = x[dim] + E(position). y may be x. Returns as posenc_cursor_write_f32. */
POSENC_API posenc_status posenc_cursor_add_f32(posenc_cursor *cursor, int64_t position, const float *x, float *y);

#ifdef __cplusplus
}
#endif

#endif
