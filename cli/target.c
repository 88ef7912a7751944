/* Writes data where the user wants them, in pieces, so that an interrupt is noticed and the progress bar moves. */
#include "target.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "interrupt.h"
#include "paths.h"

static const size_t piece_bytes = (size_t)4 << 20;

/* Something that is there and is no regular file: a device, a pipe, a folder (which is refused when it is opened). */
static bool is_special(const char *path) {
    struct stat info;
    return stat(path, &info) == 0 && !S_ISREG(info.st_mode);
}

static const char *const endings[] = {
    [POSENC_CLI_NPY] = ".npy", [POSENC_CLI_SAFETENSORS] = ".safetensors", [POSENC_CLI_CSV] = ".csv"};

int posenc_cli_target_form(const char *path, bool with_csv, posenc_cli_form otherwise, posenc_cli_form *form) {
    if (strcmp(path, "-") == 0 && isatty(STDOUT_FILENO))
        return posenc_cli_fail("output: expected a file or a pipe for %s data, got a terminal", endings[otherwise]);
    int forms = with_csv ? 3 : 2;
    for (int i = 0; i < forms; i++) {
        *form = (posenc_cli_form)i;
        if (posenc_cli_ends_in(path, endings[i])) return POSENC_CLI_FINE;
    }
    *form = otherwise;
    if (strcmp(path, "-") == 0 || is_special(path)) return POSENC_CLI_FINE;
    return posenc_cli_fail("output: expected a name that ends in .npy%s, got \"%s\"",
                           with_csv ? ", .safetensors or .csv" : " or .safetensors", path);
}

int posenc_cli_target_check(posenc_cli_form form, const posenc_tensor_entry *entry) {
    posenc_error error;
    char header[256];
    size_t bytes;
    if (form != POSENC_CLI_NPY) return POSENC_CLI_FINE;
    if (posenc_npy_header(entry->dtype, entry->rank, entry->shape, header, &bytes, &error) == POSENC_OK)
        return POSENC_CLI_FINE;
    return posenc_cli_refuse(&error);
}

/* The free bytes where a file of that name will be; -1: not known. Super-users may take more than others. */
static double free_bytes(const char *path) {
    struct statvfs disk;
    char folder[4096] = ".";
    const char *slash = strrchr(path, '/');
    size_t n = slash ? (size_t)(slash - path) + 1 : 0;
    if (n >= sizeof folder) return -1;
    if (n > 0) memcpy(folder, path, n), folder[n] = '\0';
    if (statvfs(path, &disk) != 0 && statvfs(folder, &disk) != 0) return -1;
    return (double)(geteuid() == 0 ? disk.f_bfree : disk.f_bavail) * (double)disk.f_frsize;
}

/* What cannot fit is not begun: it would fill the disk first, for hours perhaps. */
static int check_room(const char *path, double bytes) {
    double room = free_bytes(path);
    if (room < 0 || bytes <= room) return POSENC_CLI_FINE;
    return posenc_cli_fail("%s: expected room for %.0f bytes, got a disk with %.0f free", path, bytes, room);
}

int posenc_cli_target_open(const posenc_context *context, const char *path, posenc_cli_form form, double total,
                           posenc_cli_target *target) {
    enum { TEXT_BYTES = 1 << 16 };
    posenc_error error;
    bool standard = strcmp(path, "-") == 0;
    *target = (posenc_cli_target){.path = path, .form = form};
    if (!standard && !is_special(path) && check_room(path, total) != POSENC_CLI_FINE) return POSENC_CLI_TROUBLE;
    if (form == POSENC_CLI_CSV && !(target->text = malloc(TEXT_BYTES)))
        return posenc_cli_no_memory("output", TEXT_BYTES);
    target->bar = !(standard && isatty(STDOUT_FILENO));
    if (!standard && !is_special(path)) posenc_cli_interrupt_catch();
    if (posenc_output_open(context, path, &target->output, &error) != POSENC_OK) return posenc_cli_refuse(&error);
    posenc_cli_progress_begin(&target->progress, "writing", total);
    return POSENC_CLI_FINE;
}

static int put(posenc_cli_target *target, const void *data, size_t bytes) {
    posenc_error error;
    if (posenc_cli_interrupted()) return POSENC_CLI_TROUBLE;
    if (posenc_output_write(target->output, data, bytes, &error) == POSENC_OK) return POSENC_CLI_FINE;
    posenc_cli_progress_end(&target->progress);
    return posenc_cli_refuse(&error);
}

static void count(posenc_cli_target *target, size_t bytes) {
    target->done += (double)bytes;
    if (target->bar) posenc_cli_progress_step(&target->progress, target->done);
}

int posenc_cli_target_header(posenc_cli_target *target, const posenc_tensor_entry *entries, size_t n_entries,
                             const char *const *metadata, size_t n_metadata) {
    posenc_error error;
    char header[256];
    size_t bytes;
    if (target->form == POSENC_CLI_CSV) return POSENC_CLI_FINE;
    if (target->form == POSENC_CLI_NPY) {
        if (posenc_npy_header(entries->dtype, entries->rank, entries->shape, header, &bytes, &error) != POSENC_OK)
            return posenc_cli_refuse(&error);
        return put(target, header, bytes);
    }
    if (posenc_safetensors_header(target->output, entries, n_entries, metadata, n_metadata, &error) == POSENC_OK)
        return POSENC_CLI_FINE;
    return posenc_cli_refuse(&error);
}

