// SPDX-License-Identifier: BSL-1.0
#include "protocol/session/connector.hpp"

#include "protocol/lease/lease_plan.hpp"

#include <algorithm>
#include <utility>

namespace turnstile::protocol {

namespace {

// Whether the next attempt is at the same server, which does not count as failed in this round yet.
bool tries_same_server_again(disconnect_reason why) {
    return why == disconnect_reason::one_address || why == disconnect_reason::refused_once;
}

bool is_refusal(disconnect_reason why) {
    return why == disconnect_reason::auth_failed || why == disconnect_reason::refused_once;
}

} // namespace

connector::connector(session_context& shared, gave_up_handler gave_up, waits_query anything_waits)
    : context_(shared),
      gave_up_(std::move(gave_up)),
      anything_waits_(std::move(anything_waits)),
      backoff_(shared.options.shortest_backoff, shared.options.longest_backoff),
      servers_(shared.options.servers),
      server_(shared.random() % servers_),
      next_attempt_(shared.clock),
      attempt_limit_(shared.clock),
      connect_limit_(shared.clock) {}

void connector::enter(session_state phase) {
    if (phase_ == phase)
        return;
    phase_ = phase;
    context_.events.on_phase(phase);
}

void connector::start(bool limited) {
    if (limited && !connect_limit_.pending())
        connect_limit_.set(context_.now() + context_.options.connect_timeout, [this] {
            context_.events.on_connect_result(failure::connect_timeout);
            // All else that waits has a limit of its own, and a session may hold something.
            if (session_.session_id == 0 && !anything_waits_())
                stop(session_state::idle);
        });
    if (phase_ != session_state::idle)
        return;
    begin_round();
    backoff_.reset();
    enter(session_.session_id == 0 ? session_state::connecting : session_state::suspended);
    if (port_is_busy_) // one connection at a time: the end of the one before comes first
        attempts_at_end_ = true;
    else
        attempt();
}

void connector::set_servers(std::size_t count, std::size_t first, bool stays) {
    servers_ = count;
    server_ = first;
    begin_round();
    backoff_.reset();
    if (stays || (phase_ != session_state::connected && !is_trying()))
        return;
    if (port_is_busy_) {
        attempts_at_end_ = true;
        return context_.drop_connection();
    }
    next_attempt_.cancel();
    attempt();
}

void connector::attempt() {
    attempt_began_ = context_.now();
    port_is_busy_ = true;
    const auto share = session_.session_id == 0
                           ? lease_plan::first_attempt(context_.options.timeout)
                           : lease_plan::next_attempt(timeout_);
    const auto most = lease_plan::attempt_within(context_.options.connect_timeout);
    attempt_limit_.set(attempt_began_ + std::min(share, most), [this] { context_.port.drop(); });
    context_.port.connect(
        {.server = server_, .session = session_, .timeout = context_.options.timeout});
}

void connector::on_connected(const credentials& session, duration timeout) {
    attempt_limit_.cancel();
    session_ = session;
    timeout_ = timeout;
    connected_at_ = answered_at_ = context_.now();
    was_connected_ = true;
    enter(session_state::connected);
}

disconnect_reason connector::meaning_of(disconnect_reason why) const {
    const bool forgotten = why == disconnect_reason::not_restored &&
                           context_.now() - answered_at_ >= lease_plan::forgotten(timeout_);
    return forgotten ? disconnect_reason::expired : why;
}

void connector::on_disconnected(disconnect_reason why) {
    attempt_limit_.cancel();
    port_is_busy_ = false;
    const bool was_connected = phase_ == session_state::connected;
    const bool attempts_at_once = std::exchange(attempts_at_end_, false);
    if (phase_ == session_state::idle || phase_ == session_state::closed ||
        phase_ == session_state::closing)
        return; // stopped
    if (why == disconnect_reason::expired)
        session_ = {};
    enter(session_.session_id == 0 ? session_state::connecting : session_state::suspended);
    if (attempts_at_once)
        return attempt();
    if (!tries_same_server_again(why))
        server_ = (server_ + 1) % servers_;
    // A connection that lasted for a while is made anew at once. A server that accepts and cuts at
    // once must not be hammered: there the back-off goes on.
    if (was_connected && !is_refusal(why) &&
        context_.now() - connected_at_ >= context_.options.longest_backoff) {
        backoff_.reset();
        begin_round();
        return attempt();
    }
    if (why == disconnect_reason::expired)
        return attempt();
    retry(why);
}

void connector::begin_round() {
    failed_in_round_ = 0;
    all_refuse_ = true;
}

// Whether a held lock can still be saved by a new connection. At its deadline it is lost.
bool connector::lease_runs() const {
    return !context_.held.empty() && context_.lease.left(context_.now()) > duration::zero();
}

void connector::retry(disconnect_reason why) {
    if (why == disconnect_reason::unusable && !was_connected_)
        return give_up(failure::bad_options);
    all_refuse_ = all_refuse_ && is_refusal(why);
    if (tries_same_server_again(why) || ++failed_in_round_ < servers_)
        return attempt();
    if (all_refuse_ && !lease_runs())
        return give_up(failure::auth_failed);
    begin_round();
    if (why == disconnect_reason::no_address) // no server had a chance to answer
        backoff_.reset();
    const auto most = context_.held.empty() ? duration::max() : lease_plan::longest_pause(timeout_);
    next_attempt_.set(context_.now() + backoff_.next(context_.random, most), [this] { attempt(); });
}

void connector::give_up(failure why) {
    stop(session_state::idle);
    gave_up_(why);
}

void connector::stop(session_state last) {
    next_attempt_.cancel();
    attempt_limit_.cancel();
    connect_limit_.cancel();
    const bool attempting = is_trying();
    attempts_at_end_ = false;
    if (last == session_state::closed)
        session_ = {};
    enter(last);
    if (attempting)
        context_.port.drop();
}

} // namespace turnstile::protocol
