/* The list of schemes. A new scheme is one file and one line here. */
#include <string.h>

#include "schemes/scheme.h"
#include "schemes/schemes.h"

static const posenc_scheme *const schemes[] = {
    &posenc_scheme_sinusoidal,    &posenc_scheme_timestep,
    &posenc_scheme_fourier,       &posenc_scheme_learned,
    &posenc_scheme_sinusoidal_2d, &posenc_scheme_sinusoidal_3d,
    &posenc_scheme_sinusoidal_nd, &posenc_scheme_rotary,
    &posenc_scheme_alibi,         &posenc_scheme_t5,
    &posenc_scheme_deberta,       &posenc_scheme_swin,
    &posenc_scheme_shaw,          &posenc_scheme_transformer_xl,
};

enum { N_SCHEMES = sizeof schemes / sizeof *schemes };

size_t posenc_scheme_count(void) { return N_SCHEMES; }

const posenc_scheme_info *posenc_scheme_at(size_t index) { return index < N_SCHEMES ? &schemes[index]->info : NULL; }

const posenc_scheme *posenc_scheme_inside(const char *name) {
    for (size_t i = 0; name && i < N_SCHEMES; i++)
        if (strcmp(name, schemes[i]->info.name) == 0) return schemes[i];
    return NULL;
}

const posenc_scheme_info *posenc_scheme_find(const char *name) {
    const posenc_scheme *scheme = posenc_scheme_inside(name);
    return scheme ? &scheme->info : NULL;
}

const char *posenc_effect_name(posenc_effect effect) {
    static const char *const names[] = {"no such effect", "adds rows", "rotates pairs", "biases scores",
                                        "relates vectors"};
    size_t i = (size_t)effect;
    return i < sizeof names / sizeof *names ? names[i] : names[0];
}
