/* What every test file includes: cmocka, a check that explains itself, and the seed of the run. */
#ifndef POSENC_TESTS_SUPPORT_TEST_H
#define POSENC_TESTS_SUPPORT_TEST_H

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "support/random.h"

/* Fails the running test with a sentence in printf form, and with the seed that repeats it. */
#define check(condition, ...)                                                       \
    do {                                                                            \
        if (!(condition)) test_failed(__FILE__, __LINE__, #condition, __VA_ARGS__); \
    } while (0)

#if defined(__GNUC__)
__attribute__((format(printf, 4, 5), noreturn))
#endif
void test_failed(const char *file, int line, const char *condition, const char *format, ...);

/* Runs an array of struct CMUnitTest and gives main's exit status. */
#define TEST_RUN(tests) (test_announce_seed(), cmocka_run_group_tests(tests, NULL, NULL))

/* True when clang or gcc built the test with this sanitizer: they slow a test down or refuse what it does. */
#if defined(__SANITIZE_THREAD__)
#define TEST_UNDER_TSAN 1
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define TEST_UNDER_TSAN 1
#endif
#endif
#ifndef TEST_UNDER_TSAN
#define TEST_UNDER_TSAN 0
#endif

#if defined(__SANITIZE_ADDRESS__)
#define TEST_UNDER_ASAN 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define TEST_UNDER_ASAN 1
#endif
#endif
#ifndef TEST_UNDER_ASAN
#define TEST_UNDER_ASAN 0
#endif

/* How often a random trial is made: under a sanitizer a fifth, since it takes ten times as long. */
#define TEST_ROUNDS(n) (TEST_UNDER_ASAN || TEST_UNDER_TSAN ? ((n) + 4) / 5 : (n))

#endif
