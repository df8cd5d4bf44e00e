// SPDX-License-Identifier: BSL-1.0
// The operations of a session, and its ends. What the machine tells: session_impl_events.cpp.
#include "session/session_impl_begin.hpp"

#include "session/failure_codes.hpp"
#include "zookeeper/tls_stream.hpp"

#include <boost/asio/error.hpp>
#include <boost/asio/execution_context.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/query.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <mutex>
#include <set>
#include <utility>

namespace turnstile::detail {

namespace asio = boost::asio;

/// Handlers that wait in a session are no handlers that the context knows: at its end they have to
/// be destroyed, uninvoked, before the reactor's services go.
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
        // Each is kept alive while it lets go: the handlers that it destroys may be its last
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

fault session_impl::refusal_of_work(const fault& bad) const {
    return bad.code ? bad : failed_ ? fault{error::session_closed} : refusal();
}

fault session_impl::refusal_of(const lock_object& of, const protocol::acquire_request& what) const {
    if (of.bad.code)
        return of.bad;
    if (what.stated_limit && *what.stated_limit == 0)
        return {error::too_many, what.path + ": a limit of 0 is stated, and 1 is the least"};
    auto too_large = check_permits(options_, what.path, what.permits);
    return too_large.code ? too_large : refusal_of_work();
}

// ---- the session ----

std::shared_ptr<session_impl> session_impl::make(executor_type executor, session_options options) {
    auto made = std::make_shared<session_impl>(std::move(executor), std::move(options));
    if (made->bad_option_.code) // the log names the option where the code alone is seen
        asio::post(made->home_, [weak = std::weak_ptr(made)] {
            if (const auto self = weak.lock(); self && !self->is_ownerless_) {
                const auto& [code, text] = self->bad_option_;
                write_log(self->options_.log, log_level::error,
                          "no session: " + (text.empty() ? code.message() : text));
            }
        });
    else if (made->options_.tls)
        asio::post(made->driver_->strand(), [weak = std::weak_ptr(made)] {
            const auto self = weak.lock();
            const auto own =
                self ? zookeeper::certificate_of(*self->options_.tls).trouble : std::string();
            if (!own.empty())
                self->on_note(log_level::warning, own);
        });
    if (!made->bad_option_.code && !made->options_.guard.empty() &&
        !has_backend(asio::query(made->home_, asio::execution::context)))
        made->guard_ = std::make_shared<guard_link>(
            made->driver_->strand(), made->options_.guard, made->options_.guarded_processes,
            [weak = std::weak_ptr(made)](log_level level, const std::string& text) {
                if (const auto self = weak.lock())
                    self->on_note(level, text);
            });
    return made;
}

session_impl::session_impl(executor_type executor, session_options options)
    : home_(std::move(executor)),
      options_(std::move(options)),
      bad_option_(check_options(options_)),
      log_(options_.log) {
    driver_events& events = *this;
    key_.servers = options_.servers;
    key_.tls = options_.tls;
    if (!bad_option_.code)
        driver_ = std::make_shared<session_driver>(session_driver::strand_type(home_), options_,
                                                   *protocol::server_list::parse(options_.servers),
                                                   events);
    // After the driver, so that its services shut down later than ours; without one for the sake of
    // the executor, which is of use as long as the context only.
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
    begin({}, refusal_of_work(), std::move(done), [](auto& impl, auto id, auto pending) {
        impl.connects_.add(id, std::move(pending));
        impl.driver_->drive([](auto& machine, auto now) { machine.connect(now); });
    });
}

void session_impl::close(handler<>&& done) {
    if ((bad_option_.code || failed_) && !is_orphaned()) // nothing is open
        return pending_operation<error_code>(std::move(done), home_).complete(error_code());
    begin({}, refusal(), std::move(done), [](auto& impl, auto id, auto pending) {
        impl.closes_.add(id, std::move(pending));
        impl.driver_->drive([hasty = impl.locks_.has_left_releases()](auto& machine, auto now) {
            machine.close(now, hasty);
        });
    });
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
        enter([servers](session_impl& impl) {
            impl.driver_->set_servers(*protocol::server_list::parse(servers));
            {
                const std::lock_guard guard(impl.key_mutex_);
                impl.key_.servers = servers;
            }
            impl.tell_guard();
        });
    return bad.code;
}

void session_impl::wait_state_change(session_state known, handler<session_state>&& done) {
    begin({}, refusal(), std::move(done), [known](auto& impl, auto id, auto pending) {
        impl.state_waits_.add(id, std::move(pending));
        if (impl.state() != known)
            impl.state_waits_.complete(id, {}, impl.state());
        else if (known == session_state::closed) // it stays closed
            impl.state_waits_.complete(id, error::session_closed, known);
    });
}

// ---- acquires ----

namespace {

// On the strand: a time limit counts from the call, and a limit that was set is the one stated.
void settle(protocol::acquire_request& what, const lock_record& of, lease_clock::time_point began) {
    if (what.limit)
        what.limit =
            std::max(*what.limit - (lease_clock::now() - began), protocol::duration::zero());
    if (const auto set = of.limit_in_force(); set > 0 && what.stated_limit)
        what.stated_limit = set;
}

} // namespace

void session_impl::acquire(const lock_object& of, protocol::acquire_request what,
                           handler<held_lock>&& done) {
    const auto bad = refusal_of(of, what);
    begin(of.request.path, bad, std::move(done),
          [what = std::move(what), of = of.record,
           began = lease_clock::now()](auto& impl, auto id, auto pending) mutable {
              settle(what, *of, began);
              impl.count(*of, &usage_meter::acquires);
              const auto group = of->group;
              impl.acquires_.add(
                  id, {std::move(pending), std::move(of), began, what.max_hold, what.asks}, group);
              impl.driver_->drive([&](auto& machine, auto now) { machine.acquire(now, id, what); });
          });
}

void session_impl::acquire(std::vector<one_of_several>&& together) {
    struct member {
        operation_id id;
        protocol::acquire_request what;
        pending_acquire pending;
    };
    std::vector<member> members;
    members.reserve(together.size());
    const auto began = lease_clock::now();
    for (auto& [of, what, done] : together)
        if (auto prepared = prepare(what.path, refusal_of_work(), std::move(done)))
            members.push_back(
                {prepared->id,
                 what,
                 {std::move(prepared->pending), std::move(of), began, what.max_hold, what.asks}});
    enter([members = std::move(members), began](session_impl& impl) mutable {
        std::vector<protocol::session_machine::one_of_several> requests;
        requests.reserve(members.size());
        for (auto& [id, what, pending] : members) {
            settle(what, *pending.of, began);
            impl.count(*pending.of, &usage_meter::acquires);
            const auto group = pending.of->group;
            impl.acquires_.add(id, std::move(pending), group);
            requests.push_back({id, std::move(what)});
        }
        impl.driver_->drive([&](auto& machine, auto now) { machine.acquire(now, requests); });
    });
}

void session_impl::look_up(const lock_object& of, protocol::acquire_request what,
                           handler<protocol::lock_key>&& done) {
    const auto bad = refusal_of(of, what);
    begin(of.request.path, bad, std::move(done),
          [what = std::move(what), of = of.record,
           began = lease_clock::now()](auto& impl, auto id, auto pending) mutable {
              settle(what, *of, began);
              impl.lookups_.add(id, std::move(pending));
              impl.driver_->drive([&](auto& machine, auto now) { machine.look_up(now, id, what); });
          });
}

// ---- what is held ----

std::shared_ptr<ticket_lock> session_impl::share(const std::shared_ptr<ticket_lock>& lock,
                                                 const std::shared_ptr<ticket_lock>& first) {
    auto further = std::make_shared<ticket_lock>(first, next_id());
    enter([lock, further](session_impl& impl) {
        impl.driver_->drive(
            [&](auto& machine, auto now) { machine.share(now, lock->id(), further->id()); });
        if (!impl.locks_.holds(lock->id()))
            return; // it is lost, and all its handles know
        impl.locks_.granted(further);
        ++further->handles();
    });
    return further;
}

void session_impl::start(lock_operation what, const std::shared_ptr<ticket_lock>& lock,
                         handler<>&& done) {
    begin(lock->of()->path, refusal_of_work(), std::move(done),
          [what, lock](auto& impl, auto id, auto pending) {
              if (what == lock_operation::release)
                  return impl.begin_release(lock, id, std::move(pending));
              if (!impl.locks_.await(what, *lock, id, std::move(pending)))
                  return;
              if (what == lock_operation::downgrade)
                  impl.driver_->drive(
                      [&](auto& machine, auto now) { machine.downgrade(now, lock->id()); });
              else if (what == lock_operation::upgrade)
                  impl.driver_->drive(
                      [&](auto& machine, auto now) { machine.upgrade(now, lock->id(), id); });
          });
}

namespace {

// Both have the same kinds, under other names.
protocol::transaction_step to_step(const node_write& from) {
    using enum protocol::step_kind;
    constexpr std::array kinds{create, set, remove, check};
    return {kinds.at(static_cast<std::size_t>(from.what)), from.path, from.data, from.version};
}

fault fault_of(const std::vector<node_write>& writes,
               const std::vector<std::shared_ptr<ticket_lock>>& locks) {
    const auto invalid = [](std::string text) {
        return fault{asio::error::invalid_argument, std::move(text)};
    };
    for (const auto& write : writes) {
        if (const auto bad = check_path(write.path); bad.code)
            return invalid(write.path + ": " + bad.text);
        if (write.version < node_write::any_version)
            return invalid(write.path + ": the version is below -1");
        for (const auto& lock : locks)
            if ((write.path + '/').starts_with(lock->of()->path + '/'))
                return invalid(write.path + ": what is at a lock path belongs to the lock");
    }
    for (const auto& lock : locks) {
        if (lock->session() != locks.front()->session())
            return invalid("its parts are of several sessions");
        if (lock->of()->single_node)
            return {asio::error::operation_not_supported,
                    lock->of()->path + ": a single_node_mutex guards no writes; take a mutex"};
    }
    return {};
}

} // namespace

void session_impl::write(const std::vector<std::shared_ptr<ticket_lock>>& locks,
                         const std::vector<node_write>& writes,
                         handler<std::vector<node_result>>&& done) {
    std::vector<protocol::transaction_step> steps(writes.size());
    std::ranges::transform(writes, steps.begin(), to_step);
    auto bad = fault_of(writes, locks);
    begin(locks.front()->of()->path, refusal_of_work(bad), std::move(done),
          [locks, steps = std::move(steps)](auto& impl, auto id, auto pending) {
              impl.send_write(id, {std::move(pending), locks}, steps, false);
          });
}

void session_impl::send_write(operation_id id, pending_write&& write,
                              std::vector<protocol::transaction_step> steps, bool makes) {
    protocol::guarded_write what{.steps = std::move(steps), .makes = makes};
    for (const auto& lock : write.locks)
        what.locks.push_back(lock->id());
    writes_.add(id, std::move(write));
    driver_->drive([&](auto& machine, auto now) { machine.write(now, id, what); });
}

// A leadership may be given up, and its held_lock released after that.
void session_impl::begin_release(const std::shared_ptr<ticket_lock>& lock, operation_id id,
                                 pending_operation<error_code>&& done) {
    if (lock->was_let_go())
        return std::move(done).complete(error_code(error::not_held));
    locks_.await(lock_operation::release, *lock, id, std::move(done));
    let_go(*lock);
    if (state() == session_state::suspended)
        log_awaited_releases();
}

void session_impl::release(const std::shared_ptr<ticket_lock>& lock) noexcept {
    enter([lock](session_impl& impl) {
        if (!lock->was_let_go())
            impl.let_go(*lock);
    });
}

void session_impl::resign(const lock_object& of, handler<>&& done) {
    begin(of.request.path, refusal_of_work(of.bad), std::move(done),
          [of = of.record](auto& impl, auto id, auto pending) {
              if (const auto lock = impl.leadership_of(*of))
                  impl.begin_release(lock, id, std::move(pending));
              else
                  std::move(pending).complete(error_code(error::not_held));
          });
}

void session_impl::proclaim(const lock_object& of, const std::string& value, handler<>&& done) {
    begin(of.request.path, refusal_of_work(of.bad), std::move(done),
          [of = of.record, value](auto& impl, auto id, auto pending) {
              const auto lock = impl.leadership_of(*of);
              if (!lock)
                  return std::move(pending).complete(error_code(error::not_held));
              // It has a node from the first time on.
              impl.send_write(id, {std::move(pending), {lock}},
                              {{.what = protocol::step_kind::set,
                                .path = protocol::proclamation_node_of(of->path),
                                .data = protocol::proclamation_of(lock->token().czxid(), value)}},
                              true);
          });
}

void session_impl::warn_of_drop(const std::shared_ptr<lock_record>& of) noexcept {
    enter([of](session_impl& impl) { impl.on_drop(of->path); });
}

// Where the machine is at work.
void session_impl::ask_later(operation_id query) {
    enter([query](session_impl& impl) { impl.queries_.ask(query); });
}

// Where the machine is at work, or may be.
void session_impl::stop_later(protocol::inquiry_id inquiry) {
    enter([inquiry](session_impl& impl) {
        impl.driver_->drive([&](auto& machine, auto now) { machine.cancel(now, inquiry); });
    });
}

// ---- ends ----

void session_impl::cancel(operation_id id) {
    const error_code aborted = asio::error::operation_aborted;
    const auto stop = [this](protocol::watcher_id which) {
        driver_->drive([&](auto& machine, auto now) { machine.cancel(now, which); });
    };
    if (acquires_.contains(id) || lookups_.contains(id) || writes_.contains(id))
        return stop(id);
    if (const auto lock = locks_.upgraded_by(id))
        return stop(*lock);
    if (queries_.cancel(id) || leaders_.cancel(id, aborted))
        return;
    if (connects_.complete(id, aborted)) {
        if (connects_.empty())
            driver_->drive([](auto& machine, auto now) { machine.cancel_connect(now); });
        return;
    }
    if (closes_.complete(id, aborted) || state_waits_.complete(id, aborted, state()))
        return;
    if (const auto of = locks_.cancel(id, aborted))
        on_note(log_level::warning, "the release of " + of->path +
                                        " is not waited for any more: no server has "
                                        "answered it yet");
}

void session_impl::cancel_group(operation_id group) noexcept {
    enter([group](session_impl& impl) {
        for (const auto id : impl.acquires_.members(group))
            impl.cancel(id);
        impl.queries_.cancel_group(group);
    });
}

void session_impl::stop() noexcept {
    is_ownerless_ = true;
    enter([](session_impl& impl) {
        impl.driver_->stop();
        impl.connects_.fail_all(error::session_closed);
        impl.closes_.fail_all({});
        impl.end_state_waits(error::session_closed);
    });
}

void session_impl::end_state_waits(const error_code& why) {
    while (const auto id = state_waits_.first_of(0))
        state_waits_.complete(*id, why, state());
}

void session_impl::on_failure() noexcept {
    if (failed_.exchange(true))
        return;
    // Before the driver ends the session at the server, and so hands the locks on.
    locks_.lose_silently();
    driver_->abandon();
    note_no_session();
    fail_all(asio::error::no_memory);
}

void session_impl::fail_all(const error_code& why) noexcept {
    connects_.fail_all(why);
    closes_.fail_all({});
    end_state_waits({});
    lookups_.fail_all(why);
    acquires_.fail_all(why);
    queries_.fail_all(why);
    writes_.fail_all(why);
    locks_.fail_all(why);
}

void session_impl::on_context_shutdown() {
    service_ = nullptr;
    // Before the driver ends the session at the server, and so hands the locks on.
    locks_.lose_silently();
    note_no_session();
    leave_to_parent();
    home_ = {}; // a strand refers to the context
    // Handlers may own sessions, locks and held locks: these must find the driver gone.
    const auto driver = std::exchange(driver_, nullptr);
    const auto guard = std::exchange(guard_, nullptr);
    const auto connects = connects_.take();
    const auto closes = closes_.take();
    const auto waits = state_waits_.take();
    const auto lookups = lookups_.take();
    const auto acquires = acquires_.take();
    const auto queries = queries_.take();
    const auto writes = writes_.take();
    const auto leaders = leaders_.take();
    const auto locks = locks_.take();
}

void session_impl::leave_to_parent() {
    // In a forked child the socket and the reactor are the parent's: touch neither, ever.
    if (!is_forked())
        return;
    if (driver_)
        new std::shared_ptr<session_driver>(std::move(driver_));
    if (guard_)
        new std::shared_ptr<guard_link>(std::move(guard_));
}

} // namespace turnstile::detail
