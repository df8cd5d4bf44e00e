// SPDX-License-Identifier: BSL-1.0
// A session at work: operations above, the driver below.
#pragma once

#include "protocol/semaphore/semaphore_change.hpp"
#include "protocol/yield/yield_wait.hpp"
#include "session/guard_link.hpp"
#include "session/leader_table.hpp"
#include "session/lease_view.hpp"
#include "session/lock_object.hpp"
#include "session/lock_table.hpp"
#include "session/option_check.hpp"
#include "session/pending_table.hpp"
#include "session/session_driver.hpp"
#include "session/session_log.hpp"
#include "session/session_queries.hpp"
#include "session/usage_meter.hpp"
#include "zookeeper/fork_guard.hpp"

#include <turnstile/error.hpp>
#include <turnstile/guarded_write.hpp>
#include <turnstile/options.hpp>
#include <turnstile/participant.hpp>
#include <turnstile/path_access.hpp>
#include <turnstile/session.hpp>
#include <turnstile/session_key.hpp>
#include <turnstile/yield_request.hpp>

#include <boost/asio/any_io_executor.hpp>

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace turnstile::detail {

class session_service;

/// An acquire in progress.
struct pending_acquire : pending_operation<error_code, held_lock> {
    std::shared_ptr<lock_record> of;
    lease_clock::time_point began;
    std::optional<protocol::duration> max_hold{};
    std::optional<std::string> asks{};    // why those before it are to let go
    std::optional<operation_id> asking{}; // the query that does it
};

struct pending_write {
    using with_results = pending_operation<error_code, std::vector<node_result>>;
    using proclaiming = pending_operation<error_code>;

    std::variant<with_results, proclaiming> waiting;
    std::vector<std::shared_ptr<ticket_lock>> locks;

    diagnostics* diag() const {
        return std::visit([](const auto& each) { return each.diag(); }, waiting);
    }
    void complete(error_code failed, std::vector<node_result> results) && {
        if (auto* const plain = std::get_if<proclaiming>(&waiting))
            std::move(*plain).complete(failed);
        else
            std::get<with_results>(std::move(waiting)).complete(failed, std::move(results));
    }
};

/// Shared by the session object, its locks and held locks. The public members are called from any
/// thread: they enter the strand by themselves.
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
    void acquire(const lock_object& of, protocol::acquire_request what, handler<held_lock>&& done);
    /// Several at once, in this order: see session_machine::acquire. Their paths are known.
    struct one_of_several {
        std::shared_ptr<lock_record> of;
        protocol::acquire_request what;
        handler<held_lock> done;
    };
    void acquire(std::vector<one_of_several>&& together);
    /// Which lock the path stands for.
    void look_up(const lock_object& of, protocol::acquire_request what,
                 handler<protocol::lock_key>&& done);
    /// A further handle; `first` is the one that was granted.
    std::shared_ptr<ticket_lock> share(const std::shared_ptr<ticket_lock>& lock,
                                       const std::shared_ptr<ticket_lock>& first);
    void start(lock_operation what, const std::shared_ptr<ticket_lock>& lock, handler<>&& done);
    void wait_yield(const std::vector<std::shared_ptr<ticket_lock>>& locks,
                    handler<yield_request>&& done);
    /// Of the lock that the object was granted last.
    void proclaim(const lock_object& of, const std::string& value, handler<>&& done);
    void resign(const lock_object& of, handler<>&& done);
    /// With none known the leader of now.
    void follow_leader(const lock_object& of, const std::optional<leader_info>& known,
                       handler<leader_info>&& done);
    /// By all of these locks.
    void write(const std::vector<std::shared_ptr<ticket_lock>>& locks,
               const std::vector<node_write>& writes, handler<std::vector<node_result>>&& done);
    /// In the background.
    void release(const std::shared_ptr<ticket_lock>& lock) noexcept;
    /// The lock was released as soon as it was granted, perhaps by mistake.
    void warn_of_drop(const std::shared_ptr<lock_record>& of) noexcept;
    /// Who stands under a lock path.
    void participants(const lock_object& of, std::size_t most,
                      std::optional<protocol::duration> limit,
                      handler<std::vector<participant>>&& done);
    /// `bad`: what is wrong with it, besides the path.
    void evict(const lock_object& of, const participant& which, const fault& bad, handler<>&& done);
    void change(const lock_object& of, protocol::semaphore_change what, const fault& bad,
                handler<>&& done);
    void ask_to_yield(const lock_object& of, const std::string& reason, handler<>&& done);
    void ask_limit(const lock_object& of, handler<std::uint32_t>&& done);
    /// Of any node, that of the chroot too.
    void children(const std::string& path, handler<std::vector<std::string>>&& done);
    void read(const std::string& path, handler<node_value>&& done);
    void access(const std::string& path, handler<path_access>&& done);
    /// Cancels what was started through one lock object.
    void cancel_group(operation_id group) noexcept;
    /// The session object is gone.
    void stop() noexcept;

    operation_id next_id() { return ++last_id_; }
    const executor_type& executor() const { return home_; }
    session_state state() const { return state_.load(std::memory_order_acquire); }
    std::int64_t session_id() const { return session_id_.load(std::memory_order_acquire); }
    std::chrono::milliseconds timeout() const { return timeout_.load(std::memory_order_acquire); }
    session_key key() const;
    session_usage usage() const;
    const lease_view& lease_in_force() const { return lease_; }
    bool is_forked() const;

    /// The execution context is being destroyed: handlers are destroyed uninvoked, and everything
    /// that refers to the context is let go.
    void on_context_shutdown();

private:
    // A part of the session, on its strand.
    friend class session_queries;

    template <class Function>
    void enter(Function function);
    template <class... Results>
    struct ready {
        operation_id id;
        pending_operation<error_code, Results...> pending;
    };
    template <class... Results>
    std::optional<ready<Results...>> prepare(const std::string& path, const fault& bad,
                                             handler<Results...>&& done);
    template <class... Results, class Work>
    void begin(const std::string& path, const fault& bad, handler<Results...>&& done, Work work);
    template <class Question, class... Results, class Take>
    void ask(operation_id id, pending_operation<error_code, Results...>&& pending,
             operation_id group, Question what, Take take,
             std::optional<protocol::instant> end = {});
    fault refusal() const;
    fault refusal_of_work(const fault& bad = {}) const;
    fault refusal_of(const lock_object& of, const protocol::acquire_request& what) const;
    bool is_orphaned() const { return !home_; } // the context is gone
    void leave_to_parent();
    void ask_later(operation_id query);
    void stop_later(protocol::inquiry_id inquiry);
    void send_write(operation_id id, pending_write&& write,
                    std::vector<protocol::transaction_step> steps, bool makes);
    std::shared_ptr<ticket_lock> leadership_of(const lock_record& of) const;
    void begin_release(const std::shared_ptr<ticket_lock>& lock, operation_id id,
                       pending_operation<error_code>&& done);
    void log_awaited_releases() noexcept;
    void cancel(operation_id id);
    void end_state_waits(const error_code& why);
    void note_session(const protocol::credentials& which, std::chrono::milliseconds timeout);
    void tell_guard();
    void note_no_session() noexcept;
    void fail_all(const error_code& why) noexcept;
    void on_failure() noexcept override;
    void on_drop(const std::string& path) noexcept;
    void warn_of_denial(const std::string& path, const error_code& why);
    void explain(diagnostics* diag, protocol::failure why = protocol::failure::none,
                 protocol::zookeeper_code code = protocol::zookeeper_code::ok) const noexcept;
    void let_go(ticket_lock& lock);
    protocol::yield_wait yield_question_of(const ticket_lock& lock) const;
    void count(lock_record& of, usage_count usage_meter::*what);
    void count(lock_record& of, histogram_meter usage_meter::*where, lease_clock::time_point since);
    template <class Make>
    void tell(const std::shared_ptr<lock_record>& of, Make make) noexcept;
    template <class Call>
    void call_user(Call call);
    template <class Make>
    void log(log_level level, Make make) noexcept;
    template <class Make>
    void log(Make make) noexcept;

    void on_phase(session_state phase) override;
    void on_connect_result(protocol::failure why) override;
    void on_closed() override;
    void on_queued(protocol::ticket_id ticket, std::int32_t ahead) override;
    void on_moved_up(protocol::ticket_id ticket, std::int32_t ahead) override;
    void ask_those_before(protocol::ticket_id ticket);
    void stop_asking(const pending_acquire& ending);
    void on_refusal(protocol::watcher_id which, std::string_view cause) override;
    void tell_place(lock_event::kind what, protocol::ticket_id ticket, std::int32_t ahead);
    void on_granted(protocol::ticket_id ticket, std::int64_t czxid) override;
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
    void on_deadline(const protocol::lease_instants& in_force) override;
    void on_risk(bool at_risk) override;
    void on_answer(protocol::inquiry_id inquiry, const protocol::path_question& what) override;
    void on_written(protocol::inquiry_id id, const protocol::guarded_write& what,
                    protocol::failure why, const protocol::reply& answer) override;
    void on_looked_up(protocol::inquiry_id lookup, protocol::failure why,
                      protocol::zookeeper_code code, const protocol::lock_key& key) override;
    void on_missed_event(const std::string& node) override;
    void on_note(log_level level, std::string_view text) override;
    void on_trouble(const std::string& server, const std::string& cause) override;
    void on_stall(protocol::duration late) override;

    executor_type home_; // empty once the context is gone
    const session_options options_;
    const zookeeper::fork_guard process_; // a fork would share the socket
    const fault bad_option_;

    std::atomic<operation_id> last_id_{0};
    std::atomic<session_state> state_{session_state::idle};
    std::atomic<std::int64_t> session_id_{0};
    std::atomic<std::chrono::milliseconds> timeout_{};
    mutable std::mutex key_mutex_;
    session_key key_;
    lease_view lease_;
    std::atomic<bool> failed_{false};       // something threw: the session is over
    std::atomic<bool> is_ownerless_{false}; // the session object is gone
    session_log log_;
    bool warned_of_drop_ = false;
    std::size_t calls_under_way_ = 0; // to the user's sink or observer, which were posted
    usage_meter usage_;
    usage_count connections_;
    usage_count connections_lost_;
    usage_count failed_attempts_;
    usage_count made_sessions_;
    usage_count risks_;
    usage_count missed_events_;
    usage_count stalls_;

    std::shared_ptr<session_driver>
        driver_;                        // absent with bad options, and once the context is gone
    std::shared_ptr<guard_link> guard_; // absent where none is asked for, and without a driver
    session_service* service_ = nullptr;

    operation_table<> connects_;
    operation_table<> closes_;
    operation_table<session_state> state_waits_;
    operation_table<protocol::lock_key> lookups_;
    pending_table<pending_acquire, held_lock> acquires_; // by lock object
    pending_table<pending_write, std::vector<node_result>> writes_;
    lock_table locks_{[this](diagnostics* diag) { explain(diag); }};
    session_queries queries_{*this};
    leader_table leaders_;
};

} // namespace turnstile::detail
