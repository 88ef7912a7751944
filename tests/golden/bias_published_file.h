/* Reads tests/golden/bias_published/: cases of score biases and clipped relative vectors by published implementations,
 * as scripts/golden/biases.py wrote them. Whatever is missing fails the running test. */
#ifndef POSENC_TESTS_GOLDEN_BIAS_PUBLISHED_FILE_H
#define POSENC_TESTS_GOLDEN_BIAS_PUBLISHED_FILE_H

#include <stdbool.h>
#include <stdint.h>

#include <posenc/posenc.h>

enum { BIAS_FILE_TENSORS = 8 };

/* A file, and the case of it that is looked at. */
typedef struct bias_file {
    posenc_safetensors *file;
    size_t key;         /* number of the metadata key that is read next */
    char name[64];      /* of the case */
    char settings[256]; /* "heads=3 form=key": the parameters by which posenc says the same */
    posenc_array *arrays[BIAS_FILE_TENSORS];
    size_t n_arrays;
} bias_file;

/* name: of a kind of cases, "t5". */
void bias_file_open(bias_file *f, const char *name);
void bias_file_close(bias_file *f);

/* Goes to the first or the next case; false where there is none. Tensors of the one before are gone. */
bool bias_file_next(bias_file *f);

/* A tensor of the case. has: whether there is one. */
bool bias_file_has(const bias_file *f, const char *what);
const DLTensor *bias_file_tensor(bias_file *f, const char *what);

/* Elements of an f32 tensor, and one of i16 or i32. */
const float *bias_file_floats(const DLTensor *tensor);
int64_t bias_file_integer(const DLTensor *tensor, int64_t at);
int64_t bias_file_elements(const DLTensor *tensor);

/* The value of a setting; copied into memory of 64 bytes. False where there is none. */
bool bias_file_setting(const bias_file *f, const char *name, char value[64]);
int64_t bias_file_number(const bias_file *f, const char *name);

/* A plan of the scheme with the settings of the case, but for offset, which is none of a plan; more: one setting more,
 * "slopes=1,2", or NULL. */
posenc_plan *bias_file_plan(const bias_file *f, const char *scheme, const char *more);

#endif
