#!/bin/sh
# Installs into a temporary prefix and uses that copy as the documents say: pkg-config, find_package, shared and static.
. "$(dirname "$0")/support.sh"
prefix=$work/prefix
wanted="posenc 0.1.0 3f576aa4" # the bits of sin 1, rounded once to f32

expect() {
    got=$("$@") || fail "$*: exit status $?"
    [ "$got" = "$wanted" ] || fail "$*: expected \"$wanted\", got \"$got\""
}

quietly "$CMAKE" --install "$BUILD" --prefix "$prefix"

# Only what is meant to be there.
headers=$(cd "$prefix/include" && find . -type f | grep -v '^\./posenc/[a-z_]*\.h$' || true)
[ -z "$headers" ] || fail "unexpected headers: $headers"
lib=$(dirname "$(find "$prefix" -name 'libposenc.a')")
for file in libposenc.so libposenc.so.0 libposenc.so.0.1.0 pkgconfig/posenc.pc cmake/posenc/posenc-config.cmake; do
    [ -e "$lib/$file" ] || fail "$lib/$file: expected to be installed"
done
readelf -d "$lib/libposenc.so" | grep -q 'SONAME.*\[libposenc.so.0\]' || fail "SONAME: expected libposenc.so.0"
if [ -x "$prefix/bin/posenc" ]; then
    [ -s "$prefix/share/man/man1/posenc.1" ] || fail "no manual page"
    bash -n "$prefix/share/bash-completion/completions/posenc" || fail "the completion script is no bash"
    LD_LIBRARY_PATH=$lib "$prefix/bin/posenc" --version | grep -q '0\.1\.0' || fail "posenc --version"
fi

# Nothing in an installed text file knows where it was built.
if grep -rlI -e "$SOURCE" -e "$BUILD" "$prefix"; then fail "build paths in installed files (above)"; fi

# The tree may be moved.
mv "$prefix" "$work/moved"
lib=$work/moved${lib#"$prefix"}
prefix=$work/moved

consumer=$SOURCE/tests/house/consumer
if command -v pkg-config >/dev/null; then
    export PKG_CONFIG_PATH="$lib/pkgconfig"
    # Splitting is meant: these are lists of options.
    # shellcheck disable=SC2046
    quietly "$CC" -std=c11 $sanitize "$consumer/consumer.c" $(pkg-config --cflags --libs posenc) -o "$work/by_pkgconfig"
    LD_LIBRARY_PATH=$lib expect "$work/by_pkgconfig"
    # shellcheck disable=SC2046
    quietly "$CC" -std=c11 $sanitize "$consumer/consumer.c" $(pkg-config --cflags posenc) \
        $(pkg-config --static --libs posenc | sed "s|-lposenc|$lib/libposenc.a|") -o "$work/by_pkgconfig_static"
    expect "$work/by_pkgconfig_static"
    [ "$(pkg-config --modversion posenc)" = 0.1.0 ] || fail "pkg-config --modversion"
fi

quietly "$CMAKE" -S "$consumer" -B "$work/consumer" -DCMAKE_C_COMPILER="$CC" -DCMAKE_PREFIX_PATH="$prefix" \
    -DCMAKE_C_FLAGS="$sanitize" -DCMAKE_EXPORT_NO_PACKAGE_REGISTRY=ON
quietly "$CMAKE" --build "$work/consumer"
expect "$work/consumer/consumer_shared"
expect "$work/consumer/consumer_static"
readelf -d "$work/consumer/consumer_static" | grep -q 'NEEDED.*libposenc' && fail "consumer_static: needs the shared library"
echo "installed, moved, found by pkg-config and CMake, linked shared and static"
