# SPDX-License-Identifier: BSL-1.0
# Debian packages by cpack: libturnstile<SOVERSION>, libturnstile-dev, turnstile-tools, turnstile-doc.
# What only a package has is installed by cpack alone (EXCLUDE_FROM_ALL).
if(NOT BUILD_SHARED_LIBS OR NOT TURNSTILE_STATIC_TOO OR NOT TURNSTILE_BUILD_TOOLS)
  message(FATAL_ERROR "The Debian packages hold the shared library, the static one and the command. Configure with: cmake --preset package")
endif()
find_program(TURNSTILE_GZIP gzip REQUIRED)
mark_as_advanced(TURNSTILE_GZIP)

set(turnstile_library_package "libturnstile${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR}")
set(TURNSTILE_MAINTAINER "Turnstile maintainers <turnstile@users.noreply.invalid>" CACHE STRING "Maintainer of the Debian packages")
set(TURNSTILE_DEBIAN_REVISION 1 CACHE STRING "Revision of the Debian packages")
set(turnstile_deb_version "${PROJECT_VERSION}-${TURNSTILE_DEBIAN_REVISION}")

# ---- what Debian wants of each package: licences and a changelog ---------------------------------------------------

set(dir "${CMAKE_CURRENT_BINARY_DIR}/debian")
file(READ "${PROJECT_SOURCE_DIR}/LICENSE" license)
file(READ "${PROJECT_SOURCE_DIR}/LICENSE-3rd-party.md" third_parties)
# Debian has the text of the Apache License in each system.
string(FIND "${third_parties}" "## Apache License 2.0" apache)
if(apache LESS 0)
  message(FATAL_ERROR "LICENSE-3rd-party.md has no section \"Apache License 2.0\"")
endif()
string(SUBSTRING "${third_parties}" 0 ${apache} third_parties)
string(APPEND third_parties
  "## Apache License 2.0\n\nOn Debian systems the text is in /usr/share/common-licenses/Apache-2.0.\n")
file(WRITE "${dir}/copyright"
  "Copyright: the authors of Turnstile\n\n${license}\n\nThe library contains other software:\n\n${third_parties}")
string(TIMESTAMP now "%a, %d %b %Y %H:%M:%S +0000" UTC) # or SOURCE_DATE_EPOCH
# The cache of the loader is brought up to date.
file(WRITE "${dir}/triggers" "activate-noawait ldconfig\n")
file(WRITE "${dir}/changelog.Debian"
  "turnstile (${turnstile_deb_version}) unstable; urgency=medium\n\n  * Built from the sources by cpack. turnstile-doc has the list of changes.\n\n -- ${TURNSTILE_MAINTAINER}  ${now}\n")
execute_process(COMMAND "${TURNSTILE_GZIP}" -9nfk "${dir}/changelog.Debian" COMMAND_ERROR_IS_FATAL ANY)
foreach(pair "library;${turnstile_library_package}" "dev;libturnstile-dev" "tools;turnstile-tools" "doc;turnstile-doc")
  list(GET pair 0 component)
  list(GET pair 1 package)
  install(FILES "${dir}/copyright" "${dir}/changelog.Debian.gz"
    DESTINATION "${CMAKE_INSTALL_DATAROOTDIR}/doc/${package}" COMPONENT ${component} EXCLUDE_FROM_ALL)
endforeach()

# ---- documentation, and an archive without what only a debugger reads ----------------------------------------------

set(doc_dir "${CMAKE_INSTALL_DATAROOTDIR}/doc/turnstile-doc")
install(FILES "${PROJECT_SOURCE_DIR}/README.md" DESTINATION "${doc_dir}" COMPONENT doc EXCLUDE_FROM_ALL)
execute_process(COMMAND "${TURNSTILE_GZIP}" -9n INPUT_FILE "${PROJECT_SOURCE_DIR}/CHANGELOG.md"
  OUTPUT_FILE "${dir}/changelog.gz" COMMAND_ERROR_IS_FATAL ANY)
install(FILES "${dir}/changelog.gz" DESTINATION "${doc_dir}" COMPONENT doc EXCLUDE_FROM_ALL)
install(DIRECTORY "${PROJECT_SOURCE_DIR}/docs" DESTINATION "${doc_dir}" COMPONENT doc EXCLUDE_FROM_ALL
  FILES_MATCHING PATTERN "*.md" PATTERN "*.svg" PATTERN "*.png" PATTERN "doxygen" EXCLUDE)
install(DIRECTORY "${PROJECT_SOURCE_DIR}/examples" DESTINATION "${doc_dir}" COMPONENT doc EXCLUDE_FROM_ALL
  FILES_MATCHING PATTERN "*.cpp" PATTERN "*.hpp" PATTERN "CMakeLists.txt" PATTERN "README.md")
