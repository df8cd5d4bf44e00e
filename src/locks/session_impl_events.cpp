// What the machine tells, handed on to the operations that wait for it.
#include "locks/failure_codes.hpp"
#include "locks/log_sink.hpp"
#include "locks/session_impl.hpp"
#include "locks/user_call.hpp"

#include <boost/asio/post.hpp>

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
    const auto timeout = id == 0 ? protocol::duration::zero() : driver_->machine().timeout();
    session_id_.store(id, std::memory_order_release);
    timeout_.store(std::chrono::duration_cast<std::chrono::milliseconds>(timeout),
                   std::memory_order_release);
    // Last: whoever sees that it is connected finds the rest.
    state_.store(to_state(phase), std::memory_order_release);
    state_waits_.complete_all(home_, {}, state());
}

void session_impl::on_connect_result(protocol::failure why) {
    connects_.complete_all(home_, to_error_code(why));
}

void session_impl::on_closed() {
    connects_.complete_all(home_, error::session_closed);
    closes_.complete_all(home_, {});
}

void session_impl::on_granted(protocol::ticket_id ticket, std::int64_t czxid) {
    const auto lock = std::make_shared<ticket_lock>(
        shared_from_this(), ticket, fencing_token(static_cast<std::uint64_t>(czxid)));
    locks_.granted(lock);
    acquires_.complete(ticket, home_, {}, ticket_lock::own(lock));
}

void session_impl::on_acquire_failed(protocol::ticket_id ticket, protocol::failure why,
                                     protocol::zookeeper_code code) {
    acquires_.complete(ticket, home_, to_error_code(why, code), {});
}

void session_impl::on_lost(protocol::ticket_id ticket, protocol::failure why) {
    // Only a lock lost by its deadline is sure to be nobody else's until then.
    locks_.lost(ticket, why,
                why == protocol::failure::lost_deadline ? lease_.deadline()
                                                        : lease_clock::time_point{});
}

void session_impl::on_released(protocol::ticket_id ticket, protocol::failure why,
                               protocol::zookeeper_code code) {
    locks_.released(ticket, to_error_code(why, code));
}

void session_impl::on_deadline(const protocol::lease_instants& in_force) { lease_.set(in_force); }

void session_impl::on_risk(bool at_risk) { locks_.risk(at_risk); }

void session_impl::on_note(protocol::note_level level, std::string_view text) {
    if (!user_call::under_way())
        return write_log(options_.log, to_level(level), text);
    try {
        boost::asio::post(driver_->strand(),
                          [self = shared_from_this(), level, line = std::string(text)] {
                              write_log(self->options_.log, to_level(level), line);
                          });
    } catch (...) { // without memory the message is lost, not the session
    }
}

} // namespace turnstile::detail
