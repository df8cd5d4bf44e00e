// SPDX-License-Identifier: BSL-1.0
// What a multi_lock is made of: its parts, what is known of their order, and its acquires.
#pragma once

#include "protocol/names/lock_key.hpp"
#include "session/lock_object.hpp"
#include "session/session_impl.hpp"
#include "session/usage_meter.hpp"

#include <turnstile/held_lock.hpp>
#include <turnstile/lock_view.hpp>

#include <boost/asio/any_io_executor.hpp>

#include <cstddef>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

namespace turnstile::detail {

class multi_operation;

class multi_object : public std::enable_shared_from_this<multi_object> {
public:
    using handler = erased_handler<void(error_code, held_lock)>;
    using keys = std::vector<std::optional<protocol::lock_key>>;

    explicit multi_object(const std::vector<lock_view>& parts);

    std::size_t size() const { return parts_.size(); }
    const lock_object& part(std::size_t which) const { return *parts_[which]; }
    /// That of the first part's session.
    const session_impl::executor_type& executor() const { return part(0).session->executor(); }

    void acquire(bool waits, std::optional<protocol::duration> limit, handler done);
    /// The lock object is gone.
    void cancel_all() noexcept;

    /// Of each part: which session it is of, from 1 on; 0 where it goes in no transaction with
    /// others.
    const std::vector<std::size_t>& groups() const { return groups_; }

    // What its operations ask and tell, on any thread.
    keys known() const;
    void learn(const keys& found);
    void forget(const multi_operation& over) noexcept;
    /// Shared with the locks that it gives out.
    const std::shared_ptr<usage_meter>& usage() const { return usage_; }

private:
    std::vector<std::shared_ptr<lock_object>> parts_; // with operations of their own
    std::vector<std::size_t> groups_;
    const std::shared_ptr<usage_meter> usage_ = std::make_shared<usage_meter>();
    mutable std::mutex mutex_; // of what follows
    keys keys_;
    std::map<const multi_operation*, std::weak_ptr<multi_operation>> operations_;
};

} // namespace turnstile::detail
