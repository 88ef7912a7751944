/* apply on a .safetensors file: the named tensor, or every one (rotary: q and k), is read in pieces, added to or turned, and
 * written; the others, and the metadata, are copied as they are. The input is read by position from the file that was opened, so it may be
 * the output too, which takes its place at the end. */
#include <stdlib.h>
#include <string.h>

#include "apply.h"
#include "rotary.h"

static const int64_t block_bytes = INT64_C(4) << 20;

typedef struct container {
    posenc_cli_apply_job *job;
    posenc_safetensors *file;
    const posenc_tensor_info *chosen; /* NULL: all, or q and k */
    const posenc_tensor_info *q, *k;  /* rotary, where none is named */
    char name[4608];                  /* FILE:TENSOR for messages */
    void *block;
} container;

static bool is_chosen(const container *c, const posenc_tensor_info *info) {
    if (c->chosen) return c->chosen == info;
    return !c->q || c->q == info || c->k == info;
}

static posenc_cli_apply_tensor tensor_of(container *c, const posenc_tensor_info *info) {
    snprintf(c->name, sizeof c->name, "%s:%.500s", c->job->input.file, info->name);
    return (posenc_cli_apply_tensor){.name = c->name,
                                     .type = info->dtype_text,
                                     .dtype = info->dtype,
                                     .is_k = strcmp(info->name, "k") == 0,
                                     .rank = info->rank,
                                     .shape = info->shape};
}

/* ---- before anything is written ---- */

/* Rotary turns what is called q and k. */
static int find_pair(container *c) {
    c->q = posenc_safetensors_find(c->file, "q");
    c->k = posenc_safetensors_find(c->file, "k");
    if (c->q && c->k && posenc_cli_given(c->job->arguments, "role"))
        return posenc_cli_fail("role: expected FILE:TENSOR beside it, got FILE alone, which holds q and k");
    if (c->q && c->k) return POSENC_CLI_FINE;
    c->chosen = c->q ? c->q : c->k;
    if (c->chosen) return POSENC_CLI_FINE;
    return posenc_cli_fail("%s: expected a tensor q or k, or FILE:TENSOR, got FILE alone, which holds neither",
                           c->job->input.file);
}

static int open_container(container *c) {
    posenc_error error;
    const posenc_cli_tensor_path *path = &c->job->input;
    if (posenc_safetensors_open(posenc_cli_context(c->job->arguments), path->file, &c->file, &error) != POSENC_OK)
        return posenc_cli_refuse(&error);
    if (posenc_safetensors_count(c->file) == 0)
        return posenc_cli_fail("%s: expected at least one tensor, got none", path->file);
    if (!path->tensor) return posenc_cli_rotates(c->job->arguments) ? find_pair(c) : POSENC_CLI_FINE;
    c->chosen = posenc_cli_tensor_find(c->file, path);
    return c->chosen ? POSENC_CLI_FINE : POSENC_CLI_TROUBLE;
}

static int check_pair(container *c) {
    posenc_cli_apply_tensor q = tensor_of(c, c->q), k = tensor_of(c, c->k);
    int status = posenc_cli_apply_axes(c->job, &q);
    if (status == POSENC_CLI_FINE) status = posenc_cli_apply_axes(c->job, &k);
    return status == POSENC_CLI_FINE ? posenc_cli_apply_check_pair(c->job, &q, &k) : status;
}

static int check_tensors(container *c) {
    const posenc_tensor_info *info;
    for (size_t i = 0; (info = posenc_safetensors_at(c->file, i)); i++) {
        if (!is_chosen(c, info)) continue;
        posenc_cli_apply_tensor x = tensor_of(c, info);
        int status = posenc_cli_apply_check(c->job, &x);
        if (status != POSENC_CLI_FINE) return status;
    }
    return !c->chosen && c->q ? check_pair(c) : POSENC_CLI_FINE;
}

/* A .npy file holds one tensor: the chosen one, or the only one. */
static int check_form(container *c) {
    if (c->job->form == POSENC_CLI_SAFETENSORS) return POSENC_CLI_FINE;
    size_t n = c->q ? 2 : posenc_safetensors_count(c->file);
    if (!c->chosen && n > 1)
        return posenc_cli_fail(
            "output: expected a name that ends in .safetensors for the %zu tensors of %s, got \"%s\"", n,
            c->job->input.file, c->job->output);
    if (!c->chosen) c->chosen = posenc_safetensors_at(c->file, 0);
    return posenc_cli_target_check(c->job->form, &(posenc_tensor_entry){.dtype = c->chosen->dtype});
}

/* ---- writing ---- */

static posenc_tensor_entry entry_of(const posenc_tensor_info *info) {
    return (posenc_tensor_entry){.name = info->name,
                                 .dtype = info->dtype,
                                 .rank = info->rank,
                                 .shape = info->shape,
                                 .dtype_text = info->dtype_text,
                                 .bytes = info->bytes};
}

static double total_bytes(const container *c) {
    const posenc_tensor_info *info;
    double total = 0;
    for (size_t i = 0; (info = posenc_safetensors_at(c->file, i)); i++) total += (double)info->bytes;
    return c->job->form == POSENC_CLI_NPY ? (double)c->chosen->bytes : total;
}

static const char **metadata_of(const container *c, size_t *n) {
    for (*n = 0; posenc_safetensors_key(c->file, *n);) ++*n;
    const char **pairs = malloc((2 * *n + 1) * sizeof *pairs);
    for (size_t i = 0; pairs && i < *n; i++) {
        pairs[2 * i] = posenc_safetensors_key(c->file, i);
        pairs[2 * i + 1] = posenc_safetensors_metadata(c->file, pairs[2 * i]);
    }
    return pairs;
}

