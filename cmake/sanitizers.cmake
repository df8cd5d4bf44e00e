# SPDX-License-Identifier: BSL-1.0
# Applies TURNSTILE_SANITIZE to everything that is built in this tree.
if(TURNSTILE_SANITIZE STREQUAL "address")
  add_compile_options(-fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer)
  add_link_options(-fsanitize=address,undefined)
  # Asio keeps freed small blocks per thread, which hides a use after free from ASan.
  add_compile_definitions(BOOST_ASIO_DISABLE_SMALL_BLOCK_RECYCLING)
elseif(TURNSTILE_SANITIZE STREQUAL "thread")
  add_compile_options(-fsanitize=thread -fno-omit-frame-pointer)
  add_link_options(-fsanitize=thread)
  # Asio's own reference counts end in a fence, which GCC's TSan does not know: it sees a race where the last owner frees.
  # Boost's older counter does the same with one operation that it knows.
  add_compile_definitions(BOOST_ASIO_DISABLE_STD_ATOMIC)
elseif(TURNSTILE_SANITIZE)
  message(FATAL_ERROR "TURNSTILE_SANITIZE is '${TURNSTILE_SANITIZE}'; it can be empty, 'address' or 'thread'")
endif()
