// SPDX-License-Identifier: BSL-1.0
// A session at work: operations above, the driver below.
#pragma once

#include "locks/grouped_table.hpp"
#include "locks/lease_view.hpp"
#include "locks/lock_record.hpp"
#include "locks/lock_table.hpp"
#include "locks/operation_table.hpp"
#include "locks/pending_acquire.hpp"
#include "locks/pending_change.hpp"
#include "locks/session_driver.hpp"
#include "locks/session_log.hpp"
#include "locks/usage_meter.hpp"
#include "protocol/inspect/survey_table.hpp"
#include "zookeeper/fork_guard.hpp"

#include <turnstile/detail/acquire_manner.hpp>
#include <turnstile/error.hpp>
#include <turnstile/options.hpp>
#include <turnstile/participant.hpp>
#include <turnstile/path_access.hpp>
#include <turnstile/session.hpp>

#include <boost/asio/any_io_executor.hpp>

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace turnstile::detail {

class session_service;
class ticket_lock;

/// Shared by the session object, its mutexes and held locks. The public members are called from any
/// thread: they enter the strand by themselves.
class session_impl final : public std::enable_shared_from_this<session_impl>,
                           private driver_events {
public:
    using executor_type = boost::asio::any_io_executor;
    using plain_handler = operation_table<error_code>::handler_type;
    using state_handler = operation_table<error_code, session_state>::handler_type;
    using acquire_handler = operation_table<error_code, held_lock>::handler_type;
    using lookup_handler = operation_table<error_code, protocol::lock_key>::handler_type;
    using limit_handler = operation_table<error_code, std::uint32_t>::handler_type;
    using names_handler = operation_table<error_code, std::vector<std::string>>::handler_type;
    using access_handler = operation_table<error_code, path_access>::handler_type;
    using survey_result = std::vector<participant>;
    using survey_handler = operation_table<error_code, survey_result>::handler_type;

    static std::shared_ptr<session_impl> make(executor_type executor, session_options options);
    session_impl(executor_type executor, session_options options);
    ~session_impl() override;

    void connect(plain_handler handler);
    void close(plain_handler handler);
    void wait_state_change(session_state known, state_handler handler);
    /// `bad`: what is wrong with the path.
    void acquire(const acquire_manner& how, const error_code& bad, std::shared_ptr<lock_record> of,
                 acquire_handler&& handler);
    /// Several at once, in this order: see session_machine::acquire. Their paths are known.
    struct one_of_several {
        acquire_manner how{};
        std::shared_ptr<lock_record> of{};
        acquire_handler handler{};
    };
    void acquire(std::vector<one_of_several> together);
    /// Which lock the path stands for.
    void look_up(const acquire_manner& how, const error_code& bad,
                 const std::shared_ptr<lock_record>& of, lookup_handler handler);
    /// A further handle; `first` is the one that was granted.
    std::shared_ptr<ticket_lock> share(const std::shared_ptr<ticket_lock>& lock,
                                       const std::shared_ptr<ticket_lock>& first);
    void downgrade(const std::shared_ptr<ticket_lock>& lock, plain_handler handler);
    void try_upgrade(const std::shared_ptr<ticket_lock>& lock, plain_handler handler);
    void release(std::shared_ptr<ticket_lock> lock, plain_handler&& handler);
    /// In the background: nobody waits for the answer.
    void release(const std::shared_ptr<ticket_lock>& lock) noexcept;
    /// The lock was released as soon as it was granted, perhaps by mistake.
    void warn_of_drop(const std::shared_ptr<lock_record>& of) noexcept;
    void await_loss(const std::shared_ptr<ticket_lock>& lock, plain_handler handler);
    void await_risk(const std::shared_ptr<ticket_lock>& lock, plain_handler handler);
    void complete_not_held(plain_handler handler);
    /// Who stands under a lock path.
    void participants(std::string path, const survey_manner& how, const error_code& bad,
                      operation_id group, survey_handler handler);
    /// What takes no place at the lock path. `bad`: what is wrong with the path, or the limit.
    void change(pending_change::wish what, const error_code& bad, std::shared_ptr<lock_record> of,
                plain_handler handler);
    void ask_limit(const error_code& bad, std::shared_ptr<lock_record> of, limit_handler handler);
    /// Of any node, that of the chroot too.
    void children(std::string path, names_handler handler);
    void access(std::string path, access_handler handler);
    /// Cancels what was started through one lock object.
    void cancel_group(operation_id group) noexcept;
    /// The session object is gone.
    void stop() noexcept;

    operation_id next_id() { return ++last_id_; }
    const executor_type& executor() const { return home_.plain; }
    session_state state() const { return state_.load(std::memory_order_acquire); }
    std::int64_t session_id() const { return session_id_.load(std::memory_order_acquire); }
    std::chrono::milliseconds timeout() const { return timeout_.load(std::memory_order_acquire); }
    session_usage usage() const;
    const lease_view& lease_in_force() const { return lease_; }
    bool is_forked() const;
    bool loses_by_deadline() const { return options_.lost_when == lost_when::deadline; }

    /// The execution context is being destroyed: handlers are destroyed uninvoked, and everything
    /// that refers to the context is let go.
    void on_context_shutdown();

private:
    template <class Function>
    void enter(Function function);
    template <class Signature>
    void make_cancellable(const erased_handler<Signature>& handler, operation_id id);
    template <class... Args>
    bool refuse(const error_code& why, erased_handler<void(error_code, Args...)>& handler,
                std::type_identity_t<Args>... result);
    template <class... Args>
    pending_operation<Args...> pending_of(erased_handler<void(Args...)>&& handler) const;
    error_code refusal() const;
    bool is_orphaned() const { return !home_.plain; } // the context is gone
    void leave_to_parent();
    void cancel(operation_id id);
    void ask_next(operation_id survey);
    void end_survey(operation_id id);
    bool cancel_survey(operation_id id);
    template <class... Results>
    void begin_change(pending_change::wish what, const error_code& bad,
                      std::shared_ptr<lock_record> of,
                      erased_handler<void(error_code, Results...)> handler);
    void ask_for_change(operation_id id);
    void continue_change(operation_id id);
    void end_change(operation_id id, protocol::failure why, protocol::zookeeper_code code);
    bool cancel_change(operation_id id);
    void end(const error_code& why);
    error_code refusal_of_work() const;
    error_code refusal_of(const acquire_manner& how, const error_code& bad,
                          const std::string& path) const;
    void fail_all(const error_code& why) noexcept;
    void on_failure() noexcept override;
    void on_drop(const std::string& path) noexcept;
    void explain(diagnostics* told) const noexcept;
    error_code reason_of(protocol::failure why, protocol::zookeeper_code code) const;
    void let_go(ticket_lock& lock);
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

    void on_phase(protocol::session_phase phase) override;
    void on_connect_result(protocol::failure why) override;
    void on_closed() override;
    void on_queued(protocol::ticket_id ticket, std::int32_t ahead) override;
    void on_granted(protocol::ticket_id ticket, std::int64_t czxid) override;
    void on_acquire_failed(protocol::ticket_id ticket, protocol::failure why,
                           protocol::zookeeper_code code) override;
    void on_lost(protocol::ticket_id ticket, protocol::failure why) override;
    void on_released(protocol::ticket_id ticket, protocol::failure why,
                     protocol::zookeeper_code code) override;
    void on_downgraded(protocol::ticket_id ticket, protocol::failure why,
                       protocol::zookeeper_code code) override;
    void on_upgraded(protocol::ticket_id ticket, protocol::failure why,
                     protocol::zookeeper_code code, std::int64_t czxid) override;
    void on_deadline(const protocol::lease_instants& in_force) override;
    void on_risk(bool at_risk) override;
    void on_answer(protocol::inquiry_id inquiry, const protocol::reply& answer) override;
    void on_looked_up(protocol::inquiry_id lookup, protocol::failure why,
                      protocol::zookeeper_code code, const protocol::lock_key& key) override;
    void on_inquiry_failed(protocol::inquiry_id inquiry, protocol::failure why) override;
    void on_missed_event(const std::string& node) override;
    void on_note(protocol::note_level level, std::string_view text) override;
    void on_trouble(const std::string& server, const std::string& cause) override;
    void on_client_log(std::string_view text) override;
    void on_stall(protocol::duration late) override;

    home_executor home_; // empty once the context is gone
    const session_options options_;
    const zookeeper::fork_guard process_; // a fork would share the socket
    error_code option_error_;

    std::atomic<operation_id> last_id_{0};
    std::atomic<session_state> state_{session_state::idle};
    std::atomic<std::int64_t> session_id_{0};
    std::atomic<std::chrono::milliseconds> timeout_{};
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
        driver_; // absent with bad options, and once the context is gone
    session_service* service_ = nullptr;

    operation_table<error_code> connects_;
    operation_table<error_code> closes_;
    operation_table<error_code, session_state> state_waits_;
    operation_table<error_code, protocol::lock_key> lookups_;
    grouped_table<pending_acquire, held_lock> acquires_; // by lock object
    grouped_table<pending_operation<error_code, survey_result>, survey_result> surveyors_;
    protocol::survey_table surveys_;
    grouped_table<pending_change, std::uint32_t> changes_;
    lock_table locks_{home_, [this](diagnostics* told) { explain(told); }};
};

} // namespace turnstile::detail
