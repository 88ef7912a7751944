# Read by the other scripts: how many jobs, which generator, and a configure step that stays quiet while all is well.
jobs=$(getconf _NPROCESSORS_ONLN 2>/dev/null || echo 2)

# Ninja where there is one. A build folder keeps the generator that it was made with.
if [ -z "${CMAKE_GENERATOR:-}" ] && command -v ninja >/dev/null 2>&1; then export CMAKE_GENERATOR=Ninja; fi

# configure PRESET [options]: posenc's own lines are shown, CMake's only when it fails.
configure() {
    preset=$1
    shift
    mkdir -p build
    if ! cmake --preset "$preset" "$@" >"build/$preset.configure" 2>&1 </dev/null; then
        cat "build/$preset.configure" >&2
        return 1
    fi
    sed -n 's/^-- posenc: /posenc: /p' "build/$preset.configure"
}

title() { printf '\n== %s\n' "$*"; }
