# Read by the scripts of this folder: a temporary folder that vanishes, and a way to fail that says what was seen.
# SOURCE, BUILD, CC, CMAKE, SANITIZE and DLPACK come from CMake.
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

fail() {
    echo "FAILED: $*" >&2
    exit 1
}

# Runs a command quietly; shows its output when it fails.
quietly() {
    if ! "$@" >"$work/log" 2>&1; then
        cat "$work/log" >&2
        fail "$*"
    fi
}

# What a program that links a sanitized library must be built with.
sanitize=${SANITIZE:+-fsanitize=$SANITIZE}
