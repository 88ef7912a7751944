#!/bin/sh
# compare.sh BITS ISA [WIDTH]: runs BITS (a program, or several words) for an instruction set and compares what it prints with
# bits.txt, or with its part for rows up to WIDTH. Exit status 77: this machine lacks the instruction set.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
seen=$work/seen wanted=$work/wanted
awk -v most="${3:-0}" '!most || ($5 > 0 && $5 <= most)' "$here/bits.txt" >"$wanted"

status=0
# Splitting is meant: an emulator and its options may come first.
# shellcheck disable=SC2086
$1 "$2" ${3:-} >"$seen" || status=$?
if [ "$status" = 77 ]; then
    echo "$2: not on this machine"
    exit 77
fi
[ "$status" = 0 ] || {
    tail -n 3 "$seen"
    echo "$1 $2: expected exit status 0, got $status"
    exit 1
}
if ! diff "$wanted" "$seen" >"$work/diff"; then
    head -n 10 "$work/diff"
    echo "$2: expected the bits of bits.txt, got $(grep -c '^[<>]' "$work/diff") lines that differ"
    exit 1
fi
echo "$2: $(wc -l <"$seen") lines as published"
