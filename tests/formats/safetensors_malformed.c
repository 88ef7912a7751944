/* Files that are not what they say: each with the status and the byte offset of the error.
 * The tables mark the byte that the error must name with a ^ before it; it is taken out before the file is made. */
#include <stdlib.h>
#include <string.h>

#include "formats/safetensors.h"
#include "marked.h"
#include "safetensors_bytes.h"
#include "support/tensors.h"
#include "support/test.h"

enum { DATA = 8 }; /* bytes of data behind each header */

/* An entry of the 8 bytes, and what is before and behind what the tables damage. */
#define GOOD "{\"dtype\":\"F32\",\"shape\":[2],\"data_offsets\":[0,8]}"
#define DTYPE(value) "{\"a\":{\"dtype\":" value ",\"shape\":[2],\"data_offsets\":[0,8]}}"
#define SHAPE(value) "{\"a\":{\"dtype\":\"F32\",\"shape\":" value ",\"data_offsets\":[0,8]}}"
#define OFFSETS(value) "{\"a\":{\"dtype\":\"F32\",\"shape\":[2],\"data_offsets\":" value "}}"
#define ENTRY(name, type, shape, offsets) \
    "\"" name "\":{\"dtype\":\"" type "\",\"shape\":" shape ",\"data_offsets\":" offsets "}"
#define METADATA(value) "{\"__metadata__\":" value ",\"a\":" GOOD "}"

