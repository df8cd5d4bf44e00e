# Finds the single-threaded ZooKeeper C client: <zookeeper/zookeeper.h> and the static libzookeeper_st.
#
# Targets:   ZooKeeper::st       header and static library
#            ZooKeeper::headers  the header alone
# Variables: ZooKeeper_INCLUDE_DIR, ZooKeeper_ST_LIBRARY, ZooKeeper_VERSION
find_path(ZooKeeper_INCLUDE_DIR zookeeper/zookeeper.h)
find_library(ZooKeeper_ST_LIBRARY NAMES libzookeeper_st.a)
mark_as_advanced(ZooKeeper_INCLUDE_DIR ZooKeeper_ST_LIBRARY)

if(ZooKeeper_INCLUDE_DIR AND EXISTS "${ZooKeeper_INCLUDE_DIR}/zookeeper/zookeeper_version.h")
  file(READ "${ZooKeeper_INCLUDE_DIR}/zookeeper/zookeeper_version.h" ZooKeeper_version_header)
  if(ZooKeeper_version_header MATCHES "ZOO_VERSION \"([0-9.]+)\"")
    set(ZooKeeper_VERSION "${CMAKE_MATCH_1}")
  endif()
endif()

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(ZooKeeper
  REQUIRED_VARS ZooKeeper_ST_LIBRARY ZooKeeper_INCLUDE_DIR
  VERSION_VAR ZooKeeper_VERSION
  REASON_FAILURE_MESSAGE
    "Needed are <zookeeper/zookeeper.h> and the static library libzookeeper_st.a. On Debian both come with the package libzookeeper-st-dev (it conflicts with libzookeeper-mt-dev, which does not have the library). scripts/setup.sh installs it.")

if(ZooKeeper_FOUND)
  if(NOT TARGET ZooKeeper::headers)
    add_library(ZooKeeper::headers INTERFACE IMPORTED)
    set_target_properties(ZooKeeper::headers PROPERTIES
      INTERFACE_INCLUDE_DIRECTORIES "${ZooKeeper_INCLUDE_DIR}")
  endif()
  if(NOT TARGET ZooKeeper::st)
    add_library(ZooKeeper::st STATIC IMPORTED)
    set_target_properties(ZooKeeper::st PROPERTIES
      IMPORTED_LOCATION "${ZooKeeper_ST_LIBRARY}"
      INTERFACE_LINK_LIBRARIES ZooKeeper::headers)
  endif()
endif()
