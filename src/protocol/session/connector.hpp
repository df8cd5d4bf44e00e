// SPDX-License-Identifier: BSL-1.0
// Connects the session: attempts, back-off, and the session's identity.
#pragma once

#include "protocol/session_context.hpp"
#include "protocol/time/backoff.hpp"

#include <functional>

namespace turnstile::protocol {

/// Decides when to try which server. Its phase is the state of the session. session_machine owns
/// it, and reports connections and answers to it. It knows nothing of locks.
class connector {
public:
    using gave_up_handler = std::function<void(failure)>;
    /// Whether anything but connect() waits for a session.
    using waits_query = std::function<bool()>;

    connector(session_context& shared, gave_up_handler gave_up, waits_query anything_waits);

    session_state phase() const { return phase_; }
    bool is_trying() const {
        return (phase_ == session_state::connecting || phase_ == session_state::suspended) &&
               !attempts_at_end_;
    }
    const credentials& session() const { return session_; }
    instant attempt_began() const { return attempt_began_; }

    /// Starts trying, unless it does already. `limited`: connect() is awaited, and fails if no
    /// server has answered in time.
    void start(bool limited);
    /// connect() was answered, or has given up. The first answer on a connection is that of
    /// connect(): only now is there a session to rely on.
    void end_limit() { connect_limit_.cancel(); }
    /// From now on there are this many servers, and `first` is tried first. The connection or the
    /// attempt ends, unless it `stays`: it is at `first`.
    void set_servers(std::size_t count, std::size_t first, bool stays);
    void on_answer() { answered_at_ = context_.now(); }
    /// Turns `not_restored` into `expired` if the session must have ended at the servers by now
    /// (lease_plan::forgotten). Some servers never say that a session is over: they answer each
    /// handshake with a new session. Every other reason stays.
    disconnect_reason meaning_of(disconnect_reason why) const;
    void on_connected(const credentials& session, duration timeout);
    void on_disconnected(disconnect_reason why);
    void stop(session_state last);

private:
    void attempt();
    /// A round tries each server once, without a delay. The back-off comes between rounds.
    void begin_round();
    bool lease_runs() const;
    /// An attempt has failed, or a connection too soon: tries on, at once or after the back-off.
    void retry(disconnect_reason why);
    void give_up(failure why);
    void enter(session_state phase);

    session_context& context_;
    gave_up_handler gave_up_;
    waits_query anything_waits_;
    session_state phase_ = session_state::idle;
    credentials session_;
    duration timeout_{};
    backoff backoff_;
    std::size_t servers_;
    std::size_t server_;
    std::size_t failed_in_round_ = 0; // failed attempts of this round: since the last delay
    bool all_refuse_ = true;          // each server of this round has refused an identity
    bool port_is_busy_ = false;    // the port has an attempt or a connection, whose end is to come
    bool attempts_at_end_ = false; // an attempt follows that end at once
    bool was_connected_ = false;   // at some time, so the files and settings used for it were good
    instant attempt_began_{};
    instant connected_at_{};
    instant answered_at_{}; // the newest sign of life of the session
    timer next_attempt_;
    timer attempt_limit_;
    timer connect_limit_;
};

} // namespace turnstile::protocol
