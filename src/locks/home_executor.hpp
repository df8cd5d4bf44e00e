// SPDX-License-Identifier: BSL-1.0
// A session's executor, in the forms that its completions need, each made once.
#pragma once

#include "locks/work_keeper.hpp"

#include <boost/asio/any_completion_executor.hpp>
#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/execution/blocking.hpp>
#include <boost/asio/require.hpp>

#include <memory>
#include <utility>

namespace turnstile::detail {

struct home_executor {
    explicit home_executor(boost::asio::any_io_executor from)
        : plain(std::move(from)),
          posting(boost::asio::require(plain, boost::asio::execution::blocking.never)),
          erased(plain),
          work(std::make_shared<work_keeper>(plain)) {}
    home_executor() = default; // nowhere: the context is gone

    boost::asio::any_io_executor plain;
    boost::asio::any_io_executor posting;        // whose execute() is a post
    boost::asio::any_completion_executor erased; // for handlers that have no executor of their own
    std::shared_ptr<work_keeper> work;
};

} // namespace turnstile::detail
