#!/bin/sh
# safetensors_by_python.sh TOOL PROGRAM ENVIRONMENT: the usual Python reader and posenc read each other's files. The Python
# packages come by pip into a virtual environment in the build folder; where they cannot be had, the test says so and
# steps aside.
set -eu
tool=$1
program=$2
environment=$3
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

aside() {
    echo "left out: $*"
    exit 77
}

python=$environment/bin/python
if ! [ -x "$python" ] || ! "$python" -c 'import safetensors, numpy' 2>/dev/null; then
    command -v python3 >/dev/null 2>&1 || aside "there is no python3"
    python3 -m venv "$environment" >"$work/log" 2>&1 || aside "python3 -m venv: $(tail -n 1 "$work/log")"
    "$python" -m pip --disable-pip-version-check install --quiet safetensors numpy >"$work/log" 2>&1 </dev/null ||
        aside "pip cannot install safetensors and numpy: $(tail -n 1 "$work/log")"
fi
mkdir "$work/files"
"$python" safetensors_by_python.py "$tool" "$program" "$work/files"
