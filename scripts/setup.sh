#!/bin/sh
# Puts in place what a task needs, or says what is missing.
#
#     scripts/setup.sh build|test|long|format    installs what is missing (Debian, Ubuntu); names it elsewhere
#     scripts/setup.sh --check build|...         installs nothing, only says
#
# On Debian and Ubuntu packages are looked for by name and only the missing ones are installed, so a second run installs
# nothing and needs no network. Elsewhere the things themselves are looked for. Exit status 1: something is missing that the
# task cannot do without. Without the others it does less, and says so.
set -eu

# tasks that use it | must or may | how to see it elsewhere | Debian package | what it is for
needs() {
    cat <<'TABLE'
build,test,long|must|program cc|gcc|the C compiler
build,test,long|must|program make|make|the front for the build
build,test,long|must|program cmake|cmake|the build system
build,test,long|must|header stdlib.h|libc6-dev|the headers of the C library
build,test,long|must|header dlpack/dlpack.h|libdlpack-dev|tensors in the interface
build,test,long|may|program pkg-config|pkg-config|finding libraries
build,test,long|may|header jansson.h|libjansson-dev|the posenc program and .safetensors files
build,test,long|may|header cairo/cairo.h|libcairo2-dev|pictures
build,test,long|may|none|fonts-dejavu-core|the letters in pictures
build,test,long|may|none|libopenblas-serial-dev|a floor of the bench
test,long|must|header cmocka.h|libcmocka-dev|the tests
test,long|must|header mpfr.h|libmpfr-dev|reference values in the tests
test,long|may|program ninja|ninja-build|a faster build
test,long|may|program clang|clang|the second compiler
test,long|may|program g++|g++|the headers in C++
test,long|may|program python3|python3|an independent reader of .npy files
test,long|may|header simde/x86/avx512.h|libsimde-dev|the AVX-512 kernels in portable C
test,long|may|program aarch64-linux-gnu-gcc|gcc-aarch64-linux-gnu|the NEON kernels
test,long|may|none|libc6-dev-arm64-cross|the NEON kernels
test,long|may|program qemu-aarch64|qemu-user|machines of other kinds
long|may|program s390x-linux-gnu-gcc|gcc-s390x-linux-gnu|a big-endian machine
long|may|none|libc6-dev-s390x-cross|a big-endian machine
long|may|program i686-linux-gnu-gcc|gcc-i686-linux-gnu|a 32-bit machine
long|may|none|libc6-dev-i386-cross|a 32-bit machine
long|may|program bochs|bochs|the AVX-512 kernels on any machine
long|may|none|bochsbios|the same: its firmware
long|may|none|vgabios|the same: its firmware
long|may|none|isolinux|the same: its boot loader
long|may|none|syslinux-common|the same: its boot loader
long|may|program xorriso|xorriso|the same: its disc
long|may|program cpio|cpio|the same: its first files
format|must|program clang-format|clang-format|the formatter
TABLE
}

# Whether something is there, by its entry in the table.
there() {
    case $1 in
    "program "*) command -v "${1#program }" >/dev/null 2>&1 ;;
    "header "*) ! command -v cc >/dev/null 2>&1 || echo "#include <${1#header }>" | cc -E -x c - >/dev/null 2>&1 ;;
    *) true ;;
    esac
}

has_debian_packages() { command -v apt-get >/dev/null 2>&1 && command -v dpkg-query >/dev/null 2>&1; }

is_installed() { dpkg-query -W -f '${db:Status-Status}\n' "$1" 2>/dev/null | grep -qx installed; }

# Whether this machine is itself what a cross package is for, or has no such package.
is_needless() {
    case "$(uname -m):$1" in
    aarch64:*aarch64* | aarch64:*arm64* | s390x:*s390x* | i?86:*i686* | i?86:*i386*) return 0 ;;
    x86_64:*) return 1 ;;
    *:bochs* | *:vgabios | *:isolinux | *:syslinux*) return 0 ;;
    *) return 1 ;;
    esac
}

# Prints the lines "must|probe|package|purpose" of a task whose thing is missing.
missing() {
    needs | while IFS='|' read -r tasks weight probe package purpose; do
        case ",$tasks," in *",$1,"*) ;; *) continue ;; esac
        if is_needless "$package"; then continue; fi
        if has_debian_packages; then
            if is_installed "$package"; then continue; fi
        elif there "$probe"; then
            continue
        fi
        echo "$weight|$probe|$package|$purpose"
    done
}

say_missing() {
    echo "$1" | while IFS='|' read -r weight probe package purpose; do
        case $probe in none) probe="package $package" ;; esac
        case $weight in must) weight=missing ;; *) weight="missing, not vital" ;; esac
        echo "setup: $weight: $probe, for $purpose (Debian: $package)" >&2
    done
}

# Succeeds unless something vital is among the lines.
none_vital() { ! echo "$1" | grep -q '^must|'; }

as_root() {
    if [ "$(id -u)" = 0 ]; then
        "$@"
    elif command -v sudo >/dev/null 2>&1; then
        sudo "$@"
    else
        echo "setup: to install packages: expected root or sudo, got neither" >&2
        return 1
    fi
}

apt() { as_root env DEBIAN_FRONTEND=noninteractive apt-get -qq -o DPkg::Lock::Timeout=300 "$@" </dev/null; }

install_packages() {
    echo "setup: installing with apt-get: $*"
    apt update >"$log" 2>&1 || true
    if ! apt -o Dpkg::Use-Pty=0 install -y --no-install-recommends "$@" >>"$log" 2>&1; then
        tail -n 15 "$log" >&2
        echo "setup: apt-get could not install these (see above)" >&2
        return 1
    fi
}

check_only=false
if [ "${1:-}" = --check ]; then
    check_only=true
    shift
fi
task=${1:-build}
case $task in build | test | long | format) ;; *)
    echo "setup: task: expected build, test, long or format, got \"$task\"" >&2
    exit 2
    ;;
esac

lines=$(missing "$task")
[ -n "$lines" ] || exit 0
if ! $check_only && has_debian_packages; then
    log=$(mktemp)
    trap 'rm -f "$log"' EXIT
    # One argument for each package: splitting is meant.
    # shellcheck disable=SC2046
    if install_packages $(echo "$lines" | cut -d'|' -f3); then exit 0; fi
    lines=$(missing "$task")
    [ -n "$lines" ] || exit 0
fi
say_missing "$lines"
if $check_only && has_debian_packages; then echo "setup: make demo and make test install what they need" >&2; fi
none_vital "$lines"
