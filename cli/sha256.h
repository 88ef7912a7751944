/* SHA-256 (FIPS 180-4), for checksums of tables. */
#ifndef POSENC_CLI_SHA256_H
#define POSENC_CLI_SHA256_H

#include <stddef.h>
#include <stdint.h>

/* Writes the digest of data[bytes] as 64 hexadecimal digits and an end mark. */
void posenc_cli_sha256(const void *data, size_t bytes, char hex[65]);

#endif
