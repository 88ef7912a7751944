#!/bin/sh
# Kernels import memcpy and memset; the baseline, whose machine may have no fused instruction, also fma and fmaf.
set -eu
. "$(dirname "$0")/variables.sh"
bad=0
for isa in baseline avx2 avx512 neon; do
    imports=$("$NM" -u -A "$STATIC" 2>/dev/null | awk -v member="$isa.c.o" 'index($1, ":" member ":") { print $NF }' | sort -u)
    for name in $imports; do
        case $isa,$name in
        *,memcpy | *,memset | *,_GLOBAL_OFFSET_TABLE_) ;;
        baseline,fma | baseline,fmaf) ;;
        *) echo "the kernels of $isa import $name" >&2; bad=1 ;;
        esac
    done
done
"$NM" -A "$STATIC" 2>/dev/null | grep -q ':baseline.c.o:.* posenc_kernels_baseline$' || { echo "no baseline kernels found" >&2; bad=1; }
exit $bad
