/* Valid files damaged in every small way: cut after each byte, each bit of the head flipped, each number of the header
 * replaced. */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "formats/safetensors.h"
#include "safetensors_bytes.h"
#include "support/tensors.h"
#include "support/test.h"

static const struct {
    const char *header;
    size_t data;
} seeds[] = {
    {"{\"a\":{\"dtype\":\"F32\",\"shape\":[2,3],\"data_offsets\":[0,24]},"
     "\"b\":{\"dtype\":\"BF16\",\"shape\":[],\"data_offsets\":[24,26]}}",
     26},
    {"{\"__metadata__\":{\"format\":\"pt\",\"k\":\"\xC3\xA9\"},\"model.w\":{\"dtype\":\"I64\",\"shape\":[1],"
     "\"data_offsets\":[3,11]},\"m\":{\"dtype\":\"BOOL\",\"shape\":[3,1],\"data_offsets\":[0,3]}}    ",
     11},
    {"{ \"e\" : { \"shape\" : [ 0, 512 ], \"data_offsets\" : [ 2, 2 ], \"dtype\" : \"F8_E4M3\" },"
     "\"u\":{\"dtype\":\"X5\",\"shape\":[9],\"data_offsets\":[0,2]}}\n",
     2},
    {"{}", 0},
};
enum { SEEDS = sizeof seeds / sizeof *seeds };

static safetensors_bytes make_seed(int s) {
    return safetensors_bytes_make(seeds[s].header, strlen(seeds[s].header), seeds[s].data);
}

/* Bounds on memory, the allocator's and the file's balance, and that what is accepted tiles the data are looked at by
 * safetensors_bytes_open itself. */
static posenc_status must_be_sane(const uint8_t *bytes, size_t n, const char *what, size_t where) {
    posenc_error error = {.offset = -7, .message = ""};
    posenc_status status = safetensors_bytes_open(bytes, n, &error);
    if (status == POSENC_OK) return status;
    check(status == POSENC_ERROR_FORMAT || status == POSENC_ERROR_SHAPE, "%s %zu: %s", what, where, error.message);
    check(error.offset >= 0 && error.offset <= (int64_t)n, "%s %zu: byte %lld of %zu", what, where,
          (long long)error.offset, n);
    return status;
}

/* A file that ends too early is refused where it ends, wherever that is. */
static void every_prefix(void **state) {
    (void)state;
    for (int s = 0; s < SEEDS; s++) {
        safetensors_bytes seed = make_seed(s);
        for (size_t n = 0; n <= seed.n; n++) {
            posenc_error error = {.offset = -7, .message = ""};
            posenc_status status = safetensors_bytes_open(seed.bytes, n, &error);
            if (n == seed.n)
                check(status == POSENC_OK, "seed %d: %s", s, error.message);
            else
                check(status == POSENC_ERROR_FORMAT && error.offset == (int64_t)n, "seed %d cut after %zu bytes: %s", s,
                      n, error.message);
        }
        safetensors_bytes_end(&seed);
    }
}

/* One byte more is refused where it stands. */
static void a_byte_more(void **state) {
    (void)state;
    for (int s = 0; s < SEEDS; s++) {
        safetensors_bytes longer = safetensors_bytes_make(seeds[s].header, strlen(seeds[s].header), seeds[s].data + 1);
        posenc_error error = {.offset = -7, .message = ""};
        check(safetensors_bytes_open(longer.bytes, longer.n, &error) == POSENC_ERROR_FORMAT, "seed %d", s);
        check(error.offset == (int64_t)longer.n - 1, "seed %d: %s", s, error.message);
        safetensors_bytes_end(&longer);
    }
}

static void every_bit_of_the_head(void **state) {
    int accepted = 0;
    (void)state;
    for (int s = 0; s < SEEDS; s++) {
        safetensors_bytes seed = make_seed(s);
        for (size_t bit = 0; bit < 8 * seed.data_at; bit++) {
            seed.bytes[bit / 8] ^= (uint8_t)(1 << bit % 8);
            accepted += must_be_sane(seed.bytes, seed.n, "bit", bit) == POSENC_OK;
            seed.bytes[bit / 8] ^= (uint8_t)(1 << bit % 8);
        }
        safetensors_bytes_end(&seed);
    }
    check(accepted > 50, "%d accepted", accepted); /* other letters in names are as good */
}

