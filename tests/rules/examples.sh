#!/bin/sh
# Compiles the examples in the public headers' comments: what follows "Example:" up to the end of its comment, and the
# indented lines of posenc.h. Each becomes the body of a function that knows the usual names.
set -eu
. "$(dirname "$0")/variables.sh"
box=$(mktemp -d)
trap 'rm -rf "$box"' EXIT

extract='
function begin() {
    n++
    printf "void example_%d(%s);\nvoid example_%d(%s) {\n    {\n", n, names, n, names
    inside = 1
}
function finish() { print "    }\n}"; inside = 0 }
{
    line = $0
    ended = sub(/[ \t]*\*\/.*$/, "", line)
    sub(/^[ \t]*\/?\*/, "", line)
    if (!inside && sub(/^.*Example: */, "", line)) begin()
    else if (!inside && FILENAME ~ /\/posenc\.h$/ && line ~ /^     /) begin()
    else if (inside && FILENAME ~ /\/posenc\.h$/ && line !~ /^     /) finish()
    if (inside) print "        " line
    if (inside && ended) finish()
}
END { print "int main(void) { return " n "; }" }'

names='posenc_context *context, DLTensor *w_k, const DLTensor *table, const DLTensor *dy, DLTensor *dtable, posenc_encoder *encoder, posenc_plan *plan, posenc_error error, void *data, float *x, float *y, int64_t batch, int64_t tokens'
{
    echo '#include <posenc/posenc.h>'
    awk -v names="$names" "$extract" "$SOURCE"/include/posenc/*.h
} >"$box/examples.c"

if ! "$CC" -std=c11 -Wall -Werror -Wno-unused -Wno-uninitialized -Wno-maybe-uninitialized -I"$SOURCE/include" \
    -isystem "$DLPACK" -o "$box/examples" "$box/examples.c" "$SHARED" "-Wl,-rpath,$(dirname "$SHARED")" -lm; then
    cat -n "$box/examples.c" >&2
    exit 1
fi
n=0
"$box/examples" || n=$? # main returns how many there are
[ "$n" -ge 5 ] || { echo "only $n examples found" >&2; cat -n "$box/examples.c" >&2; exit 1; }
echo "$n examples compile"
