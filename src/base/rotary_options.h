/* The defaults of rotary options, for the scheme that takes them and for the reader of configurations that fills them in:
 * neither room knows the other. */
#ifndef POSENC_BASE_ROTARY_OPTIONS_H
#define POSENC_BASE_ROTARY_OPTIONS_H

#include <posenc/rotary.h>

static inline posenc_rotary_options posenc_rotary_usual_options(size_t size) {
    return (posenc_rotary_options){.size = size,
                                   .max_len = 4096,
                                   .base = 10000,
                                   .factor = 1,
                                   .beta_fast = 32,
                                   .beta_slow = 1,
                                   .truncate = 1,
                                   .low_freq_factor = 1,
                                   .high_freq_factor = 4,
                                   .fraction = 1,
                                   .amplitude = 1};
}

#endif
