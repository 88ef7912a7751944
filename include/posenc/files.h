/* Files: tensors in .npy and .safetensors, and output that is complete or absent. */
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
 * One array a file: bytes behind its data are refused.
 * Returns POSENC_ERROR_IO, POSENC_ERROR_FORMAT (with the byte offset), POSENC_ERROR_DTYPE (object, structured, complex
 * and text types, with a plain sentence), POSENC_ERROR_SHAPE (a rank above 8), POSENC_ERROR_MEMORY; *out is untouched
 * then. */
POSENC_API posenc_status posenc_npy_read(const posenc_context *context, const char *path, posenc_array **out,
                                         posenc_error *error);

/* Writes a .npy header (version 1.0) into header[256]; the data follow it in the file, C order, native byte order.
 * Returns POSENC_ERROR_DTYPE for bf16, which .npy cannot hold, POSENC_ERROR_SHAPE for a rank above 8. */
POSENC_API posenc_status posenc_npy_header(posenc_dtype dtype, int rank, const int64_t *shape, char header[256],
                                           size_t *header_bytes, posenc_error *error);

/* A .safetensors file, opened for reading: its header is checked whole at once, its data are read on demand. */
typedef struct posenc_safetensors posenc_safetensors;

/* One tensor of a file. Lives as long as the open file. */
typedef struct posenc_tensor_info {
    const char *name; /* name_bytes bytes and an end mark; valid UTF-8 without NUL */
    size_t name_bytes;
    posenc_dtype dtype;     /* POSENC_DTYPE_COUNT: a type that is listed but not decoded */
    const char *dtype_text; /* as the file says, "BF16", "F8_E4M3" */
    int rank;
    const int64_t *shape;
    uint64_t offset, bytes; /* of its data, in the file */
} posenc_tensor_info;

/* Opens a file and checks its header: sizes against the file, UTF-8, duplicate keys, gaps and overlaps. ("-" and pipes
 * are refused: the data are read by position.) context: NULL for defaults; else it must outlive the file and its
 * arrays. The JSON library's own memory is not from it. Returns POSENC_ERROR_IO, POSENC_ERROR_FORMAT (with the byte
 * offset), POSENC_ERROR_SHAPE (a rank above 64), POSENC_ERROR_UNSUPPORTED (a header above 16 MiB, or a build without
 * jansson), POSENC_ERROR_MEMORY; *out is untouched then. */
POSENC_API posenc_status posenc_safetensors_open(const posenc_context *context, const char *path,
                                                 posenc_safetensors **out, posenc_error *error);

/* Ends it. NULL is fine. */
POSENC_API void posenc_safetensors_close(posenc_safetensors *file);

/* Number of tensors. */
POSENC_API size_t posenc_safetensors_count(const posenc_safetensors *file);

/* A tensor by index, in the order of their data; NULL past the last. */
POSENC_API const posenc_tensor_info *posenc_safetensors_at(const posenc_safetensors *file, size_t index);

/* A tensor by name; NULL if there is none. */
POSENC_API const posenc_tensor_info *posenc_safetensors_find(const posenc_safetensors *file, const char *name);

/* A value of the file's metadata; NULL if there is none. Lives as long as the open file. */
POSENC_API const char *posenc_safetensors_metadata(const posenc_safetensors *file, const char *key);

/* A key of the file's metadata by index; NULL past the last. Lives as long as the open file. */
POSENC_API const char *posenc_safetensors_key(const posenc_safetensors *file, size_t index);

/* Reads a tensor's data, in native byte order. The array outlives the file; it ends before the context.
 * tensor: as posenc_safetensors_at or _find gave it for this file.
 * Returns POSENC_ERROR_DTYPE (not decoded; bool holds a byte other than 0 and 1 is POSENC_ERROR_FORMAT),
 * POSENC_ERROR_SHAPE (a rank above 8), POSENC_ERROR_IO (also a file that has shrunk), POSENC_ERROR_MEMORY. */
