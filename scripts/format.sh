#!/bin/sh
# format.sh format: formats every C file in place. format.sh check-format: lists those that are not formatted, and fails.
set -eu
cd "$(dirname "$0")/.."

files=$(find include src cli bench tests examples \( -name '*.c' -o -name '*.h' \) -type f | sort)
# Splitting is meant: one argument for each file, and no file name has blanks.
# shellcheck disable=SC2086
case ${1:-format} in
format) clang-format -i $files ;;
check-format) clang-format --dry-run --Werror $files && echo "formatted: $(echo "$files" | wc -l) files" ;;
*)
    echo "format: expected format or check-format, got \"$1\"" >&2
    exit 2
    ;;
esac
