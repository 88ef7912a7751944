/* convert-pairing on a .safetensors file: chosen tensors are read a few heads at a time, converted and written, the
 * others and the metadata are copied as they are. The input is read by position from the file that was opened, so it
 * may be the output too, which takes its place at the end. */
#include <stdlib.h>

#include "convert_pairing.h"

static const uint64_t block_bytes = UINT64_C(4) << 20;

typedef struct container {
    posenc_cli_conversion *c;
    posenc_safetensors *file;
    char *block, *converted; /* of the size of the largest piece */
} container;

static int open_container(container *o) {
    posenc_error error;
    posenc_cli_conversion *c = o->c;
    if (posenc_safetensors_open(posenc_cli_context(c->arguments), c->file, &o->file, &error) != POSENC_OK)
        return posenc_cli_refuse(&error);
    c->n = posenc_safetensors_count(o->file);
    c->tensors = calloc(c->n + 1, sizeof *c->tensors);
    if (!c->tensors) return posenc_cli_no_memory("tensors", (c->n + 1) * sizeof *c->tensors);
    for (size_t i = 0; i < c->n; i++) c->tensors[i].info = posenc_safetensors_at(o->file, i);
    return POSENC_CLI_FINE;
}

static int check_form(const posenc_cli_conversion *c) {
    if (c->form == POSENC_CLI_SAFETENSORS) return POSENC_CLI_FINE;
    return posenc_cli_fail("output: expected a name that ends in .safetensors, as the input does, got \"%s\"",
                           c->output);
}

/* ---- the header ---- */

static const char **metadata_of(const container *o, size_t *n) {
    for (*n = 0; posenc_safetensors_key(o->file, *n);) ++*n;
    const char **pairs = malloc((2 * *n + 1) * sizeof *pairs);
    for (size_t i = 0; pairs && i < *n; i++) {
        pairs[2 * i] = posenc_safetensors_key(o->file, i);
        pairs[2 * i + 1] = posenc_safetensors_metadata(o->file, pairs[2 * i]);
    }
    return pairs;
}

static int write_header(container *o) {
    posenc_cli_conversion *c = o->c;
    size_t n_pairs;
    posenc_tensor_entry *entries = malloc((c->n + 1) * sizeof *entries);
    const char **pairs = metadata_of(o, &n_pairs);
    for (size_t i = 0; entries && i < c->n; i++) {
        const posenc_tensor_info *t = c->tensors[i].info;
        entries[i] = (posenc_tensor_entry){.name = t->name,
                                           .dtype = t->dtype,
                                           .rank = t->rank,
                                           .shape = t->shape,
                                           .dtype_text = t->dtype_text,
                                           .bytes = t->bytes};
    }
    int status = entries && pairs ? posenc_cli_target_header(&c->target, entries, c->n, pairs, n_pairs)
                                  : posenc_cli_no_memory("header", (c->n + 1) * sizeof *entries);
    free((void *)pairs);
    free(entries);
    return status;
}

/* ---- the data ---- */

/* Types that posenc does not know are moved as bytes; the others are read as numbers, for the self-check. */
static int read_piece(container *o, const posenc_tensor_info *t, uint64_t first, size_t bytes) {
    posenc_error error;
    size_t element = posenc_dtype_bytes(t->dtype);
    posenc_status status =
        element ? posenc_safetensors_read_elements(o->file, t, first / element, o->block, bytes / element, &error)
                : posenc_safetensors_read_bytes(o->file, t, first, o->block, bytes, &error);
    return status == POSENC_OK ? POSENC_CLI_FINE : posenc_cli_refuse(&error);
}

static int write_piece(container *o, const posenc_tensor_info *t, size_t bytes) {
    size_t element = posenc_dtype_bytes(t->dtype);
    if (!element) return posenc_cli_target_write(&o->c->target, o->converted, bytes);
    return posenc_cli_target_write_elements(&o->c->target, o->converted, t->dtype, (int64_t)(bytes / element));
}

static uint64_t head_bytes(const posenc_cli_projection *p) { return p->info->bytes / (uint64_t)p->heads; }

