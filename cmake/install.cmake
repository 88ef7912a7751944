# What is installed: headers, both libraries, a pkg-config file, a CMake package; with the program also its manual page and
# shell completion. posenc_products builds just these, without tests and examples.
include(CMakePackageConfigHelpers)

add_custom_target(posenc_products DEPENDS posenc_shared posenc_static)

install(DIRECTORY include/posenc DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} FILES_MATCHING PATTERN "*.h")
install(TARGETS posenc_shared posenc_static EXPORT posenc-targets
  LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}
  ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR}
  RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})

# pkg-config. prefix is written relative to the file, so that an installed tree may be moved.
file(RELATIVE_PATH POSENC_PC_TO_PREFIX
  "/prefix/${CMAKE_INSTALL_LIBDIR}/pkgconfig" "/prefix")
string(REGEX REPLACE "/$" "" POSENC_PC_TO_PREFIX "${POSENC_PC_TO_PREFIX}")
set(POSENC_PC_PRIVATE "-lm")
if(POSENC_THREADS)
  set(POSENC_PC_PRIVATE "-lm -pthread")
endif()
if(CAIRO_FOUND)
  string(PREPEND POSENC_PC_PRIVATE "-lcairo ")
endif()
set(POSENC_PC_REQUIRES "")
if(JANSSON_FOUND)
  set(POSENC_PC_REQUIRES "Requires.private: jansson >= 2.11\n")
endif()
set(POSENC_PC_DLPACK "")
if(NOT DLPACK_INCLUDE_DIR STREQUAL "/usr/include")
  set(POSENC_PC_DLPACK "-I${DLPACK_INCLUDE_DIR}")
endif()
configure_file(cmake/posenc.pc.in posenc.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/posenc.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)

# find_package(posenc) gives posenc::shared and posenc::static.
set(POSENC_CMAKE_DIR ${CMAKE_INSTALL_LIBDIR}/cmake/posenc)
install(EXPORT posenc-targets NAMESPACE posenc:: DESTINATION ${POSENC_CMAKE_DIR})
configure_package_config_file(cmake/posenc-config.cmake.in posenc-config.cmake INSTALL_DESTINATION ${POSENC_CMAKE_DIR})
write_basic_package_version_file(posenc-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/posenc-config.cmake ${PROJECT_BINARY_DIR}/posenc-config-version.cmake
  DESTINATION ${POSENC_CMAKE_DIR})

if(TARGET posenc)
  add_dependencies(posenc_products posenc)
  install(TARGETS posenc RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
endif()
if(TARGET posenc_help)
  add_dependencies(posenc_products posenc_help)
  install(FILES ${PROJECT_BINARY_DIR}/share/man/man1/posenc.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
  install(FILES ${PROJECT_BINARY_DIR}/share/bash-completion/completions/posenc
    DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions)
endif()
