// Outstanding work of one operation on an io_context.
#pragma once

#include "zookeeper/direct_executor.hpp"

#include <boost/asio/execution/outstanding_work.hpp>
#include <boost/asio/prefer.hpp>

#include <type_traits>
#include <utility>

namespace turnstile::detail {

/// One word, which an io_context counts without a lock.
using direct_work =
    std::decay_t<decltype(boost::asio::prefer(std::declval<const zookeeper::direct_executor&>(),
                                              boost::asio::execution::outstanding_work.tracked))>;

} // namespace turnstile::detail
