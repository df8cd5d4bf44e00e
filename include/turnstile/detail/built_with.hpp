// SPDX-License-Identifier: BSL-1.0
// The macros of a program's build that must agree with those of the library's.
#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/detail/thread_info_base.hpp>
#include <boost/asio/version.hpp>

namespace turnstile::detail {

/// Lists how a program was compiled: one type for each choice.
template <class... Choices>
struct built_with {};
/// The version of Boost.Asio, and how many freed blocks of memory each thread keeps for reuse.
template <long Version, int BlocksKept>
struct boost_asio {};

/// The type of the last parameter of session's constructor, and so a part of that function's name.
/// The linker refuses a program that was compiled with other macros than the library, and its
/// message names those of the program. Threads, epoll and the version of Boost.Asio are always in
/// the list. All other choices are in it only if they differ from a usual build on Linux.
using this_build = built_with<
#if defined(BOOST_ASIO_HAS_THREADS)
    struct asio_with_threads,
#else
    struct asio_without_threads,
#endif
#if defined(BOOST_ASIO_HAS_EPOLL)
    struct asio_with_epoll,
#else
    struct asio_without_epoll,
#endif
#if !defined(BOOST_ASIO_HAS_EVENTFD)
    struct asio_without_eventfd,
#endif
#if !defined(BOOST_ASIO_HAS_TIMERFD)
    struct asio_without_timerfd,
#endif
#if defined(BOOST_ASIO_HAS_IO_URING)
    struct asio_with_io_uring,
#endif
#if defined(BOOST_ASIO_HAS_IO_URING_AS_DEFAULT)
    struct asio_with_io_uring_as_default,
#endif
#if defined(BOOST_ASIO_ENABLE_HANDLER_TRACKING)
    struct asio_with_handler_tracking,
#endif
#if defined(BOOST_ASIO_CUSTOM_HANDLER_TRACKING)
    struct asio_with_custom_handler_tracking,
#endif
#if defined(BOOST_ASIO_NO_TYPEID) // also by -fno-rtti: services are found by other keys
    struct asio_without_typeid,
#endif
#if !defined(BOOST_ASIO_HAS_THREAD_KEYWORD_EXTENSION)
    struct asio_without_thread_keyword,
#endif
#if defined(BOOST_ASIO_DISABLE_SMALL_BLOCK_RECYCLING) // blocks have no mark of their size
    struct asio_without_block_recycling,
#endif
#if !defined(BOOST_ASIO_HAS_STD_ATOMIC) // else counters are of another size
    struct asio_without_std_atomic,
#endif
#if defined(BOOST_ASIO_ENABLE_BUFFER_DEBUGGING)
    struct asio_with_buffer_debugging,
#endif
#if defined(_GLIBCXX_DEBUG)
    struct library_debug_mode,
#endif
    boost_asio<BOOST_ASIO_VERSION, BOOST_ASIO_RECYCLING_ALLOCATOR_CACHE_SIZE>>;

} // namespace turnstile::detail
