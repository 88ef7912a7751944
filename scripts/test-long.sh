#!/bin/sh
# The thorough tier: the short one, then every long test (10^8 values, other machines, AVX-512 inside Bochs), the fuzz targets for
# ten minutes each, and the whole suite in a build without threads and under ThreadSanitizer. Hours.
set -eu
cd "$(dirname "$0")/.."
. scripts/common.sh

scripts/test.sh

title "long tests"
configure release -B build/long -DPOSENC_LONG_TESTS=ON
cmake --build build/long --parallel "$jobs"
ctest --test-dir build/long --parallel "$jobs" --output-on-failure --no-tests=error </dev/null

# Ten minutes for each fuzz target, from its corpus on; what they find stays in build/fuzz.
if command -v clang >/dev/null 2>&1; then
    for target in npy safetensors options; do
        title "fuzzing $target"
        cmake --build build/clang --parallel "$jobs" --target fuzz_$target
        mkdir -p build/fuzz/$target
        build/clang/tests/bin/fuzz_$target -max_total_time=600 -max_len=4096 -timeout=10 -rss_limit_mb=2048 \
            -artifact_prefix=build/fuzz/ build/fuzz/$target tests/fuzz/corpus/$target
    done
fi

title "without threads"
configure release -B build/nothreads -DPOSENC_THREADS=OFF -DPOSENC_WARNINGS_ARE_ERRORS=ON
cmake --build build/nothreads --parallel "$jobs"
ctest --test-dir build/nothreads --parallel "$jobs" --output-on-failure --no-tests=error </dev/null

title "the whole suite under ThreadSanitizer"
configure tsan -DPOSENC_CLI=OFF -DPOSENC_EXAMPLES=OFF
cmake --build build/tsan --parallel "$jobs"
ctest --test-dir build/tsan --parallel "$jobs" --output-on-failure --no-tests=error --label-exclude '^emulated$' </dev/null

title "all long tests passed"
