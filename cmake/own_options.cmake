# SPDX-License-Identifier: BSL-1.0
# turnstile_warnings(<target>): the warnings that our own code is held to, and what GCC needs for a unity build.
# PRIVATE: users get none of them.
function(turnstile_warnings target)
  target_compile_options(${target} PRIVATE -Wall -Wextra -Wpedantic -Wconversion -Wshadow)
  if(TURNSTILE_WERROR)
    target_compile_options(${target} PRIVATE -Werror)
  endif()
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    # Where GCC 12 inlines one of the two alone, operators new and delete of Asio's coroutine frames look unlike each other.
    target_compile_options(${target} PRIVATE -Wno-mismatched-new-delete)
    if(CMAKE_UNITY_BUILD)
      # GCC takes files of a unity build for headers, in which unnamed namespaces would be a mistake.
      target_compile_options(${target} PRIVATE -Wno-subobject-linkage)
      # GCC frees memory all the time from 128 MB on, which takes a seventh of the build.
      target_compile_options(${target} PRIVATE
        "SHELL:--param ggc-min-heapsize=1000000" "SHELL:--param ggc-min-expand=300")
    endif()
    if(TURNSTILE_SANITIZE STREQUAL "thread")
      # GCC's TSan does not model atomic_thread_fence, which Asio's headers use where it does no harm.
      target_compile_options(${target} PRIVATE -Wno-tsan)
    endif()
    if(TURNSTILE_SANITIZE)
      # The instrumentation confuses GCC's flow analysis.
      target_compile_options(${target} PRIVATE -Wno-maybe-uninitialized)
    endif()
  endif()
endfunction()

# turnstile_quick_build(<target>...): for what waits rather than computes. -Og costs GCC two thirds of what -O1 and -O2 cost.
function(turnstile_quick_build)
  if(CMAKE_BUILD_TYPE STREQUAL "Release" AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    foreach(target IN LISTS ARGN)
      target_compile_options(${target} PRIVATE -Og)
    endforeach()
  endif()
endfunction()