static const bad headers[] = {
    /* the first byte */
    {POSENC_ERROR_FORMAT, TEXT("^"), "{ at the beginning of the header, got the end of the header"},
    {POSENC_ERROR_FORMAT, TEXT("^ {\"a\":" GOOD "}"), "{ at the beginning of the header, got  "},
    {POSENC_ERROR_FORMAT, TEXT("^\n{}"), "got \\x0a"},
    {POSENC_ERROR_FORMAT, TEXT("^[]"), "got ["},
    {POSENC_ERROR_FORMAT, TEXT("^null"), "got n"},
    {POSENC_ERROR_FORMAT, TEXT("^\"a\""), "got \""},
    {POSENC_ERROR_FORMAT, TEXT("^\x00{}"), "got \\x00"},
    {POSENC_ERROR_FORMAT, TEXT("^\xEF\xBB\xBF{}"), "got \\xef"},
    {POSENC_ERROR_FORMAT, TEXT("^\x80\x04\x95."), "got \\x80"}, /* a pickle */
    {POSENC_ERROR_FORMAT, TEXT("^}"), "got }"},
    /* UTF-8, before anything else is looked at */
    {POSENC_ERROR_FORMAT, TEXT("{\"^\x80\":" GOOD "}"), "UTF-8, got \"\\x80\""},
    {POSENC_ERROR_FORMAT, TEXT("{\"^\xC0\x80\":" GOOD "}"), "UTF-8, got \"\\xc0\""},
    {POSENC_ERROR_FORMAT, TEXT("{\"^\xED\xA0\x80\":" GOOD "}"), "UTF-8"},
    {POSENC_ERROR_FORMAT, TEXT("{\"^\xF4\x90\x80\x80\":" GOOD "}"), "UTF-8"},
    {POSENC_ERROR_FORMAT, TEXT("{\"a\xC3\xA4^\xE2\x82\":" GOOD "}"), "UTF-8"},
    {POSENC_ERROR_FORMAT, TEXT("{\"a\":" GOOD "}^\xFF"), "UTF-8"},
    {POSENC_ERROR_FORMAT, TEXT("{nonsense ^\xFF"), "UTF-8"},
    {POSENC_ERROR_FORMAT, TEXT("{^\xC2\xA0}"), "a quoted key"},
    {POSENC_ERROR_FORMAT, TEXT(METADATA("{\"k\":\"^\xFF\"}")), "UTF-8"},
    {POSENC_ERROR_FORMAT, TEXT(DTYPE("\"F^\xFE\"")), "UTF-8"},
    /* JSON */
    {POSENC_ERROR_FORMAT, TEXT("{^"), "a quoted key, got the end of the text"},
    {POSENC_ERROR_FORMAT, TEXT("{ ^"), "a quoted key, got"},
    {POSENC_ERROR_FORMAT, TEXT("{\"a\":" GOOD "^"), "a comma or }, got the end of the text"},
    {POSENC_ERROR_FORMAT, TEXT("{\"a\":" GOOD ",^}"), "a quoted key"},
    {POSENC_ERROR_FORMAT, TEXT("{\"a\":" GOOD "}^}"), "blanks up to the end"},
    {POSENC_ERROR_FORMAT, TEXT("{\"a\":" GOOD "} ^{\"b\":1}"), "blanks up to the end, got \"{\""},
    {POSENC_ERROR_FORMAT, TEXT("{\"a\":" GOOD "}^\x00"), "blanks up to the end, got \"\\x00\""},
    {POSENC_ERROR_FORMAT, TEXT("{\"a\":" GOOD "}  ^\x00"), "blanks up to the end"},
    {POSENC_ERROR_FORMAT, TEXT("{^a:" GOOD "}"), "a quoted key"},
    {POSENC_ERROR_FORMAT, TEXT("{^'a':" GOOD "}"), "a quoted key"},
    {POSENC_ERROR_FORMAT, TEXT("{\"a\"^=" GOOD "}"), "a colon"},
    {POSENC_ERROR_FORMAT, TEXT("{\"a\":" GOOD "^;}"), "a comma or }"},
    {POSENC_ERROR_FORMAT, TEXT("{^/* */\"a\":" GOOD "}"), "a quoted key"},
    {POSENC_ERROR_FORMAT, TEXT("{\"a^\n\":" GOOD "}"), "a closing quote"},
    {POSENC_ERROR_FORMAT, TEXT("{\"a^\x00\":" GOOD "}"), "a closing quote, got \"\\x00\""},
    {POSENC_ERROR_FORMAT, TEXT("{\"a^\x1B[2J\":" GOOD "}"), "a closing quote, got \"\\x1b\""},
    {POSENC_ERROR_FORMAT, TEXT("{\"\\^x41\":" GOOD "}"), "an escape"},
    {POSENC_ERROR_FORMAT, TEXT("{\"^\\u0000\":" GOOD "}"), "text without NUL"},
    {POSENC_ERROR_FORMAT, TEXT("{\"weight^\\u0000hidden\":" GOOD "}"), "text without NUL"},
    {POSENC_ERROR_FORMAT, TEXT("{\"^\\ud800\":" GOOD "}"), "both halves of a surrogate pair"},
    {POSENC_ERROR_FORMAT, TEXT("{\"^\\udc00\\ud800\":" GOOD "}"), "both halves"},
    {POSENC_ERROR_FORMAT, TEXT(METADATA("{\"k^\\u0000\":\"v\"}")), "text without NUL"},
    {POSENC_ERROR_FORMAT, TEXT(METADATA("{\"k\":\"v^\\u0000\"}")), "text without NUL"},
    {POSENC_ERROR_FORMAT, TEXT(METADATA("{\"k\":\"^\\udfff\"}")), "both halves"},
    {POSENC_ERROR_FORMAT, TEXT("{\"a\":[[[[[[[[[[[[[[[^[1]]]]]]]]]]]]]]]]}"), "at most 16 levels of brackets"},
    {POSENC_ERROR_FORMAT,
     TEXT("{\"a\":{\"a\":{\"a\":{\"a\":{\"a\":{\"a\":{\"a\":{\"a\":{\"a\":{\"a\":{\"a\":{\"a\":{\"a\":{\"a\":{\"a\":{"
          "\"a\":^{"),
     "at most 16 levels of brackets"},
    /* entries */
    {POSENC_ERROR_FORMAT, TEXT("{\"a\":^null}"), "an entry {dtype, shape, data_offsets}, got null"},
    {POSENC_ERROR_FORMAT, TEXT("{\"a\":^\"F32\"}"), "an entry {dtype, shape, data_offsets}, got \"F32\""},
    {POSENC_ERROR_FORMAT, TEXT("{\"a\":^[\"F32\",[2],[0,8]]}"), "an entry"},
    {POSENC_ERROR_FORMAT, TEXT("{\"a\":^1}"), "an entry {dtype, shape, data_offsets}, got 1"},
    {POSENC_ERROR_FORMAT, TEXT("{\"a\":^true,\"b\":" GOOD "}"), "an entry"},
    {POSENC_ERROR_FORMAT, TEXT("{\"a\":^{}}"), "the member dtype"},
    {POSENC_ERROR_FORMAT, TEXT("{\"a\":^{\"shape\":[2],\"data_offsets\":[0,8]}}"), "the member dtype"},
    {POSENC_ERROR_FORMAT, TEXT("{\"a\":^{\"dtype\":\"F32\",\"data_offsets\":[0,8]}}"), "the member shape"},
    {POSENC_ERROR_FORMAT, TEXT("{\"a\":^{\"dtype\":\"F32\",\"shape\":[2]}}"), "the member data_offsets"},
    {POSENC_ERROR_FORMAT, TEXT("{\"a\":{\"dtype\":\"F32\",\"shape\":[2],\"data_offsets\":[0,8],^\"x\":1}}"),
     "got \"x\""},
    {POSENC_ERROR_FORMAT, TEXT("{\"a\":{^\"Dtype\":\"F32\",\"shape\":[2],\"data_offsets\":[0,8]}}"), "got \"Dtype\""},
    {POSENC_ERROR_FORMAT, TEXT("{\"a\":{^\"dtype \":\"F32\",\"shape\":[2],\"data_offsets\":[0,8]}}"), "got \"dtype \""},
    {POSENC_ERROR_FORMAT, TEXT("{\"a\":{^\"\":\"F32\",\"shape\":[2],\"data_offsets\":[0,8]}}"), "got \"\""},
    {POSENC_ERROR_FORMAT, TEXT("{\"a\":{^\"d\xD1\x82ype\":\"F32\",\"shape\":[2],\"data_offsets\":[0,8]}}"),
     "got \"d\\xd1\\x82ype\""}, /* a Cyrillic t */
    {POSENC_ERROR_FORMAT, TEXT("{\"a\":^{\"\\u0078\":1,\"dtype\":\"F32\"}}"), "got \"x\""},
    {POSENC_ERROR_FORMAT, TEXT("{\"a\":{\"b\":" GOOD "^"), "a comma or }"},
    {POSENC_ERROR_FORMAT, TEXT("{\"a\":{^\"b\":" GOOD "}}"), "dtype, shape and data_offsets, got \"b\""},
    /* the same key twice, on both levels */
    {POSENC_ERROR_FORMAT, TEXT("{\"a\":" GOOD ",^\"a\":" GOOD "}"), "each name once, got \"a\""},
    {POSENC_ERROR_FORMAT, TEXT("{\"a\":" GOOD ",^\"\\u0061\":" GOOD "}"), "each name once, got \"\\\\u0061\""},
    {POSENC_ERROR_FORMAT, TEXT("{\"\xC3\xA9\":" GOOD ",^\"\\u00e9\":" GOOD "}"), "each name once"},
    {POSENC_ERROR_FORMAT, TEXT("{\"\":" GOOD ",^\"\":" GOOD "}"), "each name once"},
    {POSENC_ERROR_FORMAT, TEXT("{" ENTRY("a", "U8", "[4]", "[4,8]") ",^" ENTRY("a", "U8", "[4]", "[0,4]") "}"),
     "each name once"},
    {POSENC_ERROR_FORMAT,
     TEXT("{" ENTRY("a", "U8", "[4]", "[0,4]") "," ENTRY("b", "U8", "[4]", "[4,8]") ",^" ENTRY("a", "U8", "[0]",
                                                                                               "[0,0]") "}"),
     "each name once"},
    {POSENC_ERROR_FORMAT, TEXT("{\"__metadata__\":{},\"a\":" GOOD ",^\"__metadata__\":{}}"), "each name once"},
    {POSENC_ERROR_FORMAT, TEXT("{\"__metadata__\":{},^\"__metad\\u0061ta__\":{},\"a\":" GOOD "}"), "each name once"},
    {POSENC_ERROR_FORMAT, TEXT(METADATA("{\"k\":\"1\",^\"k\":\"1\"}")), "each key of the metadata once, got \"k\""},
    {POSENC_ERROR_FORMAT, TEXT(METADATA("{\"k\":\"1\",\"l\":\"2\",^\"\\u006b\":\"3\"}")),
     "each key of the metadata once"},
    {POSENC_ERROR_FORMAT, TEXT("{\"a\":^{\"dtype\":\"F32\",\"dtype\":\"F32\",\"shape\":[2],\"data_offsets\":[0,8]}}"),
     "each member once"},
    {POSENC_ERROR_FORMAT, TEXT("{\"a\":^{\"dtype\":\"F32\",\"shape\":[2],\"shape\":[1],\"data_offsets\":[0,8]}}"),
     "each member once"},
    {POSENC_ERROR_FORMAT,
     TEXT("{\"a\":^{\"dtype\":\"F32\",\"shape\":[2],\"data_offsets\":[0,8],\"data_offsets\":[0,8]}}"),
     "each member once"},
    {POSENC_ERROR_FORMAT,
     TEXT("{\"a\":^{\"dtype\":\"F32\",\"shape\":[2],\"data_offsets\":[0,8],\"d\\u0074ype\":\"F32\"}}"),
     "each member once"},
    {POSENC_ERROR_FORMAT, TEXT("{\"a\":^{\"x\":1,\"x\":2}}"), "each member once"},
    /* metadata */
    {POSENC_ERROR_FORMAT, TEXT(METADATA("^null")), "an object of texts, got null"},
    {POSENC_ERROR_FORMAT, TEXT(METADATA("^[]")), "an object of texts, got []"},
    {POSENC_ERROR_FORMAT, TEXT(METADATA("^\"k\"")), "an object of texts"},
    {POSENC_ERROR_FORMAT, TEXT(METADATA("^0")), "an object of texts"},
    {POSENC_ERROR_FORMAT, TEXT(METADATA("{\"k\":^1}")), "a text, got 1"},
    {POSENC_ERROR_FORMAT, TEXT(METADATA("{\"k\":^null}")), "a text, got null"},
    {POSENC_ERROR_FORMAT, TEXT(METADATA("{\"k\":^true}")), "a text, got true"},
    {POSENC_ERROR_FORMAT, TEXT(METADATA("{\"k\":^[\"v\"]}")), "a text, got [\"v\"]"},
    {POSENC_ERROR_FORMAT, TEXT(METADATA("{\"k\":\"v\",\"l\":^{}}")), "a text, got {}"},
    {POSENC_ERROR_FORMAT, TEXT(METADATA("{\"k\":1^.5}")), "a whole number, got \".\""},
    {POSENC_ERROR_FORMAT, TEXT("{\"\\u005f_metadata__\":{\"dtype\":\"F32\",\"shape\":^[2]}}"), "a text, got [2]"},
    /* types */
    {POSENC_ERROR_FORMAT, TEXT(DTYPE("^null")), "a type such as \"F32\", got null"},
    {POSENC_ERROR_FORMAT, TEXT(DTYPE("^1")), "a type such as \"F32\", got 1"},
    {POSENC_ERROR_FORMAT, TEXT(DTYPE("^[\"F32\"]")), "a type such as \"F32\", got [\"F32\"]"},
    {POSENC_ERROR_FORMAT, TEXT(DTYPE("^{\"F\":32}")), "a type"},
    {POSENC_ERROR_FORMAT, TEXT(DTYPE("\"F32^\\u0000\"")), "text without NUL"},
    /* shapes */
    {POSENC_ERROR_FORMAT, TEXT(SHAPE("^null")), "a shape such as [2, 3], got null"},
    {POSENC_ERROR_FORMAT, TEXT(SHAPE("^2")), "a shape such as [2, 3], got 2"},
    {POSENC_ERROR_FORMAT, TEXT(SHAPE("^\"[2]\"")), "a shape such as [2, 3], got \"[2]\""},
    {POSENC_ERROR_FORMAT, TEXT(SHAPE("^{}")), "a shape"},
    {POSENC_ERROR_FORMAT, TEXT(SHAPE("^[null]")), "whole numbers from 0 on, got [null]"},
    {POSENC_ERROR_FORMAT, TEXT(SHAPE("^[\"2\"]")), "whole numbers from 0 on, got [\"2\"]"},
    {POSENC_ERROR_FORMAT, TEXT(SHAPE("^[[2]]")), "whole numbers from 0 on, got [[2]]"},
    {POSENC_ERROR_FORMAT, TEXT(SHAPE("^[true]")), "whole numbers"},
    {POSENC_ERROR_FORMAT, TEXT(SHAPE("^[{}]")), "whole numbers"},
    {POSENC_ERROR_FORMAT, TEXT(SHAPE("^[-2]")), "whole numbers from 0 on, got [-2]"},
    {POSENC_ERROR_FORMAT, TEXT(SHAPE("^[2,-1]")), "whole numbers from 0 on, got [2,-1]"},
    {POSENC_ERROR_FORMAT, TEXT(SHAPE("^[-1,-2]")), "whole numbers from 0 on"},
    {POSENC_ERROR_FORMAT, TEXT(SHAPE("^[-9223372036854775807]")), "whole numbers from 0 on"},
    {POSENC_ERROR_FORMAT, TEXT(SHAPE("[2^.0]")), "a whole number, got \".\""},
    {POSENC_ERROR_FORMAT, TEXT(SHAPE("[2^e0]")), "a whole number, got \"e\""},
    {POSENC_ERROR_FORMAT, TEXT(SHAPE("[0^2]")), "no leading zero"},
    {POSENC_ERROR_FORMAT, TEXT(SHAPE("[0^x2]")), "a comma or ]"},
    {POSENC_ERROR_FORMAT, TEXT(SHAPE("[^+2]")), "a value"},
    {POSENC_ERROR_FORMAT, TEXT(SHAPE("[2,^]")), "a value"},
    {POSENC_ERROR_FORMAT, TEXT(SHAPE("[^,2]")), "a value"},
    {POSENC_ERROR_FORMAT, TEXT(SHAPE("[1 ^2]")), "a comma or ]"},
    {POSENC_ERROR_FORMAT, TEXT(SHAPE("^(2)")), "a value"},
    {POSENC_ERROR_FORMAT, TEXT(SHAPE("[^\xD9\xA2]")), "a value, got \"\\xd9\""}, /* an Arabic 2 */
    {POSENC_ERROR_FORMAT, TEXT(SHAPE("[^9223372036854775808]")), "at most 2^63-1"},
    {POSENC_ERROR_FORMAT, TEXT(SHAPE("[2,^18446744073709551616]")), "at most 2^63-1"},
    {POSENC_ERROR_FORMAT, TEXT(SHAPE("[^18446744073709551618]")), "at most 2^63-1"}, /* 2, if it wrapped */
    {POSENC_ERROR_SHAPE,
     TEXT(SHAPE("^[1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,"
                "1,1,1,1,1,1,1,1,1,1,1,1,1,1,2]")),
     "at most 64 axes, got 65"},
    /* offsets */
    {POSENC_ERROR_FORMAT, TEXT(OFFSETS("^null")), "two offsets such as [0, 24], got null"},
    {POSENC_ERROR_FORMAT, TEXT(OFFSETS("^0")), "two offsets"},
    {POSENC_ERROR_FORMAT, TEXT(OFFSETS("^[]")), "two offsets such as [0, 24], got []"},
    {POSENC_ERROR_FORMAT, TEXT(OFFSETS("^[8]")), "two offsets"},
    {POSENC_ERROR_FORMAT, TEXT(OFFSETS("^[0,8,8]")), "two offsets such as [0, 24], got [0,8,8]"},
    {POSENC_ERROR_FORMAT, TEXT(OFFSETS("^{\"begin\":0,\"end\":8}")), "two offsets"},
    {POSENC_ERROR_FORMAT, TEXT(OFFSETS("^\"0,8\"")), "two offsets"},
    {POSENC_ERROR_FORMAT, TEXT(OFFSETS("^[\"0\",\"8\"]")), "whole numbers from 0 on"},
    {POSENC_ERROR_FORMAT, TEXT(OFFSETS("^[null,8]")), "whole numbers from 0 on"},
    {POSENC_ERROR_FORMAT, TEXT(OFFSETS("^[0,[8]]")), "whole numbers from 0 on"},
    {POSENC_ERROR_FORMAT, TEXT(OFFSETS("^[-8,0]")), "whole numbers from 0 on, got [-8,0]"},
    {POSENC_ERROR_FORMAT, TEXT(OFFSETS("^[0,-8]")), "whole numbers from 0 on"},
    {POSENC_ERROR_FORMAT, TEXT(OFFSETS("^[8,0]")), "an end that is not before the beginning, got [8,0]"},
    {POSENC_ERROR_FORMAT, TEXT(OFFSETS("^[9223372036854775807,0]")), "not before the beginning"},
    {POSENC_ERROR_FORMAT, TEXT(OFFSETS("[0,8^.0]")), "a whole number"},
    {POSENC_ERROR_FORMAT, TEXT(OFFSETS("[0,^9223372036854775808]")), "at most 2^63-1"},
    {POSENC_ERROR_FORMAT, TEXT(OFFSETS("[0,^18446744073709551624]")), "at most 2^63-1"}, /* 8, if it wrapped */
    {POSENC_ERROR_FORMAT, TEXT(OFFSETS("^[1,8]")), "the data of \"a\" to begin at 0, where those before end, got 1"},
    {POSENC_ERROR_FORMAT, TEXT(OFFSETS("^[8,16]")), "to begin at 0, where those before end, got 8"},
    {POSENC_ERROR_FORMAT, TEXT(OFFSETS("^[9223372036854775806,9223372036854775807]")), "to begin at 0"},
    {POSENC_ERROR_FORMAT, TEXT(OFFSETS("[0,0]") "^"), "the end of the file, as the header says, got 8 more bytes"},
    {POSENC_ERROR_FORMAT, TEXT("{}^"), "the end of the file, as the header says, got 8 more bytes"},
    {POSENC_ERROR_FORMAT, TEXT("{\"__metadata__\":{}}^"), "the end of the file"},
    /* gaps and overlaps, in the order of the data or not */
    {POSENC_ERROR_FORMAT, TEXT("{" ENTRY("a", "U8", "[3]", "[0,3]") "," ENTRY("b", "U8", "[4]", "^[4,8]") "}"),
     "\"b\" to begin at 3"},
    {POSENC_ERROR_FORMAT, TEXT("{" ENTRY("b", "U8", "[4]", "^[4,8]") "," ENTRY("a", "U8", "[3]", "[0,3]") "}"),
     "\"b\" to begin at 3"},
    {POSENC_ERROR_FORMAT, TEXT("{" ENTRY("a", "U8", "[5]", "[0,5]") "," ENTRY("b", "U8", "[4]", "^[4,8]") "}"),
     "begin at 5, where those before end, got 4"},
    {POSENC_ERROR_FORMAT, TEXT("{" ENTRY("a", "U8", "[8]", "[0,8]") "," ENTRY("b", "U8", "[8]", "^[0,8]") "}"),
     "\"b\" to begin at 8"},
    {POSENC_ERROR_FORMAT, TEXT("{" ENTRY("a", "U8", "[8]", "^[0,8]") "," ENTRY("b", "U8", "[1]", "[0,1]") "}"),
     "\"a\" to begin at 1"},
    {POSENC_ERROR_FORMAT, TEXT("{" ENTRY("a", "U8", "[8]", "[0,8]") "," ENTRY("b", "U8", "[2]", "^[3,5]") "}"),
     "\"b\" to begin at 8"},
    {POSENC_ERROR_FORMAT, TEXT("{" ENTRY("a", "U8", "[8]", "[0,8]") "," ENTRY("b", "U8", "[0]", "^[9,9]") "}"),
     "\"b\" to begin at 8"},
    {POSENC_ERROR_FORMAT, TEXT("{" ENTRY("a", "U8", "[8]", "[0,8]") "," ENTRY("b", "U8", "[0]", "^[4,4]") "}"),
     "\"b\" to begin at 8"},
    {POSENC_ERROR_FORMAT,
     TEXT("{" ENTRY("a", "U8", "[4]", "[0,4]") "," ENTRY("b", "U8", "[2]", "[4,6]") "," ENTRY("c", "U8", "[1]",
                                                                                              "^[7,8]") "}"),
     "\"c\" to begin at 6"},
    {POSENC_ERROR_FORMAT,
     TEXT("{" ENTRY("\\u001b[2J", "U8", "[4]", "[0,4]") "," ENTRY("\\u202eb", "U8", "[3]", "^[5,8]") "}"),
     "\"\\xe2\\x80\\xaeb\" to begin at 4"},
    /* order of the checks: gaps before sizes */
    {POSENC_ERROR_FORMAT, TEXT("{" ENTRY("a", "F32", "[7]", "[0,4]") "," ENTRY("b", "U8", "[3]", "^[5,8]") "}"),
     "\"b\" to begin at 4"},
    /* sizes */
    {POSENC_ERROR_FORMAT, TEXT(SHAPE("^[]")), "4 bytes for \"a\", F32 of shape (), got 8"},
    {POSENC_ERROR_FORMAT, TEXT(SHAPE("^[1]")), "4 bytes for \"a\", F32 of shape (1,), got 8"},
    {POSENC_ERROR_FORMAT, TEXT(SHAPE("^[3]")), "12 bytes for \"a\", F32 of shape (3,), got 8"},
    {POSENC_ERROR_FORMAT, TEXT(SHAPE("^[0]")), "0 bytes for \"a\", F32 of shape (0,), got 8"},
    {POSENC_ERROR_FORMAT, TEXT(SHAPE("^[2,2]")), "16 bytes for \"a\", F32 of shape (2, 2), got 8"},
    {POSENC_ERROR_FORMAT, TEXT(SHAPE("^[2,0]")), "0 bytes"},
    {POSENC_ERROR_FORMAT, TEXT(SHAPE("^[4294967296,4294967296]")),
     "a shape of at most 2^63-1 bytes for \"a\", got more"},
    {POSENC_ERROR_FORMAT, TEXT(SHAPE("^[4611686018427387906]")), "at most 2^63-1 bytes"}, /* 8, if it wrapped */
    {POSENC_ERROR_FORMAT, TEXT(SHAPE("^[2305843009213693952]")), "at most 2^63-1 bytes"},
    {POSENC_ERROR_FORMAT, TEXT(SHAPE("^[2305843009213693951]")), "9223372036854775804 bytes for \"a\""},
    {POSENC_ERROR_FORMAT, TEXT(SHAPE("^[65536,65536,65536,65536,2]")), "at most 2^63-1 bytes"},
    {POSENC_ERROR_FORMAT, TEXT(SHAPE("^[0,9223372036854775807,2]")), "at most 2^63-1 bytes"},
    {POSENC_ERROR_FORMAT, TEXT(SHAPE("^[9223372036854775807,0,2]")), "at most 2^63-1 bytes"},
    {POSENC_ERROR_FORMAT, TEXT(SHAPE("^[9223372036854775807,2,0]")), "at most 2^63-1 bytes"},
    {POSENC_ERROR_FORMAT,
     TEXT("{" ENTRY("a", "U8", "[8]", "[0,8]") "," ENTRY("b", "U8", "^[0,9223372036854775807,9223372036854775807]",
                                                         "[8,8]") "}"),
     "at most 2^63-1 bytes for \"b\""},
    {POSENC_ERROR_FORMAT, TEXT("{" ENTRY("a", "F64", "^[2]", "[0,8]") "}"), "16 bytes for \"a\", F64"},
    {POSENC_ERROR_FORMAT, TEXT("{" ENTRY("a", "BF16", "^[2]", "[0,8]") "}"), "4 bytes for \"a\", BF16"},
    {POSENC_ERROR_FORMAT, TEXT("{" ENTRY("a", "BOOL", "^[2]", "[0,8]") "}"), "2 bytes for \"a\", BOOL"},
    {POSENC_ERROR_FORMAT, TEXT("{" ENTRY("a", "C64", "^[2]", "[0,8]") "}"), "16 bytes for \"a\", C64"},
    {POSENC_ERROR_FORMAT, TEXT("{" ENTRY("a", "F8_E4M3", "^[2,2]", "[0,8]") "}"), "4 bytes for \"a\", F8_E4M3"},
    {POSENC_ERROR_FORMAT, TEXT("{" ENTRY("a", "F8_E5M2", "^[16]", "[0,8]") "}"), "16 bytes"},
    {POSENC_ERROR_FORMAT, TEXT("{" ENTRY("a", "F4", "^[15]", "[0,8]") "}"), "a shape of whole bytes for \"a\" of F4"},
    {POSENC_ERROR_FORMAT, TEXT("{" ENTRY("a", "F4", "^[18]", "[0,8]") "}"), "9 bytes for \"a\", F4"},
    {POSENC_ERROR_FORMAT, TEXT("{" ENTRY("a", "F6_E2M3", "^[8]", "[0,8]") "}"), "6 bytes for \"a\", F6_E2M3"},
    {POSENC_ERROR_FORMAT, TEXT("{" ENTRY("a", "F6_E3M2", "^[10]", "[0,8]") "}"), "whole bytes"},
    {POSENC_ERROR_FORMAT, TEXT("{" ENTRY("a", "F32", "[1]", "[0,4]") "," ENTRY("b", "F32", "^[2]", "[4,8]") "}"),
     "8 bytes for \"b\""},
    /* keys with escapes are understood; the entry is blamed as a whole */
    {POSENC_ERROR_FORMAT, TEXT("{\"a\":^{\"dt\\u0079pe\":1,\"shape\":[2],\"data_offsets\":[0,8]}}"), "a type such as"},
    {POSENC_ERROR_FORMAT, TEXT("{\"a\":^{\"dtype\":\"F32\",\"sh\\u0061pe\":2,\"data_offsets\":[0,8]}}"),
     "a shape such"},
    {POSENC_ERROR_FORMAT, TEXT("{\"a\":^{\"dtype\":\"F32\",\"sh\\u0061pe\":[3],\"data_offsets\":[0,8]}}"), "12 bytes"},
    {POSENC_ERROR_FORMAT, TEXT("{\"a\":^{\"dtype\":\"F32\",\"shape\":[2],\"data_o\\u0066fsets\":[1,8]}}"),
     "begin at 0"},
    {POSENC_ERROR_FORMAT, TEXT("{\"a\":^{\"dtype\":\"F32\",\"shape\":[2],\"data_o\\u0066fsets\":[8]}}"), "two offsets"},
    /* an unknown type is held to its bytes all the same */
    {POSENC_ERROR_FORMAT, TEXT("{" ENTRY("a", "X9", "[2]", "^[1,8]") "}"), "to begin at 0"},
    {POSENC_ERROR_FORMAT, TEXT("{" ENTRY("a", "X9", "^[-2]", "[0,8]") "}"), "whole numbers from 0 on"},
};
enum { HEADERS = sizeof headers / sizeof *headers };

