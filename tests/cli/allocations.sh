#!/bin/sh
# allocations.sh PROGRAM LIBRARY: makes each allocation of each command fail, once and from there on (LIBRARY is
# fail_allocations.c). The command then ends with exit status 2, one line of error and no output file, or it ends well with
# the output that it has otherwise. It never crashes.
set -u
program=$1 library=$2
scratch=$(mktemp -d) || exit 2
trap 'rm -rf "$scratch"' EXIT
cd "$scratch" || exit 2
failures=0 tried=0

# The inputs.
"$program" table sinusoidal --dim 8 --length 5 -o x.npy || exit 2
"$program" table sinusoidal --dim 8 --length 5 -o x.safetensors || exit 2
(printf '\077\0\0\0\0\0\0\0{"x":{"dtype":"F32","shape":[1,2,1,2,2],"data_offsets":[0,32]}}'; head -c 32 /dev/zero) >v.safetensors
printf '0\n7\n-3\n' >positions.csv
printf '0\n7\n-3\n1.5\n9\n' >positions5.csv
printf '1,2\n3,4\n5,6\n7,8\n' >grid.csv
(printf '\201\0\0\0\0\0\0\0{"q":{"dtype":"F32","shape":[1,2,2,4],"data_offsets":[0,64]},"k":{"dtype":"F32","shape":[1,2,1,4],"data_offsets":[64,96]}}       '; head -c 96 /dev/zero) >qk.safetensors
(printf '\100\0\0\0\0\0\0\0{"s":{"dtype":"F32","shape":[1,2,3,2],"data_offsets":[0,48]}}   '; head -c 48 /dev/zero) >scores.safetensors
"$program" table rotary --dim 8 --length 5 -o turns.npy || exit 2
"$program" table sinusoidal-2d --dim 8 --grid 2x3 --convention detr -o cells.npy || exit 2
"$program" bias alibi --heads 2 --queries 3 --keys 4 -o scores.npy || exit 2
echo 0 >places.csv
"$program" table sinusoidal --dim 2 --length 5 --dtype f64 -o points.npy || exit 2
echo 'the cat chases the mouse' >words.txt
printf '{"model_type":"gemma3_text","head_dim":8,"num_hidden_layers":6,"max_position_embeddings":64,"rope_scaling":{"rope_type":"longrope","short_factor":[1,1.0299999713897705,2,3],"long_factor":[2,3,4,5],"original_max_position_embeddings":32,"mrope_section":[2,1,1],"fact\\u006fr_of_a_long_name":4}}' >config.json

complain() {
    failures=$((failures + 1))
    echo "$*"
}

# judge WHAT STATUS: out, err and result are what a run left.
judge() {
    tried=$((tried + 1))
    case $2 in
    0)
        [ $timed = yes ] || cmp -s out "$name.out" || complain "$1: ends well, with another output"
        [ "$result" = none ] || cmp -s "$result" kept || complain "$1: ends well, with another file"
        ;;
    2)
        [ "$(wc -l <err)" -eq 1 ] && grep -q '^posenc: error: ' err || complain "$1: not one line of error: $(cat err)"
        [ ! -e "$result" ] || complain "$1: leaves a file behind"
        ;;
    *) complain "$1: exit status $2" ;;
    esac
    for left in .* *; do
        case $left in . | .. | out | err | kept | counted | cells.npy | config.json | grid.csv | places.csv | points.npy | positions.csv | positions5.csv | qk.safetensors | scores.npy | scores.safetensors | turns.npy | v.safetensors | words.txt | x.npy | x.safetensors | *.out | "$result") ;;
        *) complain "$1: leaves $left" ; rm -f "$left" ;;
        esac
    done
}

