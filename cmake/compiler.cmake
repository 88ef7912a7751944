# One place for language, warnings, sanitizers and the promise of equal bits: floating-point contraction is off everywhere.
set(CMAKE_C_STANDARD 11)
set(CMAKE_C_STANDARD_REQUIRED ON)
set(CMAKE_C_EXTENSIONS OFF)
set(CMAKE_C_VISIBILITY_PRESET hidden)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)

add_library(posenc_compiler INTERFACE)
target_compile_options(posenc_compiler INTERFACE
  -ffp-contract=off -fno-math-errno
  -Wall -Wextra -Wshadow -Wpointer-arith -Wstrict-prototypes -Wmissing-prototypes -Wvla -Wformat=2 -Wundef
  -Wwrite-strings -Wcast-qual -Wdouble-promotion)
# 32-bit x86 computes in x87 registers if left to itself, which round at another width: the bits would differ.
if(CMAKE_SIZEOF_VOID_P EQUAL 4 AND CMAKE_SYSTEM_PROCESSOR MATCHES "^(i.86|x86|x86_64|AMD64)$")
  target_compile_options(posenc_compiler INTERFACE -msse2 -mfpmath=sse)
endif()
if(POSENC_WARNINGS_ARE_ERRORS)
  target_compile_options(posenc_compiler INTERFACE -Werror)
endif()
if(POSENC_SANITIZE)
  target_compile_options(posenc_compiler INTERFACE -fsanitize=${POSENC_SANITIZE} -fno-omit-frame-pointer -fno-sanitize-recover=all)
  target_link_options(posenc_compiler INTERFACE -fsanitize=${POSENC_SANITIZE})
endif()
