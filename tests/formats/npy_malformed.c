/* Files that are not what they say: each with the status and the byte offset of the error.
 * The tables mark the byte that the error must name with a ^ before it; it is taken out before the file is made. */
#include <stdlib.h>
#include <string.h>

#include "formats/npy.h"
#include "marked.h"
#include "memory_io.h"
#include "npy_bytes.h"
#include "support/allocator.h"
#include "support/tensors.h"
#include "support/test.h"

/* Headers, in a file of version 1.0 with four bytes of data. */
static const bad headers[] = {
    /* not a dict */
    {POSENC_ERROR_FORMAT, TEXT("^"), "expected {, got the end of the header"},
    {POSENC_ERROR_FORMAT, TEXT("   \n^"), "expected {, got the end of the header"},
    {POSENC_ERROR_FORMAT, TEXT("^['descr']"), "expected {, got \"[\""},
    {POSENC_ERROR_FORMAT, TEXT("^('descr', '<f4')"), "expected {"},
    {POSENC_ERROR_FORMAT, TEXT("^'descr'"), "expected {"},
    {POSENC_ERROR_FORMAT, TEXT("^dict(descr='<f4')"), "expected {"},
    {POSENC_ERROR_FORMAT, TEXT("^\x80\x04\x95\x10"), "expected {, got \"\\x80\""}, /* a pickle */
    {POSENC_ERROR_FORMAT, TEXT("^c__builtin__\neval\n"), "expected {"},
    {POSENC_ERROR_FORMAT, TEXT("^\x00{'descr': '<f4', 'fortran_order': False, 'shape': (1,)}"), "got \"\\x00\""},
    {POSENC_ERROR_FORMAT, TEXT("^# a comment\n{'descr': '<f4'}"), "expected {"},
    {POSENC_ERROR_FORMAT, TEXT("^\xEF\xBB\xBF{'descr': '<f4'}"), "expected {, got \"\\xef\""},
    /* keys */
    {POSENC_ERROR_FORMAT, TEXT("{^"), "expected a quoted key, got the end of the header"},
    {POSENC_ERROR_FORMAT, TEXT("{^}"), "expected the key 'descr'"},
    {POSENC_ERROR_FORMAT, TEXT("{ ^}"), "expected the key 'descr'"},
    {POSENC_ERROR_FORMAT, TEXT("{^, }"), "expected a quoted key, got \",\""},
    {POSENC_ERROR_FORMAT, TEXT("{^descr: '<f4'}"), "expected a quoted key, got \"d\""},
    {POSENC_ERROR_FORMAT, TEXT("{^1: 2}"), "expected a quoted key"},
    {POSENC_ERROR_FORMAT, TEXT("{^u'descr': '<f4'}"), "expected a quoted key, got \"u\""},
    {POSENC_ERROR_FORMAT, TEXT("{^b'descr': '<f4'}"), "expected a quoted key, got \"b\""},
    {POSENC_ERROR_FORMAT, TEXT("{^'': '<f4'}"), "got ''"},
    {POSENC_ERROR_FORMAT, TEXT("{^'desc': '<f4'}"), "got 'desc'"},
    {POSENC_ERROR_FORMAT, TEXT("{^'descr ': '<f4'}"), "got 'descr '"},
    {POSENC_ERROR_FORMAT, TEXT("{^'Descr': '<f4'}"), "got 'Descr'"},
    {POSENC_ERROR_FORMAT, TEXT("{^'descr\x00': '<f4'}"), "got 'descr\\x00'"},
    {POSENC_ERROR_FORMAT, TEXT("{^'d\xD0\xB5scr': '<f4'}"), "got 'd\\xd0\\xb5scr'"}, /* a Cyrillic e */
    {POSENC_ERROR_FORMAT,
     TEXT("{^'\xE2\x80\xAE"
          "rcsed': '<f4'}"),
     "got '\\xe2\\x80\\xaercsed'"},
    {POSENC_ERROR_FORMAT, TEXT("{^'\x1B[2Jdescr': '<f4'}"), "got '\\x1b[2Jdescr'"},
    {POSENC_ERROR_FORMAT, TEXT("{'de^\\x73cr': '<f4'}"), "expected a closing quote, got \"\\\\\""},
    {POSENC_ERROR_FORMAT, TEXT("{'desc^\nr': '<f4'}"), "expected a closing quote, got \"\\x0a\""},
    {POSENC_ERROR_FORMAT, TEXT("{'descr^"), "expected a closing quote, got the end of the header"},
    {POSENC_ERROR_FORMAT, TEXT("{^'descr\": '<f4', "), "got 'descr\": '"},
    {POSENC_ERROR_FORMAT, TEXT("{'descr' ^'<f4'}"), "expected a colon, got \"'\""},
    {POSENC_ERROR_FORMAT, TEXT("{'descr'^, '<f4'}"), "expected a colon, got \",\""},
    {POSENC_ERROR_FORMAT, TEXT("{'descr'^"), "expected a colon, got the end of the header"},
    {POSENC_ERROR_FORMAT, TEXT("{'descr' ^'x': '<f4'}"), "expected a colon"},
    {POSENC_ERROR_FORMAT, TEXT("{^'aligned': True, 'descr': '<f4', 'fortran_order': False, 'shape': (1,)}"),
     "got 'aligned'"},
    {POSENC_ERROR_FORMAT, TEXT("{'descr': '<f4', 'fortran_order': False, 'shape': (1,), ^'more': 0}"), "got 'more'"},
    {POSENC_ERROR_FORMAT, TEXT("{'descr': '<f4', ^'descr': '<f8', 'fortran_order': False, 'shape': (1,)}"),
     "got another 'descr'"},
    {POSENC_ERROR_FORMAT, TEXT("{'descr': '<f4', 'fortran_order': False, 'shape': (1,), ^'shape': (2,)}"),
     "got another 'shape'"},
    {POSENC_ERROR_FORMAT, TEXT("{'fortran_order': False, ^'fortran_order': False, 'descr': '<f4', 'shape': (1,)}"),
     "got another 'fortran_order'"},
    {POSENC_ERROR_FORMAT, TEXT("{'descr': '<f4', 'fortran_order': False^}"), "expected the key 'shape'"},
    {POSENC_ERROR_FORMAT, TEXT("{'descr': '<f4', 'shape': (1,), ^}"), "expected the key 'fortran_order'"},
    {POSENC_ERROR_FORMAT, TEXT("{'fortran_order': False, 'shape': (1,)^}"), "expected the key 'descr'"},
    /* around and behind the entries */
    {POSENC_ERROR_FORMAT, TEXT("{'descr': '<f4'^"), "expected a comma or }, got the end of the header"},
    {POSENC_ERROR_FORMAT, TEXT("{'descr': '<f4' ^'fortran_order': False}"), "expected a comma or }"},
    {POSENC_ERROR_FORMAT, TEXT("{'descr': '<f4'^; 'fortran_order': False}"), "expected a comma or }, got \";\""},
    {POSENC_ERROR_FORMAT, TEXT("{'descr': '<f4',^, 'fortran_order': False}"), "expected a quoted key, got \",\""},
    {POSENC_ERROR_FORMAT, TEXT("{'descr': '<f4' ^'<f8', 'fortran_order': False, 'shape': (1,)}"), "a comma or }"},
    {POSENC_ERROR_FORMAT, TEXT("{'descr': '<f4'^.lower(), 'fortran_order': False}"), "a comma or }, got \".\""},
    {POSENC_ERROR_FORMAT, TEXT("{'descr': '<f4', 'fortran_order': False, 'shape': (1,)^)"), "a comma or }, got \")\""},
    {POSENC_ERROR_FORMAT, TEXT("{'descr': '<f4', 'fortran_order': False, 'shape': (1,)}^}"), "blanks up to the end"},
    {POSENC_ERROR_FORMAT, TEXT("{'descr': '<f4', 'fortran_order': False, 'shape': (1,)} ^# x"), "blanks up to the end"},
    {POSENC_ERROR_FORMAT, TEXT("{'descr': '<f4', 'fortran_order': False, 'shape': (1,)}^\x00\x00\x00"),
     "blanks up to the end of the header, got \"\\x00\""},
    {POSENC_ERROR_FORMAT, TEXT("{'descr': '<f4', 'fortran_order': False, 'shape': (1,)}\n^{}"), "blanks"},
    {POSENC_ERROR_FORMAT, TEXT("{'descr': '<f4', 'fortran_order': False, 'shape': (1,)}^, 1"), "blanks"},
    {POSENC_ERROR_FORMAT, TEXT("{'descr': '<f4', 'fortran_order': False, 'shape': (1,)}^\x0C"), "blanks"},
    {POSENC_ERROR_FORMAT, TEXT("{'descr': '<f4',^\xC2\xA0'fortran_order': False, 'shape': (1,)}"), "got \"\\xc2\""},
    /* dtypes */
    {POSENC_ERROR_FORMAT, TEXT("{'descr': ^"), "a quoted type such as '<f4', got the end of the header"},
    {POSENC_ERROR_FORMAT, TEXT("{'descr': ^None, 'fortran_order': False}"), "a quoted type"},
    {POSENC_ERROR_FORMAT, TEXT("{'descr': ^float, 'fortran_order': False}"), "a quoted type"},
    {POSENC_ERROR_FORMAT, TEXT("{'descr': ^{'names': []}}"), "a quoted type"},
    {POSENC_ERROR_FORMAT, TEXT("{'descr': '<f4^"), "a closing quote"},
    {POSENC_ERROR_DTYPE, TEXT("{'descr': ^[('x', '<f4'), ('y', '<f4')]}"), "save each field by itself"},
    {POSENC_ERROR_DTYPE, TEXT("{'descr': ^[('', '|O')]}"), "a structured type"},
    {POSENC_ERROR_DTYPE, TEXT("{'descr': ^('<f4', (2,))}"), "a structured type"},
    {POSENC_ERROR_DTYPE, TEXT("{'descr': ^'|O'}"), "pickled Python code, which is never loaded"},
    {POSENC_ERROR_DTYPE, TEXT("{'descr': ^'O', 'fortran_order': False, 'shape': (1,)}"), "never loaded"},
    {POSENC_ERROR_DTYPE, TEXT("{'descr': ^'|O8'}"), "never loaded"},
    {POSENC_ERROR_DTYPE, TEXT("{'descr': ^'<c8'}"), "complex numbers"},
    {POSENC_ERROR_DTYPE, TEXT("{'descr': ^'>c16'}"), "complex numbers"},
    {POSENC_ERROR_DTYPE, TEXT("{'descr': ^'<U10'}"), "text is not numbers"},
    {POSENC_ERROR_DTYPE, TEXT("{'descr': ^'|S4'}"), "text is not numbers"},
    {POSENC_ERROR_DTYPE, TEXT("{'descr': ^'|a4'}"), "text is not numbers"},
    {POSENC_ERROR_DTYPE, TEXT("{'descr': ^'|T16'}"), "text is not numbers"},
    {POSENC_ERROR_DTYPE, TEXT("{'descr': ^'|V2'}"), "bfloat16 belongs into .safetensors"},
    {POSENC_ERROR_DTYPE, TEXT("{'descr': ^'<V2'}"), "bfloat16 belongs into .safetensors"},
    {POSENC_ERROR_DTYPE, TEXT("{'descr': ^'<M8[ns]'}"), "dates are not numbers"},
    {POSENC_ERROR_DTYPE, TEXT("{'descr': ^'<m8'}"), "durations are not numbers"},
    {POSENC_ERROR_DTYPE, TEXT("{'descr': ^'<f16'}"), "floating point of this width"},
    {POSENC_ERROR_DTYPE, TEXT("{'descr': ^'<f1'}"), "floating point of this width"},
    {POSENC_ERROR_DTYPE, TEXT("{'descr': ^'<f3'}"), "floating point of this width"},
    {POSENC_ERROR_DTYPE, TEXT("{'descr': ^'<i16'}"), "integers of this width"},
    {POSENC_ERROR_DTYPE, TEXT("{'descr': ^'<u0'}"), "integers of this width"},
    {POSENC_ERROR_DTYPE, TEXT("{'descr': ^'<i'}"), "integers of this width"},
    {POSENC_ERROR_DTYPE, TEXT("{'descr': ^'f4'}"), "got 'f4': a byte order, a kind and a width belong here"},
    {POSENC_ERROR_DTYPE, TEXT("{'descr': ^'float32'}"), "got 'float32': a byte order, a kind"},
    {POSENC_ERROR_DTYPE, TEXT("{'descr': ^'int64'}"), "got 'int64': a byte order, a kind"},
    {POSENC_ERROR_DTYPE, TEXT("{'descr': ^'bool'}"), "got 'bool': a byte order, a kind"},
    {POSENC_ERROR_DTYPE, TEXT("{'descr': ^''}"), "got '': a byte order, a kind"},
    {POSENC_ERROR_DTYPE, TEXT("{'descr': ^'<'}"), "got '<': a byte order, a kind"},
    {POSENC_ERROR_DTYPE, TEXT("{'descr': ^'<<f4'}"), "got '<<f4'"},
    {POSENC_ERROR_DTYPE, TEXT("{'descr': ^'!f4'}"), "got '!f4'"},
    {POSENC_ERROR_DTYPE, TEXT("{'descr': ^' <f4'}"), "got ' <f4'"},
    {POSENC_ERROR_DTYPE, TEXT("{'descr': ^'<f4 '}"), "got '<f4 '"},
    {POSENC_ERROR_DTYPE, TEXT("{'descr': ^'<f\x00'}"), "got '<f\\x00'"},
    {POSENC_ERROR_DTYPE, TEXT("{'descr': ^'<f4,<f4'}"), "got '<f4,<f4'"},
    {POSENC_ERROR_DTYPE, TEXT("{'descr': ^'(2,)<f4'}"), "got '(2,)<f4'"},
    {POSENC_ERROR_DTYPE, TEXT("{'descr': ^'|b2'}"), "got '|b2'"},
    {POSENC_ERROR_DTYPE, TEXT("{'descr': ^'<\?\?'}"), "got '<\?\?'"},
    {POSENC_ERROR_DTYPE, TEXT("{'descr': ^'<f444444444444444444444444444444444444444444444444444444444444444444444'}"),
     "44..."},
    /* order of the axes */
    {POSENC_ERROR_FORMAT, TEXT("{'fortran_order': ^"), "True or False, got the end of the header"},
    {POSENC_ERROR_FORMAT, TEXT("{'fortran_order': ^true}"), "True or False, got \"t\""},
    {POSENC_ERROR_FORMAT, TEXT("{'fortran_order': ^1}"), "True or False, got \"1\""},
    {POSENC_ERROR_FORMAT, TEXT("{'fortran_order': ^'True'}"), "True or False"},
    {POSENC_ERROR_FORMAT, TEXT("{'fortran_order': ^Tru"), "True or False"},
    {POSENC_ERROR_FORMAT, TEXT("{'fortran_order': ^Truest}"), "True or False"},
    {POSENC_ERROR_FORMAT, TEXT("{'fortran_order': ^False_}"), "True or False"},
    {POSENC_ERROR_FORMAT, TEXT("{'fortran_order': ^None}"), "True or False"},
    {POSENC_ERROR_FORMAT, TEXT("{'fortran_order': False ^or True}"), "a comma or }"},
    /* shapes */
    {POSENC_ERROR_FORMAT, TEXT("{'shape': ^"), "a tuple of extents such as (2, 3), got the end of the header"},
    {POSENC_ERROR_FORMAT, TEXT("{'shape': ^3}"), "a tuple of extents"},
    {POSENC_ERROR_FORMAT, TEXT("{'shape': ^[3]}"), "a tuple of extents"},
    {POSENC_ERROR_FORMAT, TEXT("{'shape': ^None}"), "a tuple of extents"},
    {POSENC_ERROR_FORMAT, TEXT("{'shape': ^'(3,)'}"), "a tuple of extents"},
    {POSENC_ERROR_FORMAT, TEXT("{'shape': (^"), "an extent of digits, got the end of the header"},
    {POSENC_ERROR_FORMAT, TEXT("{'shape': (3^)}"), "a comma, as in (3,)"},
    {POSENC_ERROR_FORMAT, TEXT("{'shape': (3^"), "a comma or ), got the end of the header"},
    {POSENC_ERROR_FORMAT, TEXT("{'shape': (3,^"), "an extent of digits, got the end of the header"},
    {POSENC_ERROR_FORMAT, TEXT("{'shape': (^,)}"), "an extent of digits, got \",\""},
    {POSENC_ERROR_FORMAT, TEXT("{'shape': (2,^,3)}"), "an extent of digits, got \",\""},
    {POSENC_ERROR_FORMAT, TEXT("{'shape': (2 ^3)}"), "a comma or ), got \"3\""},
    {POSENC_ERROR_FORMAT, TEXT("{'shape': (^-1,)}"), "an extent of digits, got \"-\""},
    {POSENC_ERROR_FORMAT, TEXT("{'shape': (2, ^-9223372036854775808)}"), "an extent of digits, got \"-\""},
    {POSENC_ERROR_FORMAT, TEXT("{'shape': (^+1,)}"), "an extent of digits, got \"+\""},
    {POSENC_ERROR_FORMAT, TEXT("{'shape': (1^.0,)}"), "a comma or ), got \".\""},
    {POSENC_ERROR_FORMAT, TEXT("{'shape': (1^e3,)}"), "a comma or ), got \"e\""},
    {POSENC_ERROR_FORMAT, TEXT("{'shape': (0^x10,)}"), "a comma or ), got \"x\""},
    {POSENC_ERROR_FORMAT, TEXT("{'shape': (0^1,)}"), "no leading zero, got \"1\""},
    {POSENC_ERROR_FORMAT, TEXT("{'shape': (0^0,)}"), "no leading zero, got \"0\""},
    {POSENC_ERROR_FORMAT, TEXT("{'shape': (1^_000,)}"), "a comma or ), got \"_\""},
    {POSENC_ERROR_FORMAT, TEXT("{'shape': (1L^L,)}"), "a comma or ), got \"L\""},
    {POSENC_ERROR_FORMAT, TEXT("{'shape': (1^l,)}"), "a comma or ), got \"l\""},
    {POSENC_ERROR_FORMAT, TEXT("{'shape': (^L,)}"), "an extent of digits, got \"L\""},
    {POSENC_ERROR_FORMAT, TEXT("{'shape': (^True,)}"), "an extent of digits"},
    {POSENC_ERROR_FORMAT, TEXT("{'shape': (^'3',)}"), "an extent of digits"},
    {POSENC_ERROR_FORMAT, TEXT("{'shape': (^(3,),)}"), "an extent of digits, got \"(\""},
    {POSENC_ERROR_FORMAT, TEXT("{'shape': (3^*2,)}"), "a comma or ), got \"*\""},
    {POSENC_ERROR_FORMAT, TEXT("{'shape': (^\xD9\xA3,)}"), "an extent of digits, got \"\\xd9\""}, /* Arabic 3 */
    {POSENC_ERROR_FORMAT, TEXT("{'shape': (3^\x00,)}"), "a comma or ), got \"\\x00\""},
    {POSENC_ERROR_FORMAT, TEXT("{'shape': (^9223372036854775808,)}"), "at most 2^63-1, got 9223372036854775808"},
    {POSENC_ERROR_FORMAT, TEXT("{'shape': (1, ^18446744073709551617)}"), "at most 2^63-1"},
    {POSENC_ERROR_FORMAT, TEXT("{'shape': (^99999999999999999999999999999999999999999999999999999999,)}"), "9..."},
    {POSENC_ERROR_FORMAT, TEXT("{'shape': (0, ^18446744073709551616L)}"), "at most 2^63-1"},
    {POSENC_ERROR_SHAPE, TEXT("{'shape': (1,1,1,1,1,1,1,1,^1)}"), "at most 8 axes"},
    {POSENC_ERROR_SHAPE, TEXT("{'shape': (0, 0, 0, 0, 0, 0, 0, 0, ^0, 0)}"), "at most 8 axes"},
    {POSENC_ERROR_FORMAT, TEXT("{'descr': '<f4', 'fortran_order': False, 'shape': ^(4294967296, 4294967296)}"),
     "at most 2^63-1 bytes"},
    {POSENC_ERROR_FORMAT, TEXT("{'shape': ^(4294967296,4294967296), 'descr': '|u1', 'fortran_order': False}"),
     "at most 2^63-1 bytes"},
    {POSENC_ERROR_FORMAT, TEXT("{'shape': ^(9223372036854775807,), 'descr': '<f8', 'fortran_order': False}"),
     "at most 2^63-1 bytes"},
    {POSENC_ERROR_FORMAT, TEXT("{'shape': ^(2305843009213693952,), 'descr': '<f4', 'fortran_order': False}"),
     "at most 2^63-1 bytes"},
    {POSENC_ERROR_FORMAT, TEXT("{'shape': ^(0, 9223372036854775807), 'descr': '<f4', 'fortran_order': False}"),
     "at most 2^63-1 bytes"},
    {POSENC_ERROR_FORMAT, TEXT("{'shape': ^(4294967296, 0, 4294967296), 'descr': '|i1', 'fortran_order': True}"),
     "at most 2^63-1 bytes"},
    {POSENC_ERROR_FORMAT, TEXT("{'shape': ^(65536,65536,65536,65536,65536), 'descr': '|i1', 'fortran_order': True}"),
     "at most 2^63-1 bytes"},
};
enum { HEADERS = sizeof headers / sizeof *headers };