# every NAME RESULT ARGUMENTS...: the command with each of its allocations failing. RESULT: the file it writes, or none.
every() {
    name=$1 result=$2
    shift 2
    rm -f "$result"
    POSENC_FAIL_COUNT=counted LD_PRELOAD=$library "$program" "$@" >"$name.out" 2>err || { complain "$name: fails by itself: $(cat err)"; return; }
    [ ! -e "$result" ] || mv "$result" kept
    n=$(cat counted)
    [ "$n" -gt 0 ] || complain "$name: no allocation is seen"
    k=1
    while [ "$k" -le "$n" ]; do
        for mode in AT FROM; do
            rm -f "$result"
            status=0
            env "POSENC_FAIL_$mode=$k" "LD_PRELOAD=$library" "$program" "$@" >out 2>err || status=$?
            judge "$name, $mode $k of $n" "$status"
        done
        k=$((k + 1 + k / dense)) # all of the first ones, then ever fewer
    done
    rm -f "$result"
    echo "$name: $n allocations"
}
timed=no dense=12
every list none list
every list-json none list sinusoidal --json
every version none --version
every help none help table
every help-man none help --format man
every help-markdown none help --format markdown
every table-text none table sinusoidal --dim 8 --length 5
every table-npy t.npy table sinusoidal --dim 8 --length 5 -o t.npy
every table-csv t.csv table sinusoidal --dim 8 --positions positions.csv -o t.csv
every table-safetensors t.safetensors table sinusoidal --dim 8 --length 5 --dtype bf16 -o t.safetensors
every table-rotary r.npy table rotary --dim 8 --length 5 --scaling yarn --factor 2 --original-length 16 -o r.npy
every table-rotary-text none table rotary --dim 8 --positions positions.csv --scaling custom --inv-freq 1,0.5,0.25,0.125
every table-shaw r.npy table shaw --table x.npy --queries 3 --keys 4 --offset 1 -o r.npy
every apply-npy y.npy apply sinusoidal --input x.npy --positions positions5.csv -o y.npy
every apply-safetensors y.safetensors apply sinusoidal --input x.safetensors -o y.safetensors
every apply-rotary-npy y.npy apply rotary --input x.npy --positions positions5.csv --dim 4 -o y.npy
every apply-rotary-qk w.safetensors apply rotary --input qk.safetensors --pair-axes sectioned --sections 1,1 --xpos-scale-base 512 --threads 2 -o w.safetensors
every apply-video w.safetensors apply sinusoidal --input v.safetensors --video broadcast --axes fbhwc -o w.safetensors
every apply-flattened w.safetensors apply sinusoidal --input v.safetensors --video flattened --dropout 0.5 --seed 3 -o w.safetensors
every apply-dropout y.npy apply sinusoidal --input x.npy --dropout 0.5 --threads 2 -o y.npy
every apply-alibi-npy b.npy apply alibi --input scores.npy --causal --positions places.csv -o b.npy
every apply-t5-safetensors w.safetensors apply t5 --table grid.csv --max-distance 3 --input scores.safetensors --threads 2 -o w.safetensors
every apply-points y.npy apply sinusoidal-2d --grid 2x3 --positions points.npy --input x.npy -o y.npy
every check none check x.safetensors
every check-json none check x.npy --scheme sinusoidal --padding-idx -1 --json
every check-grid none check cells.npy
every check-turns none check turns.npy
every check-rotary none check turns.npy --scheme rotary --json
every check-learned none check grid.csv --threads 2
every resize-npy r.npy resize x.npy --to 7 -o r.npy
every resize-grid r.safetensors resize x.safetensors --from 2x2 --prefix 1 --to 3x4 -o r.safetensors
every resize-csv r.npy resize grid.csv --to 3x3 --antialias -o r.npy
every convert-pairing-npy w.npy convert-pairing x.npy --q x --heads 1 --rotary-dim 4 --from halves --to interleaved -o w.npy
every convert-pairing-safetensors w.safetensors convert-pairing x.safetensors --k pe --heads 1 --rotary-dim 4 --from interleaved --to halves -o w.safetensors --json
every bias-text none bias alibi --heads 2 --slopes 1,2 --queries 3 --keys 4
every bias-npy b.npy bias t5 --table grid.csv --max-distance 3 --queries 3 --keys 4 -o b.npy
every bias-index b.csv bias swin --window 2x3 --index --threads 2 -o b.csv
every similarity none similarity x.npy
every similarity-json m.csv similarity x.safetensors --threads 2 -o m.csv --json
every similarity-npy m.npy similarity x.npy -o m.npy
every similarity-curve c.safetensors similarity x.npy --curve c.safetensors
every explain none explain config.json
every explain-json none explain config.json --length 33 --json

# No file here has metadata: jansson reads past its buffer where that cannot grow for a string of 16 bytes or more.

# plot is not here: cairo and the libraries behind it take memory of their own, and end the program where they have none.
# What posenc itself allocates for a picture fails one by one in tests/report/plot_draw.c.

# Slow ones, whose output holds times.
timed=yes dense=4
every selftest none selftest
every selftest-json none selftest --json
every demo none demo --text words.txt --no-pictures # the libraries behind pictures are their own guests
every bench-json none bench --quick --filter "fill 1000x512" --json
echo "$tried runs, $failures failed"
[ "$failures" -eq 0 ]
