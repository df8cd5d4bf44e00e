# SPDX-License-Identifier: BSL-1.0
# turnstile_embed_zookeeper(<target> <source>...)
#
# Compiles the sources, links them with the static libzookeeper_st into one relocatable object, makes every symbol of
# the C client local in it and adds the object to <target>. The C client's socket calls are bound to functions of the
# sources (client_calls.txt): the socket is Asio's. A program may so link another copy of the C client beside
# us (the multi-threaded one defines the same names) without either side calling into the other.
function(turnstile_embed_zookeeper target)
  set(objects ${target}_zookeeper_objects)
  add_library(${objects} OBJECT ${ARGN})
  target_compile_features(${objects} PUBLIC cxx_std_20)
  target_include_directories(${objects} PRIVATE "${PROJECT_SOURCE_DIR}/src" "${PROJECT_SOURCE_DIR}/include")
  target_link_libraries(${objects} PRIVATE Boost::headers Threads::Threads ZooKeeper::headers)
  if(TURNSTILE_TLS)
    target_link_libraries(${objects} PRIVATE OpenSSL::SSL)
  endif()
  if(TURNSTILE_SASL)
    target_include_directories(${objects} SYSTEM PRIVATE
      "${TURNSTILE_SASL_INCLUDE_DIR}" "${TURNSTILE_GSSAPI_INCLUDE_DIR}")
  endif()
  # Link-time optimisation leaves no symbols that objcopy could see.
  target_compile_options(${objects} PRIVATE -fno-lto)
  set_target_properties(${objects} PROPERTIES
    CXX_EXTENSIONS OFF
    CXX_VISIBILITY_PRESET ${turnstile_visibility}
    POSITION_INDEPENDENT_CODE ON
    INTERPROCEDURAL_OPTIMIZATION OFF
    UNITY_BUILD ${TURNSTILE_UNITY})
  turnstile_warnings(${objects})
  target_compile_options(${objects} PRIVATE -fno-semantic-interposition)

  set(object "${CMAKE_CURRENT_BINARY_DIR}/${target}_zookeeper.o")
  add_custom_command(
    OUTPUT "${object}"
    COMMAND "${CMAKE_COMMAND}"
      "-DCXX=${CMAKE_CXX_COMPILER}"
      "-DNM=${CMAKE_NM}"
      "-DOBJCOPY=${CMAKE_OBJCOPY}"
      "-DARCHIVE=${ZooKeeper_ST_LIBRARY}"
      "-DCALLS=${PROJECT_SOURCE_DIR}/cmake/client_calls.txt"
      "-DOUTPUT=${object}"
      "-DOBJECTS=$<JOIN:$<TARGET_OBJECTS:${objects}>,;>"
      -P "${PROJECT_SOURCE_DIR}/cmake/merge_and_hide.cmake"
    DEPENDS
      ${objects}
      "$<TARGET_OBJECTS:${objects}>"
      "${ZooKeeper_ST_LIBRARY}"
      "${PROJECT_SOURCE_DIR}/cmake/merge_and_hide.cmake"
      "${PROJECT_SOURCE_DIR}/cmake/client_calls.txt"
    COMMENT "Embedding the ZooKeeper C client with its symbols hidden"
    VERBATIM)
  set_source_files_properties("${object}" PROPERTIES EXTERNAL_OBJECT ON GENERATED ON)
  target_sources(${target} PRIVATE "${object}")
  set_target_properties(${target} PROPERTIES turnstile_zookeeper_object "${object}")
endfunction()
