// SPDX-License-Identifier: BSL-1.0
// What a multi_lock is made of: its parts, what is known of their order, and its acquires.
#pragma once

#include "locks/lock_object.hpp"
#include "locks/multi_usage.hpp"
#include "protocol/names/lock_key.hpp"

#include <turnstile/detail/acquire_manner.hpp>
#include <turnstile/held_lock.hpp>
#include <turnstile/lock_view.hpp>

#include <boost/asio/any_io_executor.hpp>

#include <cstddef>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

namespace turnstile::detail {

class multi_operation;

class multi_object : public std::enable_shared_from_this<multi_object> {
public:
    using handler = erased_handler<void(error_code, held_lock)>;
    using keys = std::vector<std::optional<protocol::lock_key>>;

    explicit multi_object(const std::vector<lock_view>& parts);

    std::size_t size() const { return parts_.size(); }
    lock_object& part(std::size_t which) const { return *parts_[which].lock; }
    const acquire_manner& manner(std::size_t which) const { return parts_[which].how; }
    /// That of the first part's session.
    const session_impl::executor_type& executor() const { return part(0).executor(); }

    void acquire(const acquire_manner& how, handler done);
    /// The lock object is gone: nobody awaits its operations any more.
    void cancel_all() noexcept;

    /// Of each part: which session it is of, from 1 on; 0 where it goes in no transaction with
    /// others.
    const std::vector<std::size_t>& groups() const { return groups_; }

    // What its operations ask and tell, on any thread.
    keys known() const;
    void learn(const keys& found);
    void forget(const multi_operation& over) noexcept;
    /// Shared with the locks that it gives out.
    const std::shared_ptr<multi_usage>& usage() const { return usage_; }

private:
    struct part_of { // with operations of its own
        std::shared_ptr<lock_object> lock;
        acquire_manner how;
    };

    std::vector<part_of> parts_; // as the constructor left them
    std::vector<std::size_t> groups_;
    const std::shared_ptr<multi_usage> usage_ = std::make_shared<multi_usage>();
    mutable std::mutex mutex_; // of what follows
    keys keys_;
    std::map<const multi_operation*, std::weak_ptr<multi_operation>> operations_;
};

} // namespace turnstile::detail
