#!/bin/sh
# Every global symbol of the static library begins with posenc_. The shared library exports what the public headers declare
# and what symbols.txt lists, no more and no less. After a wanted change: make, then tests/rules/symbols.sh --rewrite.
set -eu
. "$(dirname "$0")/variables.sh"
box=$(mktemp -d)
trap 'rm -rf "$box"' EXIT
bad=0

cat "$SOURCE"/include/posenc/*.h | awk '
    /^POSENC_API/ { text = ""; reading = 1 }
    reading { text = text " " $0; if (/;/ || /\(/) { if (match(text, /posenc_[a-z0-9_]+\(/)) print substr(text, RSTART, RLENGTH - 1); reading = 0 } }
' | sort -u >"$box/declared"
if [ "${1:-}" = --rewrite ]; then
    cp "$box/declared" "$rules/symbols.txt"
    echo "symbols.txt lists $(wc -l <"$box/declared") functions"
    exit 0
fi

"$NM" -g --defined-only "$STATIC" | awk 'NF == 3 { print $3 }' | sort -u >"$box/static"
if grep -v '^posenc_' "$box/static" >&2; then
    echo "symbols of the static library without the prefix posenc_" >&2
    bad=1
fi
[ "$(wc -l <"$box/static")" -gt 30 ] || { echo "the static library has no symbols" >&2; exit 1; }

# nm marks symbols of the dynamic table with their version behind @.
"$NM" -D --defined-only "$SHARED" | awk 'NF == 3 { sub(/@.*/, "", $3); print $3 }' | grep -v '^_\(init\|fini\)$' | sort -u >"$box/exported"
diff "$box/declared" "$box/exported" >&2 || { echo "< declared in a public header, > exported by the shared library" >&2; bad=1; }
diff "$rules/symbols.txt" "$box/exported" >&2 || { echo "< listed in symbols.txt, > exported by the shared library" >&2; bad=1; }
exit $bad