foreach(archive libturnstile.a libturnstile_testing.a)
  install(CODE "
    execute_process(
      COMMAND \"${CMAKE_STRIP}\" --strip-debug --enable-deterministic-archives
        \"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/${CMAKE_INSTALL_LIBDIR}/${archive}\"
      COMMAND_ERROR_IS_FATAL ANY)"
    COMPONENT dev EXCLUDE_FROM_ALL)
endforeach()

# ---- the packages ---------------------------------------------------------------------------------------------------

set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME turnstile)
set(CPACK_PACKAGE_VERSION "${PROJECT_VERSION}")
set(CPACK_PACKAGE_CONTACT "${TURNSTILE_MAINTAINER}")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_COMPONENTS_ALL library dev tools doc)
set(CPACK_COMPONENTS_GROUPING IGNORE)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_STRIP_FILES ON)
set(CPACK_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS
  OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_RELEASE "${TURNSTILE_DEBIAN_REVISION}")
set(CPACK_DEBIAN_PACKAGE_SOURCE turnstile)
set(CPACK_DEBIAN_COMPRESSION_TYPE xz)
set(CPACK_DEBIAN_PACKAGE_GENERATE_SHLIBS ON) # what programs that link the library depend on

set(CPACK_DEBIAN_LIBRARY_PACKAGE_NAME "${turnstile_library_package}")
set(CPACK_DEBIAN_LIBRARY_PACKAGE_SECTION libs)
set(CPACK_DEBIAN_LIBRARY_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_LIBRARY_PACKAGE_RECOMMENDS "libsasl2-modules")
set(CPACK_DEBIAN_LIBRARY_PACKAGE_SUGGESTS "libsasl2-modules-gssapi-mit")
set(CPACK_DEBIAN_LIBRARY_PACKAGE_CONTROL_EXTRA "${dir}/triggers")
set(CPACK_DEBIAN_LIBRARY_DESCRIPTION "distributed locks for Boost.Asio on ZooKeeper (shared library)
Locks over all processes that use a ZooKeeper ensemble, for C++20 coroutines
on Boost.Asio. The ZooKeeper C client is inside, with its names hidden.")

set(CPACK_DEBIAN_DEV_PACKAGE_NAME libturnstile-dev)
set(CPACK_DEBIAN_DEV_PACKAGE_SECTION libdevel)
set(CPACK_DEBIAN_DEV_PACKAGE_DEPENDS
  "${turnstile_library_package} (= ${turnstile_deb_version}), libboost1.81-dev | libboost-dev (>= 1.81), libssl-dev, libsasl2-dev, libkrb5-dev")
set(CPACK_DEBIAN_DEV_PACKAGE_SUGGESTS turnstile-doc)
set(CPACK_DEBIAN_DEV_DESCRIPTION "distributed locks for Boost.Asio on ZooKeeper (development files)
Headers, the static library, a CMake package and a pkg-config file.")

# The user and the folder of the host guard.
file(CONFIGURE OUTPUT "${dir}/postinst" @ONLY CONTENT [[#!/bin/sh
set -e
if [ "$1" = configure ] && command -v systemd-sysusers >/dev/null; then
    systemd-sysusers turnstile.conf
    systemd-tmpfiles --create turnstile.conf || true # no /run of systemd in a container
fi
]])
file(CHMOD "${dir}/postinst" PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)
set(CPACK_DEBIAN_TOOLS_PACKAGE_CONTROL_EXTRA "${dir}/postinst")
set(CPACK_DEBIAN_TOOLS_PACKAGE_NAME turnstile-tools)
set(CPACK_DEBIAN_TOOLS_PACKAGE_SECTION admin)
set(CPACK_DEBIAN_TOOLS_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS_PRIVATE_DIRS "${CMAKE_CURRENT_BINARY_DIR}")
set(CPACK_DEBIAN_TOOLS_PACKAGE_DEPENDS "${turnstile_library_package} (= ${turnstile_deb_version})")
set(CPACK_DEBIAN_TOOLS_DESCRIPTION "distributed locks on ZooKeeper (command)
The command turnstile runs a command under a lock, and shows who holds a lock.")

set(CPACK_DEBIAN_DOC_PACKAGE_NAME turnstile-doc)
set(CPACK_DEBIAN_DOC_PACKAGE_SECTION doc)
set(CPACK_DEBIAN_DOC_PACKAGE_ARCHITECTURE all)
set(CPACK_DEBIAN_DOC_DESCRIPTION "distributed locks for Boost.Asio on ZooKeeper (documentation)
Tutorial, concepts, cookbook, protocol, and the examples' sources.")

include(CPack)