POSENC_API posenc_status posenc_safetensors_read(const posenc_safetensors *file, const posenc_tensor_info *tensor,
                                                 posenc_array **out, posenc_error *error);

/* Reads a part of a tensor into the caller's memory: elements from index first on, in native byte order.
 * data: room for them; undefined after a failure.
 * Returns as posenc_safetensors_read (no rank is refused), and POSENC_ERROR_ARGUMENT for a part that is not within it.
 */
POSENC_API posenc_status posenc_safetensors_read_elements(const posenc_safetensors *file,
                                                          const posenc_tensor_info *tensor, uint64_t first, void *data,
                                                          size_t elements, posenc_error *error);

/* Reads a part of a tensor as it stands in the file, whatever its type: bytes from byte first of its data on.
 * data: room for them; undefined after a failure.
 * Returns POSENC_ERROR_ARGUMENT (a part that is not within it), POSENC_ERROR_IO. */
POSENC_API posenc_status posenc_safetensors_read_bytes(const posenc_safetensors *file, const posenc_tensor_info *tensor,
                                                       uint64_t first, void *data, size_t bytes, posenc_error *error);

/* A tensor to be written. */
typedef struct posenc_tensor_entry {
    const char *name; /* UTF-8, not empty, not "__metadata__", each once */
    posenc_dtype dtype;
    int rank; /* 0..64 */
    const int64_t *shape;
    /* With dtype POSENC_DTYPE_COUNT only, for a tensor that is copied from another file without being decoded: */
    const char *dtype_text; /* as posenc_tensor_info has it */
    uint64_t bytes;         /* of its data */
} posenc_tensor_entry;

/* An output file in the making. A regular target is written beside its final place and renamed by commit, so that it is
 * complete or absent, and an older file stays as it was until then (symbolic links are resolved, permissions kept).
 * Devices, pipes and "-" (standard output) are written directly. */
typedef struct posenc_output posenc_output;

/* Opens an output. The path is copied. Returns POSENC_ERROR_IO (no such folder, a folder as target, ...), _MEMORY. */
POSENC_API posenc_status posenc_output_open(const posenc_context *context, const char *path, posenc_output **out,
                                            posenc_error *error);

/* Appends bytes. After a failure the output can only be discarded. Retries short writes and EINTR. */
POSENC_API posenc_status posenc_output_write(posenc_output *output, const void *data, size_t bytes,
                                             posenc_error *error);

/* Appends elements in little-endian order, as .safetensors wants them; on most machines that is their own order.
 * data: contiguous, in native byte order. elements: their number.
 * Returns as posenc_output_write, and POSENC_ERROR_DTYPE, POSENC_ERROR_ARGUMENT (a negative number). */
POSENC_API posenc_status posenc_output_write_elements(posenc_output *output, const void *data, posenc_dtype dtype,
                                                      int64_t elements, posenc_error *error);

/* Finishes the file, puts it in its place and ends the output, also on failure: nothing is left behind then. */
POSENC_API posenc_status posenc_output_commit(posenc_output *output, posenc_error *error);

/* Gives up: removes what was written and ends the output. NULL is fine. */
POSENC_API void posenc_output_discard(posenc_output *output);

/* Writes a safetensors header; the tensors' data follow it with posenc_output_write_elements, in the order of the
 * entries, C order, little-endian, without gaps. The data begin at a multiple of 8. metadata: n_metadata pairs of key
 * and value, {key0, value0, key1, ...}, each key once; NULL for none. Returns POSENC_ERROR_ARGUMENT (names, UTF-8, a
 * header above 16 MiB), POSENC_ERROR_SHAPE, POSENC_ERROR_DTYPE, POSENC_ERROR_IO, POSENC_ERROR_MEMORY; nothing is
 * written then, unless it is POSENC_ERROR_IO. */
POSENC_API posenc_status posenc_safetensors_header(posenc_output *output, const posenc_tensor_entry *entries,
                                                   size_t n_entries, const char *const *metadata, size_t n_metadata,
                                                   posenc_error *error);

#ifdef __cplusplus
}
#endif

#endif
