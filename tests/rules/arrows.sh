#!/bin/sh
# Refuses an include that runs against the arrows of arrows.txt. Files in src/ name the room first ("kernels/kernels.h");
# the programs and examples see the public headers and their own only; a public header sees public ones and DLPack's.
set -eu
. "$(dirname "$0")/variables.sh"
cd "$SOURCE"
bad=0

# includes FILE: the included names, with their quotes or brackets.
includes() { sed -n 's/^[[:space:]]*#[[:space:]]*include[[:space:]]*\(["<][^">]*[">]\).*/\1/p' "$1"; }

refuse() {
    echo "$1 includes $2: $3" >&2
    bad=1
}

check_room() { # file room allowed-rooms
    for name in $(includes "$1"); do
        case $name in
        \<*) ;;
        \"*/*)
            first=${name#\"}
            first=${first%%/*}
            case " $2 $3 " in *" $first "*) ;; *) refuse "$1" "$name" "$2 may include: $2 $3" ;; esac
            ;;
        *) refuse "$1" "$name" "an include in src/ begins with its room" ;;
        esac
    done
}

check_user() { # file folder [another folder]
    for name in $(includes "$1"); do
        case $name in
        \<*) ;;
        *)
            bare=${name#\"}
            bare=${bare%\"}
            [ -e "$2/$bare" ] || { [ -n "${3:-}" ] && [ -e "$3/$bare" ]; } ||
                refuse "$1" "$name" "only <posenc/...> and its own headers are open to $2"
            ;;
        esac
    done
}

seen=0
for file in $(find src -name '*.[ch]' -o -name '*.inc' | sort); do
    room=${file#src/}
    room=${room%%/*}
    line=$(grep "^$room:" "$rules/arrows.txt") || { refuse "$file" nothing "arrows.txt does not know the room $room"; continue; }
    check_room "$file" "$room" "${line#*:}"
    seen=$((seen + 1))
done
for file in $(find cli -name '*.[ch]' 2>/dev/null); do check_user "$file" cli bench; done # bench is a command of the program
for file in $(find bench -name '*.[ch]' 2>/dev/null); do check_user "$file" bench; done
for file in $(find examples -name '*.[ch]' 2>/dev/null); do check_user "$file" examples; done
for file in include/posenc/*.h; do
    for name in $(includes "$file"); do
        case $name in
        \<posenc/*.h\> | \<dlpack/dlpack.h\> | \<std*.h\>) ;;
        *) refuse "$file" "$name" "a public header includes <posenc/...>, DLPack's and standard headers" ;;
        esac
    done
done
[ "$seen" -gt 20 ] || { echo "only $seen files were looked at" >&2; bad=1; }

# The rule itself must bite: a kernel that includes a scheme is refused.
if [ -z "${INSIDE:-}" ]; then
    box=$(mktemp -d)
    trap 'rm -rf "$box"' EXIT
    cp -RL src include "$box"
    echo '#include "schemes/scheme.h"' >>"$box/src/kernels/baseline.c"
    if INSIDE=1 SOURCE=$box sh "$rules/arrows.sh" 2>"$box/said"; then
        echo "an include against the arrows passed" >&2
        bad=1
    fi
    grep -q '^src/kernels/baseline.c includes "schemes/scheme.h"' "$box/said" || { cat "$box/said" >&2; bad=1; }
fi
exit $bad
