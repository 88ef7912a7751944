#!/bin/sh
# The short tier, for each change: no warning from gcc and clang, every test in the release build, the same values from the
# second compiler, the tests again under AddressSanitizer and UndefinedBehaviorSanitizer, threads under ThreadSanitizer.
# Stops at the first thing that fails; the last line says how it went.
set -eu
cd "$(dirname "$0")/.."
. scripts/common.sh
began=$(date +%s)

# run_tests FOLDER [ctest options]: ctest's own list only where something failed.
run_tests() {
    folder=$1
    shift
    ctest --test-dir "build/$folder" --parallel "$jobs" --output-on-failure --no-tests=error "$@" </dev/null
}

title "release, $(cc --version | head -n 1)"
configure release -DPOSENC_WARNINGS_ARE_ERRORS=ON -DPOSENC_TESTS=ON
cmake --build build/release --parallel "$jobs"
run_tests release

if command -v clang >/dev/null 2>&1; then
    title "release, $(clang --version | head -n 1)"
    configure release -B build/clang -DCMAKE_C_COMPILER=clang -DPOSENC_WARNINGS_ARE_ERRORS=ON
    cmake --build build/clang --parallel "$jobs"
    run_tests clang --label-regex '^(emulated|golden|kernels|laws|fuzz)$' --exclude-regex '_simde$|aarch64'
else
    echo "posenc: the second compiler is left out, clang is not here"
fi

title "AddressSanitizer and UndefinedBehaviorSanitizer"
configure asan
cmake --build build/asan --parallel "$jobs"
# Left out: what a sanitizer says nothing about and makes ten times as slow (values against MPFR, the same bits, matrices of
# tables, the documents), and tests that others beside them repeat on smaller inputs.
run_tests asan --label-exclude '^(emulated|house)$' \
    --exclude-regex '^(accuracy.*|faults_fpenv|laws_(same_bits|sine_schemes)|golden_(fourier|timestep)|cli_(demo_pictures|selftest|examples)|diagnose_match_(matrix|damage|negatives)|diagnose_check_(healthy|learned|faults|formula)|relative_(shaw_large|shaw_laws|xl_laws))$'

title "ThreadSanitizer"
configure tsan -DPOSENC_CLI=OFF -DPOSENC_EXAMPLES=OFF
cmake --build build/tsan --parallel "$jobs" --target test_faults_threads test_faults_many test_faults_fork
run_tests tsan --tests-regex '^faults_(threads|many|fork)$'

title "all tests passed in $(($(date +%s) - began)) s"
