/* convert-pairing: rows of W_q and W_k, and of their biases, for the other rotary pairing. .safetensors files are in
 * convert_pairing_container.c; a .npy file is read whole before the output takes its place, so both may be one file. */
#include "convert_pairing.h"

#include <stdlib.h>
#include <string.h>

#include "commands.h"
#include "json.h"
#include "paths.h"

static const double tolerance = 1e-9; /* of the self-check: rounding is far below, a row in the wrong place far above */

/* ---- one piece ---- */

static int self_check(posenc_cli_conversion *c, const posenc_cli_projection *p, const posenc_pairing_options *options,
                      void *data, void *out) {
    posenc_view in_view, out_view;
    posenc_error error;
    double difference;
    int64_t rows = options->heads * options->head_dim,
            row_bytes = (int64_t)(p->info->bytes / (uint64_t)p->info->shape[0]);
    posenc_dtype dtype = posenc_dtype_bytes(p->info->dtype) ? p->info->dtype : POSENC_U8;
    int64_t shape[] = {rows, row_bytes / (int64_t)posenc_dtype_bytes(dtype)};
    DLTensor *before = posenc_view_make(&in_view, data, dtype, 2, shape, NULL);
    DLTensor *after = posenc_view_make(&out_view, out, dtype, 2, shape, NULL);
    if (posenc_pairing_check(posenc_cli_context(c->arguments), options, before, after, 1, &difference, &error) !=
        POSENC_OK)
        return posenc_cli_refuse(&error);
    if (difference > c->difference) c->difference = difference;
    if (difference <= tolerance) return POSENC_CLI_FINE;
    return posenc_cli_fail("%s: self-check of \"%s\": expected rotations that agree, got a difference of %g", c->file,
                           p->info->name, difference);
}

int posenc_cli_conversion_run(posenc_cli_conversion *c, const posenc_cli_projection *p, int64_t heads, void *data,
                              void *out) {
    posenc_pairing_options options = c->options;
    posenc_view in_view, out_view;
    posenc_error error;
    options.heads = heads;
    int64_t shape[] = {heads * options.head_dim, (int64_t)(p->info->bytes / (uint64_t)p->info->shape[0])};
    DLTensor *from = posenc_view_make(&in_view, data, POSENC_U8, 2, shape, NULL);
    DLTensor *to = posenc_view_make(&out_view, out, POSENC_U8, 2, shape, NULL);
    if (posenc_pairing_convert(posenc_cli_context(c->arguments), &options, from, to, &error) != POSENC_OK)
        return posenc_cli_refuse(&error);
    return self_check(c, p, &options, data, out);
}

/* ---- a .npy file ---- */

/* The name of its tensor: that of the file, without folder and ending. */
static void stem_of(const char *file, char name[256]) {
    const char *slash = strrchr(file, '/'), *base = slash ? slash + 1 : file;
    size_t n = strlen(base);
    if (posenc_cli_ends_in(base, ".npy")) n -= 4;
    snprintf(name, 256, "%.*s", n < 256 ? (int)n : 255, base);
}

static int write_array(posenc_cli_conversion *c, const posenc_cli_projection *p, const void *out) {
    const posenc_tensor_info *t = p->info;
    const posenc_tensor_entry entry = {.name = t->name, .dtype = t->dtype, .rank = t->rank, .shape = t->shape};
    int64_t elements = (int64_t)(t->bytes / posenc_dtype_bytes(t->dtype));
    int status =
        posenc_cli_target_open(posenc_cli_context(c->arguments), c->output, c->form, (double)t->bytes, &c->target);
    if (status == POSENC_CLI_FINE) status = posenc_cli_target_header(&c->target, &entry, 1, NULL, 0);
    if (status == POSENC_CLI_FINE) status = posenc_cli_target_write_elements(&c->target, out, t->dtype, elements);
    if (status == POSENC_CLI_FINE) status = posenc_cli_conversion_report(c);
    return status == POSENC_CLI_FINE ? posenc_cli_target_commit(&c->target) : status;
}

static posenc_tensor_info describe(const DLTensor *tensor, const char *name) {
    posenc_tensor_info info = {.name = name, .rank = tensor->ndim, .shape = tensor->shape};
    posenc_dtype_of(tensor, &info.dtype);
    info.dtype_text = posenc_dtype_name(info.dtype);
    info.bytes = posenc_dtype_bytes(info.dtype);
    for (int i = 0; i < tensor->ndim; i++) info.bytes *= (uint64_t)tensor->shape[i]; /* it is in memory, so it fits */
    return info;
}

static int convert_tensor(posenc_cli_conversion *c, const DLTensor *tensor) {
    char name[256];
    stem_of(c->file, name);
    posenc_tensor_info info = describe(tensor, name);
    posenc_cli_projection p = {.info = &info};
    c->tensors = &p;
    c->n = 1;
    void *out = malloc((size_t)info.bytes + 1);
    int status = out ? posenc_cli_conversion_choose(c) : posenc_cli_no_memory("output", (size_t)info.bytes + 1);
    if (status == POSENC_CLI_FINE && info.bytes > 0)
        status = posenc_cli_conversion_run(c, &p, p.heads, (char *)tensor->data + tensor->byte_offset, out);
    if (status == POSENC_CLI_FINE) status = write_array(c, &p, out);
    free(out);
    c->tensors = NULL;
    return status;
}