/* Whole files. */
static const bad files[] = {
    {POSENC_ERROR_FORMAT, TEXT("^"), "8 bytes of header length, got the end of the file"},
    {POSENC_ERROR_FORMAT, TEXT("\x02^"), "8 bytes of header length"},
    {POSENC_ERROR_FORMAT, TEXT("\x02\x00\x00\x00\x00\x00\x00^"), "8 bytes of header length"},
    {POSENC_ERROR_FORMAT, TEXT("\x00\x00\x00\x00\x00\x00\x00\x00^"), "{ at the beginning of the header"},
    {POSENC_ERROR_FORMAT, TEXT("\x00\x00\x00\x00\x00\x00\x00\x00^{}"), "{ at the beginning of the header"},
    {POSENC_ERROR_FORMAT, TEXT("\x02\x00\x00\x00\x00\x00\x00\x00^"), "2 bytes of header, got the end of the file"},
    {POSENC_ERROR_FORMAT, TEXT("\x02\x00\x00\x00\x00\x00\x00\x00{^"), "2 bytes of header"},
    {POSENC_ERROR_FORMAT, TEXT("\x03\x00\x00\x00\x00\x00\x00\x00{}^"), "3 bytes of header"},
    {POSENC_ERROR_FORMAT, TEXT("\x01\x00\x00\x00\x00\x00\x00\x00{^}"), "a quoted key, got the end of the text"},
    {POSENC_ERROR_FORMAT, TEXT("\x02\x00\x00\x00\x00\x00\x00\x00{}^x"), "the end of the file"},
    {POSENC_ERROR_FORMAT, TEXT("\x00\xE1\xF5\x05\x00\x00\x00\x00{}^"), "100000000 bytes of header"},
    {POSENC_ERROR_FORMAT, TEXT("^\x01\xE1\xF5\x05\x00\x00\x00\x00{}"), "at most 100000000 bytes, got 100000001"},
    {POSENC_ERROR_FORMAT, TEXT("^\xFF\xFF\xFF\xFF\x00\x00\x00\x00{}"), "got 4294967295"},
    {POSENC_ERROR_FORMAT, TEXT("^\x02\x00\x00\x00\x01\x00\x00\x00{}"), "got 4294967298"}, /* 2, if cut to 32 bits */
    {POSENC_ERROR_FORMAT, TEXT("^\x00\x00\x00\x00\x00\x00\x00\x80{}"), "got 9223372036854775808"},
    {POSENC_ERROR_FORMAT, TEXT("^\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF{}"), "got 18446744073709551615"},
    {POSENC_ERROR_FORMAT, TEXT("^\xF8\xFF\xFF\xFF\xFF\xFF\xFF\xFF{}"), "at most 100000000"}, /* 0, with the prefix */
    {POSENC_ERROR_FORMAT, TEXT("^\x00\x00\x00\x00\x00\x00\x00\x02{}"), "at most 100000000"}, /* big-endian */
    {POSENC_ERROR_FORMAT, TEXT("PK\x03\x04\x00\x00\x00\x00\x00\x00^"), "got the end of the file: a zip archive, as"},
    {POSENC_ERROR_FORMAT, TEXT("^PK\x03\x04\x00\x00\x08\x08\x00\x00"), ": a zip archive, as .pt and .npz are"},
    {POSENC_ERROR_FORMAT, TEXT("^\x93NUMPY\x01\x00\x76\x00"), ": a .npy file"},
    {POSENC_ERROR_FORMAT, TEXT("^\x80\x04\x95\x10\x00\x00\x00\x00\x00\x00\x00"), ": a Python pickle"},
    {POSENC_ERROR_FORMAT, TEXT("^\x80\x02\x8A\nl\xFC\x9C\x46\xF9 j\xA8P\x19."), ": a Python pickle"},
    {POSENC_ERROR_FORMAT, TEXT("^GGUF\x03\x00\x00\x00\x01\x00"), ": a GGUF file"},
    {POSENC_ERROR_FORMAT, TEXT("^version https://git-lfs.github.com/spec/v1\n"),
     ": a Git LFS pointer, get the file itself"},
    {POSENC_ERROR_FORMAT, TEXT("^{\"a\":{\"dtype\":\"F32\"}}"), "at most 100000000"},
    {POSENC_ERROR_FORMAT,
     TEXT("\x35\x00\x00\x00\x00\x00\x00\x00{\"a\":{\"dtype\":\"U8\",\"shape\":[8],\"data_offsets\":[0,8]}}^"),
     "8 bytes of data, got the end of the file after 0"},
    {POSENC_ERROR_FORMAT,
     TEXT("\x35\x00\x00\x00\x00\x00\x00\x00{\"a\":{\"dtype\":\"U8\",\"shape\":[8],\"data_offsets\":[0,8]}}1234567^"),
     "8 bytes of data, got the end of the file after 7"},
    {POSENC_ERROR_FORMAT,
     TEXT("\x35\x00\x00\x00\x00\x00\x00\x00{\"a\":{\"dtype\":\"U8\",\"shape\":[8],\"data_offsets\":[0,8]}}12345678^9"),
     "got 1 more bytes"},
    {POSENC_ERROR_FORMAT,
     TEXT("\x59\x00\x00\x00\x00\x00\x00\x00{\"a\":{\"dtype\":\"U8\",\"shape\":[9223372036854775807],\"data_offsets\":["
          "0,9223372036854775807]}}^"),
     "9223372036854775807 bytes of data, got the end of the file after 0"},
};
enum { FILES = sizeof files / sizeof *files };

