// SPDX-License-Identifier: BSL-1.0
#include "session/session_impl.hpp"

#include "session/values/access.hpp"
#include "session/values/failure_codes.hpp"
#include "zookeeper/tls_contexts.hpp"

#include <boost/asio/error.hpp>
#include <boost/asio/execution_context.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/query.hpp>

#include <algorithm>
#include <cstddef>
#include <mutex>
#include <set>
#include <utility>

namespace turnstile::detail {

namespace asio = boost::asio;

/// Has the list of an execution context's sessions. The context itself does not know the handlers
/// that wait in them. So when the context shuts down, this service has each session destroy its
/// handlers uninvoked, before the reactor's services are gone.
class session_service final : public asio::execution_context::service {
public:
    using key_type = session_service;
    static inline asio::execution_context::id id;

    explicit session_service(asio::execution_context& context)
        : asio::execution_context::service(context) {}

    void add(session_impl& session) {
        const std::lock_guard guard(mutex_);
        sessions_.insert(&session);
    }
    void remove(session_impl& session) {
        const std::lock_guard guard(mutex_);
        sessions_.erase(&session);
    }

private:
    void shutdown() override {
        // Each session is kept alive meanwhile: the handlers that it destroys may be its last
        // owners.
        std::vector<std::shared_ptr<session_impl>> alive;
        {
            const std::lock_guard guard(mutex_);
            for (const auto session : std::exchange(sessions_, {}))
                if (auto owner = session->weak_from_this().lock())
                    alive.push_back(std::move(owner));
        }
        for (const auto& session : alive)
            session->on_context_shutdown();
    }

