// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "worker_setting.hpp"

#include <turnstile.hpp>

#include <boost/asio/awaitable.hpp>
#include <boost/asio/steady_timer.hpp>

#include <cstddef>
#include <cstdint>

namespace turnstile::chaos {

/// Observes one election until it is told of a leader that is no candidate of the run: outside_hand
/// leads all elections at the end.
class observer {
public:
    observer(worker_setting& setting, session& owner, const lock_choice& lock);
    observer(const observer&) = delete;
    observer& operator=(const observer&) = delete;

    boost::asio::awaitable<void> run();

    /// Writes down what it was told last.
    void tell() const { setting_.book.observed(id_, election_.path(), known_, went_back_); }

private:
    worker_setting& setting_;
    const std::uint64_t id_;
    election election_;
    boost::asio::steady_timer timer_;
    leader_info known_{};
    fencing_token newest_{};
    std::size_t went_back_ = 0;
};

} // namespace turnstile::chaos
