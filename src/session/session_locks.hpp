// SPDX-License-Identifier: BSL-1.0
// The acquires of a session, and the locks that it holds.
#pragma once

#include "protocol/acquire_request.hpp"
#include "protocol/listener.hpp"
#include "session/completion.hpp"
#include "session/locks/lock_object.hpp"
#include "session/locks/lock_table.hpp"
#include "session/option_check.hpp"
#include "session/pending_table.hpp"

#include <turnstile/error.hpp>
#include <turnstile/held_lock.hpp>
#include <turnstile/lease_clock.hpp>
#include <turnstile/lock_event.hpp>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace turnstile::detail {

class session_impl;

/// An acquire that waits.
struct pending_acquire : pending_operation<error_code, held_lock> {
    std::shared_ptr<lock_record> record;
    lease_clock::time_point began;
    std::optional<protocol::duration> max_hold{};
    std::optional<std::string> yield_reason{}; // it asks the tickets before it to yield (Y5)
    std::optional<operation_id> yield_query{}; // the query that asks them
};

/// Begins acquires, and operations on held locks, and completes them as the machine reports. An
/// operation may begin on any thread. All other members are called on the session's strand.
/// session_impl owns this object.
class session_locks final : public protocol::lock_listener {
public:
    template <class... Results>
    using handler = erased_handler<void(error_code, Results...)>;

    explicit session_locks(session_impl& session);

    // ---- operations ----

    void acquire(const lock_object& object, protocol::acquire_request what,
                 handler<held_lock>&& done);
    /// One of several acquires that begin at once (session_machine::acquire). Its path is known.
    struct one_of_several {
        std::shared_ptr<lock_record> record;
        protocol::acquire_request what;
        handler<held_lock> done;
    };
    void acquire(std::vector<one_of_several>&& together);
    /// Finds out the key of the lock at the path, by which a multi_lock orders its parts.
    void look_up(const lock_object& object, protocol::acquire_request what,
                 handler<protocol::lock_key>&& done);
    /// Makes a further handle on a held lock. `first` is the handle that was granted.
    std::shared_ptr<ticket_lock> share(const std::shared_ptr<ticket_lock>& lock,
                                       const std::shared_ptr<ticket_lock>& first);
    /// Begins a release, a downgrade, an upgrade or a wait on a held lock.
    void start(lock_operation what, const std::shared_ptr<ticket_lock>& lock, handler<>&& done);
    /// Releases the lock in the background.
    void release(const std::shared_ptr<ticket_lock>& lock) noexcept;

    // ---- on the strand ----

    void on_risk(bool at_risk);
    /// Why a wait for the lock's end would be over; none: it is held.
    error_code why_over(const ticket_lock& lock) const { return held_.why_over(lock); }
    /// Marks all locks as lost, and completes no operation.
    void lose_silently() { held_.lose_silently(); }
    /// Whether a release that no server has answered is not waited for any more.
    bool has_unawaited_releases() const { return held_.has_unawaited_releases(); }
    /// Logs which releases wait for a server.
    void log_awaited_releases() noexcept;

    /// Ends the operation with operation_aborted. Does nothing if it is another part's, or over.
    void cancel(operation_id id);
    /// Ends the operations that one lock object has started, unless they go on without it.
    void cancel_group(operation_id group);
    void fail_all(const error_code& why) noexcept;
    /// Destroys all without a completion: the session has no driver any more.
    void drop_all() noexcept;

private:
    fault refusal_of(const lock_object& object, const protocol::acquire_request& what) const;
    /// Releases the lock, ends the waits for its loss, and counts the release.
    void let_go(ticket_lock& lock);
    /// Asks the holders before the acquire to yield, if it is one that asks (path_lock::asking).
    void ask_those_before(protocol::ticket_id ticket);
    /// Takes back the request to yield of an acquire that ends.
    void stop_asking(const pending_acquire& ending);
    void tell_place(lock_event::kind what, protocol::ticket_id ticket, std::int32_t ahead);

    void on_queued(protocol::ticket_id ticket, std::int32_t ahead) override;
    void on_moved_up(protocol::ticket_id ticket, std::int32_t ahead) override;
    void on_granted(protocol::ticket_id ticket, std::int64_t czxid) override;
    /// Why an acquire or a look-up is about to fail, in words. Its failure follows.
    void on_refusal(protocol::watcher_id which, std::string_view cause) override;
    void on_acquire_failed(protocol::ticket_id ticket, protocol::failure why,
                           protocol::zookeeper_code code) override;
    void on_lost(protocol::ticket_id ticket, protocol::failure why) override;
    void on_limit_near(protocol::ticket_id ticket) override;
    void on_released(protocol::ticket_id ticket, protocol::failure why,
                     protocol::zookeeper_code code) override;
    void on_downgraded(protocol::ticket_id ticket, protocol::failure why,
                       protocol::zookeeper_code code) override;
    void on_upgraded(protocol::ticket_id ticket, protocol::failure why,
                     protocol::zookeeper_code code, std::int64_t czxid) override;
    void on_looked_up(protocol::inquiry_id lookup, protocol::failure why,
                      protocol::zookeeper_code code, const protocol::lock_key& key) override;

    session_impl& session_;
    pending_table<pending_acquire, held_lock> acquires_; // grouped by lock object
    operation_table<protocol::lock_key> lookups_;
    lock_table held_;
};

} // namespace turnstile::detail
