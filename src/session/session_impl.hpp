// SPDX-License-Identifier: BSL-1.0
// The session behind session: it begins the user's operations, and completes them.
#pragma once

#include "session/completion.hpp"
#include "session/guard/guard_link.hpp"
#include "session/locks/held_view.hpp"
#include "session/option_check.hpp"
#include "session/pending_table.hpp"
#include "session/session_driver.hpp"
#include "session/session_locks.hpp"
#include "session/session_queries.hpp"
#include "session/session_reports.hpp"
#include "session/session_writes.hpp"
#include "session/user_call.hpp"
#include "zookeeper/fork_guard.hpp"

#include <turnstile/error.hpp>
#include <turnstile/options.hpp>
#include <turnstile/session.hpp>
#include <turnstile/session_key.hpp>

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/post.hpp>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace turnstile::detail {

class session_service;

/// The session behind the session object, its locks and its held locks, which share its ownership.
/// They call operations of the session and its parts (session_locks, session_queries,
/// session_writes) from any thread, and each operation enters the session's strand by itself. On
/// that strand session_driver runs the protocol machine, which decides. It reports to the session
/// and its parts, which complete the operations.
///
/// The session works while it has a driver. It has none with bad options, and once its execution
/// context is gone (is_orphaned). It has failed once a function threw on its strand (failed_): all
/// operations fail from then on. In a forked child nothing enters the strand.
/// (Rules: docs/internals/protocol/connection.md and beside.md)
class session_impl final : public std::enable_shared_from_this<session_impl>,
                           private driver_events {
public:
    using executor_type = boost::asio::any_io_executor;
    template <class... Results>
    using handler = erased_handler<void(error_code, Results...)>;

    static std::shared_ptr<session_impl> make(executor_type executor, session_options options);
    session_impl(executor_type executor, session_options options);
    ~session_impl() override;

    void connect(handler<>&& done);
    void close(handler<>&& done);
    error_code set_servers(const std::string& servers, diagnostics* told);
    void wait_state_change(session_state known, handler<session_state>&& done);
    /// Cancels all operations that were started through one lock object.
    void cancel_group(operation_id group) noexcept;
    /// Warns that a lock was released as soon as it was granted: perhaps its value was dropped.
    void warn_of_drop(const std::shared_ptr<lock_record>& of) noexcept;
    /// The session object is gone.
    void stop() noexcept;
    /// The execution context is being destroyed. Destroys all handlers uninvoked, and lets go of
    /// all that refers to the context.
    void on_context_shutdown();

    session_locks& locks() { return locks_; }
    session_queries& queries() { return queries_; }
    session_writes& writes() { return writes_; }
    const executor_type& executor() const { return home_; }
    session_state state() const { return state_.load(std::memory_order_acquire); }
    std::int64_t session_id() const { return session_id_.load(std::memory_order_acquire); }
    std::chrono::milliseconds timeout() const { return timeout_.load(std::memory_order_acquire); }
    session_key key() const;
    session_usage usage() const { return reports_->usage(); }
    const lease_view& lease_in_force() const { return lease_; }
    bool is_forked() const;

    // ---- for its parts: how an operation begins ----

    operation_id next_id() { return ++last_id_; }
    /// Runs the function on the strand, if the session works. A throw there fails the session.
    template <class Function>
    void enter(Function function);
    template <class... Results>
    struct prepared_operation {
        operation_id id;
        pending_operation<error_code, Results...> pending;
    };
    /// Gives an operation its id, and connects its cancellation. If `refused` has a code, the
    /// operation completes with it, and nothing is returned.
    template <class... Results>
    std::optional<prepared_operation<Results...>>
    prepare(const std::string& path, const fault& refused, handler<Results...>&& done,
            effect after_cancel = effect::none);
    /// Prepares an operation, and calls `work` with its id and handler on the strand.
    template <class... Results, class Work>
    void begin(const std::string& path, const fault& refused, handler<Results...>&& done, Work work,
               effect after_cancel = effect::none);
    /// Why an operation is refused: a bad argument, the failure of the session, or refusal().
    fault refusal_of_work(const fault& bad_argument = {}) const;

    // ---- for its parts, on the strand ----

    session_driver& driver() { return *driver_; }
    session_reports& reports() { return *reports_; }
    const session_options& options() const { return options_; }
    /// Fills the diagnostics of an operation that fails; null if no details are asked for.
    void explain(diagnostics* diag, protocol::failure why = protocol::failure::none,
                 protocol::zookeeper_code code = protocol::zookeeper_code::ok) const noexcept;

private:
    /// Why this process or the options refuse every operation.
    fault refusal() const;
    bool is_orphaned() const { return !home_; } // the context is gone
    /// Whether a request of the operation was sent, so that its change may happen.
    bool was_sent(operation_id id) const;
    /// Completes the operation, whichever it is, with operation_aborted.
    void cancel(operation_id id);
    void end_state_waits(const error_code& why);
    /// Completes all operations with this code.
    void fail_all(const error_code& why) noexcept;
    /// Keeps id, password and timeout of the ZooKeeper session, and tells the guard.
    void note_session(const protocol::credentials& which, std::chrono::milliseconds timeout);
    void note_no_session() noexcept;
    void tell_guard();
    /// In a forked child: leaks all that shares a socket with the parent.
    void leave_to_parent();
    // Parts of make().
    void report_bad_option();
    void look_at_certificate();
    void link_guard();

    // ---- called by the driver and its machine ----

    void on_failure() noexcept override;
    void on_phase(session_state phase) override;
    void on_connect_result(protocol::failure why) override;
    void on_closed() override;
    void on_deadline(const protocol::lease_instants& in_force) override { lease_.set(in_force); }
    void on_risk(bool at_risk) override;
    void on_answer(protocol::inquiry_id inquiry, const protocol::path_question& what) override {
        queries_.on_answer(inquiry, what);
    }
    void on_written(protocol::inquiry_id id, const protocol::guarded_write& what,
                    protocol::failure why, const protocol::reply& answer) override {
        writes_.on_written(id, what, why, answer);
    }
    void on_missed_event(const std::string& node) override;
    void on_note(log_level level, std::string_view text) override;
    void on_trouble(const std::string& server, const std::string& cause) override;
    void on_servers() override;
    void on_stall(protocol::duration late) override;

    executor_type home_; // the user's executor; empty once the context is gone
    const std::shared_ptr<session_reports> reports_;
    const session_options& options_ = reports_->options();
    const zookeeper::fork_guard process_; // a forked child shares the socket, and must not use it
    const fault bad_option_;

    std::atomic<operation_id> last_id_{0};
    std::atomic<session_state> state_{session_state::idle};
    std::atomic<std::int64_t> session_id_{0};
    std::atomic<std::chrono::milliseconds> timeout_{};
    mutable std::mutex key_mutex_;
    session_key key_;         // the strand alone changes it
    std::string new_servers_; // of the last set_servers(): key_ has them once they are in use
    lease_view lease_;
    std::atomic<bool> failed_{false}; // a function threw on the strand: the session is over
    bool warned_of_drop_ = false;     // the log has warned of a lock that was dropped at once
    std::string certificate_;         // the subject of the own certificate, once its file was read

    std::shared_ptr<session_driver> driver_; // null with bad options, and once the context is gone
    std::shared_ptr<guard_link> guard_;      // null if no guard is asked for, and without a driver
    session_service* service_ = nullptr;

    operation_table<> connects_;
    operation_table<> closes_;
    operation_table<session_state> state_waits_;
    session_queries queries_{*this};
    session_writes writes_{*this};
    session_locks locks_{*this};
};

template <class Function>
void session_impl::enter(Function function) {
    if (!driver_ || is_forked())
        return;
    auto work = [self = shared_from_this(), function = std::move(function)]() mutable {
        if (!self->driver_ || self->is_forked())
            return;
        try {
            function();
        } catch (...) {
            self->on_failure();
            throw;
        }
        if (self->failed_)
            self->fail_all(error::session_closed);
    };
    const user_call calling;
    // The machine may be at work on this very strand: it calls log sinks, which may use the
    // session.
    if (driver_->strand().running_in_this_thread())
        boost::asio::post(driver_->strand(), std::move(work));
    else
        driver_->strand().execute(std::move(work));
}

template <class... Results>
auto session_impl::prepare(const std::string& path, const fault& refused,
                           handler<Results...>&& done, effect after_cancel)
    -> std::optional<prepared_operation<Results...>> {
    if (is_orphaned())
        return std::nullopt; // the handler is destroyed uninvoked
    if (done.diag) {
        done.diag->path = path;
        done.diag->cause = refused.text;
    }
    const auto id = next_id();
    on_cancellation(done, weak_from_this(), [id, after_cancel](session_impl& self, auto type) {
        self.enter([&self, id, after_cancel, all = is_terminal(type)] {
            if (all || after_cancel == effect::none ||
                (after_cancel == effect::when_sent && !self.was_sent(id)))
                self.cancel(id); // ids are never used again
        });
    });
    // From here on the handler's executor has work: the strand may begin much later.
    pending_operation<error_code, Results...> pending(std::move(done), home_);
    if (refused.code) {
        std::move(pending).complete(refused.code, Results()...);
        return std::nullopt;
    }
    return prepared_operation<Results...>{id, std::move(pending)};
}

template <class... Results, class Work>
void session_impl::begin(const std::string& path, const fault& refused, handler<Results...>&& done,
                         Work work, effect after_cancel) {
    if (auto prepared = prepare(path, refused, std::move(done), after_cancel))
        enter([prepared = std::move(*prepared), work = std::move(work)]() mutable {
            work(prepared.id, std::move(prepared.pending));
        });
}

} // namespace turnstile::detail
