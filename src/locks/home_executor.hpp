// A session's executor, in the forms that its completions need, each made once.
#pragma once

#include "locks/completion_count.hpp"
#include "locks/direct_work.hpp"
#include "locks/user_call.hpp"
#include "locks/work_keeper.hpp"
#include "zookeeper/after_turn.hpp"
#include "zookeeper/direct_executor.hpp"

#include <boost/asio/any_completion_executor.hpp>
#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/execution/blocking.hpp>
#include <boost/asio/require.hpp>

#include <cstdint>
#include <memory>
#include <optional>
#include <utility>

namespace turnstile::detail {

struct home_executor {
    explicit home_executor(boost::asio::any_io_executor from)
        : plain(std::move(from)),
          posting(boost::asio::require(plain, boost::asio::execution::blocking.never)),
          erased(plain),
          direct(zookeeper::direct_executor_of(plain)),
          work(std::make_shared<work_keeper>(plain)) {}
    home_executor() = default; // nowhere: the context is gone

    /// From here on a handler may run at the end of a turn of this strand.
    void completes_after_turns_of(std::uint64_t its_strand) {
        under_way.begin();
        strand = its_strand;
    }
    /// The turn at whose end a handler may run; null where it has to be posted, as in a call of the
    /// user.
    zookeeper::after_turn* turn() const noexcept {
        return user_call::under_way() ? nullptr : zookeeper::after_turn::of(strand);
    }

    boost::asio::any_io_executor plain;
    boost::asio::any_io_executor posting;        // whose execute() is a post
    boost::asio::any_completion_executor erased; // for handlers that have no executor of their own
    std::optional<zookeeper::direct_executor> direct; // where it is an io_context's own
    std::shared_ptr<work_keeper> work;
    completion_count under_way;
    std::uint64_t strand = 0; // none
};

} // namespace turnstile::detail
