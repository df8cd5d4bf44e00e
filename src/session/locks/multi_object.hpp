// SPDX-License-Identifier: BSL-1.0
// The object behind a multi_lock.
#pragma once

#include "protocol/names/lock_key.hpp"
#include "session/locks/lock_object.hpp"
#include "session/locks/usage_meter.hpp"
#include "session/session_impl.hpp"

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

/// Has the parts of a multi_lock, the keys that order them, and the acquires in progress. The
/// multi_lock and its acquires (multi_operation) share the ownership. All members may be called on
/// any thread.
class multi_object : public std::enable_shared_from_this<multi_object> {
public:
    using handler = erased_handler<void(error_code, held_lock)>;
    using keys = std::vector<std::optional<protocol::lock_key>>;

    explicit multi_object(const std::vector<lock_view>& parts);

    std::size_t size() const { return parts_.size(); }
    const lock_object& part(std::size_t which) const { return *parts_[which]; }
    /// The executor of the first part's session.
    const session_impl::executor_type& executor() const { return part(0).session->executor(); }

    void acquire(bool waits, std::optional<protocol::duration> limit, handler done);
    /// Cancels all acquires: the multi_lock is gone.
    void cancel_all() noexcept;

    /// For each part the number of its session, from 1 on, or 0 if the part must be acquired by
    /// itself. Parts with the same number may go in one transaction.
    const std::vector<std::size_t>& groups() const { return groups_; }

    // ---- for multi_operation ----

    /// The keys that earlier acquires have looked up.
    keys known_keys() const;
    /// Keeps the keys for later acquires.
    void keep_keys(const keys& looked_up);
    /// The acquire is over.
    void forget(const multi_operation& over) noexcept;
    /// The counts of this multi_lock, which the locks that it grants share.
    const std::shared_ptr<usage_meter>& usage() const { return usage_; }

private:
    // Twins of the user's lock objects: each has its own counts, and is cancelled by itself.
    std::vector<std::shared_ptr<lock_object>> parts_;
    std::vector<std::size_t> groups_;
    const std::shared_ptr<usage_meter> usage_ = std::make_shared<usage_meter>();
    mutable std::mutex mutex_; // guards keys_ and operations_
    keys keys_;                // empty for a part whose key is not known yet
    std::map<const multi_operation*, std::weak_ptr<multi_operation>> operations_; // in progress
};

} // namespace turnstile::detail
