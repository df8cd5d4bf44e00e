// SPDX-License-Identifier: BSL-1.0
// What the other ways to wait have in common.
#pragma once

#include "measured_lock.hpp"
#include "strategy_hold.hpp"
#include "strategy_session.hpp"
#include "target.hpp"

#include <boost/asio/io_context.hpp>

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

namespace turnstile::bench {

/// A kind of lock that waits in its own way. Each has its strategy's name and an `acquire()`
/// besides, whose result is a strategy_hold.
class strategy_lock : public one_line {
public:
    using session_type = strategy_session;
    using held_type = strategy_hold;
    /// What `lock` says in its rows.
    static constexpr std::string_view kind = "mutex";
    static constexpr auto to_releaser = own_event::none;

    strategy_lock(strategy_session& owner, std::string path, const lock_choice&)
        : owner_(owner), path_(std::move(path)) {}
    strategy_lock(const strategy_lock&) = delete;
    strategy_lock& operator=(const strategy_lock&) = delete;

    static std::unique_ptr<strategy_session> open(boost::asio::io_context& context,
                                                  const target& server, std::size_t which) {
        return std::make_unique<strategy_session>(context, server.servers(), which);
    }

    // For herd_pace: until the second call, who has joined the line does not look at it.
    void hold_looks() {}
    void let_look() {}

protected:
    strategy_session& owner() { return owner_; }
    const std::string& path() const { return path_; }
    strategy_hold held(const std::string& name) { return {owner_, path_ + '/' + name}; }

private:
    strategy_session& owner_;
    std::string path_;
};

} // namespace turnstile::bench