/* Whole files. */
#define GOOD "{'descr': '|u1', 'fortran_order': False, 'shape': (3,)}" /* 55 bytes, '7' in ASCII */
static const bad files[] = {
    {POSENC_ERROR_FORMAT, TEXT("^"), "8 bytes, got the end after 0"},
    {POSENC_ERROR_FORMAT, TEXT("\x93^"), "8 bytes, got the end after 1"},
    {POSENC_ERROR_FORMAT, TEXT("\x93NUMPY^"), "8 bytes, got the end after 6"},
    {POSENC_ERROR_FORMAT, TEXT("\x93NUMPY\x01^"), "8 bytes, got the end after 7"},
    {POSENC_ERROR_FORMAT, TEXT("\x93NUMPY\x01\x00^"), "2 bytes of header length"},
    {POSENC_ERROR_FORMAT, TEXT("\x93NUMPY\x01\x00\x37^"), "2 bytes of header length"},
    {POSENC_ERROR_FORMAT, TEXT("\x93NUMPY\x02\x00\x37\x00\x00^"), "4 bytes of header length"},
    {POSENC_ERROR_FORMAT, TEXT("^\x93NUMPX\x01\x00\x37\x00" GOOD "abc"), "expected a .npy file"},
    {POSENC_ERROR_FORMAT, TEXT("^NUMPY\x01\x00"), "expected a .npy file"},
    {POSENC_ERROR_FORMAT, TEXT("^\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00"), "got \"\\x00\\x00\\x00\\x00\\x00\\x00\""},
    {POSENC_ERROR_FORMAT, TEXT("^\xFF"), "got \"\\xff\""},
    {POSENC_ERROR_FORMAT, TEXT("^PK\x03\x04\x14\x00\x00\x00\x00\x00"), "a zip archive, as .npz is"},
    {POSENC_ERROR_FORMAT, TEXT("^\x80\x04\x95\x00\x00\x00\x00\x00\x00\x00"), "expected a .npy file"},
    {POSENC_ERROR_FORMAT, TEXT("^1.0,2.0\n3.0,4.0\n"), "got \"1.0,2.\""},
    {POSENC_ERROR_FORMAT, TEXT("\x93NUMPY^\x00\x00\x37\x00" GOOD "abc"), "got 0.0"},
    {POSENC_ERROR_FORMAT, TEXT("\x93NUMPY^\x04\x00\x37\x00" GOOD "abc"), "version 1.0, 2.0 or 3.0, got 4.0"},
    {POSENC_ERROR_FORMAT, TEXT("\x93NUMPY\x01^\x01\x37\x00" GOOD "abc"), "got 1.1"},
    {POSENC_ERROR_FORMAT, TEXT("\x93NUMPY\x03^\xFF\x37\x00" GOOD "abc"), "got 3.255"},
    {POSENC_ERROR_FORMAT, TEXT("\x93NUMPY^\x00\x01\x37\x00" GOOD "abc"), "got 0.1"},
    /* the header's length */
    {POSENC_ERROR_FORMAT, TEXT("\x93NUMPY\x01\x00\x00\x00^"), "expected {, got the end of the header"},
    {POSENC_ERROR_FORMAT, TEXT("\x93NUMPY\x01\x00\x00\x00^" GOOD "abc"), "expected {, got the end of the header"},
    {POSENC_ERROR_FORMAT, TEXT("\x93NUMPY\x01\x00\xFF\xFF^"), "65535 bytes of header, got the end of the file"},
    {POSENC_ERROR_FORMAT, TEXT("\x93NUMPY\x01\x00\xFF\xFF" GOOD "abc^"), "65535 bytes of header"},
    {POSENC_ERROR_FORMAT, TEXT("\x93NUMPY\x02\x00\x00\x00\x01\x00" GOOD "abc^"), "65536 bytes of header"},
    {POSENC_ERROR_FORMAT, TEXT("\x93NUMPY\x02\x00^\x01\x00\x01\x00" GOOD "abc"), "at most 65536 bytes, got 65537"},
    {POSENC_ERROR_FORMAT, TEXT("\x93NUMPY\x02\x00^\xFF\xFF\xFF\xFF"), "at most 65536 bytes, got 4294967295"},
    {POSENC_ERROR_FORMAT, TEXT("\x93NUMPY\x03\x00^\x00\x00\x00\x80" GOOD "abc"), "got 2147483648"},
    {POSENC_ERROR_FORMAT, TEXT("\x93NUMPY\x01\x00\x3B\x00" GOOD "abc^"), "59 bytes of header"},
    {POSENC_ERROR_FORMAT, TEXT("\x93NUMPY\x01\x00\x3A\x00" GOOD "^abc"),
     "blanks up to the end of the header, got \"a\""},
    {POSENC_ERROR_FORMAT,
     TEXT("\x93NUMPY\x01\x00\x36\x00"
          "{'descr': '|u1', 'fortran_order': False, 'shape': (3,)^}abc"),
     "a comma or }, got the end of the header"},
    /* version 2.0 with the length of 1.0: its field reaches into the text */
    {POSENC_ERROR_FORMAT, TEXT("\x93NUMPY\x02\x00^\x37\x00" GOOD "abc"), "got 662372407"},
    /* the data */
    {POSENC_ERROR_FORMAT, TEXT("\x93NUMPY\x01\x00\x37\x00" GOOD "^"), "3 bytes of data, got the end of the file"},
    {POSENC_ERROR_FORMAT, TEXT("\x93NUMPY\x01\x00\x37\x00" GOOD "ab^"), "3 bytes of data"},
    {POSENC_ERROR_FORMAT, TEXT("\x93NUMPY\x01\x00\x37\x00" GOOD "abc^d"), "the end of the file, as the header says"},
    {POSENC_ERROR_FORMAT, TEXT("\x93NUMPY\x01\x00\x37\x00" GOOD "abc^\x93NUMPY\x01\x00\x37\x00" GOOD "abc"),
     "more bytes"},
    {POSENC_ERROR_FORMAT,
     TEXT("\x93NUMPY\x01\x00\x43\x00"
          "{'descr': '<f8', 'fortran_order': False, 'shape': (1000000000000,)}abc^"),
     "8000000000000 bytes of data"},
    {POSENC_ERROR_FORMAT,
     TEXT("\x93NUMPY\x01\x00\x49\x00"
          "{'descr': '|u1', 'fortran_order': False, 'shape': (9223372036854775807,)}^"),
     "9223372036854775807 bytes of data"},
    {POSENC_ERROR_FORMAT,
     TEXT("\x93NUMPY\x01\x00\x3B\x00"
          "{'descr': '|u1', 'fortran_order': True, 'shape': (0, 9999)}^a"),
     "the end of the file"},
    {POSENC_ERROR_FORMAT,
     TEXT("\x93NUMPY\x01\x00\x37\x00"
          "{'descr': '|b1', 'fortran_order': False, 'shape': (3,)}\x01\x00^\x02"),
     "a bool, 0 or 1, got 2"},
    {POSENC_ERROR_FORMAT,
     TEXT("\x93NUMPY\x01\x00\x37\x00"
          "{'descr': '|b1', 'fortran_order': False, 'shape': (3,)}^\xFF\xFF\x01"),
     "got 255"},
};
enum { FILES = sizeof files / sizeof *files };