/* Each number of the header, one at a time, becomes 0, 1, 2^31, 2^63, 2^64 - 1 and more. None of these is right, except
 * where the file says the same in another way. */
static void every_number(void **state) {
    static const char *const others[] = {"0",
                                         "1",
                                         "2147483648",
                                         "4294967296",
                                         "9223372036854775807",
                                         "9223372036854775808",
                                         "18446744073709551615",
                                         "18446744073709551616",
                                         "-1",
                                         "-9223372036854775808"};
    (void)state;
    for (int s = 0; s < 3; s++) {
        const char *header = seeds[s].header;
        for (size_t at = 0; header[at]; at++) {
            bool begins = isdigit((unsigned char)header[at]) && at > 0 && strchr("[, ", header[at - 1]);
            size_t digits = strspn(header + at, "0123456789");
            for (size_t k = 0; begins && k < sizeof others / sizeof *others; k++) {
                char text[400];
                int n = snprintf(text, sizeof text, "%.*s%s%s", (int)at, header, others[k], header + at + digits);
                safetensors_bytes file = safetensors_bytes_make(text, (size_t)n, seeds[s].data);
                bool same = strlen(others[k]) == digits && strncmp(others[k], header + at, digits) == 0;
                /* 9 of X5 says nothing that could be checked; (1, 3, 1) bools, (0, 1): as many as before */
                bool unknown = s == 2, as_many = strcmp(others[k], "1") == 0 || strcmp(others[k], "0") == 0;
                posenc_status status = must_be_sane(file.bytes, file.n, text, k);
                check(same == (status == POSENC_OK) || unknown || as_many, "%s: %s", text, posenc_status_name(status));
                safetensors_bytes_end(&file);
            }
        }
    }
}

/* The length field, with a header of many sizes behind it. */
static void every_length(void **state) {
    static const uint64_t lengths[] = {0,
                                       1,
                                       2,
                                       7,
                                       8,
                                       99999999,
                                       100000000,
                                       100000001,
                                       UINT64_C(1) << 31,
                                       UINT64_C(1) << 32,
                                       UINT64_C(1) << 63,
                                       (UINT64_C(1) << 63) - 1,
                                       UINT64_MAX,
                                       UINT64_MAX - 7,
                                       UINT64_MAX - 8};
    (void)state;
    for (int s = 0; s < SEEDS; s++) {
        safetensors_bytes seed = make_seed(s);
        for (size_t k = 0; k < sizeof lengths / sizeof *lengths; k++) {
            for (int i = 0; i < 8; i++) seed.bytes[i] = (uint8_t)(lengths[k] >> 8 * i);
            posenc_status status = must_be_sane(seed.bytes, seed.n, "length", k);
            check((status == POSENC_OK) == (lengths[k] == strlen(seeds[s].header)), "seed %d, length %zu", s, k);
        }
        safetensors_bytes_end(&seed);
    }
}

/* Several bytes at once, from the letters that headers are made of and from all. */
static void random_damage(void **state) {
    static const char letters[] = "{}[]\":,.-+ \n\\u0123456789eEFBIUdtypeshapedata_offsets";
    random_state random = random_start("safetensors random damage");
    (void)state;
    for (int round = 0; round < 20000; round++) {
        safetensors_bytes file = make_seed(round % 3);
        for (int64_t k = random_between(&random, 1, 4); k > 0; k--) {
            size_t at = (size_t)random_between(&random, 8, (int64_t)file.data_at - 1);
            uint64_t r = random_u64(&random);
            file.bytes[at] = r & 256 ? (uint8_t)r : (uint8_t)letters[r % (sizeof letters - 1)];
        }
        must_be_sane(file.bytes, file.n, "round", (size_t)round);
        safetensors_bytes_end(&file);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_prefix), cmocka_unit_test(a_byte_more),  cmocka_unit_test(every_bit_of_the_head),
        cmocka_unit_test(every_number), cmocka_unit_test(every_length), cmocka_unit_test(random_damage),
    };
    return safetensors_are_read() ? TEST_RUN(tests) : 77;
}
