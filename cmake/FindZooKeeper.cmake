# SPDX-License-Identifier: BSL-1.0
# Finds the single-threaded ZooKeeper C client: <zookeeper/zookeeper.h> and the static libzookeeper_st. Or compiles it from
# the sources that TURNSTILE_ZOOKEEPER_SOURCE_DIR names.
#
# Targets:   ZooKeeper::st       header and static library
#            ZooKeeper::headers  the header alone
# Variables: ZooKeeper_INCLUDE_DIR, ZooKeeper_ST_LIBRARY (a file), ZooKeeper_VERSION
set(TURNSTILE_ZOOKEEPER_SOURCE_DIR "" CACHE PATH
  "Sources of ZooKeeper, or of its C client alone: compiled where no libzookeeper_st.a is installed")

if(TURNSTILE_ZOOKEEPER_SOURCE_DIR)
  include(zookeeper_from_source)
else()
  find_path(ZooKeeper_INCLUDE_DIR zookeeper/zookeeper.h)
  find_library(ZooKeeper_ST_LIBRARY NAMES libzookeeper_st.a)
  mark_as_advanced(ZooKeeper_INCLUDE_DIR ZooKeeper_ST_LIBRARY)
endif()

if(ZooKeeper_INCLUDE_DIR AND EXISTS "${ZooKeeper_INCLUDE_DIR}/zookeeper/zookeeper_version.h")
  file(READ "${ZooKeeper_INCLUDE_DIR}/zookeeper/zookeeper_version.h" ZooKeeper_version_header)
  if(ZooKeeper_version_header MATCHES "ZOO_VERSION \"([0-9.]+)\"")
    set(ZooKeeper_VERSION "${CMAKE_MATCH_1}")
  endif()
endif()

# What is said where it is missing: which part, and what to do.
set(ZooKeeper_advice "Do one of these:
  1. Debian, Ubuntu: install the package libzookeeper-st-dev. (It conflicts with libzookeeper-mt-dev, which does not have the library.) scripts/setup.sh installs it.
  2. Name a static library that is elsewhere: -DZooKeeper_ST_LIBRARY=/path/libzookeeper_st.a -DZooKeeper_INCLUDE_DIR=/path/include
  3. Give the sources of ZooKeeper 3.8, and they are compiled: -DTURNSTILE_ZOOKEEPER_SOURCE_DIR=/path/apache-zookeeper-3.8.x
docs/install.md has each of them.")
if(NOT ZooKeeper_ST_LIBRARY)
  find_library(ZooKeeper_shared NAMES zookeeper_st zookeeper_mt NO_CACHE)
  if(ZooKeeper_shared)
    string(PREPEND ZooKeeper_advice
      "${ZooKeeper_shared} is here, but it does not do: the single-threaded client becomes a part of libturnstile, with its names hidden, and for that its static form is needed, libzookeeper_st.a. ")
  else()
    string(PREPEND ZooKeeper_advice
      "The single-threaded C client of ZooKeeper is needed: <zookeeper/zookeeper.h> and the static library libzookeeper_st.a. ")
  endif()
endif()

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(ZooKeeper
  REQUIRED_VARS ZooKeeper_ST_LIBRARY ZooKeeper_INCLUDE_DIR
  VERSION_VAR ZooKeeper_VERSION
  REASON_FAILURE_MESSAGE "${ZooKeeper_advice}")

if(ZooKeeper_FOUND)
  if(NOT TARGET ZooKeeper::headers)
    add_library(ZooKeeper::headers INTERFACE IMPORTED)
    set_target_properties(ZooKeeper::headers PROPERTIES
      INTERFACE_INCLUDE_DIRECTORIES "${ZooKeeper_INCLUDE_DIR}")
  endif()
  if(NOT TARGET ZooKeeper::st)
    if(TARGET turnstile_zookeeper_client)
      add_library(ZooKeeper::st INTERFACE IMPORTED)
      set_target_properties(ZooKeeper::st PROPERTIES
        INTERFACE_LINK_LIBRARIES "turnstile_zookeeper_client;ZooKeeper::headers")
    else()
      add_library(ZooKeeper::st STATIC IMPORTED)
      set_target_properties(ZooKeeper::st PROPERTIES
        IMPORTED_LOCATION "${ZooKeeper_ST_LIBRARY}"
        INTERFACE_LINK_LIBRARIES ZooKeeper::headers)
    endif()
  endif()
endif()
