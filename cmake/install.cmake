# SPDX-License-Identifier: BSL-1.0
# Install rules: library, headers, licences, CMake package and pkg-config file. The components are those of the packages:
# library, dev, tools (the command), licences.
include(CMakePackageConfigHelpers)

set(turnstile_package_dir "${CMAKE_INSTALL_LIBDIR}/cmake/turnstile")

set(turnstile_libraries turnstile)
if(TARGET turnstile_static)
  list(APPEND turnstile_libraries turnstile_static)
endif()
install(TARGETS ${turnstile_libraries} EXPORT turnstileTargets
  LIBRARY DESTINATION "${CMAKE_INSTALL_LIBDIR}" COMPONENT library NAMELINK_COMPONENT dev
  ARCHIVE DESTINATION "${CMAKE_INSTALL_LIBDIR}" COMPONENT dev)
install(DIRECTORY "${PROJECT_SOURCE_DIR}/include/" DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}" COMPONENT dev
  FILES_MATCHING PATTERN "*.hpp")
# The library contains the ZooKeeper C client, whose licence has to go along.
install(FILES "${PROJECT_SOURCE_DIR}/LICENSE" "${PROJECT_SOURCE_DIR}/LICENSE-3rd-party.md"
  DESTINATION "${CMAKE_INSTALL_DATAROOTDIR}/doc/turnstile" COMPONENT licences)
install(EXPORT turnstileTargets NAMESPACE turnstile:: DESTINATION "${turnstile_package_dir}" COMPONENT dev)

set(TURNSTILE_NEEDS_OPENSSL OFF)
set(turnstile_pc_requires "")
if(TURNSTILE_TLS)
  set(turnstile_pc_requires "Requires.private: openssl")
  if(NOT BUILD_SHARED_LIBS)
    set(turnstile_pc_requires "Requires: openssl")
  endif()
  if(NOT BUILD_SHARED_LIBS OR TARGET turnstile_static)
    set(TURNSTILE_NEEDS_OPENSSL ON)
  endif()
endif()

set(turnstile_pc_sasl "")
if(TURNSTILE_SASL)
  set(turnstile_pc_sasl " -lsasl2 -lgssapi_krb5 -lkrb5")
  if(BUILD_SHARED_LIBS)
    string(PREPEND turnstile_pc_sasl "\nLibs.private:")
  endif()
endif()

configure_package_config_file(
  "${PROJECT_SOURCE_DIR}/cmake/turnstileConfig.cmake.in" "${CMAKE_CURRENT_BINARY_DIR}/turnstileConfig.cmake"
  INSTALL_DESTINATION "${turnstile_package_dir}")
write_basic_package_version_file(
  "${CMAKE_CURRENT_BINARY_DIR}/turnstileConfigVersion.cmake" COMPATIBILITY SameMinorVersion)
install(
  FILES
    "${CMAKE_CURRENT_BINARY_DIR}/turnstileConfig.cmake"
    "${CMAKE_CURRENT_BINARY_DIR}/turnstileConfigVersion.cmake"
  DESTINATION "${turnstile_package_dir}" COMPONENT dev)

# The .pc file finds its prefix from its own place, so that an installed tree can be moved.
file(RELATIVE_PATH turnstile_pc_prefix "/prefix/${CMAKE_INSTALL_LIBDIR}/pkgconfig" "/prefix")
if(IS_ABSOLUTE "${CMAKE_INSTALL_LIBDIR}" OR IS_ABSOLUTE "${CMAKE_INSTALL_INCLUDEDIR}")
  set(turnstile_pc_prefix_line "${CMAKE_INSTALL_PREFIX}")
  set(turnstile_pc_libdir "${CMAKE_INSTALL_FULL_LIBDIR}")
  set(turnstile_pc_includedir "${CMAKE_INSTALL_FULL_INCLUDEDIR}")
else()
  set(turnstile_pc_prefix_line "\${pcfiledir}/${turnstile_pc_prefix}")
  string(REGEX REPLACE "/$" "" turnstile_pc_prefix_line "${turnstile_pc_prefix_line}")
  set(turnstile_pc_libdir "\${prefix}/${CMAKE_INSTALL_LIBDIR}")
  set(turnstile_pc_includedir "\${prefix}/${CMAKE_INSTALL_INCLUDEDIR}")
endif()
configure_file("${PROJECT_SOURCE_DIR}/cmake/turnstile.pc.in" "${CMAKE_CURRENT_BINARY_DIR}/turnstile.pc" @ONLY)
install(FILES "${CMAKE_CURRENT_BINARY_DIR}/turnstile.pc" DESTINATION "${CMAKE_INSTALL_LIBDIR}/pkgconfig"
  COMPONENT dev)
