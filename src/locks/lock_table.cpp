#include "locks/lock_table.hpp"

#include "locks/failure_codes.hpp"

#include <boost/asio/error.hpp>

#include <utility>

namespace turnstile::detail {

void lock_table::releasing(protocol::ticket_id lock) {
    held_.erase(lock);
    tell_loss(lock, boost::asio::error::operation_aborted);
}

void lock_table::await_release(protocol::ticket_id lock, operation_id id, operation done) {
    releases_.add(id, std::move(done));
    release_of_[lock] = id;
}

void lock_table::released(protocol::ticket_id lock, error_code result) {
    auto node = release_of_.extract(lock);
    if (!node.empty())
        releases_.complete(node.mapped(), executor_, result);
}

void lock_table::await_loss(const lock_state& lock, operation_id id, operation done) {
    losses_.add(id, std::move(done));
    if (lock.loss() != protocol::failure::none)
        losses_.complete(id, executor_, to_error_code(lock.loss()));
    else if (!holds(lock.id()))
        losses_.complete(id, executor_, boost::asio::error::operation_aborted);
    else {
        losses_of_.emplace(lock.id(), id);
        lock_of_loss_.emplace(id, lock.id());
    }
}

void lock_table::lost(protocol::ticket_id lock, protocol::failure why,
                      lease_clock::time_point deadline) {
    auto node = held_.extract(lock);
    if (node.empty())
        return;
    if (const auto state = node.mapped().lock())
        state->lose(why, deadline);
    tell_loss(lock, to_error_code(why));
}

void lock_table::lose_silently(protocol::failure why) {
    for (const auto& [id, lock] : std::exchange(held_, {}))
        if (const auto state = lock.lock())
            state->lose(why, {});
}

void lock_table::fail_all(const error_code& why) {
    release_of_.clear();
    losses_of_.clear();
    lock_of_loss_.clear();
    releases_.complete_all(executor_, why);
    losses_.complete_all(executor_, error::session_closed);
}

void lock_table::tell_loss(protocol::ticket_id lock, error_code why) {
    for (auto next = losses_of_.lower_bound({lock, 0});
         next != losses_of_.end() && next->first == lock; next = losses_of_.erase(next)) {
        lock_of_loss_.erase(next->second);
        losses_.complete(next->second, executor_, why);
    }
}

bool lock_table::cancel(operation_id id, error_code result) {
    if (const auto waiter = lock_of_loss_.extract(id); !waiter.empty())
        losses_of_.erase({waiter.mapped(), id});
    return releases_.complete(id, executor_, result) || losses_.complete(id, executor_, result);
}

} // namespace turnstile::detail