static void must_refuse(const char *what, const uint8_t *bytes, size_t n, const bad *expected, int64_t offset) {
    posenc_error error = {.offset = -7, .message = ""};
    posenc_status status = safetensors_bytes_open(bytes, n, &error);
    check(status == expected->status, "%s: %s (%s)", what, posenc_status_name(status), error.message);
    check(error.status == status && strcmp(error.argument, "x.safetensors") == 0, "%s: %s", what, error.argument);
    check(error.offset == offset, "%s: byte %lld and not %lld (%s)", what, (long long)error.offset, (long long)offset,
          error.message);
    check(strstr(error.message, expected->says), "%s: %s, without %s", what, error.message, expected->says);
}

static void malformed_headers(void **state) {
    (void)state;
    assert_true(HEADERS + FILES >= 150);
    for (int i = 0; i < HEADERS; i++) {
        size_t n, at;
        uint8_t *header = unmark(headers[i].marked, &n, &at);
        safetensors_bytes file = safetensors_bytes_make(header, n, DATA);
        must_refuse(headers[i].marked.bytes, file.bytes, file.n, &headers[i], (int64_t)(8 + at));
        safetensors_bytes_end(&file);
        free(header);
    }
}

static void malformed_files(void **state) {
    (void)state;
    for (int i = 0; i < FILES; i++) {
        char what[32] = "file 00";
        what[5] = (char)('0' + i / 10), what[6] = (char)('0' + i % 10);
        size_t n, at;
        uint8_t *bytes = unmark(files[i].marked, &n, &at);
        must_refuse(what, bytes, n, &files[i], (int64_t)at);
        free(bytes);
    }
}