int posenc_cli_target_write(posenc_cli_target *target, const void *data, size_t bytes) {
    for (size_t start = 0; start < bytes; start += piece_bytes) {
        size_t piece = bytes - start < piece_bytes ? bytes - start : piece_bytes;
        int status = put(target, (const char *)data + start, piece);
        if (status != POSENC_CLI_FINE) return status;
        count(target, piece);
    }
    return POSENC_CLI_FINE;
}

static int put_elements(posenc_cli_target *target, const void *data, posenc_dtype dtype, int64_t elements) {
    posenc_error error;
    if (posenc_cli_interrupted()) return POSENC_CLI_TROUBLE;
    if (posenc_output_write_elements(target->output, data, dtype, elements, &error) == POSENC_OK)
        return POSENC_CLI_FINE;
    posenc_cli_progress_end(&target->progress);
    return posenc_cli_refuse(&error);
}

int posenc_cli_target_write_elements(posenc_cli_target *target, const void *data, posenc_dtype dtype,
                                     int64_t elements) {
    int64_t bytes = (int64_t)posenc_dtype_bytes(dtype), most = (int64_t)piece_bytes / bytes;
    if (target->form != POSENC_CLI_SAFETENSORS)
        return posenc_cli_target_write(target, data, (size_t)(elements * bytes));
    for (int64_t start = 0; start < elements; start += most) {
        int64_t piece = elements - start < most ? elements - start : most;
        int status = put_elements(target, (const char *)data + start * bytes, dtype, piece);
        if (status != POSENC_CLI_FINE) return status;
        count(target, (size_t)(piece * bytes));
    }
    return POSENC_CLI_FINE;
}

static int flush_text(posenc_cli_target *target) {
    size_t bytes = target->n_text;
    target->n_text = 0;
    return bytes ? put(target, target->text, bytes) : POSENC_CLI_FINE;
}

static double half_value(uint16_t bits) {
    int exponent = bits >> 10 & 31, fraction = bits & 1023;
    double value = exponent == 0 ? fraction * 0x1p-24 : (1024 + fraction) * 0x1p-25 * (double)(1u << exponent);
    return bits >> 15 ? -value : value; /* encodings are finite */
}

static double bfloat_value(uint16_t bits) {
    uint32_t wide = (uint32_t)bits << 16;
    float value;
    memcpy(&value, &wide, sizeof value);
    return (double)value;
}

static double number_at(const void *data, posenc_dtype dtype, int64_t i) {
    if (dtype == POSENC_F64) return ((const double *)data)[i];
    if (dtype == POSENC_F32) return (double)((const float *)data)[i];
    uint16_t bits = ((const uint16_t *)data)[i];
    return dtype == POSENC_F16 ? half_value(bits) : bfloat_value(bits);
}

int posenc_cli_target_write_text(posenc_cli_target *target, const char *text) {
    enum { FULL = 1 << 15 }; /* of the 2^16 bytes of room */
    size_t n = strlen(text);
    memcpy(target->text + target->n_text, text, n);
    target->n_text += n;
    return target->n_text < FULL ? POSENC_CLI_FINE : flush_text(target);
}

static int write_line(posenc_cli_target *target, const void *data, posenc_dtype dtype, int64_t first, int64_t columns,
                      int digits) {
    enum { LONGEST_NUMBER = 32, ROOM = (1 << 16) - LONGEST_NUMBER };
    for (int64_t i = 0; i < columns; i++) {
        double number = number_at(data, dtype, first + i);
        char mark = i + 1 < columns ? ',' : '\n';
        target->n_text +=
            (size_t)snprintf(target->text + target->n_text, LONGEST_NUMBER, "%.*g%c", digits, number, mark);
        if (target->n_text < ROOM) continue;
        int status = flush_text(target);
        if (status != POSENC_CLI_FINE) return status;
    }
    return POSENC_CLI_FINE;
}

int posenc_cli_target_write_csv(posenc_cli_target *target, const void *data, posenc_dtype dtype, int64_t rows,
                                int64_t columns, int digits) {
    for (int64_t row = 0; row < rows; row++) {
        int status = write_line(target, data, dtype, row * columns, columns, digits);
        if (status != POSENC_CLI_FINE) return status;
        count(target, (size_t)columns * posenc_dtype_bytes(dtype));
    }
    return POSENC_CLI_FINE;
}

int posenc_cli_target_commit(posenc_cli_target *target) {
    posenc_error error;
    int status = flush_text(target);
    if (status != POSENC_CLI_FINE) return status;
    posenc_cli_progress_end(&target->progress);
    if (posenc_output_commit(target->output, &error) != POSENC_OK) status = posenc_cli_refuse(&error);
    target->output = NULL;
    return status;
}

void posenc_cli_target_discard(posenc_cli_target *target) {
    posenc_cli_progress_end(&target->progress);
    posenc_output_discard(target->output);
    free(target->text);
    *target = (posenc_cli_target){0};
    posenc_cli_interrupt_obey();
}
