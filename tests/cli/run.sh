#!/bin/sh
# Runs transcripts: command lines with what they print and their exit status.
#
#     run.sh [--rewrite] PROGRAM TRANSCRIPT...
#
# A transcript is text. A line "$ command" is run by sh in a fresh folder, where posenc and the helpers of tools/ can be
# called by name. Below it stand the lines of standard output ("> "), of standard error ("! ") and the exit status
# ("= 2"). Other lines are comments; "# needs NAME" skips the transcript where there is no program NAME.
# The whole transcript is written anew and compared; --rewrite keeps the new one, for a person to read and commit.

here=$(cd "$(dirname "$0")" && pwd)
rewrite=no
if [ "$1" = --rewrite ]; then
    rewrite=yes
    shift
fi
if [ $# -lt 2 ] || [ ! -x "$1" ]; then
    echo "usage: run.sh [--rewrite] PROGRAM TRANSCRIPT..." >&2
    exit 2
fi

scratch=$(mktemp -d) || exit 2
trap 'rm -rf "$scratch"' EXIT
mkdir "$scratch/bin"
ln -s "$(cd "$(dirname "$1")" && pwd)/$(basename "$1")" "$scratch/bin/posenc"
shift

PATH=$scratch/bin:$here/tools:$PATH
SOURCE=$(cd "$here/../.." && pwd)
LC_ALL=C
TERM=dumb
LSAN_OPTIONS=suppressions=$here/leaks.txt:print_suppressions=0
export PATH SOURCE LC_ALL TERM LSAN_OPTIONS
unset NO_COLOR

# Prints the transcript of one command line.
run_command() {
    printf '$ %s\n' "$1"
    (cd "$scratch/work" && exec sh -c "$1") >"$scratch/out" 2>"$scratch/err" </dev/null
    status=$?
    sed 's/^/> /' "$scratch/out"
    sed 's/^/! /' "$scratch/err"
    printf '= %s\n' "$status"
}

# Reads a transcript, prints it as it is now.
run_transcript() {
    while IFS= read -r line || [ -n "$line" ]; do
        case $line in
            '$ '*) run_command "${line#??}" ;;
            '> '* | '! '* | '= '* | '>' | '!') ;;
            *) printf '%s\n' "$line" ;;
        esac
    done
}

missing() {
    for name in $(sed -n 's/^# needs //p' "$1"); do
        command -v "$name" >/dev/null 2>&1 || { echo "$name" && return; }
    done
}

failed=0
skipped=0
for transcript; do
    absent=$(missing "$transcript")
    if [ -n "$absent" ]; then
        echo "$(basename "$transcript"): left out, there is no $absent"
        skipped=$((skipped + 1))
        continue
    fi
    mkdir "$scratch/work"
    run_transcript <"$transcript" >"$scratch/now"
    rm -rf "$scratch/work"
    if [ $rewrite = yes ]; then
        cmp -s "$transcript" "$scratch/now" || { cp "$scratch/now" "$transcript" && echo "rewrote $transcript"; }
    elif ! diff -u "$transcript" "$scratch/now"; then
        failed=$((failed + 1))
    fi
done
[ $failed -gt 0 ] && exit 1
[ $skipped -gt 0 ] && [ $skipped -eq $# ] && exit 77
exit 0
