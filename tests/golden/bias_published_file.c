#include "bias_published_file.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/biases.h"
#include "support/test.h"

void bias_file_open(bias_file *f, const char *name) {
    char path[1024];
    posenc_error error = {.message = ""};
    *f = (bias_file){.key = 0};
    snprintf(path, sizeof path, "%s/%s.safetensors", POSENC_BIAS_FILES, name);
    check(posenc_safetensors_open(NULL, path, &f->file, &error) == POSENC_OK, "%s", error.message);
}

static void release(bias_file *f) {
    for (size_t i = 0; i < f->n_arrays; i++) posenc_array_destroy(f->arrays[i]);
    f->n_arrays = 0;
}

void bias_file_close(bias_file *f) {
    release(f);
    posenc_safetensors_close(f->file);
}

bool bias_file_next(bias_file *f) {
    static const char ending[] = ".posenc";
    release(f);
    for (const char *key; (key = posenc_safetensors_key(f->file, f->key)); f->key++) {
        size_t length = strlen(key);
        if (length < sizeof ending || strcmp(key + length + 1 - sizeof ending, ending) != 0) continue;
        snprintf(f->name, sizeof f->name, "%.*s", (int)(length + 1 - sizeof ending), key);
        snprintf(f->settings, sizeof f->settings, "%s", posenc_safetensors_metadata(f->file, key));
        f->key++;
        return true;
    }
    return false;
}

/* ---- tensors ---- */

static const posenc_tensor_info *find(const bias_file *f, const char *what) {
    char full[128];
    snprintf(full, sizeof full, "%s.%s", f->name, what);
    return posenc_safetensors_find(f->file, full);
}

bool bias_file_has(const bias_file *f, const char *what) { return find(f, what) != NULL; }

const DLTensor *bias_file_tensor(bias_file *f, const char *what) {
    const posenc_tensor_info *info = find(f, what);
    posenc_error error = {.message = ""};
    check(info && f->n_arrays < BIAS_FILE_TENSORS, "%s: no tensor %s", f->name, what);
    check(posenc_safetensors_read(f->file, info, &f->arrays[f->n_arrays], &error) == POSENC_OK, "%s: %s", f->name,
          error.message);
    return posenc_array_tensor(f->arrays[f->n_arrays++]);
}

static const void *data_of(const DLTensor *t) { return (const char *)t->data + t->byte_offset; }

const float *bias_file_floats(const DLTensor *t) {
    assert_true(t->dtype.code == kDLFloat && t->dtype.bits == 32);
    return data_of(t);
}

int64_t bias_file_integer(const DLTensor *t, int64_t at) {
    assert_true(t->dtype.code == kDLInt && (t->dtype.bits == 16 || t->dtype.bits == 32));
    return t->dtype.bits == 16 ? ((const int16_t *)data_of(t))[at] : ((const int32_t *)data_of(t))[at];
}

int64_t bias_file_elements(const DLTensor *t) {
    int64_t n = 1;
    for (int axis = 0; axis < t->ndim; axis++) n *= t->shape[axis];
    return n;
}

/* ---- settings ---- */

bool bias_file_setting(const bias_file *f, const char *name, char value[64]) {
    size_t length = strlen(name);
    for (const char *at = f->settings; at; at = strchr(at, ' ')) {
        at += *at == ' ';
        if (strncmp(at, name, length) != 0 || at[length] != '=') continue;
        snprintf(value, 64, "%.*s", (int)strcspn(at + length + 1, " "), at + length + 1);
        return true;
    }
    return false;
}

int64_t bias_file_number(const bias_file *f, const char *name) {
    char value[64] = "";
    check(bias_file_setting(f, name, value), "%s: no setting %s", f->name, name);
    return strtoll(value, NULL, 10);
}

posenc_plan *bias_file_plan(const bias_file *f, const char *scheme, const char *more) {
    enum { MOST = 8 };
    char copy[sizeof f->settings];
    const char *settings[MOST + 2] = {NULL};
    size_t n = 0;
    memcpy(copy, f->settings, sizeof copy);
    for (char *at = copy, *end; at && n < MOST; at = end) {
        end = strchr(at, ' ');
        if (end) *end++ = 0;
        if (strncmp(at, "offset=", 7) != 0) settings[n++] = at;
    }
    settings[n] = more;
    return must_bias_plan(NULL, scheme, settings);
}
