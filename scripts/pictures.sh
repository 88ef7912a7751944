#!/bin/sh
# Draws the pictures of the documents anew, docs/pictures/*.png, with the program in build/release (or the one named):
#
#     scripts/pictures.sh [PROGRAM]
#
# The same program and the same version of cairo draw the same bytes. Look at them before they are committed.
set -eu
cd "$(dirname "$0")/.."
program=$(realpath "${1:-build/release/bin/posenc}")
[ -x "$program" ] || { echo "pictures: expected a program, built by make, got no $program" >&2; exit 2; }
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

"$program" demo --pictures "$scratch" >/dev/null
mkdir -p docs/pictures
for name in error heatmap; do cp "$scratch/$name.png" docs/pictures/; done

# looking NAME KIND PICTURE [options]: a picture of docs/looking.md.
looking() {
    table=$1 kind=$2 picture=$3
    shift 3
    (cd docs/looking && "$program" plot "$table.npy" --kind "$kind" --width 640 --height 440 -o "../pictures/looking_$picture.png" "$@")
}
looking healthy heatmap healthy
looking healthy similarity healthy_similarity
looking swapped_axes heatmap swapped_axes
looking bf16_positions similarity bf16_positions
looking doubled_exponent heatmap doubled_exponent
looking repeated_rows similarity repeated_rows
looking untrained_rows similarity untrained_rows

# Those of docs/biases.md, by an example that stands beside the program.
"$(dirname "$program")/example_bias_pictures" docs/pictures
ls -l docs/pictures
