# A thin front for the CMake presets: every target is one script or one CMake call.
#
#   make               the program: build/release/bin/posenc, and the libraries in build/release/lib
#   make demo          set-up, build, and the guided tour
#   make test          set-up, build, every test (minutes);  make test-long: the thorough tier (hours)
#   make bench         speed beside the machine's floor
#   make install       into PREFIX (/usr/local) below DESTDIR
#   make format        the formatter; make check-format only looks
#   make clean         removes build/
PREFIX ?= /usr/local

.PHONY: all demo test test-long bench install clean format check-format
.NOTPARALLEL:

all:
	@scripts/setup.sh --check build
	@scripts/build.sh

demo:
	@scripts/setup.sh build
	@scripts/build.sh
	@build/release/bin/posenc demo

test:
	@scripts/setup.sh test
	@scripts/test.sh

test-long:
	@scripts/setup.sh long
	@scripts/test-long.sh

bench: all
	@build/release/bin/posenc bench

install: all
	@cmake --install build/release --prefix "$(PREFIX)"

clean:
	rm -rf build

format check-format:
	@scripts/setup.sh --check format
	@scripts/format.sh $@
