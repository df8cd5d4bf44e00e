// An io_context's own executor, behind an executor without a type.
#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/io_context.hpp>

#include <optional>

namespace turnstile::zookeeper {

using direct_executor = boost::asio::io_context::executor_type;

/// Nothing where it is another executor.
inline std::optional<direct_executor> direct_executor_of(const boost::asio::any_io_executor& on) {
    const auto* const found = on.target<direct_executor>();
    return found ? std::optional(*found) : std::nullopt;
}

} // namespace turnstile::zookeeper
