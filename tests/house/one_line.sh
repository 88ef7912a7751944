#!/bin/sh
# The core without CMake: the one compiler line that README.md gives, word for word, and the same without threads.
. "$(dirname "$0")/support.sh"
wanted="posenc 0.1.0 3f576aa4"

line=$(grep '^cc -std=c11 .*src/\*/\*\.c' "$SOURCE/README.md") || fail "README.md: expected one line that begins with cc -std=c11"
[ "$(echo "$line" | wc -l)" = 1 ] || fail "README.md: expected one plain compiler line, got several"

cp -R "$SOURCE/include" "$SOURCE/src" "$work"
cp "$SOURCE/tests/house/consumer/consumer.c" "$work/your.c"
cd "$work"
cc() { "$CC" -Wall -Wextra -Werror -isystem "$DLPACK" "$@"; }

# try COMMAND: it compiles, and the program says what it must.
try() {
    rm -f a.out
    eval "$1" || fail "$1"
    got=$(./a.out) || fail "a.out: exit status $?"
    [ "$got" = "$wanted" ] || fail "$1: expected \"$wanted\", got \"$got\""
}

try "$line -O0" # it is about what compiles and links; optimised, every other build is
# Without threads, beside the kernels of the build, which know of none and take most of the time.
find "$BUILD/src" -path '*/kernels/*.o' -exec cp {} . \;
[ -f kernels.c.o ] || fail "$BUILD: expected objects of kernels, got none"
rm src/kernels/*.c
try "$(echo "$line" | sed 's/ -pthread//') -O0 -DPOSENC_NO_THREADS ./*.o"
if nm -u a.out | grep -q pthread; then fail "POSENC_NO_THREADS: expected no thread function, got $(nm -u a.out | grep pthread)"; fi
echo "built by one line, with and without threads"
