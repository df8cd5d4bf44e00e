// Outstanding work of one operation on an io_context.
#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/execution/outstanding_work.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/prefer.hpp>

#include <optional>
#include <type_traits>
#include <utility>

namespace turnstile::detail {

/// One word, which an io_context counts without a lock.
using direct_work = std::decay_t<decltype(boost::asio::prefer(
    std::declval<const boost::asio::io_context::executor_type&>(),
    boost::asio::execution::outstanding_work.tracked))>;

/// Nothing where it is another executor.
inline std::optional<boost::asio::io_context::executor_type>
direct_executor_of(const boost::asio::any_io_executor& on) {
    const auto* const found = on.target<boost::asio::io_context::executor_type>();
    return found ? std::optional(*found) : std::nullopt;
}

} // namespace turnstile::detail
