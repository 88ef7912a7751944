#!/bin/sh
# No global that changes: no object of the library has bytes that a program could write. (Tables of pointers, which the
# loader fills in once, are in .data.rel.ro.)
set -eu
. "$(dirname "$0")/variables.sh"
writable=$("$OBJDUMP" -h "$STATIC" | awk '
    /file format/ { member = $1 }
    $2 ~ /^\.(data|bss|tdata|tbss)/ && $2 !~ /^\.data\.rel\.ro/ && $3 !~ /^0+$/ { print member " " $2 " of 0x" $3 " bytes" }')
[ -z "$writable" ] || { echo "$writable" >&2; exit 1; }
