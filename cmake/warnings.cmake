# turnstile_warnings(<target>): the warnings that our own code is held to. PRIVATE: users get none of them.
function(turnstile_warnings target)
  target_compile_options(${target} PRIVATE -Wall -Wextra -Wpedantic -Wconversion -Wshadow)
  if(TURNSTILE_WERROR)
    target_compile_options(${target} PRIVATE -Werror)
  endif()
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
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
