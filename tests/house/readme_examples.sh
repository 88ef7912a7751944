#!/bin/sh
# Every fenced block of the documents is an example that works. By its label:
#     sh       runs, all blocks of a document in order, in one temporary folder
#     console  its "$ " lines run, and what follows each is what it prints
#     c        compiles and runs; fragments inside a function that has batch, tokens, x and y, or inside frames/NAME.c
#     cmake    configures and builds with the installed copy
#     text     is none
# Any other label is a mistake. README.zh.md is README.md in Chinese: the same blocks in the same order, the same figures,
# links and pictures.
. "$(dirname "$0")/support.sh"
PATH=$BUILD/bin:$PATH
export PATH
prefix=$work/prefix

# blocks LABEL FILE: the contents of all blocks with that label.
blocks() { awk -v want="$1" '/^```/ { inside = !inside; label = substr($0, 4); next } inside && label == want' "$2"; }
count() { grep -c "^\`\`\`$1\$" "$2" || true; }

check_labels() {
    strange=$(awk '/^```/ { inside = !inside; if (inside) print substr($0, 4) }' "$1" | grep -vxE 'sh|console|c|cmake|text' || true)
    [ -z "$strange" ] || fail "$1: expected blocks of sh, console, c, cmake or text, got \"$strange\""
}

# Pictures are left out where the build draws none.
drawable() {
    case ${DRAWS:-FALSE} in
    FALSE | OFF | 0) sed -E '/\.(png|svg|pdf)/d' ;;
    *) cat ;;
    esac
}

run_sh() {
    blocks sh "$1" | drawable >"$work/block.sh"
    (cd "$work/folder" && sh -eu "$work/block.sh") >"$work/log" 2>&1 || {
        cat "$work/log" >&2
        fail "$1: a sh block"
    }
}

# Rebuilds the block from its own commands and what they print, and compares.
run_console() {
    blocks console "$1" >"$work/expected"
    : >"$work/seen"
    grep '^\$ ' "$work/expected" | sed 's/^\$ //' | while IFS= read -r line; do
        echo "\$ $line" >>"$work/seen"
        (cd "$work/folder" && sh -c "$line") >>"$work/seen" 2>&1 </dev/null || true
    done
    diff "$work/expected" "$work/seen" >&2 || fail "$1: a console block prints something else (above)"
}

# The program around a document's C blocks: frames/NAME.c where there is one, which includes them; else a function body.
frame_c() {
    frame=$SOURCE/tests/house/frames/$(basename "$1" .md).c
    blocks c "$1" >"$work/blocks.inc"
    if [ -f "$frame" ]; then
        cat "$frame"
        return
    fi
    echo '#include <posenc/posenc.h>'
    echo 'static float x[2 * 3 * 512], y[2 * 3 * 512];'
    echo 'int main(void) { enum { batch = 2, tokens = 3 };'
    echo '#include "blocks.inc"'
    echo 'posenc_plan_destroy(plan); return !(y[512] > 0.84147f && y[512] < 0.84148f); }'
}

run_c() {
    frame_c "$1" >"$work/block.c"
    quietly "$CC" -std=c11 -Wall -Wextra -Werror $sanitize -I"$prefix/include" -isystem "$DLPACK" "$work/block.c" \
        -L"$lib" "-Wl,-rpath,$lib" -lposenc -lm -o "$work/block"
    (cd "$work/folder" && "$work/block") >"$work/log" 2>&1 || {
        cat "$work/log" >&2
        fail "$1: the c blocks ran and did not give what they should"
    }
}

run_cmake() {
    rm -rf "$work/cmake" && mkdir "$work/cmake"
    cp "$SOURCE/tests/house/consumer/consumer.c" "$work/cmake"
    {
        printf 'cmake_minimum_required(VERSION 3.20)\nproject(example LANGUAGES C)\nadd_executable(your_program consumer.c)\n'
        blocks cmake "$1"
    } >"$work/cmake/CMakeLists.txt"
    quietly "$CMAKE" -S "$work/cmake" -B "$work/cmake/build" -DCMAKE_PREFIX_PATH="$prefix" -DCMAKE_C_COMPILER="$CC" \
        -DCMAKE_C_FLAGS="$sanitize"
    quietly "$CMAKE" --build "$work/cmake/build"
    quietly "$work/cmake/build/your_program"
}

quietly "$CMAKE" --install "$BUILD" --prefix "$prefix"
lib=$(dirname "$(find "$prefix" -name libposenc.a)")

# docs/options.md is generated, and its examples are tested with the program.
documents=$(ls "$SOURCE/README.md" "$SOURCE/README.zh.md" "$SOURCE/CONTRIBUTING.md" "$SOURCE"/docs/*.md | grep -v '/options\.md$')
for file in $documents; do
    rm -rf "$work/folder" && mkdir "$work/folder"
    inputs=${file%.md} # docs/looking.md is about the files in docs/looking
    if [ -d "$inputs" ]; then cp "$inputs"/* "$work/folder"; fi
    check_labels "$file"
    run_sh "$file"
    run_console "$file"
    [ "$(count c "$file")" = 0 ] || run_c "$file"
    [ "$(count cmake "$file")" = 0 ] || run_cmake "$file"
done

# Links between the documents lead somewhere.
for file in $documents; do
    for link in $(grep -o '](\([^)#]*\))' "$file" | sed 's/^](//; s/)$//' | grep -v '^https\?:'); do
        [ -e "$(dirname "$file")/$link" ] || fail "$file: links to $link, which is not there"
    done
done

# What must be the same in README.md and README.zh.md, which has one part more, between its marks: the blocks without their
# comments, the figures of the bench in their order, the places that links lead to.
skeleton() {
    sed '/^<!-- article -->$/,/^<!-- \/article -->$/d' "$1" >"$work/common.md"
    echo "blocks:"
    awk '/^```/ { inside = !inside; print; next } inside' "$work/common.md" |
        sed -E 's!(^|[[:blank:]]+)(#|//) .*$!!; s/[[:blank:]]*$//'
    echo "figures of the bench:"
    sed -n '/^<!-- bench -->$/,/^<!-- \/bench -->$/p' "$work/common.md" | grep '^|' | grep -oE '[0-9]+(\.[0-9]+)?'
    echo "links:"
    grep -o '](\([^)#]*\))' "$work/common.md" | grep -v 'README'
}
skeleton "$SOURCE/README.md" >"$work/english"
skeleton "$SOURCE/README.zh.md" >"$work/chinese"
[ "$(wc -l <"$work/english")" -gt 60 ] || fail "README.md: expected blocks, figures and links to compare"
diff "$work/english" "$work/chinese" >&2 || fail "README.zh.md: is not in step with README.md (< English, > Chinese, above)"
grep -q '](README.zh.md)' "$SOURCE/README.md" || fail "README.md: expected a link to README.zh.md"
grep -q '](README.md)' "$SOURCE/README.zh.md" || fail "README.zh.md: expected a link to README.md"

for needed in 'make demo' 'make test' '<!-- bench -->' '<!-- /bench -->'; do
    grep -qF -e "$needed" "$SOURCE/README.md" || fail "README.md: expected $needed"
done
echo "the documents' examples work"