/* Reads a file as a regular one and as a stream: the same status, offset and sentence, nothing kept, little asked for.
 */
static void must_refuse(const char *what, const uint8_t *bytes, size_t n, const bad *expected, int64_t offset) {
    for (int stream = 0; stream < 2; stream++) {
        allocator a;
        posenc_context *context = allocator_context(&a);
        memory_file file;
        const posenc_io *io = memory_file_io(&file, bytes, n, stream, stream ? 3 : 0);
        posenc_array *array = (posenc_array *)&file; /* any value: it must stay */
        posenc_error error = {.offset = -7, .message = ""};
        posenc_status status = posenc_npy_read_with(io, context, "bad.npy", &array, &error);
        check(status == expected->status, "%s: %s (%s)", what, posenc_status_name(status), error.message);
        check(error.status == status && strcmp(error.argument, "bad.npy") == 0, "%s: %s", what, error.argument);
        check(error.offset == offset, "%s: byte %lld and not %lld (%s)", what, (long long)error.offset,
              (long long)offset, error.message);
        check(strstr(error.message, expected->says), "%s: %s, without %s", what, error.message, expected->says);
        check(array == (posenc_array *)&file, "%s: out was touched", what);
        check(file.open == 0, "%s: left open", what);
        size_t most = stream ? 131072 + 4 * n : 4096 + 2 * n;
        check(a.peak_bytes <= most, "%s: %zu bytes for a file of %zu", what, (size_t)a.peak_bytes, n);
        posenc_context_destroy(context);
        check(a.live == 0 && a.mistakes == 0, "%s: kept memory", what);
    }
}

