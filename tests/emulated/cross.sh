#!/bin/sh
# cross.sh PROCESSOR ISA FOLDER [WIDTH]: builds the library for another machine with its toolchain file, links bits statically,
# runs it under an emulator and compares. Exit status 77: the cross compiler or the emulator is not here.
set -eu
processor=$1 isa=$2 folder=$3
here=$(cd "$(dirname "$0")" && pwd)
source=$(cd "$here/../.." && pwd)

case $processor in
i686) emulator="" compiler=i686-linux-gnu-gcc flags="-msse2 -mfpmath=sse" ;;
*) emulator=qemu-$processor compiler=$processor-linux-gnu-gcc flags="" ;;
esac
for program in $compiler $emulator; do
    command -v "$program" >/dev/null || {
        echo "$processor: $program is not here (Debian: gcc-$processor-linux-gnu, qemu-user)"
        exit 77
    }
done

mkdir -p "$folder"
log=$folder/build.log
unset CC CFLAGS
if ! {
    cmake -S "$source" -B "$folder" -DCMAKE_TOOLCHAIN_FILE="$source/cmake/toolchains/$processor.cmake" \
        -DCMAKE_BUILD_TYPE=Release -DPOSENC_CLI=OFF -DPOSENC_TESTS=OFF -DPOSENC_EXAMPLES=OFF &&
        cmake --build "$folder" --target posenc_static &&
        $compiler -std=c11 -O2 -ffp-contract=off $flags -I"$source/include" "$here/bits.c" "$here/bits_schemes.c" \
            "$here/bits_rotary.c" "$here/bits_gradients.c" "$here/bits_biases.c" "$here/bits_relative.c" \
            "$here/process.c" "$folder/lib/libposenc.a" -static -lm -pthread -o "$folder/bits"
} >"$log" 2>&1; then
    tail -n 30 "$log"
    exit 1
fi
exec sh "$here/compare.sh" "$emulator $folder/bits" "$isa" ${4:-}
