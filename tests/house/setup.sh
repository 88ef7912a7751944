#!/bin/sh
# Set-up on pretended machines: one where all is installed (it must install nothing), one where apt-get lacks the packages,
# one that is no Debian. The stand-ins come first on the PATH; the real apt-get is never reached.
. "$(dirname "$0")/support.sh"
setup=$SOURCE/scripts/setup.sh

# A PATH with the tools that the script uses and nothing else.
bin=$work/bin
mkdir "$bin"
for tool in sh cat cut grep tr sed uname id mktemp rm tail touch env; do ln -s "$(command -v $tool)" "$bin/$tool"; done
pretend() { printf '#!/bin/sh\n%s\n' "$2" >"$bin/$1" && chmod +x "$bin/$1"; }
run() { env -i PATH="$bin" TMPDIR="$work" sh "$setup" "$@" >"$work/out" 2>"$work/err"; }
says() { grep -qF -- "$1" "$work/out" "$work/err" || fail "expected \"$1\", got: $(cat "$work/out" "$work/err")"; }

# All there: silence, and apt-get is not called.
pretend dpkg-query 'echo installed'
pretend apt-get "touch $work/called; exit 1"
for task in build test long format; do
    run $task || fail "$task with everything installed: expected success"
    [ ! -s "$work/out" ] && [ ! -s "$work/err" ] || fail "$task: expected silence, got $(cat "$work/out" "$work/err")"
done
[ ! -e "$work/called" ] || fail "apt-get was called though nothing was missing"

# One package missing: it is named and installed, and nothing else is. Not root: through sudo.
pretend dpkg-query "case \"\$*\" in *libdlpack-dev) test -e $work/done && echo installed ;; *) echo installed ;; esac"
pretend apt-get "echo \"\$@\" >>$work/calls; case \"\$*\" in *install*) touch $work/done ;; esac"
pretend id 'echo 1000'
pretend sudo "touch $work/sudo; exec \"\$@\""
run --check build && fail "--check: expected status 1 for a vital package"
says "missing: header dlpack/dlpack.h, for tensors in the interface (Debian: libdlpack-dev)"
[ ! -e "$work/calls" ] || fail "--check called apt-get"
run build || fail "build: expected libdlpack-dev to be installed"
says "installing with apt-get: libdlpack-dev"
grep -q 'install -y --no-install-recommends libdlpack-dev$' "$work/calls" || fail "apt-get: got $(cat "$work/calls")"
[ -e "$work/sudo" ] || fail "expected sudo when not root"
rm "$work/calls"
run build || fail "second run: expected success"
[ ! -e "$work/calls" ] || fail "the second run called apt-get again"

# apt-get fails: status 1, the package is named; one that is not vital does not stop the work.
rm "$work/done"
pretend apt-get 'echo "E: Unable to locate package"; exit 100'
run build && fail "expected status 1 when apt-get fails"
says "Unable to locate package"
says "(Debian: libdlpack-dev)"
pretend dpkg-query 'case "$*" in *clang) ;; *) echo installed ;; esac'
run test || fail "clang missing: expected to go on"
says "missing, not vital: program clang, for the second compiler (Debian: clang)"

# No Debian: the things themselves are looked for, and what is missing is named.
rm "$bin/apt-get" "$bin/dpkg-query"
pretend cmake ''
run build && fail "no compiler: expected status 1"
says "missing: program cc, for the C compiler (Debian: gcc)"
grep -q 'program cmake' "$work/err" && fail "cmake is there: expected not to be named"

run nonsense && fail "nonsense: expected an error"
says 'task: expected build, test, long or format, got "nonsense"'
echo "set-up keeps its promises on four pretended machines"