/* Whole heads, as many as a block holds, or one. */
static int64_t heads_of_block(const posenc_cli_projection *p) {
    uint64_t one = head_bytes(p), n = one > 0 && one < block_bytes ? block_bytes / one : 1;
    return n < (uint64_t)p->heads ? (int64_t)n : p->heads;
}

static int write_converted(container *o, const posenc_cli_projection *p) {
    int status = POSENC_CLI_FINE;
    int64_t block = heads_of_block(p);
    if (p->info->bytes == 0) return status;
    for (int64_t head = 0; status == POSENC_CLI_FINE && head < p->heads; head += block) {
        int64_t n = p->heads - head < block ? p->heads - head : block;
        size_t bytes = (size_t)((uint64_t)n * head_bytes(p));
        status = read_piece(o, p->info, (uint64_t)head * head_bytes(p), bytes);
        if (status == POSENC_CLI_FINE) status = posenc_cli_conversion_run(o->c, p, n, o->block, o->converted);
        if (status == POSENC_CLI_FINE) status = write_piece(o, p->info, bytes);
    }
    return status;
}

static int write_copied(container *o, const posenc_tensor_info *t) {
    posenc_error error;
    for (uint64_t done = 0; done < t->bytes;) {
        size_t piece = (size_t)(t->bytes - done < block_bytes ? t->bytes - done : block_bytes);
        if (posenc_safetensors_read_bytes(o->file, t, done, o->block, piece, &error) != POSENC_OK)
            return posenc_cli_refuse(&error);
        int status = posenc_cli_target_write(&o->c->target, o->block, piece);
        if (status != POSENC_CLI_FINE) return status;
        done += piece;
    }
    return POSENC_CLI_FINE;
}

static int write_tensors(container *o) {
    const posenc_cli_conversion *c = o->c;
    int status = POSENC_CLI_FINE;
    for (size_t i = 0; status == POSENC_CLI_FINE && i < c->n; i++)
        status = c->tensors[i].role == POSENC_CLI_OTHER ? write_copied(o, c->tensors[i].info)
                                                        : write_converted(o, &c->tensors[i]);
    return status;
}

/* Two blocks, or two heads where one is larger; the file holds it, so it is no claim of a header. */
static int allocate_blocks(container *o, double *total) {
    const posenc_cli_conversion *c = o->c;
    uint64_t bytes = block_bytes;
    *total = 0;
    for (size_t i = 0; i < c->n; i++) {
        *total += (double)c->tensors[i].info->bytes;
        if (c->tensors[i].role != POSENC_CLI_OTHER && head_bytes(&c->tensors[i]) > bytes)
            bytes = head_bytes(&c->tensors[i]);
    }
    if (bytes < SIZE_MAX / 2) o->block = malloc((size_t)bytes), o->converted = malloc((size_t)bytes);
    return o->block && o->converted ? POSENC_CLI_FINE
                                    : posenc_cli_no_memory("blocks", bytes < SIZE_MAX ? (size_t)bytes : SIZE_MAX);
}

static int write_all(container *o) {
    posenc_cli_conversion *c = o->c;
    double total;
    int status = allocate_blocks(o, &total);
    if (status == POSENC_CLI_FINE)
        status = posenc_cli_target_open(posenc_cli_context(c->arguments), c->output, c->form, total, &c->target);
    if (status == POSENC_CLI_FINE) status = write_header(o);
    if (status == POSENC_CLI_FINE) status = write_tensors(o);
    if (status == POSENC_CLI_FINE) status = posenc_cli_conversion_report(c);
    if (status == POSENC_CLI_FINE) status = posenc_cli_target_commit(&c->target);
    return status;
}

int posenc_cli_convert_container(posenc_cli_conversion *c) {
    container o = {.c = c};
    int status = open_container(&o);
    if (status == POSENC_CLI_FINE) status = check_form(c);
    if (status == POSENC_CLI_FINE) status = posenc_cli_conversion_choose(c);
    if (status == POSENC_CLI_FINE) status = write_all(&o);
    free(o.block);
    free(o.converted);
    posenc_safetensors_close(o.file);
    return status;
}
