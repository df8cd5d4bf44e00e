# SPDX-License-Identifier: BSL-1.0
# What the shared library shows, and its static twin.
if(UNIX AND NOT APPLE)
  # Asio's parts and the standard library's are visible by their own headers: they stay inside, except what Asio has once
  # in a program.
  target_link_options(turnstile PRIVATE "LINKER:--version-script=${PROJECT_SOURCE_DIR}/cmake/exports.map")
  set_property(TARGET turnstile APPEND PROPERTY LINK_DEPENDS "${PROJECT_SOURCE_DIR}/cmake/exports.map")
endif()

# From the same objects: the library is compiled once.
if(TURNSTILE_STATIC_TOO)
  get_target_property(turnstile_zookeeper_object turnstile turnstile_zookeeper_object)
  add_library(turnstile_static STATIC "$<TARGET_OBJECTS:turnstile>" "${turnstile_zookeeper_object}")
  add_library(turnstile::turnstile_static ALIAS turnstile_static)
  add_dependencies(turnstile_static turnstile)
  target_compile_features(turnstile_static PUBLIC cxx_std_20)
  target_include_directories(turnstile_static
    PUBLIC "$<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include>" "$<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>")
  target_link_libraries(turnstile_static PUBLIC Boost::headers Threads::Threads)
  if(TURNSTILE_TLS)
    target_link_libraries(turnstile_static PRIVATE OpenSSL::SSL)
  endif()
  if(TURNSTILE_SASL)
    target_link_libraries(turnstile_static PRIVATE ${turnstile_sasl_libraries})
  endif()
  set_target_properties(turnstile_static PROPERTIES LINKER_LANGUAGE CXX OUTPUT_NAME turnstile)
endif()