/* Headers of many megabytes. */
static void must_refuse_long(const char *header, size_t n, posenc_status status, int64_t offset, const char *says) {
    safetensors_bytes file = safetensors_bytes_make(header, n, 0);
    must_refuse(says, file.bytes, file.n, &(bad){status, {"", 0}, says}, offset);
    safetensors_bytes_end(&file);
}

static void long_nonsense(void **state) {
    enum { N = POSENC_SAFETENSORS_MOST_TEXT };
    char *header = must_allocate(N + 1);
    (void)state;
    memset(header, ' ', N + 1);
    header[0] = '{';
    must_refuse_long(header, N + 1, POSENC_ERROR_UNSUPPORTED, 0, "at most 16777216 bytes, the most that is read here");
    must_refuse_long(header, N, POSENC_ERROR_FORMAT, 8 + N, "a quoted key, got the end of the text");
    for (size_t i = 0; i + 5 <= N; i += 5) memcpy(header + i, "{\"\":[", 5);
    must_refuse_long(header, N, POSENC_ERROR_FORMAT, 8 + 8 * 5, "at most 16 levels");
    memset(header, 'a', N);
    memcpy(header, "{\"", 2);
    must_refuse_long(header, N, POSENC_ERROR_FORMAT, 8 + N, "a closing quote, got the end of the text");
    free(header);
}

