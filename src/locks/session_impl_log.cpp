// SPDX-License-Identifier: BSL-1.0
// What becomes of remarks: log lines, and the diagnostics of who fails.
#include "locks/described_error.hpp"
#include "locks/failure_codes.hpp"
#include "locks/session_impl_calls.hpp"

#include <chrono>
#include <string>
#include <utility>

namespace turnstile::detail {

namespace {

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

void session_impl::on_note(protocol::note_level level, std::string_view text) {
    log(to_level(level), [&] { return text; });
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
    log([&] { return log_.failed({server, cause}); });
}

void session_impl::on_client_log(std::string_view text) {
    log(log_level::debug, [&] { return text; });
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
        return path +
               " was released as soon as it was granted, and nobody looked at the lock: keep "
               "what co_await acquire() returns in a variable (said once in a session)";
    });
}

void session_impl::explain(diagnostics* told) const noexcept {
    if (!told)
        return;
    try {
        if (auto trouble = log_.trouble()) {
            told->server = std::move(trouble->server);
            told->cause = std::move(trouble->cause);
        } else if (!log_.server().empty()) {
            told->server = log_.server();
        } else if (!driver_->server().empty() && state() != session_state::closed) {
            told->server = driver_->server();
            told->cause = "no answer yet";
        }
    } catch (...) { // without memory the code must do
    }
}

// The code, with the value of the option that is to blame.
error_code session_impl::reason_of(protocol::failure why, protocol::zookeeper_code code) const {
    if (code == protocol::zookeeper_code::too_large)
        return described(error::request_too_large,
                         "a request of " +
                             std::to_string(driver_->machine().least_refused_bytes()) +
                             " bytes exceeds what the servers accept: use a shorter label or path, "
                             "or acquire fewer permits, or raise their jute.maxbuffer");
    const auto slash = options_.servers.find('/');
    if (why != protocol::failure::no_chroot || slash == std::string::npos)
        return to_error_code(why, code); // a server may say anything
    return described(error::no_chroot,
                     "the chroot " + options_.servers.substr(slash) +
                         " of the server list does not exist: create that node first");
}

} // namespace turnstile::detail
