# SPDX-License-Identifier: BSL-1.0
# The single-threaded C client from the sources in TURNSTILE_ZOOKEEPER_SOURCE_DIR, as the target turnstile_zookeeper_client.
# Sets ZooKeeper_INCLUDE_DIR and ZooKeeper_ST_LIBRARY.
set(client "${TURNSTILE_ZOOKEEPER_SOURCE_DIR}")
if(EXISTS "${client}/zookeeper-client/zookeeper-client-c")
  set(client "${client}/zookeeper-client/zookeeper-client-c")
endif()
if(NOT EXISTS "${client}/src/st_adaptor.c")
  message(FATAL_ERROR "TURNSTILE_ZOOKEEPER_SOURCE_DIR is \"${TURNSTILE_ZOOKEEPER_SOURCE_DIR}\", which has no sources of the ZooKeeper C client (no src/st_adaptor.c). Name the folder of an unpacked ZooKeeper release, or its zookeeper-client/zookeeper-client-c.")
endif()

enable_language(C)

# ZooKeeper's Java build writes two files of the client. Where they are missing, its generator is run.
set(work "${CMAKE_CURRENT_BINARY_DIR}/zookeeper_client")
set(generated "${client}/generated")
if(NOT EXISTS "${generated}/zookeeper.jute.c")
  set(generated "${work}/generated")
  find_program(TURNSTILE_JAVA java)
  find_file(TURNSTILE_JUTE_JAR zookeeper-jute.jar PATHS /usr/share/java "${TURNSTILE_ZOOKEEPER_SOURCE_DIR}/zookeeper-jute/target")
  mark_as_advanced(TURNSTILE_JAVA TURNSTILE_JUTE_JAR)
  find_file(jute zookeeper.jute NO_CACHE NO_DEFAULT_PATH
    PATHS "${client}/src" "${TURNSTILE_ZOOKEEPER_SOURCE_DIR}/zookeeper-jute/src/main/resources")
  if(NOT EXISTS "${generated}/zookeeper.jute.c" AND TURNSTILE_JAVA AND TURNSTILE_JUTE_JAR AND jute)
    file(MAKE_DIRECTORY "${generated}")
    execute_process(
      COMMAND "${TURNSTILE_JAVA}" -cp "${TURNSTILE_JUTE_JAR}" org.apache.jute.compiler.generated.Rcc -l c "${jute}"
      WORKING_DIRECTORY "${generated}" OUTPUT_QUIET ERROR_VARIABLE jute_errors)
  endif()
  if(NOT EXISTS "${generated}/zookeeper.jute.c")
    message(FATAL_ERROR "${client} lacks generated/zookeeper.jute.c, which ZooKeeper's own build makes. Run in ${TURNSTILE_ZOOKEEPER_SOURCE_DIR}: mvn compile -pl zookeeper-jute. Or install a Java runtime and Debian's package libzookeeper-java (or set TURNSTILE_JUTE_JAR), and it is made here. ${jute_errors}")
  endif()
endif()

# Linux has all that the client's configuration asks for.
file(STRINGS "${client}/cmake_config.h.in" asked REGEX "#cmakedefine (HAVE_|ZOO_IPV6|SOCK_CLOEXEC)")
foreach(line IN LISTS asked)
  string(REGEX REPLACE "^#cmakedefine ([A-Z0-9_]+).*$" "\\1" name "${line}")
  set(${name} 1)
endforeach()
configure_file("${client}/cmake_config.h.in" "${work}/config/config.h")

# As an installation has them: <zookeeper/zookeeper.h>.
file(GLOB headers "${client}/include/*.h")
foreach(header IN LISTS headers ITEMS "${generated}/zookeeper.jute.h")
  get_filename_component(name "${header}" NAME)
  configure_file("${header}" "${work}/include/zookeeper/${name}" COPYONLY)
endforeach()

add_library(turnstile_zookeeper_client STATIC
  "${client}/src/addrvec.c"
  "${client}/src/hashtable/hashtable.c"
  "${client}/src/hashtable/hashtable_itr.c"
  "${client}/src/recordio.c"
  "${client}/src/st_adaptor.c"
  "${client}/src/zk_hashtable.c"
  "${client}/src/zk_log.c"
  "${client}/src/zookeeper.c"
  "${generated}/zookeeper.jute.c")
target_include_directories(turnstile_zookeeper_client PRIVATE
  "${work}/config" "${work}/include/zookeeper" "${client}/src" "${client}/src/hashtable")
target_compile_definitions(turnstile_zookeeper_client PRIVATE HAVE_CONFIG_H _GNU_SOURCE)
# -w: its warnings are not ours to mend. No link-time optimisation: objcopy has to see the symbols.
target_compile_options(turnstile_zookeeper_client PRIVATE -w -fno-lto)
set_target_properties(turnstile_zookeeper_client PROPERTIES
  POSITION_INDEPENDENT_CODE ON
  INTERPROCEDURAL_OPTIMIZATION OFF
  UNITY_BUILD OFF
  OUTPUT_NAME zookeeper_st)

set(ZooKeeper_INCLUDE_DIR "${work}/include")
set(ZooKeeper_ST_LIBRARY "$<TARGET_FILE:turnstile_zookeeper_client>")
