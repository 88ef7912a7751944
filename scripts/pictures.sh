#!/bin/sh
# Draws the pictures of the documents anew, docs/pictures/*.png, with the program in build/release (or the one named):
#
#     scripts/pictures.sh [PROGRAM]
#
# The same program and the same version of cairo draw the same bytes. Look at them before they are committed.
set -eu
cd "$(dirname "$0")/.."
program=${1:-build/release/bin/posenc}
[ -x "$program" ] || { echo "pictures: expected a program, built by make, got no $program" >&2; exit 2; }
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

"$program" demo --pictures "$scratch" >/dev/null
mkdir -p docs/pictures
for name in error heatmap; do cp "$scratch/$name.png" docs/pictures/; done
ls -l docs/pictures