    std::mutex mutex_;
    std::set<session_impl*> sessions_;
};

fault session_impl::refusal() const { return is_forked() ? fault{error::forked} : bad_option_; }

fault session_impl::refusal_of_work(const fault& bad_argument) const {
    return bad_argument.code ? bad_argument : failed_ ? fault{error::session_closed} : refusal();
}

// ---- the session ----

std::shared_ptr<session_impl> session_impl::make(executor_type executor, session_options options) {
    auto made = std::make_shared<session_impl>(std::move(executor), std::move(options));
    if (made->bad_option_.code) {
        made->report_bad_option();
        return made;
    }
    if (made->options_.tls)
        made->enter([self = made.get()] { self->look_at_certificate(); });
    // (A backend stands in for the servers, as in the test kit: there is no session to guard.)
    if (!made->options_.host_guard.empty() &&
        !has_backend(asio::query(made->home_, asio::execution::context)))
        made->link_guard();
    return made;
}

// The log names the option even if a program shows the code alone.
void session_impl::report_bad_option() {
    reports_->post([reports = reports_, why = bad_option_] {
        reports->log(log_level::error,
                     [&] { return why.text.empty() ? why.code.message() : why.text; });
    });
}

// Warns of a certificate that has expired, or is not valid yet, before a server refuses it.
void session_impl::look_at_certificate() {
    zookeeper::find_tls_context(driver_->strand(), *options_.tls,
                                [weak = weak_from_this()](const zookeeper::tls_context& found) {
                                    const auto self = weak.lock();
                                    if (!self)
                                        return;
                                    self->certificate_ = found.own.subject;
                                    if (!found.own.trouble.empty())
                                        self->on_note(log_level::warning, found.own.trouble);
                                });
}

void session_impl::link_guard() {
    guard_ = std::make_shared<guard_link>(
        driver_->strand(), options_.host_guard, options_.host_guard_processes,
        [weak = weak_from_this()](log_level level, const std::string& text) {
            if (const auto self = weak.lock())
                self->on_note(level, text);
        });
}

session_impl::session_impl(executor_type executor, session_options options)
    : home_(std::move(executor)),
      reports_(std::make_shared<session_reports>(std::move(options))),
      bad_option_(check_options(options_)) {
    key_.servers = options_.servers;
    key_.tls = options_.tls;
    const session_driver::strand_type strand(home_);
    reports_->post_on(strand);
    if (!bad_option_.code) {
        driver_events& events = *this;
        driver_ = std::make_shared<session_driver>(
            strand, options_, *protocol::server_list::parse(options_.servers), events, locks_);
    }
    // This comes after the driver, so that its services shut down later than ours: Asio goes from
    // the last to the first. It comes without a driver, too: no executor may be used after its
    // context.
    service_ = &asio::use_service<session_service>(asio::query(home_, asio::execution::context));
    service_->add(*this);
}

session_impl::~session_impl() {
    if (service_)
        service_->remove(*this);
    leave_to_parent();
}

bool session_impl::is_forked() const { return !process_.is_here(); }

void session_impl::connect(handler<>&& done) {
    begin({}, refusal_of_work(), std::move(done), [this](auto id, auto pending) {
        connects_.add(id, std::move(pending));
        driver_->drive([](auto& machine, auto now) { machine.connect(now); });
    });
}

void session_impl::close(handler<>&& done) {
    // The session does no work on its strand any more, so its reports post the completion. The log
    // gets no line after that.
    if ((bad_option_.code || failed_) && !is_orphaned())
        return reports_->post([reports = reports_, pending = pending_operation<error_code>(
                                                       std::move(done), home_)]() mutable {
            reports->silence();
            std::move(pending).complete(error_code());
        });
    begin(
        {}, refusal(), std::move(done),
        [this](auto id, auto pending) {
            closes_.add(id, std::move(pending));
            const bool hasty = locks_.has_unawaited_releases();
            driver_->drive([hasty](auto& machine, auto now) { machine.close(now, hasty); });
        },
        effect::sure);
}

error_code session_impl::set_servers(const std::string& servers, diagnostics* told) {
    auto bad = refusal_of_work();
    if (!bad.code)
        bad = check_servers(servers, options_);
    if (!bad.code && state() >= session_state::closing)
        bad = {error::session_closed};
    if (told)
        *told = {.cause = bad.text};
    if (!bad.code)
        enter([this, servers] {
            new_servers_ = servers;
            driver_->set_servers(*protocol::server_list::parse(servers));
        });
    return bad.code;
}

void session_impl::wait_state_change(session_state known, handler<session_state>&& done) {
    begin({}, refusal(), std::move(done), [this, known](auto id, auto pending) {
        state_waits_.add(id, std::move(pending));
        if (state() != known)
            state_waits_.complete(id, {}, state());
        else if (known == session_state::closed) // it stays closed
            state_waits_.complete(id, error::session_closed, known);
    });
}

void session_impl::warn_of_drop(const std::shared_ptr<lock_record>& of) noexcept {
    enter([this, of] {
        if (std::exchange(warned_of_drop_, true))
            return;
        reports_->log(log_level::warning, [&] {
            return of->path + " was released as soon as it was granted, and was not looked at: "
                              "keep what co_await acquire() returns in a variable (said once in a "
                              "session)";
        });
    });
}

// ---- ends ----

bool session_impl::was_sent(operation_id id) const { return driver_->machine().was_sent(id); }

void session_impl::cancel(operation_id id) {
    const error_code aborted = asio::error::operation_aborted;
    if (connects_.complete(id, aborted) && connects_.empty())
        driver_->drive([](auto& machine, auto now) { machine.cancel_connect(now); });
    closes_.complete(id, aborted);
    state_waits_.complete(id, aborted, state());
    queries_.cancel(id);
    writes_.cancel(id);
    locks_.cancel(id);
}

void session_impl::cancel_group(operation_id group) noexcept {
    enter([this, group] {
        queries_.cancel_group(group);
        locks_.cancel_group(group);
    });
}

void session_impl::stop() noexcept {
    reports_->silence();
    enter([this] {
        driver_->stop();
        connects_.fail_all(error::session_closed);
        closes_.fail_all({});
        end_state_waits(error::session_closed);
    });
}

void session_impl::end_state_waits(const error_code& why) {
    while (const auto id = state_waits_.first_of(0))
        state_waits_.complete(*id, why, state());
}

void session_impl::on_failure() noexcept {
    if (failed_.exchange(true))
        return;
    // This comes first: once the driver ends the session at the server, others get the locks.
    locks_.lose_silently();
    driver_->abandon();
    note_no_session();
    fail_all(asio::error::no_memory);
}

void session_impl::fail_all(const error_code& why) noexcept {
    if (!closes_.empty())
        reports_->silence();
    connects_.fail_all(why);
    closes_.fail_all({});
    end_state_waits({});
    queries_.fail_all(why);
    writes_.fail_all(why);
    locks_.fail_all(why);
}

void session_impl::on_context_shutdown() {
    service_ = nullptr;
    // This comes first: once the driver ends the session at the server, others get the locks.
    locks_.lose_silently();
    note_no_session();
    leave_to_parent();
    home_ = {}; // a strand refers to the context
    reports_->post_nowhere();
    // Handlers may own sessions, locks and held locks: these must find the driver gone.
    const auto driver = std::exchange(driver_, nullptr);
    const auto guard = std::exchange(guard_, nullptr);
    const auto connects = connects_.take();
    const auto closes = closes_.take();
    const auto waits = state_waits_.take();
    queries_.drop_all();
    writes_.drop_all();
    locks_.drop_all();
}

void session_impl::leave_to_parent() {
    // In a forked child the socket and the reactor are the parent's, and the destructors would
    // touch them. So the driver and the link to the guard are leaked.
    if (!is_forked())
        return;
    if (driver_)
        new std::shared_ptr<session_driver>(std::move(driver_));
    if (guard_)
        new std::shared_ptr<guard_link>(std::move(guard_));
}

// ---- what the machine reports ----

void session_impl::on_phase(session_state phase) {
    const auto id = driver_->machine().session().session_id;
    if (id != 0 && id != session_id())
        reports_->count(&session_usage::sessions);
    const auto timeout = id == 0 ? protocol::duration::zero() : driver_->machine().timeout();
    note_session(driver_->machine().session(),
                 std::chrono::duration_cast<std::chrono::milliseconds>(timeout));
    // This comes last: a thread that sees the new state must find the new id and key.
    state_.store(phase, std::memory_order_release);
    if (phase == session_state::closed)
        reports_->log(log_level::info, [] { return "closed"; });
    if (phase == session_state::suspended)
        locks_.log_awaited_releases();
    if (id == 0)
        reports_->lines().ended();
    end_state_waits({});
}

void session_impl::note_session(const protocol::credentials& which,
                                std::chrono::milliseconds timeout) {
    session_id_.store(which.session_id, std::memory_order_release);
    timeout_.store(timeout, std::memory_order_release);
    {
        const std::lock_guard guard(key_mutex_);
        key_.id = which.session_id;
        key_.password = which.password;
        key_.timeout = timeout;
    }
    tell_guard();
}

void session_impl::tell_guard() {
    if (guard_)
        guard_->follow(key_);
}

session_key session_impl::key() const {
    const std::lock_guard guard(key_mutex_);
    return key_;
}

void session_impl::note_no_session() noexcept {
    note_session({}, {});
    state_.store(session_state::closed, std::memory_order_release);
}

void session_impl::on_connect_result(protocol::failure why) {
    auto& lines = reports_->lines();
    if (why == protocol::failure::none && lines.server().empty())
        reports_->count(&session_usage::connections);
    if (why == protocol::failure::none)
        reports_->log([&] { return lines.answered(session_id(), driver_->server(), timeout()); });
    else
        connects_.for_each([this](const auto& failing) { explain(failing.diag()); });
    connects_.fail_all(to_error_code(why));
}

void session_impl::on_closed() {
    connects_.fail_all(error::session_closed);
    reports_->end([self = shared_from_this()] { self->closes_.fail_all({}); });
}

void session_impl::on_risk(bool at_risk) {
    // The risk is over as well if nothing is held any more.
    const bool is_proved = lease_clock::now() < lease_.risk();
    reports_->log(at_risk ? log_level::warning : log_level::info, [&]() -> std::string {
        if (!at_risk)
            return is_proved ? "out of danger: the session is proved to live"
                             : "nothing is held any more that is at risk";
        const auto left =
            std::chrono::ceil<std::chrono::milliseconds>(lease_.loss_at() - lease_clock::now());
        return "at risk: nothing has proved lately that the session lives; what it holds is lost " +
               (left.count() > 0 ? "in " + std::to_string(left.count()) + " ms" : "now");
    });
    if (at_risk)
        reports_->count(&session_usage::risks);
    locks_.on_risk(at_risk);
}

void session_impl::on_note(log_level level, std::string_view text) {
    reports_->log(level, [&] { return text; });
}

void session_impl::on_missed_event(const std::string& node) {
    reports_->count(&session_usage::missed_events);
    reports_->log(log_level::warning, [&] {
        return "the watch event of " + node +
               " never came: a server or a proxy loses events. Its waiter goes on";
    });
}

void session_impl::on_trouble(const std::string& server, const std::string& cause) {
    if (state() == session_state::closing || state() == session_state::closed)
        return;
    auto& lines = reports_->lines();
    reports_->count(lines.server().empty() ? &session_usage::failed_attempts
                                           : &session_usage::connections_lost);
    reports_->log([&] { return lines.failed({.server = server, .cause = cause}); });
}

void session_impl::on_servers() {
    {
        const std::lock_guard guard(key_mutex_);
        key_.servers = new_servers_;
    }
    tell_guard();
    on_note(log_level::info, "the new list of servers is in use");
}

void session_impl::on_stall(protocol::duration late) {
    reports_->count(&session_usage::stalls);
    reports_->log(log_level::warning, [&] {
        return "nothing ran on the session's thread for " +
               std::to_string(std::chrono::ceil<std::chrono::milliseconds>(late).count()) +
               " ms: the program kept it busy, or was stopped; no beat could be sent meanwhile";
    });
}

void session_impl::explain(diagnostics* diag, protocol::failure why,
                           protocol::zookeeper_code code) const noexcept {
    if (!diag)
        return;
    const auto& lines = std::as_const(*reports_).lines();
    try {
        if (code == protocol::zookeeper_code::too_large) {
            diag->server = lines.server();
            diag->cause = "a request of " +
                          std::to_string(driver_->machine().least_refused_bytes()) +
                          " bytes exceeds what the servers accept";
        } else if (why == protocol::failure::no_chroot) {
            diag->server = lines.server();
            diag->cause = chroot_of(options_.servers) + "it does not exist";
        } else if (to_error_code(why) == condition::denied &&
                   why != protocol::failure::auth_failed) {
            diag->server = lines.server();
            diag->cause = describe_identities(options_, certificate_);
        } else if (auto trouble = lines.trouble()) {
            diag->server = std::move(trouble->server);
            diag->cause = std::move(trouble->cause);
        } else if (!lines.server().empty()) {
            diag->server = lines.server();
        } else if (!driver_->server().empty() && state() != session_state::closed) {
            diag->server = driver_->server();
            diag->cause = "no answer yet";
        }
    } catch (...) { // without memory the code must do
    }
}

} // namespace turnstile::detail