static int write_whole_header(container *c) {
    size_t n = posenc_safetensors_count(c->file), n_pairs;
    posenc_tensor_entry *entries = malloc(n * sizeof *entries);
    const char **pairs = metadata_of(c, &n_pairs);
    for (size_t i = 0; entries && i < n; i++) entries[i] = entry_of(posenc_safetensors_at(c->file, i));
    int status = entries && pairs ? posenc_cli_target_header(&c->job->target, entries, n, pairs, n_pairs)
                                  : posenc_cli_no_memory("header", n * sizeof *entries);
    free((void *)pairs);
    free(entries);
    return status;
}

static int write_header(container *c) {
    if (c->job->form == POSENC_CLI_SAFETENSORS) return write_whole_header(c);
    posenc_tensor_entry entry = entry_of(c->chosen);
    return posenc_cli_target_header(&c->job->target, &entry, 1, NULL, 0);
}

static int write_part(container *c, const posenc_tensor_info *info, const posenc_cli_apply_tensor *x,
                      const posenc_cli_apply_part *part) {
    posenc_error error;
    int64_t elements = posenc_cli_apply_part_elements(x, part), first = posenc_cli_apply_part_begin(x, part);
    if (posenc_safetensors_read_elements(c->file, info, (uint64_t)first, c->block, (size_t)elements, &error) !=
        POSENC_OK)
        return posenc_cli_refuse(&error);
    int status = posenc_cli_apply_add(c->job, x, *part, c->block);
    return status == POSENC_CLI_FINE
               ? posenc_cli_target_write_elements(&c->job->target, c->block, info->dtype, elements)
               : status;
}

static int write_applied(container *c, const posenc_tensor_info *info) {
    posenc_cli_apply_tensor x = tensor_of(c, info);
    int status = posenc_cli_apply_check(c->job, &x);
    if (status != POSENC_CLI_FINE || info->bytes == 0) return status;
    posenc_cli_apply_part size = posenc_cli_apply_first_part(c->job, &x, block_bytes), part = size;
    do status = write_part(c, info, &x, &part);
    while (status == POSENC_CLI_FINE && posenc_cli_apply_next_part(&x, &size, &part));
    return status;
}

static int write_copied(container *c, const posenc_tensor_info *info) {
    posenc_error error;
    for (uint64_t done = 0; done < info->bytes;) {
        uint64_t left = info->bytes - done;
        size_t piece = left < (uint64_t)block_bytes ? (size_t)left : (size_t)block_bytes;
        if (posenc_safetensors_read_bytes(c->file, info, done, c->block, piece, &error) != POSENC_OK)
            return posenc_cli_refuse(&error);
        int status = posenc_cli_target_write(&c->job->target, c->block, piece);
        if (status != POSENC_CLI_FINE) return status;
        done += piece;
    }
    return POSENC_CLI_FINE;
}

static int write_tensors(container *c) {
    const posenc_tensor_info *info;
    for (size_t i = 0; (info = posenc_safetensors_at(c->file, i)); i++) {
        if (c->job->form == POSENC_CLI_NPY && !is_chosen(c, info)) continue;
        int status = is_chosen(c, info) ? write_applied(c, info) : write_copied(c, info);
        if (status != POSENC_CLI_FINE) return status;
    }
    return POSENC_CLI_FINE;
}

/* Room for a block, and for a part where the smallest is longer. */
static int allocate_block(container *c) {
    int64_t bytes = block_bytes;
    const posenc_tensor_info *info;
    for (size_t i = 0; (info = posenc_safetensors_at(c->file, i)); i++) {
        if (!is_chosen(c, info) || info->bytes == 0) continue;
        posenc_cli_apply_tensor x = tensor_of(c, info);
        int status = posenc_cli_apply_axes(c->job, &x);
        if (status != POSENC_CLI_FINE) return status;
        posenc_cli_apply_part part = posenc_cli_apply_first_part(c->job, &x, block_bytes);
        int64_t needed = posenc_cli_apply_part_elements(&x, &part) * (int64_t)posenc_dtype_bytes(x.dtype);
        if (needed > bytes) bytes = needed;
    }
    c->block = malloc((size_t)bytes);
    return c->block ? POSENC_CLI_FINE : posenc_cli_no_memory("block", (size_t)bytes);
}

static int write_all(container *c) {
    posenc_cli_apply_job *job = c->job;
    int status = allocate_block(c);
    if (status == POSENC_CLI_FINE)
        status = posenc_cli_target_open(posenc_cli_context(job->arguments), job->output, job->form, total_bytes(c),
                                        &job->target);
    if (status == POSENC_CLI_FINE) status = write_header(c);
    if (status == POSENC_CLI_FINE) status = write_tensors(c);
    if (status == POSENC_CLI_FINE) status = posenc_cli_target_commit(&job->target);
    free(c->block);
    return status;
}

int posenc_cli_apply_container(posenc_cli_apply_job *job) {
    container c = {.job = job};
    int status = open_container(&c);
    if (status == POSENC_CLI_FINE) status = check_tensors(&c);
    if (status == POSENC_CLI_FINE) status = check_form(&c);
    if (status == POSENC_CLI_FINE) status = write_all(&c);
    posenc_safetensors_close(c.file);
    return status;
}
