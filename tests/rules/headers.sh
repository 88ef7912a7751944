#!/bin/sh
# Compiles each public header alone, and twice, in C11 and in C++17, with every warning an error; with clang too where it is.
set -eu
. "$(dirname "$0")/variables.sh"
box=$(mktemp -d)
trap 'rm -rf "$box"' EXIT
warnings="-Wall -Wextra -Wshadow -Wundef -Wcast-qual -pedantic-errors -Werror"
bad=0

compile() { # compiler standard file
    # The words of $warnings are options.
    # shellcheck disable=SC2086
    "$1" -std="$2" $warnings -I"$SOURCE/include" -isystem "$DLPACK" -fsyntax-only "$3" || {
        echo "$1 -std=$2: $(sed -n 's/#include <\(.*\)>/\1/p' "$3" | head -1) does not stand alone" >&2
        bad=1
    }
}

n=0
for header in "$SOURCE"/include/posenc/*.h; do
    n=$((n + 1))
    for end in c cpp; do
        printf '#include <posenc/%s>\n#include <posenc/%s>\nint main(void);\nint main(void) { return 0; }\n' \
            "${header##*/}" "${header##*/}" >"$box/alone.$end"
    done
    # In C++ a program may not declare main, so it only defines it.
    sed -i '/^int main(void);$/d' "$box/alone.cpp"
    compile "$CC" c11 "$box/alone.c"
    if [ -n "$CXX" ]; then compile "$CXX" c++17 "$box/alone.cpp"; fi
    if command -v clang >/dev/null 2>&1; then compile clang c11 "$box/alone.c"; fi
    if command -v clang++ >/dev/null 2>&1; then compile clang++ c++17 "$box/alone.cpp"; fi
done
[ "$n" -ge 8 ] || { echo "only $n headers found" >&2; exit 1; }
exit $bad
