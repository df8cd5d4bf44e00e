# turnstile_warnings(<target>): the warnings that our own code is held to. PRIVATE: users get none of them.
function(turnstile_warnings target)
  target_compile_options(${target} PRIVATE -Wall -Wextra -Wpedantic -Wconversion -Wshadow)
  if(TURNSTILE_WERROR)
    target_compile_options(${target} PRIVATE -Werror)
  endif()
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    if(CMAKE_UNITY_BUILD)
      # GCC takes files of a unity build for headers, in which unnamed namespaces would be a mistake.
      target_compile_options(${target} PRIVATE -Wno-subobject-linkage)
    endif()
    if(TURNSTILE_SANITIZE STREQUAL "thread")
      # GCC's TSan does not model atomic_thread_fence, which Asio's headers use where it does no harm.
      target_compile_options(${target} PRIVATE -Wno-tsan)
    endif()
    if(TURNSTILE_SANITIZE)
      # The instrumentation confuses GCC's flow analysis; and where it inlines one of the two halves only, the
      # operators new and delete of Asio's coroutine frames look to GCC 12 as if they did not match.
      target_compile_options(${target} PRIVATE -Wno-maybe-uninitialized -Wno-mismatched-new-delete)
    endif()
  endif()
endfunction()