/* A million tokens and a half, in one entry and as values that are no entries. */
static void million_tokens(void **state) {
    enum { N = 3000000 };
    static const char start[] = "{\"a\":{\"dtype\":\"F32\",\"data_offsets\":[0,0],\"shape\":[";
    char *header = must_allocate(N);
    (void)state;
    for (size_t i = N % 2; i + 2 <= N; i += 2) memcpy(header + i, "1,", 2);
    memcpy(header, start, sizeof start - 1);
    memcpy(header + N - 5, ",1]}}", 5);
    must_refuse_long(header, N, POSENC_ERROR_FORMAT, 8 + 5, "an entry of at most 65536 bytes");
    for (size_t i = 0; i + 3 <= N; i += 3) memcpy(header + i, "[],", 3);
    memcpy(header, "{\"\":[[", 6);
    header[6] = ']', header[7] = ' ', header[8] = ',';
    memcpy(header + N - 3, "1]}", 3);
    must_refuse_long(header, N, POSENC_ERROR_FORMAT, 8 + 4, "an entry {dtype, shape, data_offsets}");
    free(header);
}

static void too_many_tokens(void **state) {
    enum { MOST = 1 << 22, N = 2 * MOST + 16 };
    char *header = must_allocate(N);
    (void)state;
    memcpy(header, "{\"a\":[", 6);
    for (size_t i = 6; i + 2 <= N; i += 2) memcpy(header + i, "1,", 2);
    /* beside the object, its key and the array, MOST - 3 numbers are allowed */
    must_refuse_long(header, N, POSENC_ERROR_FORMAT, 8 + 6 + 2 * (MOST - 3), "at most 4194304 keys and values");
    free(header);
}

/* Without jansson nothing is read, and that is what is said. */
static void not_in_this_build(void **state) {
    safetensors_bytes file = safetensors_bytes_make("{}", 2, 0);
    posenc_error error = {.message = ""};
    (void)state;
    assert_int_equal(safetensors_bytes_open(file.bytes, file.n, &error), POSENC_ERROR_UNSUPPORTED);
    check(strstr(error.message, "jansson"), "%s", error.message);
    safetensors_bytes_end(&file);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(malformed_headers), cmocka_unit_test(malformed_files), cmocka_unit_test(long_nonsense),
        cmocka_unit_test(million_tokens),    cmocka_unit_test(too_many_tokens),
    };
    const struct CMUnitTest without[] = {cmocka_unit_test(not_in_this_build)};
    return safetensors_are_read() ? TEST_RUN(tests) : TEST_RUN(without);
}
