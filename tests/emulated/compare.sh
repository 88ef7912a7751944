#!/bin/sh
# compare.sh BITS ISA: runs BITS (a program, or several words) for an instruction set and compares what it prints with
# bits.txt. Exit status 77: this machine lacks the instruction set.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
seen=$(mktemp)
trap 'rm -f "$seen"' EXIT

status=0
# Splitting is meant: an emulator and its options may come first.
# shellcheck disable=SC2086
$1 "$2" >"$seen" || status=$?
if [ "$status" = 77 ]; then
    echo "$2: not on this machine"
    exit 77
fi
[ "$status" = 0 ] || {
    tail -n 3 "$seen"
    echo "$1 $2: expected exit status 0, got $status"
    exit 1
}
if ! diff "$here/bits.txt" "$seen" >"$seen.diff"; then
    head -n 10 "$seen.diff"
    echo "$2: expected the bits of bits.txt, got $(grep -c '^>' "$seen.diff") lines that differ"
    rm -f "$seen.diff"
    exit 1
fi
rm -f "$seen.diff"
echo "$2: $(wc -l <"$seen") lines as published"