static int convert_array(posenc_cli_conversion *c) {
    posenc_array *array;
    posenc_error error;
    if (posenc_npy_read(posenc_cli_context(c->arguments), c->file, &array, &error) != POSENC_OK)
        return posenc_cli_refuse(&error);
    int status = convert_tensor(c, posenc_array_tensor(array));
    posenc_array_destroy(array);
    return status;
}

/* ---- the report ---- */

static const char *role_text(posenc_cli_role role) { return role == POSENC_CLI_KEYS ? "keys" : "queries"; }

static int print_json(const posenc_cli_conversion *c) {
    json_t *document = posenc_cli_json_document(), *tensors = json_array();
    const posenc_pairing_options *o = &c->options;
    for (size_t i = 0; i < c->n; i++) {
        const posenc_cli_projection *p = &c->tensors[i];
        if (p->role == POSENC_CLI_OTHER) continue;
        json_array_append_new(tensors, json_pack("{s:s, s:s, s:I}", "name", p->info->name, "role", role_text(p->role),
                                                 "heads", (json_int_t)p->heads));
    }
    json_object_set_new(document, "file", json_string(c->file));
    json_object_set_new(document, "output", json_string(c->output));
    json_object_set_new(document, "from", json_string(posenc_cli_text(c->arguments, "from")));
    json_object_set_new(document, "to", json_string(posenc_cli_text(c->arguments, "to")));
    json_object_set_new(document, "head_dim", json_integer((json_int_t)o->head_dim));
    json_object_set_new(document, "rotary_dim", json_integer((json_int_t)o->dim));
    json_object_set_new(document, "rotary_start", json_integer((json_int_t)o->rotary_start));
    json_object_set_new(document, "tensors", tensors);
    json_object_set_new(document, "difference", posenc_cli_json_real(c->difference));
    return posenc_cli_json_print(document);
}

/* On standard error where the tensors themselves go to standard output. */
static void print_text(const posenc_cli_conversion *c) {
    FILE *stream = strcmp(c->output, "-") == 0 ? stderr : stdout;
    size_t n = 0;
    for (size_t i = 0; i < c->n; i++) {
        const posenc_cli_projection *p = &c->tensors[i];
        if (p->role == POSENC_CLI_OTHER) continue;
        n++;
        posenc_cli_escape(stream, p->info->name);
        fprintf(stream, ": %s, %lld head%s of %lld\n", role_text(p->role), (long long)p->heads,
                p->heads == 1 ? "" : "s", (long long)c->options.head_dim);
    }
    fprintf(stream, "%zu of %zu tensors converted from %s to %s; self-check: largest difference %g\n", n, c->n,
            posenc_cli_text(c->arguments, "from"), posenc_cli_text(c->arguments, "to"), c->difference);
}

int posenc_cli_conversion_report(const posenc_cli_conversion *c) {
    if (posenc_cli_flag(c->arguments, "json")) return print_json(c);
    print_text(c);
    return POSENC_CLI_FINE;
}

/* ---- the command ---- */

static const char *const pairings[] = {"halves", "interleaved", "interleaved-in-halves-out", NULL};

static posenc_pairing pairing_of(const posenc_cli_arguments *arguments, const char *option) {
    int i = 0;
    while (strcmp(pairings[i], posenc_cli_text(arguments, option)) != 0) i++;
    return (posenc_pairing)i;
}

static int check_options(posenc_cli_conversion *c) {
    const posenc_cli_arguments *a = c->arguments;
    posenc_pairing_default(&c->options, sizeof c->options);
    c->options.from = pairing_of(a, "from");
    c->options.to = pairing_of(a, "to");
    if ((c->options.from == POSENC_PAIRING_HALVES) == (c->options.to == POSENC_PAIRING_HALVES))
        return posenc_cli_fail("to: expected a pairing with other rows than %s, got %s", posenc_cli_text(a, "from"),
                               posenc_cli_text(a, "to"));
    if (!posenc_cli_given(a, "tensor") && !posenc_cli_given(a, "q") && !posenc_cli_given(a, "k"))
        return posenc_cli_fail(
            "tensor: expected --tensor, --q or --k, got nothing; see \"posenc help convert-pairing\"");
    if (posenc_cli_flag(a, "json") && strcmp(c->output, "-") == 0)
        return posenc_cli_fail("json: expected -o FILE beside it, got tensors and report both on standard output");
    return POSENC_CLI_FINE;
}

