// The locks that a session holds, and who waits for their release or loss.
#pragma once

#include "locks/lock_state.hpp"
#include "locks/operation_table.hpp"

#include <turnstile/error.hpp>

#include <cstddef>
#include <map>
#include <memory>
#include <set>
#include <unordered_map>
#include <utility>

namespace turnstile::detail {

class lock_table {
public:
    using operations = operation_table<error_code>;
    using operation = operations::operation;

    explicit lock_table(const boost::asio::any_io_executor& executor) : executor_(executor) {}

    void granted(const std::shared_ptr<lock_state>& lock) { held_[lock->id()] = lock; }
    bool holds(protocol::ticket_id lock) const { return held_.contains(lock); }

    /// The lock is on its way out: nobody waits for its loss any more.
    void releasing(protocol::ticket_id lock);
    void await_release(protocol::ticket_id lock, operation_id id, operation done);
    void released(protocol::ticket_id lock, error_code result);

    void await_loss(const lock_state& lock, operation_id id, operation done);
    void lost(protocol::ticket_id lock, protocol::failure why, lease_clock::time_point deadline);
    /// All are lost, and nobody is told: the execution context is going.
    void lose_silently(protocol::failure why);

    /// All are over: who waits for a release is told why, who waits for a loss of the session's
    /// end.
    void fail_all(const error_code& why);

    /// Stops one waiting; the lock goes its way.
    bool cancel(operation_id id, error_code result);
    /// How many wait for a loss.
    std::size_t awaited() const { return losses_of_.size(); }
    std::pair<std::map<operation_id, operations::operation>,
              std::map<operation_id, operations::operation>>
    take() {
        losses_of_.clear();
        lock_of_loss_.clear();
        return {releases_.take(), losses_.take()};
    }

private:
    void tell_loss(protocol::ticket_id lock, error_code why);

    const boost::asio::any_io_executor& executor_;
    std::unordered_map<protocol::ticket_id, std::weak_ptr<lock_state>> held_;
    operations releases_;
    std::unordered_map<protocol::ticket_id, operation_id> release_of_;
    operations losses_;
    std::set<std::pair<protocol::ticket_id, operation_id>> losses_of_;
    std::unordered_map<operation_id, protocol::ticket_id> lock_of_loss_;
};

} // namespace turnstile::detail
