#!/bin/sh
# Builds the libraries and the program in build/release. Options go to CMake's configure step.
set -eu
cd "$(dirname "$0")/.."
. scripts/common.sh

configure release "$@"
cmake --build build/release --parallel "$jobs" --target posenc_products
