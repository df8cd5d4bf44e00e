// SPDX-License-Identifier: BSL-1.0
// What the machine tells, handed on to the operations that wait for it.
#include "session/access.hpp"
#include "session/failure_codes.hpp"
#include "session/session_impl.hpp"
#include "session/user_call.hpp"

#include <boost/asio/post.hpp>

#include <array>
#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <utility>

namespace turnstile::detail {

namespace asio = boost::asio;

namespace {

// Of a grant that is not waited for any more; its lock is released where it is dropped.
std::shared_ptr<lock_record> no_record() { return std::make_shared<lock_record>("", 0); }

// Such as "/shop: "; empty where there is none, since a server may say anything.
std::string chroot_of(const std::string& servers) {
    const auto slash = servers.find('/');
    return slash == std::string::npos ? std::string() : servers.substr(slash) + ": ";
}

lock_event event_of(const ticket_lock& lock, lock_event::kind what, error_code reason = {}) {
    return {
        .what = what, .acquire = lock.acquire(), .fencing_token = lock.token(), .reason = reason};
}

} // namespace

// ---- what the session says to functions of the user: log lines and events ----

template <class Make>
void session_impl::log(log_level level, Make make) noexcept {
    if (log_.takes(level))
        log([&] { return log_.say(level, make()); });
}

template <class Make>
void session_impl::log(Make make) noexcept {
    try {
        std::optional<session_log::line> line = make();
        if (!line)
            return;
        call_user([line = std::move(*line)](const session_options& options) {
            write_log(options.log, line.level, line.text);
        });
    } catch (...) { // without memory the message is lost, not the session
    }
}

template <class Make>
void session_impl::tell(const std::shared_ptr<lock_record>& of, Make make) noexcept {
    if (!options_.observer)
        return;
    try {
        lock_event what = make();
        what.path = of->path;
        call_user([what, of](const session_options& options) {
            try {
                options.observer(what);
            } catch (...) { // one that throws misses an event, and costs no lock
            }
        });
    } catch (...) { // nor does a want of memory
    }
}

// In order: what comes after a call that was posted is posted too.
template <class Call>
void session_impl::call_user(Call call) {
    if (is_ownerless_)
        return; // what sink and observer refer to may be gone as well
    if (!user_call::under_way() && calls_under_way_ == 0)
        return call(options_);
    asio::post(driver_->strand(), [self = shared_from_this(), call = std::move(call)] {
        --self->calls_under_way_;
        if (!self->is_ownerless_)
            call(self->options_);
    });
    ++calls_under_way_;
}

// ---- what the machine tells ----

void session_impl::on_phase(session_state phase) {
    const auto id = driver_->machine().session().session_id;
    if (id != 0 && id != session_id())
        made_sessions_.add();
    const auto timeout = id == 0 ? protocol::duration::zero() : driver_->machine().timeout();
    note_session(driver_->machine().session(),
                 std::chrono::duration_cast<std::chrono::milliseconds>(timeout));
    // Last: a handler that sees the connection finds the rest.
    state_.store(phase, std::memory_order_release);
    if (phase == session_state::closed)
        log(log_level::info, [] { return "closed"; });
    if (phase == session_state::suspended)
        log_awaited_releases();
    if (id == 0)
        log_.ended();
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
        guard_->follow(key_); // only the strand changes it
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
    if (why == protocol::failure::none && log_.server().empty())
        connections_.add();
    if (why == protocol::failure::none)
        log([this] { return log_.answered(session_id(), driver_->server(), timeout()); });
    else
        connects_.for_each([this](const auto& failing) { explain(failing.diag()); });
    connects_.fail_all(to_error_code(why));
}

void session_impl::on_closed() {
    connects_.fail_all(error::session_closed);
    closes_.fail_all({});
}

void session_impl::on_queued(protocol::ticket_id ticket, std::int32_t ahead) {
    tell_place(lock_event::kind::queued, ticket, ahead);
    ask_those_before(ticket);
}

void session_impl::on_moved_up(protocol::ticket_id ticket, std::int32_t ahead) {
    tell_place(lock_event::kind::moved_up, ticket, ahead);
}

void session_impl::tell_place(lock_event::kind what, protocol::ticket_id ticket,
                              std::int32_t ahead) {
    if (const auto waiting = acquires_.find(ticket))
        tell(waiting->of, [&] {
            return lock_event{
                .what = what, .acquire = ticket, .ahead = static_cast<std::uint32_t>(ahead)};
        });
}

void session_impl::on_granted(protocol::ticket_id ticket, std::int64_t czxid) {
    const auto waiting = acquires_.find(ticket);
    const fencing_token token(static_cast<std::uint64_t>(czxid));
    const auto lock = std::make_shared<ticket_lock>(
        shared_from_this(), waiting ? waiting->of : no_record(), ticket, token,
        driver_->input_began(), waiting ? waiting->max_hold : std::nullopt);
    locks_.granted(lock);
    const auto& of = lock->of();
    of->granted = lock;
    count(*of, &usage_meter::granted);
    if (waiting) {
        count(*of, &usage_meter::wait, waiting->began);
        stop_asking(*waiting);
    }
    log(log_level::info, [&] { return "granted " + of->path + ", token " + token.str(); });
    tell(of, [&] {
        return lock_event{
            .what = lock_event::kind::granted, .acquire = ticket, .fencing_token = token};
    });
    acquires_.complete(ticket, {}, ticket_lock::own(lock));
}

protocol::yield_wait session_impl::yield_question_of(const ticket_lock& lock) const {
    const auto& path = lock.of()->path;
    const auto nodes = driver_->machine().kinds().nodes_of(lock.id());
    return {path, nodes.empty() ? "" : nodes.front().substr(path.size() + 1),
            static_cast<std::int64_t>(lock.token().czxid())};
}

std::shared_ptr<ticket_lock> session_impl::leadership_of(const lock_record& of) const {
    auto lock = of.granted.lock();
    return lock && !lock->was_let_go() ? std::move(lock) : nullptr;
}

void session_impl::on_refusal(protocol::watcher_id which, std::string_view cause) {
    const auto acquire = acquires_.find(which);
    const auto lookup = lookups_.find(which);
    if (auto* const diag = acquire ? acquire->diag() : lookup ? lookup->diag() : nullptr)
        diag->cause = cause;
}

void session_impl::on_acquire_failed(protocol::ticket_id ticket, protocol::failure why,
                                     protocol::zookeeper_code code) {
    const auto reason = to_error_code(why, code);
    if (why == protocol::failure::no_chroot)
        log(log_level::warning, [&] { return chroot_of(options_.servers) + reason.message(); });
    const bool taken = why == protocol::failure::would_block; // the empty lock says so
    if (const auto failing = acquires_.find(ticket)) {
        if (!taken)
            explain(failing->diag(), why, code);
        count(*failing->of, counter_of(reason));
        stop_asking(*failing);
        tell(failing->of, [&] {
            return lock_event{
                .what = lock_event::kind::failed, .acquire = ticket, .reason = reason};
        });
    }
    acquires_.complete(ticket, taken ? error_code() : reason, {});
}

void session_impl::on_looked_up(protocol::inquiry_id lookup, protocol::failure why,
                                protocol::zookeeper_code code, const protocol::lock_key& key) {
    if (const auto failing = lookups_.find(lookup); failing && why != protocol::failure::none)
        explain(failing->diag(), why, code);
    auto from_root = key;
    from_root.path.insert(0, protocol::server_list::parse(options_.servers)->chroot);
    lookups_.complete(lookup, to_error_code(why, code), from_root);
}

void session_impl::on_answer(protocol::inquiry_id inquiry, const protocol::path_question& what) {
    queries_.on_answer(inquiry, what);
}

void session_impl::on_written(protocol::inquiry_id id, const protocol::guarded_write& what,
                              protocol::failure why, const protocol::reply& answer) {
    using enum protocol::zookeeper_code;
    auto& write = *writes_.find(id);
    for (const auto& lock : write.locks)
        if (why == protocol::failure::not_held && lock->loss() != protocol::failure::none)
            why = lock->loss();
    if (why != protocol::failure::none) {
        explain(write.diag(), why);
        writes_.complete(id, to_error_code(why), {});
        return;
    }
    const auto code_of = [](protocol::zookeeper_code code) {
        return code == ok ? error_code() : to_error_code(protocol::failure::server_error, code);
    };
    std::vector<node_result> results;
    for (const auto& each : answer.results)
        results.push_back({.failed = code_of(each.code), .version = each.stat.version});
    auto failed = code_of(answer.code);
    if (protocol::outcome_unknown(answer.code))
        failed = error::outcome_unknown;
    else if (what.makes && answer.code == no_auth)
        failed = what.steps[0].what == protocol::step_kind::set ? error::write_denied
                                                                : error::create_denied;
    if (failed)
        explain(write.diag(), protocol::failure::server_error, answer.code);
    const auto refused = protocol::failed_step(answer);
    if (auto* const diag = write.diag(); diag && failed && refused < results.size()) {
        constexpr std::array names{"check", "set", "remove", "create"};
        const auto& [kind, path, data, version] = what.steps[refused];
        diag->path = path;
        diag->cause = std::string(names.at(static_cast<std::size_t>(kind))) + " of " + path +
                      (version == -1 ? "" : ", version " + std::to_string(version)) + ": write " +
                      std::to_string(refused + 1) + " of " + std::to_string(results.size()) +
                      " was refused";
    }
    writes_.complete(id, failed, std::move(results));
}

void session_impl::let_go(ticket_lock& lock) {
    lock.let_go();
    queries_.end_group(lock.id(), error::released);
    const bool held = locks_.releasing(lock.id());
    driver_->drive([&](auto& machine, auto now) { machine.release(now, lock.id()); });
    if (!held || --lock.handles() > 0)
        return;
    count(*lock.of(), &usage_meter::released);
    count(*lock.of(), &usage_meter::hold, lock.granted_at());
    tell(lock.of(), [&] { return event_of(lock, lock_event::kind::released); });
}

void session_impl::on_lost(protocol::ticket_id ticket, protocol::failure why) {
    const auto lock = locks_.find(ticket);
    if (lock && lock->loss() == protocol::failure::none) { // of the first handle that is notified
        const auto reason = to_error_code(why);
        const bool wanted = why == protocol::failure::session_closed; // by its owner
        log([&] {
            return log_.lost(wanted ? log_level::info : log_level::error, lock->of()->path,
                             reason.message(), driver_->input_began());
        });
        count(*lock->of(), wanted ? &usage_meter::closed : &usage_meter::lost);
        count(*lock->of(), &usage_meter::hold, lock->granted_at());
        tell(lock->of(), [&] { return event_of(*lock, lock_event::kind::lost, reason); });
    }
    queries_.end_group(ticket, to_error_code(why));
    // Only a lock lost by its deadline or its limit is sure to have no other holder until then.
    const bool keeps_place =
        why == protocol::failure::lease_lost || why == protocol::failure::held_too_long;
    locks_.lost(ticket, why,
                lock && keeps_place ? lock->deadline_in_force() : lease_clock::time_point{});
}

void session_impl::on_limit_near(protocol::ticket_id ticket) {
    if (const auto lock = locks_.find(ticket))
        lock->note_limit_near();
    locks_.end(lock_table::risk_of_loss, ticket, {});
}

void session_impl::log_awaited_releases() noexcept {
    const auto& open = locks_.open_releases();
    if (open.empty())
        return;
    log(log_level::warning, [&] {
        const auto more = open.size() - 1;
        return "waits for a server, until the lease deadline at the latest: the release of " +
               open.begin()->second->path +
               (more > 0 ? " and " + std::to_string(more) + " more" : "");
    });
}

void session_impl::on_released(protocol::ticket_id ticket, protocol::failure why,
                               protocol::zookeeper_code code) {
    const auto& open = locks_.open_releases();
    if (const auto of = open.find(ticket);
        of != open.end() && why == protocol::failure::unreachable)
        log(log_level::warning, [&] {
            return "no server has answered the release of " + of->second->path +
                   " in time: its ticket goes with the session at the latest";
        });
    locks_.end(lock_table::release, ticket, to_error_code(why, code));
}

void session_impl::on_downgraded(protocol::ticket_id ticket, protocol::failure why,
                                 protocol::zookeeper_code code) {
    if (const auto lock = locks_.find(ticket); lock && why == protocol::failure::none)
        queries_.await_anew(ticket, yield_question_of(*lock));
    locks_.end(lock_table::downgrade, ticket, to_error_code(why, code));
}

void session_impl::on_upgraded(protocol::ticket_id ticket, protocol::failure why,
                               protocol::zookeeper_code code, std::int64_t czxid) {
    if (const auto lock = locks_.find(ticket); lock && why == protocol::failure::none) {
        lock->upgrade(fencing_token(static_cast<std::uint64_t>(czxid)));
        queries_.await_anew(ticket, yield_question_of(*lock));
        log(log_level::info,
            [&] { return "upgraded " + lock->of()->path + ", token " + lock->token().str(); });
    }
    locks_.end(lock_table::upgrade, ticket, to_error_code(why, code));
}

void session_impl::on_deadline(const protocol::lease_instants& in_force) { lease_.set(in_force); }

void session_impl::on_risk(bool at_risk) {
    // The risk is over, too, where nothing is held any more.
    const bool is_proved = lease_clock::now() < lease_.risk();
    log(at_risk ? log_level::warning : log_level::info, [&]() -> std::string {
        if (!at_risk)
            return is_proved ? "out of danger: the session is proved to live"
                             : "nothing is held any more that is at risk";
        const auto left =
            std::chrono::ceil<std::chrono::milliseconds>(lease_.loss_at() - lease_clock::now());
        return "at risk: nothing has proved lately that the session lives; what it holds is lost " +
               (left.count() > 0 ? "in " + std::to_string(left.count()) + " ms" : "now");
    });
    if (at_risk)
        risks_.add();
    const auto what = at_risk ? lock_event::kind::at_risk : lock_event::kind::out_of_danger;
    locks_.for_each([&](ticket_lock& lock) {
        if (lock.note_risk(at_risk)) // of the first handle that is come upon
            tell(lock.of(), [&] { return event_of(lock, what); });
    });
    locks_.risk(at_risk);
}

void session_impl::on_note(log_level level, std::string_view text) {
    log(level, [&] { return text; });
}

void session_impl::on_missed_event(const std::string& node) {
    missed_events_.add();
    log(log_level::warning, [&] {
        return "the watch event of " + node +
               " never came: a server or a proxy loses events. Its waiter goes on";
    });
}

void session_impl::on_trouble(const std::string& server, const std::string& cause) {
    if (state() == session_state::closing || state() == session_state::closed)
        return;
    (log_.server().empty() ? failed_attempts_ : connections_lost_).add();
    log([&] { return log_.failed({.server = server, .cause = cause}); });
}

void session_impl::on_stall(protocol::duration late) {
    stalls_.add();
    log(log_level::warning, [&] {
        return "nothing ran on the session's thread for " +
               std::to_string(std::chrono::ceil<std::chrono::milliseconds>(late).count()) +
               " ms: the program kept it busy, or was stopped; no beat could be sent meanwhile";
    });
}

void session_impl::on_drop(const std::string& path) noexcept {
    if (std::exchange(warned_of_drop_, true))
        return;
    log(log_level::warning, [&] {
        return path + " was released as soon as it was granted, and was not looked at: keep "
                      "what co_await acquire() returns in a variable (said once in a session)";
    });
}

void session_impl::warn_of_denial(const std::string& path, const error_code& why) {
    log(log_level::warning,
        [&] { return "the holder of " + path + " cannot be asked to let go: " + why.message(); });
}

void session_impl::explain(diagnostics* diag, protocol::failure why,
                           protocol::zookeeper_code code) const noexcept {
    if (!diag)
        return;
    try {
        if (code == protocol::zookeeper_code::too_large) {
            diag->server = log_.server();
            diag->cause = "a request of " +
                          std::to_string(driver_->machine().least_refused_bytes()) +
                          " bytes exceeds what the servers accept";
        } else if (why == protocol::failure::no_chroot) {
            diag->server = log_.server();
            diag->cause = chroot_of(options_.servers) + "it does not exist";
        } else if (to_error_code(why) == condition::denied &&
                   why != protocol::failure::auth_failed) {
            diag->server = log_.server();
            diag->cause = who_is(options_);
        } else if (auto trouble = log_.trouble()) {
            diag->server = std::move(trouble->server);
            diag->cause = std::move(trouble->cause);
        } else if (!log_.server().empty()) {
            diag->server = log_.server();
        } else if (!driver_->server().empty() && state() != session_state::closed) {
            diag->server = driver_->server();
            diag->cause = "no answer yet";
        }
    } catch (...) { // without memory the code must do
    }
}

void session_impl::count(lock_record& of, usage_count usage_meter::*what) {
    (usage_.*what).add();
    (of.usage.*what).add();
}

void session_impl::count(lock_record& of, histogram_meter usage_meter::*where,
                         lease_clock::time_point since) {
    const histogram_meter::entry one(driver_->input_began() - since);
    (usage_.*where).add(one);
    (of.usage.*where).add(one);
}

session_usage session_impl::usage() const {
    return {.connections = connections_.read(),
            .connections_lost = connections_lost_.read(),
            .failed_attempts = failed_attempts_.read(),
            .sessions = made_sessions_.read(),
            .risks = risks_.read(),
            .missed_events = missed_events_.read(),
            .stalls = stalls_.read(),
            .locks = usage_.read()};
}

} // namespace turnstile::detail