static void malformed_headers(void **state) {
    (void)state;
    assert_true(HEADERS + FILES >= 150);
    for (int i = 0; i < HEADERS; i++) {
        size_t n, at;
        uint8_t *header = unmark(headers[i].marked, &n, &at);
        npy_bytes npy = npy_bytes_raw(1, (const char *)header, n, "\0\0\0\0", 4);
        must_refuse(headers[i].marked.bytes, npy.bytes, npy.n, &headers[i], (int64_t)(10 + at));
        npy_bytes_end(&npy);
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

/* Headers that come to more than 64 KiB by their text alone never get that far; these stay under it and are long. */
static void long_nonsense(void **state) {
    enum { N = 65535 };
    char *header = must_allocate(N);
    (void)state;
    memset(header, '{', N);
    npy_bytes npy = npy_bytes_raw(1, header, N, "", 0);
    must_refuse("braces", npy.bytes, npy.n, &(bad){POSENC_ERROR_FORMAT, {"", 0}, "a quoted key, got \"{\""}, 11);
    npy_bytes_end(&npy);

    memset(header, 'a', N);
    memcpy(header, "{'", 2);
    npy = npy_bytes_raw(1, header, N, "", 0);
    must_refuse("key", npy.bytes, npy.n, &(bad){POSENC_ERROR_FORMAT, {"", 0}, "a closing quote"}, 10 + N);
    npy_bytes_end(&npy);

    memset(header, '1', N);
    memcpy(header, "{'shape': (", 11);
    npy = npy_bytes_raw(1, header, N, "", 0);
    must_refuse("digits", npy.bytes, npy.n, &(bad){POSENC_ERROR_FORMAT, {"", 0}, "at most 2^63-1, got 111"}, 10 + 11);
    npy_bytes_end(&npy);
    free(header);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(malformed_headers),
        cmocka_unit_test(malformed_files),
        cmocka_unit_test(long_nonsense),
    };
    return TEST_RUN(tests);
}
