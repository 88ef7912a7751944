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

# scheme PICTURE KIND TITLE [table options]: a picture of docs/schemes.md, of the table that those options make.
scheme() {
    picture=$1 kind=$2 title=$3
    shift 3
    "$program" table "$@" -o "$scratch/table.npy"
    "$program" plot "$scratch/table.npy" --kind "$kind" --width 640 --height 440 --title "$title" -o "docs/pictures/schemes_$picture.png"
}
awk 'BEGIN { for (i = 0; i <= 256; i++) print -1 + i / 128 }' >"$scratch/x.csv"
scheme sinusoidal heatmap "sinusoidal, layout halves" sinusoidal --dim 64 --length 128 --layout halves
scheme timestep heatmap "timestep, shift 0, cosines first" timestep --dim 128 --length 250
scheme fourier heatmap "fourier bands; row r is x = -1 + r/128" fourier --dim 64 --resolution 64 --positions "$scratch/x.csv"
scheme learned heatmap "learned, before any training" learned --dim 64 --length 16
"$program" resize "$scratch/table.npy" --to 64 --mode cubic -o "$scratch/resized.npy"
"$program" plot "$scratch/resized.npy" --width 640 --height 440 --title "the same, resized from 16 to 64 positions" \
    -o docs/pictures/schemes_resized.png

# axes PICTURE TITLE [table options]: a picture of docs/axes.md, rows of a grid in the order of its tokens.
axes() {
    picture=$1 title=$2
    shift 2
    "$program" table "$@" -o "$scratch/table.npy"
    "$program" plot "$scratch/table.npy" --width 640 --height 440 --title "$title" -o "docs/pictures/axes_$picture.png"
}
axes mae "mae, 4 x 16 tokens" sinusoidal-2d --grid 4x16 --dim 64
axes detr "detr, 4 x 16 tokens" sinusoidal-2d --grid 4x16 --dim 64 --convention detr
axes cogvideox "cogvideox, 2 x 4 x 16 tokens" sinusoidal-3d --grid 2x4x16 --dim 64
axes tensor2tensor "tensor2tensor, 2 x 4 x 16 tokens" sinusoidal-nd --grid 2x4x16 --dim 64
axes multidim "multidim, 2 x 4 x 16 tokens" sinusoidal-nd --grid 2x4x16 --dim 64 --convention multidim
# docs/rotary.md: what families do to wavelengths, drawn by an example, and cosines beside sines.
"$(dirname "$program")/example_wavelengths" docs/pictures/rotary_wavelengths.png
"$program" table rotary --dim 64 --length 128 -o "$scratch/table.csv"
"$program" plot "$scratch/table.csv" --width 640 --height 440 --title "table rotary, dim 64" \
    -o docs/pictures/rotary_heatmap.png
# Those of docs/biases.md, by an example that stands beside the program.
"$(dirname "$program")/example_bias_pictures" docs/pictures
ls -l docs/pictures
