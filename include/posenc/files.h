/* Files: tensors in .npy, and output that is complete or absent. */
#ifndef POSENC_FILES_H
#define POSENC_FILES_H

#include <posenc/context.h>
#include <posenc/tensor.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A tensor read from a file, with its memory. */
typedef struct posenc_array posenc_array;

/* The array as a tensor: contiguous, in native byte order, owned by the array. */
POSENC_API DLTensor *posenc_array_tensor(posenc_array *array);

/* Ends an array. NULL is fine. */
POSENC_API void posenc_array_destroy(posenc_array *array);

/* Reads a .npy file (versions 1.0, 2.0, 3.0; f2, f4, f8, i1..i8, u1..u8, bool; both byte orders, C and Fortran order).
 * context: NULL for defaults; else it must outlive the array.
 * path: a file, or "-" for standard input.
 * Nothing is allocated for data that the file cannot hold: the header is compared with the bytes that remain first,
 * and where the length is unknown (a pipe) memory grows with what has arrived.
 * Returns POSENC_ERROR_IO, POSENC_ERROR_FORMAT (with the byte offset), POSENC_ERROR_DTYPE (object, structured, complex
 * and text types, with a plain sentence), POSENC_ERROR_MEMORY; *out is untouched then. */
POSENC_API posenc_status posenc_npy_read(const posenc_context *context, const char *path, posenc_array **out,
                                         posenc_error *error);

/* Writes a .npy header (version 1.0) into header[256]; the data follow it in the file, C order, native byte order.
 * Returns POSENC_ERROR_DTYPE for bf16, which .npy cannot hold, POSENC_ERROR_SHAPE for a rank above 8. */
POSENC_API posenc_status posenc_npy_header(posenc_dtype dtype, int rank, const int64_t *shape, char header[256],
                                           size_t *header_bytes, posenc_error *error);

/* An output file in the making. A regular target is written beside its final place and renamed by commit, so that it is
 * complete or absent, and an older file stays as it was until then (symbolic links are resolved, permissions kept).
 * Devices, pipes and "-" (standard output) are written directly. */
typedef struct posenc_output posenc_output;

/* Opens an output. The path is copied. Returns POSENC_ERROR_IO (no such folder, a folder as target, ...), _MEMORY. */
POSENC_API posenc_status posenc_output_open(const posenc_context *context, const char *path, posenc_output **out,
                                            posenc_error *error);

/* Appends bytes. After a failure the output can only be discarded. Retries short writes and EINTR. */
POSENC_API posenc_status posenc_output_write(posenc_output *output, const void *data, size_t bytes, posenc_error *error);

/* Finishes the file, puts it in its place and ends the output, also on failure: nothing is left behind then. */
POSENC_API posenc_status posenc_output_commit(posenc_output *output, posenc_error *error);

/* Gives up: removes what was written and ends the output. NULL is fine. */
POSENC_API void posenc_output_discard(posenc_output *output);

#ifdef __cplusplus
}
#endif

#endif
