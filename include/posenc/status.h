/* Status codes, error detail and version. */
#ifndef POSENC_STATUS_H
#define POSENC_STATUS_H

#include <stddef.h>
#include <stdint.h>

#if defined(_WIN32)
#define POSENC_API
#elif defined(__GNUC__)
#define POSENC_API __attribute__((visibility("default")))
#else
#define POSENC_API
#endif

#ifdef __cplusplus
extern "C" {
#endif

#define POSENC_VERSION_MAJOR 0
#define POSENC_VERSION_MINOR 1
#define POSENC_VERSION_PATCH 0
#define POSENC_VERSION_TEXT "0.1.0"

typedef enum posenc_status {
    POSENC_OK = 0,
    POSENC_ERROR_ARGUMENT = 1,    /* a value outside its range */
    POSENC_ERROR_UNKNOWN = 2,     /* a name that nothing has: scheme, parameter, instruction set */
    POSENC_ERROR_SHAPE = 3,       /* a rank or an extent */
    POSENC_ERROR_DTYPE = 4,       /* an element type */
    POSENC_ERROR_DEVICE = 5,      /* a tensor that is not on the CPU */
    POSENC_ERROR_POSITION = 6,    /* a position that cannot be used: NaN, infinite, a double beyond 2^53 */
    POSENC_ERROR_OVERLAP = 7,     /* input and output share memory without being the same */
    POSENC_ERROR_MEMORY = 8,      /* an allocation failed */
    POSENC_ERROR_IO = 9,          /* the system refused a read or a write */
    POSENC_ERROR_FORMAT = 10,     /* a file that is not what it says */
    POSENC_ERROR_UNSUPPORTED = 11 /* right, but not available in this build or on this machine */
} posenc_status;

/* Error detail, owned by the caller. Every function that validates or parses takes an optional pointer to one.
 * On POSENC_OK it is not written. */
typedef struct posenc_error {
    posenc_status status;
    int64_t offset;    /* byte offset in a file, or -1 */
    char argument[64]; /* the argument, parameter, tensor or file that was refused */
    char message[320]; /* one line, "dim: expected 1..16777216, got 0", without a newline */
} posenc_error;

/* Names a status in lower-case words, for example "argument". Never NULL. The text is static. */
POSENC_API const char *posenc_status_name(posenc_status status);

/* Version of the library that is loaded, for example "0.1.0". The text is static. */
POSENC_API const char *posenc_version(void);

#ifdef __cplusplus
}
#endif

#endif
