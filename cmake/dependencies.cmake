# The core needs libc, libm and DLPack's header. Each optional part says in one line what it is missing.
find_package(PkgConfig QUIET)

find_path(DLPACK_INCLUDE_DIR dlpack/dlpack.h)
if(NOT DLPACK_INCLUDE_DIR)
  message(FATAL_ERROR "posenc needs DLPack's header dlpack/dlpack.h (Debian: libdlpack-dev)")
endif()

if(POSENC_THREADS)
  set(THREADS_PREFER_PTHREAD_FLAG ON)
  find_package(Threads REQUIRED)
endif()

# JSON: the headers of .safetensors files, and what the program prints.
if(PKG_CONFIG_FOUND)
  pkg_check_modules(JANSSON IMPORTED_TARGET jansson>=2.11)
endif()
if(NOT JANSSON_FOUND)
  message(STATUS "posenc: .safetensors files are written but not read, that needs jansson (Debian: libjansson-dev)")
  if(POSENC_CLI)
    message(STATUS "posenc: the program is left out, it needs jansson (Debian: libjansson-dev)")
    set(POSENC_CLI OFF)
  endif()
endif()

# Pictures.
set(CAIRO_FOUND FALSE)
if(POSENC_PLOTS AND PKG_CONFIG_FOUND)
  pkg_check_modules(CAIRO IMPORTED_TARGET cairo>=1.16)
endif()
if(NOT CAIRO_FOUND)
  message(STATUS "posenc: pictures are left out, they need cairo (Debian: libcairo2-dev)")
endif()

# A floor of the bench. Only the serial OpenBLAS, by its own folder: beside it Debian's alternatives may put one with
# threads of its own. The library does without: the serial one may not be called from two threads at once.
if(POSENC_BLAS)
  find_library(OPENBLAS_LIBRARY openblas PATHS /usr/lib/${CMAKE_LIBRARY_ARCHITECTURE} PATH_SUFFIXES openblas-serial
               NO_DEFAULT_PATH)
endif()
if(POSENC_BLAS AND OPENBLAS_LIBRARY)
  set(POSENC_HAVE_OPENBLAS TRUE)
  get_filename_component(OPENBLAS_FOLDER ${OPENBLAS_LIBRARY} DIRECTORY)
else()
  set(POSENC_HAVE_OPENBLAS FALSE)
  message(STATUS "posenc: the bench leaves out similarity, whose floor needs OpenBLAS (Debian: libopenblas-serial-dev)")
endif()

if(POSENC_TESTS)
  find_path(CMOCKA_INCLUDE_DIR cmocka.h)
  find_library(CMOCKA_LIBRARY cmocka)
  find_path(MPFR_INCLUDE_DIR mpfr.h)
  find_library(MPFR_LIBRARY mpfr)
  find_library(GMP_LIBRARY gmp)
  if(NOT CMOCKA_INCLUDE_DIR OR NOT CMOCKA_LIBRARY OR NOT MPFR_INCLUDE_DIR OR NOT MPFR_LIBRARY OR NOT GMP_LIBRARY)
    message(STATUS "posenc: the tests are left out, they need cmocka and MPFR (Debian: libcmocka-dev libmpfr-dev)")
    set(POSENC_TESTS OFF)
  endif()
endif()
