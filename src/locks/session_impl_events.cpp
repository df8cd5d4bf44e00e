// What the machine tells, handed on to the operations that wait for it.
#include "locks/failure_codes.hpp"
#include "locks/log_sink.hpp"
#include "locks/participant_view.hpp"
#include "locks/session_impl.hpp"
#include "locks/user_call.hpp"

#include <boost/asio/post.hpp>

#include <utility>

namespace turnstile::detail {

namespace {

session_state to_state(protocol::session_phase phase) {
    switch (phase) {
    case protocol::session_phase::idle:
        return session_state::idle;
    case protocol::session_phase::connecting:
        return session_state::connecting;
    case protocol::session_phase::connected:
        return session_state::connected;
    case protocol::session_phase::suspended:
        return session_state::suspended;
    case protocol::session_phase::closing:
        return session_state::closing;
    case protocol::session_phase::closed:
        break;
    }
    return session_state::closed;
}

// Of a grant that nobody waits for any more; its lock is released where it is dropped.
std::shared_ptr<lock_record> nobody() { return std::make_shared<lock_record>("", 0); }

usage_count usage_meter::*counter_of(protocol::failure why) {
    switch (why) {
    case protocol::failure::would_block:
        return &usage_meter::would_block;
    case protocol::failure::timed_out:
        return &usage_meter::timed_out;
    case protocol::failure::cancelled:
        return &usage_meter::cancelled;
    default:
        return &usage_meter::failed;
    }
}

log_level to_level(protocol::note_level level) {
    switch (level) {
    case protocol::note_level::debug:
        return log_level::debug;
    case protocol::note_level::info:
        return log_level::info;
    case protocol::note_level::warning:
        return log_level::warning;
    case protocol::note_level::error:
        break;
    }
    return log_level::error;
}

} // namespace

void session_impl::on_phase(protocol::session_phase phase) {
    const auto id = driver_->machine().session().session_id;
    if (id != 0 && id != session_id())
        made_sessions_.add();
    const auto timeout = id == 0 ? protocol::duration::zero() : driver_->machine().timeout();
    session_id_.store(id, std::memory_order_release);
    timeout_.store(std::chrono::duration_cast<std::chrono::milliseconds>(timeout),
                   std::memory_order_release);
    // Last: whoever sees that it is connected finds the rest.
    state_.store(to_state(phase), std::memory_order_release);
    if (phase == protocol::session_phase::closed)
        log(log_level::info, [] { return "closed"; });
    if (id == 0)
        log_.ended();
    state_waits_.complete_all(home_, {}, state());
}

void session_impl::on_connect_result(protocol::failure why) {
    if (why == protocol::failure::none && log_.server().empty())
        connections_.add();
    if (why == protocol::failure::none)
        log([this] { return log_.answered(session_id(), driver_->server(), timeout()); });
    else
        connects_.for_each([this](const auto& failing) { explain(failing.told()); });
    connects_.complete_all(home_, to_error_code(why));
}

void session_impl::on_closed() {
    connects_.complete_all(home_, error::session_closed);
    closes_.complete_all(home_, {});
}

void session_impl::on_queued(protocol::ticket_id ticket, std::int32_t ahead) {
    if (const auto waiting = acquires_.find(ticket))
        tell({.what = lock_event::kind::queued,
              .acquire = ticket,
              .ahead = static_cast<std::uint32_t>(ahead)},
             waiting->of());
}

void session_impl::on_granted(protocol::ticket_id ticket, std::int64_t czxid) {
    const auto waiting = acquires_.find(ticket);
    const fencing_token token(static_cast<std::uint64_t>(czxid));
    const auto lock =
        std::make_shared<ticket_lock>(shared_from_this(), waiting ? waiting->take_of() : nobody(),
                                      ticket, token, driver_->input_began());
    locks_.granted(lock);
    const auto& of = lock->of();
    count(*of, &usage_meter::granted);
    if (waiting)
        count(*of, &usage_meter::wait, waiting->began());
    log(log_level::info, [&] { return "granted " + of->path + ", token " + token.str(); });
    if (options_.observer)
        tell({.what = lock_event::kind::granted, .acquire = ticket, .fencing_token = token}, of);
    acquires_.complete(ticket, home_, {}, ticket_lock::own(lock));
}

void session_impl::on_acquire_failed(protocol::ticket_id ticket, protocol::failure why,
                                     protocol::zookeeper_code code) {
    const auto reason = to_error_code(why, code);
    if (const auto failing = acquires_.find(ticket)) {
        explain(failing->told());
        count(*failing->of(), counter_of(why));
        tell({.what = lock_event::kind::failed, .acquire = ticket, .reason = reason},
             failing->of());
    }
    acquires_.complete(ticket, home_, reason, {});
}

void session_impl::let_go(ticket_lock& lock) {
    const bool held = locks_.releasing(lock.id());
    driver_->release(lock.id());
    if (!held || --lock.handles() > 0)
        return;
    count(*lock.of(), &usage_meter::released);
    count(*lock.of(), &usage_meter::hold, lock.granted_at());
    if (options_.observer)
        tell({.what = lock_event::kind::released,
              .acquire = lock.acquire(),
              .fencing_token = lock.token()},
             lock.of());
}

void session_impl::explain(diagnostics* told) const noexcept {
    if (!told)
        return;
    try {
        if (const auto& trouble = log_.trouble()) {
            told->server = trouble->server;
            told->cause = trouble->cause;
        } else if (!log_.server().empty()) {
            told->server = log_.server();
        } else if (!driver_->server().empty()) {
            told->server = driver_->server();
            told->cause = "no answer yet";
        }
    } catch (...) { // without memory the code must do
    }
}

void session_impl::on_lost(protocol::ticket_id ticket, protocol::failure why) {
    const auto lock = locks_.find(ticket);
    if (lock && lock->loss() == protocol::failure::none) { // of the first handle that is told
        const auto reason = to_error_code(why);
        const bool wanted = why == protocol::failure::session_closed; // by its owner
        log(wanted ? log_level::info : log_level::error,
            [&] { return "lost " + lock->of()->path + ": " + reason.message(); });
        count(*lock->of(), &usage_meter::lost);
        count(*lock->of(), &usage_meter::hold, lock->granted_at());
        tell({.what = lock_event::kind::lost,
              .acquire = lock->acquire(),
              .fencing_token = lock->token(),
              .reason = reason},
             lock->of());
    }
    // Only a lock lost by its deadline is sure to be nobody else's until then.
    locks_.lost(ticket, why,
                why == protocol::failure::lost_deadline ? lease_.deadline()
                                                        : lease_clock::time_point{});
}

void session_impl::on_released(protocol::ticket_id ticket, protocol::failure why,
                               protocol::zookeeper_code code) {
    locks_.released(ticket, to_error_code(why, code));
}

void session_impl::end_survey(operation_id id) {
    auto survey = surveys_.end(id).survey;
    survey_result found;
    for (auto& each : survey.take()) {
        const auto sharers = driver_->machine().sharers_of(survey.path(), each.node);
        found.push_back(to_participant(std::move(each)));
        found.back().handles = sharers;
    }
    surveyors_.complete(id, home_, to_error_code(survey.why(), survey.code()), std::move(found));
}

void session_impl::on_inquiry_failed(protocol::inquiry_id inquiry, protocol::failure why) {
    const auto survey = surveys_.find(inquiry);
    if (!survey)
        return;
    surveys_.end(*survey); // what else it asked fails for the same reason, or is heard by nobody
    surveyors_.complete(*survey, home_, to_error_code(why), {});
}

void session_impl::on_downgraded(protocol::ticket_id ticket, protocol::failure why,
                                 protocol::zookeeper_code code) {
    locks_.downgraded(ticket, to_error_code(why, code));
}

void session_impl::on_deadline(const protocol::lease_instants& in_force) { lease_.set(in_force); }

void session_impl::on_risk(bool at_risk) {
    log(at_risk ? log_level::warning : log_level::info, [&]() -> std::string {
        if (!at_risk)
            return "out of danger: the session is proved to live";
        const auto left =
            std::chrono::ceil<std::chrono::milliseconds>(lease_.told() - lease_clock::now());
        return "at risk: nothing has proved lately that the session lives; what it holds is lost "
               "in " +
               std::to_string(left.count()) + " ms";
    });
    if (at_risk)
        risks_.add();
    if (options_.observer)
        locks_.for_each([&](const ticket_lock& lock) {
            tell({.what = at_risk ? lock_event::kind::at_risk : lock_event::kind::out_of_danger,
                  .acquire = lock.acquire(),
                  .fencing_token = lock.token()},
                 lock.of());
        });
    locks_.risk(at_risk);
}

void session_impl::on_note(protocol::note_level level, std::string_view text) {
    log(to_level(level), [&] { return text; });
}

void session_impl::on_trouble(const std::string& server, const std::string& cause) {
    if (state() == session_state::closing || state() == session_state::closed)
        return;
    (log_.server().empty() ? failed_attempts_ : connections_lost_).add();
    log([&] { return log_.failed({server, cause}); });
}

void session_impl::on_client_log(std::string_view text) {
    log(log_level::debug, [&] { return text; });
}

void session_impl::on_drop(const std::string& path) noexcept {
    if (std::exchange(warned_of_drop_, true))
        return;
    log(log_level::warning, [&] {
        return path +
               " was released as soon as it was granted, and nobody looked at the lock: keep "
               "what co_await acquire() returns in a variable (said once in a session)";
    });
}

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

void session_impl::tell(lock_event what, const std::shared_ptr<lock_record>& of) noexcept {
    if (!options_.observer)
        return;
    what.path = of->path;
    try {
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
    boost::asio::post(driver_->strand(), [self = shared_from_this(), call = std::move(call)] {
        --self->calls_under_way_;
        if (!self->is_ownerless_)
            call(self->options_);
    });
    ++calls_under_way_;
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
            .locks = usage_.read()};
}

} // namespace turnstile::detail
