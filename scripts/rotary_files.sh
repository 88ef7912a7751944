#!/bin/sh
# Makes the input files of docs/rotary.md, docs/rotary/*, small enough to read in a hex dump:
#
#     scripts/rotary_files.sh
#
# x.npy, one head of 1 2 3 4; qk.safetensors, q with two heads, k with one, and v, of two tokens; model.safetensors, the
# projections of two heads of queries and one of keys, whose rows are numbered.
set -eu
cd "$(dirname "$0")/.."
PATH=$PWD/tests/cli/tools:$PATH

# halves N...: the bytes of small whole numbers as float16.
halves() {
    for n; do
        case $n in
        0) echo 0 0 ;; 1) echo 0 60 ;; 2) echo 0 64 ;; 3) echo 0 66 ;; 4) echo 0 68 ;; 5) echo 0 69 ;;
        6) echo 0 70 ;; 7) echo 128 70 ;;
        esac
    done
}

make-npy '<f8' '(1, 1, 1, 4)' 0x3ff0000000000000 0x4000000000000000 0x4008000000000000 0x4010000000000000 >docs/rotary/x.npy
# shellcheck disable=SC2046 # words are meant
make-safetensors '{"q":{"dtype":"F16","shape":[1,2,2,4],"data_offsets":[0,32]},"k":{"dtype":"F16","shape":[1,2,1,4],"data_offsets":[32,48]},"v":{"dtype":"F16","shape":[1,2,1,4],"data_offsets":[48,64]}}' \
    $(halves 1 2 3 4 4 3 2 1 1 2 3 4 4 3 2 1 1 1 1 1 1 1 1 1 0 1 2 3 4 5 6 7) >docs/rotary/qk.safetensors
# shellcheck disable=SC2046
make-safetensors '{"q_proj.weight":{"dtype":"F16","shape":[8,1],"data_offsets":[0,16]},"k_proj.weight":{"dtype":"F16","shape":[4,1],"data_offsets":[16,24]}}' \
    $(halves 0 1 2 3 4 5 6 7 0 1 2 3) >docs/rotary/model.safetensors
ls -l docs/rotary