static int convert_pairing(const posenc_cli_arguments *arguments) {
    posenc_cli_conversion c = {.arguments = arguments,
                               .file = posenc_cli_operand(arguments, 0),
                               .output = posenc_cli_text(arguments, "output")};
    bool container = posenc_cli_ends_in(c.file, ".safetensors");
    int status = check_options(&c);
    if (status == POSENC_CLI_FINE)
        status = posenc_cli_target_form(c.output, false, container ? POSENC_CLI_SAFETENSORS : POSENC_CLI_NPY, &c.form);
    if (status == POSENC_CLI_FINE) status = container ? posenc_cli_convert_container(&c) : convert_array(&c);
    posenc_cli_target_discard(&c.target);
    free(c.tensors);
    return status;
}

static const posenc_cli_option options[] = {
    {.name = "tensor",
     .kind = POSENC_CLI_TEXT,
     .value = "NAMES",
     .help = "Tensors to convert, parted by commas; * stands for anything. A part of each name must say what it is: "
             "q_proj, wq, attn_q, to_q, query, q_b_proj, q_norm or q; k_proj, wk, attn_k, to_k, key, k_norm or k"},
    {.name = "q", .kind = POSENC_CLI_TEXT, .value = "NAMES", .help = "The same for queries under other names"},
    {.name = "k", .kind = POSENC_CLI_TEXT, .value = "NAMES", .help = "The same for keys under other names"},
    {.name = "heads",
     .kind = POSENC_CLI_INTEGER,
     .value = "H",
     .required = true,
     .minimum = 1,
     .maximum = 0x1p24,
     .help = "Heads of the queries"},
    {.name = "kv-heads",
     .kind = POSENC_CLI_INTEGER,
     .value = "K",
     .minimum = 1,
     .maximum = 0x1p24,
     .help = "Heads of the keys, where they are grouped; as many as of the queries unless said"},
    {.name = "head-dim",
     .kind = POSENC_CLI_INTEGER,
     .value = "D",
     .minimum = 1,
     .maximum = 0x1p24,
     .help = "Rows of a head; the rows of the first tensor by its heads unless said"},
    {.name = "rotary-dim",
     .kind = POSENC_CLI_INTEGER,
     .value = "R",
     .minimum = 2,
     .maximum = 0x1p24,
     .help = "Rotated rows of a head, where the rotary is partial; all from --rotary-start on unless said"},
    {.name = "rotary-start",
     .kind = POSENC_CLI_INTEGER,
     .value = "S",
     .default_text = "0",
     .maximum = 0x1p24,
     .help = "The first rotated row of a head"},
    {.name = "from",
     .kind = POSENC_CLI_CHOICE,
     .value = "PAIRING",
     .choices = pairings,
     .required = true,
     .help = "The pairing that the weights are for"},
    {.name = "to",
     .kind = POSENC_CLI_CHOICE,
     .value = "PAIRING",
     .choices = pairings,
     .required = true,
     .help = "The pairing that they shall be for"},
    {.name = "output",
     .letter = 'o',
     .kind = POSENC_CLI_FILE,
     .value = "FILE",
     .required = true,
     .help = "FILE.safetensors, or for a .npy input FILE.npy too, or - for standard output; may be the input"},
};

static const char *const examples[] = {
    "posenc convert-pairing model.safetensors --tensor '*.q_proj.*,*.k_proj.*' --heads 4 --kv-heads 2 --from halves "
    "--to "
    "interleaved -o other.safetensors",
    "posenc convert-pairing wq.npy --tensor wq --heads 2 --from interleaved --to halves -o halves.npy",
    NULL,
};

const posenc_cli_command posenc_cli_convert_pairing = {
    .name = "convert-pairing",
    .summary = "Convert W_q and W_k to the other rotary pairing",
    .description =
        "Puts the rows of the query and key projections, and of their biases, where another rotary pairing looks for "
        "them. With d rotated rows in a head, interleaved to halves moves row 2j to j and row 2j + 1 to j + d/2; "
        "halves to interleaved moves them back. Scores stay as they were, and values and outputs need nothing. All "
        "other "
        "tensors, names, types, the order and the metadata are copied as they are.\n\n"
        "Under grouped heads the keys have fewer heads than the queries: give --kv-heads. The wrong number permutes "
        "rows across heads, so both must agree on the rows of a head. A q_norm or k_norm of one head's width is "
        "converted once, for all heads. Queries, keys and values in one tensor are not parted here.\n\n"
        "Every piece is tried out before it is written: random inputs go through the old and the new rows, are rotated "
        "in the old and the new pairing at positions 1, 4097 and 1048575, and must agree. The largest difference is "
        "printed; it is 0 unless something is wrong.\n\n"
        "Bytes are moved and never changed, so every type will do. The tensor of a .npy file goes by the name of its "
        "file without folder and ending.",
    .usage =
        "FILE --tensor NAMES [--q NAMES] [--k NAMES] --heads H [--kv-heads K] [--head-dim D] [--rotary-dim R] "
        "[--rotary-start S] --from PAIRING --to PAIRING -o FILE",
    .operands = "FILE",
    .fewest_operands = 1,
    .most_operands = 1,
    .takes = POSENC_CLI_TAKES_CONTEXT | POSENC_CLI_TAKES_JSON,
    .options = options,
    .n_options = sizeof options / sizeof *options,
    .examples = examples,
    .run = convert_pairing,
};
