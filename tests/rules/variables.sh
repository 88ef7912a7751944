# Read by the scripts here: what CMake hands over, or the release build's place when a script is run by hand.
rules=$(cd "$(dirname "$0")" && pwd)
SOURCE=${SOURCE:-$(cd "$rules/../.." && pwd)}
STATIC=${STATIC:-$SOURCE/build/release/lib/libposenc.a}
SHARED=${SHARED:-$SOURCE/build/release/lib/libposenc.so}
DLPACK=${DLPACK:-/usr/include}
CC=${CC:-cc}
CXX=${CXX:-}
NM=${NM:-nm}
OBJDUMP=${OBJDUMP:-objdump}
