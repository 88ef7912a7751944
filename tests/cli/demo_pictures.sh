#!/bin/sh
# demo_pictures.sh PROGRAM draws|plain: the pictures of `posenc demo`, where they go, and what happens when they cannot.
# draws: this build has a drawing library.
set -u
program=$1 build=$2
LSAN_OPTIONS=suppressions=$(cd "$(dirname "$0")" && pwd)/leaks.txt:print_suppressions=0
export LSAN_OPTIONS
scratch=$(mktemp -d) || exit 2
trap 'rm -rf "$scratch"' EXIT
cd "$scratch" || exit 2
failures=0

complain() {
    failures=$((failures + 1))
    echo "FAILED: $*" | cut -c 1-200
}

# demo STATUS ARGUMENTS...: a tour in the folder `here`, which must end so; out and err are what it printed.
demo() {
    expected=$1
    shift
    status=0
    (cd here && exec "$program" demo "$@") >out 2>err </dev/null || status=$?
    [ "$status" -eq "$expected" ] || complain "demo $*: exit status $status instead of $expected: $(cat err)"
}

fresh() { rm -rf here && mkdir here; }
number() { od -An -tu1 -j "$2" -N 4 "$1" | awk '{ print (($1 * 256 + $2) * 256 + $3) * 256 + $4 }'; }

# A PNG of 800 x 600 with something in it.
check_picture() {
    [ -f "$1" ] || { complain "$1: is not there"; return; }
    [ "$(od -An -tx1 -N 8 "$1" | tr -d ' \n')" = 89504e470d0a1a0a ] || complain "$1: is no PNG"
    [ "$(number "$1" 16) x $(number "$1" 20)" = "800 x 600" ] || complain "$1: is $(number "$1" 16) x $(number "$1" 20)"
    [ "$(wc -c <"$1")" -gt 8000 ] || complain "$1: has $(wc -c <"$1") bytes only"
}

check_nothing_written() { [ -z "$(ls -A here)" ] || complain "$1: leaves $(ls -A here)"; }

check_refused() {
    [ "$(wc -l <err)" -eq 1 ] && grep -q "^posenc: error: $2" err || complain "$1: says \"$(cat err)\""
}

fresh
demo 0 --no-pictures
check_nothing_written "demo --no-pictures"
grep -q '^4\. ' out && complain "demo --no-pictures: speaks of pictures"

# A folder that is asked for and cannot be is told before anything else.
fresh
: >here/file
for folder in file file/below missing/below "$(printf %5000s x | tr ' ' x)" ''; do
    demo 2 --pictures "$folder"
    check_refused "demo --pictures ${folder%"${folder#????????????????}"}" pictures:
    [ ! -s out ] || complain "demo --pictures $folder: begins the tour"
done
demo 2 --pictures file --no-pictures
check_refused "demo with both options" no-pictures:
[ "$(ls -A here)" = file ] && [ ! -s here/file ] || complain "demo --pictures file: touches it"

if [ "$build" = plain ]; then
    fresh
    demo 0
    check_nothing_written "demo without a drawing library"
    grep -q '^  No pictures: ' out || complain "demo without a drawing library: does not say so"
    demo 2 --pictures p
    check_refused "demo --pictures without a drawing library" ''
    check_nothing_written "demo --pictures without a drawing library"
    [ $failures -eq 0 ] && echo "demo draws nothing and says so"
    exit $((failures > 0))
fi

names="curves.png error.png heatmap.png similarity.png"
fresh
demo 0
[ "$(ls -A here)" = demo ] || complain "demo: leaves $(ls -A here)"
[ "$(ls -A here/demo | xargs)" = "$names" ] || complain "demo: draws $(ls -A here/demo | xargs)"
for name in $names; do
    check_picture "here/demo/$name"
    [ "$(grep -c "^  demo/$name  *[a-z]" out)" -eq 1 ] || complain "demo: does not tell of $name"
done

# Again, over what is there; and elsewhere: the same bytes.
mkdir here/other
demo 0 --pictures other
demo 0
for name in $names; do cmp "here/demo/$name" "here/other/$name" || complain "$name: other bytes in another run"; done

# What was not asked for does not fail the tour: a file in the folder's place, a folder in a picture's place.
fresh
echo mine >here/demo
demo 0
grep -q '^  No pictures: demo ' out && grep -q '^From here$' out || complain "demo beside a file demo: $(cat out)"
[ "$(cat here/demo)" = mine ] || complain "demo: touches a file"
fresh
mkdir -p here/demo/heatmap.png
demo 0
grep -q '^  No pictures: ' out || complain "demo beside a folder heatmap.png: does not say so"
demo 2 --pictures demo
check_refused "demo --pictures beside a folder heatmap.png" demo/heatmap.png
[ "$(ls -A here/demo)" = heatmap.png ] || complain "demo beside a folder heatmap.png: leaves $(ls -A here/demo)"

# A full disc.
fresh
(cd here && ulimit -f 16 && exec "$program" demo --pictures p) >out 2>err </dev/null
status=$?
[ $status -eq 2 ] || complain "demo on a full disc: exit status $status"
[ ! -d here/p ] || [ -z "$(ls -A here/p | grep -v '\.png$')" ] || complain "demo on a full disc: leaves $(ls -A here/p)"

# Names from outside do not act on the terminal.
fresh
name=$(printf 'p\033[31m')
demo 0 --pictures "$name"
grep -q "$(printf '\033')" out && complain "demo: prints a control character of the folder's name"

[ $failures -eq 0 ] && echo "demo draws its pictures"
exit $((failures > 0))
