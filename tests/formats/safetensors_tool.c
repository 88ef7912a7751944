/* The library's hands for safetensors_by_python.py.
 *     safetensors_tool write FILE      writes tensors of every type, with names and metadata of every kind
 *     safetensors_tool state FILE      saves an encoder
 *     safetensors_tool load FILE...    loads encoders: "ok" or why not
 *     safetensors_tool list FILE...    a block for each file: "file PATH", then "refused MESSAGE", or lines
 *                                      "metadata KEY VALUE" and "tensor NAME TYPE SHAPE DATA", all but SHAPE in
 *                                      hexadecimal */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <posenc/posenc.h>

static int refuse(const posenc_error *error) {
    printf("refused %s\n", error->message);
    return 1;
}

static void print_hex(const void *data, size_t n) {
    putchar(' ');
    if (n == 0) putchar('-');
    for (size_t i = 0; i < n; i++) printf("%02x", ((const unsigned char *)data)[i]);
}

/* ---- write ---- */

static const struct {
    const char *name;
    posenc_dtype dtype;
    int rank;
    int64_t shape[3];
} tensors[] = {
    {"f32", POSENC_F32, 2, {2, 3}},
    {"f64", POSENC_F64, 1, {3}},
    {"f16", POSENC_F16, 2, {3, 1}},
    {"bf16", POSENC_BF16, 1, {5}},
    {"i8", POSENC_I8, 3, {1, 2, 3}},
    {"i16", POSENC_I16, 1, {2}},
    {"i32", POSENC_I32, 0, {0}},
    {"i64", POSENC_I64, 1, {1}},
    {"u8", POSENC_U8, 1, {7}},
    {"u16", POSENC_U16, 1, {4}},
    {"u32", POSENC_U32, 2, {1, 1}},
    {"u64", POSENC_U64, 1, {2}},
    {"bool", POSENC_BOOL, 1, {3}},
    {"empty", POSENC_F32, 2, {0, 512}},
    {"a \"b\"\\\n\t\x01", POSENC_U8, 0, {0}},
    {"\xC3\xA9\xF0\x9F\x98\x80", POSENC_U8, 1, {1}},
};
enum { TENSORS = sizeof tensors / sizeof *tensors };

static int64_t elements_of(int i) {
    int64_t n = 1;
    for (int k = 0; k < tensors[i].rank; k++) n *= tensors[i].shape[k];
    return n;
}

static int write_file(const char *path) {
    static const char *const metadata[] = {"format", "pt", "k\"\n", "v\xC3\xA9", "", ""};
    static const unsigned char data[64] = {1,  0,  1,  0,  1,  2,  3,  4,  5,  6,  7,  8,  9,  10,
                                           11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24};
    posenc_tensor_entry entries[TENSORS];
    posenc_output *output;
    posenc_error error;
    for (int i = 0; i < TENSORS; i++)
        entries[i] = (posenc_tensor_entry){
            .name = tensors[i].name, .dtype = tensors[i].dtype, .rank = tensors[i].rank, .shape = tensors[i].shape};
    if (posenc_output_open(NULL, path, &output, &error) != POSENC_OK) return refuse(&error);
    posenc_status status = posenc_safetensors_header(output, entries, TENSORS, metadata, 3, &error);
    for (int i = 0; status == POSENC_OK && i < TENSORS; i++)
        status = posenc_output_write_elements(output, data, tensors[i].dtype, elements_of(i), &error);
    if (status == POSENC_OK) return posenc_output_commit(output, &error) == POSENC_OK ? 0 : refuse(&error);
    posenc_output_discard(output);
    return refuse(&error);
}

/* ---- encoders ---- */

static int save_state(const char *path) {
    static const posenc_parameter parameters[] = {
        {"dim", "6"}, {"max-len", "40"}, {"base", "1234.5"}, {"layout", "halves"}};
    posenc_encoder_options options;
    posenc_encoder *encoder;
    posenc_error error;
    posenc_encoder_default(&options, sizeof options);
    options.dropout = 0.1;
    if (posenc_encoder_create(NULL, "sinusoidal", parameters, 4, &options, &encoder, &error) != POSENC_OK)
        return refuse(&error);
    posenc_status status = posenc_encoder_save(encoder, path, &error);
    posenc_encoder_destroy(encoder);
    return status == POSENC_OK ? 0 : refuse(&error);
}

static int load_state(const char *path) {
    posenc_encoder *encoder;
    posenc_error error;
    if (posenc_encoder_load(NULL, path, &encoder, &error) != POSENC_OK) return refuse(&error);
    const DLTensor *table = posenc_encoder_table(encoder);
    printf("table");
    print_hex(table->data, (size_t)(table->shape[0] * table->shape[1]) * sizeof(float));
    printf("\n");
    posenc_encoder_destroy(encoder);
    return 0;
}

/* ---- list ---- */

static void print_shape(const posenc_tensor_info *info) {
    print_hex(info->dtype_text, strlen(info->dtype_text));
    printf(" [");
    for (int k = 0; k < info->rank; k++) printf("%s%lld", k ? "," : "", (long long)info->shape[k]);
    printf("]");
}

static int print_tensor(const posenc_safetensors *file, const posenc_tensor_info *info) {
    posenc_error error;
    void *data = malloc((size_t)info->bytes + 1);
    if (!data || posenc_safetensors_read_bytes(file, info, 0, data, (size_t)info->bytes, &error) != POSENC_OK) return 1;
    printf("tensor");
    print_hex(info->name, info->name_bytes);
    print_shape(info);
    print_hex(data, (size_t)info->bytes);
    printf("\n");
    free(data);
    return 0;
}

static int list_file(const char *path) {
    posenc_safetensors *file;
    posenc_error error;
    const char *key;
    const posenc_tensor_info *info;
    int failed = 0;
    printf("file %s\n", path);
    if (posenc_safetensors_open(NULL, path, &file, &error) != POSENC_OK) return refuse(&error), 0;
    for (size_t i = 0; (key = posenc_safetensors_key(file, i)); i++) {
        const char *value = posenc_safetensors_metadata(file, key);
        printf("metadata");
        print_hex(key, strlen(key));
        print_hex(value, strlen(value));
        printf("\n");
    }
    for (size_t i = 0; (info = posenc_safetensors_at(file, i)); i++) failed |= print_tensor(file, info);
    posenc_safetensors_close(file);
    return failed;
}

int main(int n, char **words) {
    int failed = n < 3;
    for (int i = 2; i < n; i++) {
        if (strcmp(words[1], "write") == 0) failed |= write_file(words[i]);
        if (strcmp(words[1], "state") == 0) failed |= save_state(words[i]);
        if (strcmp(words[1], "load") == 0) failed |= load_state(words[i]);
        if (strcmp(words[1], "list") == 0) failed |= list_file(words[i]);
    }
    return failed;
}
