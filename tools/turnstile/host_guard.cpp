// SPDX-License-Identifier: BSL-1.0
#include "host_guard.hpp"

#include "say.hpp"

#include <turnstile/with_diagnostics.hpp>

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/system/system_error.hpp>

#include <fmt/core.h>

#include <string.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <exception>
#include <utility>

namespace turnstile::command {

namespace asio = boost::asio;

namespace {

constexpr auto no_throw = asio::as_tuple(asio::use_awaitable);

constexpr std::string_view greeting = "turnstile guard ";
constexpr std::string_view registers = "turnstile guard 1 register\n";
constexpr std::string_view signs_off = "turnstile guard 1 sign-off\n";

// Descriptors that sessions are ended with, and a few of the process's own.
constexpr std::size_t spare = 40;

constexpr std::chrono::milliseconds rest{100};

/// Overwrites the text of a request, which has a password.
class wiped {
public:
    explicit wiped(std::string& text) : text_(text) {}
    ~wiped() { ::explicit_bzero(text_.data(), text_.size()); }
    wiped(const wiped&) = delete;
    wiped& operator=(const wiped&) = delete;

private:
    std::string& text_;
};

std::string name_of(pid_t process) {
    return process > 0 ? fmt::format("process {}", process) : "a process of a container";
}

} // namespace

host_guard::host_guard(asio::io_context& context, unique_fd listening, guard_manner how)
    : context_(context), how_(how), listening_(context, listening.release()) {}

void host_guard::spawn(asio::awaitable<void> work, std::size_t descriptors) {
    open_ += descriptors;
    asio::co_spawn(context_, std::move(work), [this, descriptors](std::exception_ptr failure) {
        open_ -= descriptors;
        try {
            if (failure)
                std::rethrow_exception(failure);
        } catch (const std::exception& e) { // one session loses its guard, the others do not
            say(fmt::format("guard: {}", e.what()));
        }
    });
}

void host_guard::start() { spawn(accept_all()); }

asio::awaitable<void> host_guard::accept_all() {
    asio::steady_timer pause(context_);
    bool said = false;
    for (;;) {
        co_await listening_.async_wait(descriptor::wait_read, no_throw);
        unique_fd next;
        // A session can be ended by a descriptor alone, so some are kept for that.
        if (open_ + spare < how_.most_descriptors)
            next = unique_fd(::accept4(listening_.native_handle(), nullptr, nullptr,
                                       SOCK_NONBLOCK | SOCK_CLOEXEC));
        else
            errno = EMFILE;
        if (!next) {
            if (errno == EMFILE && !std::exchange(said, true))
                say("guard: no descriptor is free for more sessions: raise LimitNOFILE");
            pause.expires_after(rest);
            co_await pause.async_wait(no_throw);
            continue;
        }
        spawn(serve(std::make_shared<connection>(descriptor(context_, next.release()))), 1);
    }
}

asio::awaitable<void> host_guard::serve(std::shared_ptr<connection> peer) {
    for (;;) {
        const auto [failed] = co_await peer->socket.async_wait(descriptor::wait_read, no_throw);
        if (failed || !peer->socket.is_open())
            co_return;
        auto request = receive(peer->socket.native_handle());
        if (!request)
            continue;
        const wiped after(request->text);
        if (request->text.empty())
            co_return; // what is registered stays so
        const auto wrong = take(peer, *request);
        const auto text = wrong.empty() ? "ok\n" : fmt::format("refused: {}\n", wrong);
        if (how_.verbose && !wrong.empty())
            say(fmt::format("guard: {} is refused: {}",
                            name_of(peer_of(peer->socket.native_handle())), wrong));
        answer(peer->socket.native_handle(), text); // who has closed may have signed off before
        if (!wrong.empty())
            co_return;
    }
}

std::string host_guard::take(const std::shared_ptr<connection>& peer, guard_request& what) {
    if (what.cut)
        return "too long, or this guard has no descriptor free";
    if (what.text.starts_with(registers))
        return enter(peer, what);
    if (what.text == signs_off) {
        withdraw(peer->current);
        return {};
    }
    return what.text.starts_with(greeting) ? "this guard is of another version than the program"
                                           : "this is the socket of turnstile guard";
}

std::string host_guard::enter(const std::shared_ptr<connection>& peer, guard_request& what) {
    std::string wrong;
    auto key = session_key::parse(std::string_view(what.text).substr(registers.size()), &wrong);
    if (!key)
        return wrong;
    try { // better told now than when the process has died
        if (key->tls)
            make_context(*key->tls);
    } catch (const boost::system::system_error& e) {
        return fmt::format("the guard cannot use its TLS: {}", e.what());
    }
    if (what.descriptors.empty())
        return "the descriptor of a process is missing";
    const auto process = peer_of(peer->socket.native_handle());
    for (const auto& each : what.descriptors) {
        const auto found = process_of_pidfd(each.get());
        if (!found)
            return "a descriptor is not that of a process";
        // One that is gone has no number any more. A peer that cannot be seen from here has none to
        // be compared with; it could do no more than end a session whose password it knows.
        const bool is_first = &each == what.descriptors.data();
        if (is_first && process != 0 && *found != -1 && *found != process)
            return "the descriptor is that of another process";
    }
    // The same session by the same process: the connection or the session is a new one.
    const auto same = std::ranges::find_if(all_, [&](const auto& each) {
        return each->process == process && each->key.id == key->id &&
               each->key.password == key->password;
    });
    if (same != all_.end())
        withdraw(std::shared_ptr(*same));
    withdraw(peer->current);
    auto next = std::make_shared<registration>();
    next->key = *key;
    next->process = process;
    next->from = peer;
    for (auto& each : what.descriptors)
        next->processes.emplace_back(context_, each.release());
    open_ += next->processes.size();
    peer->current = next;
    all_.push_back(next);
    spawn(follow(next));
    return {};
}

void host_guard::withdraw(const std::shared_ptr<registration>& which) {
    if (!which || which->withdrawn)
        return;
    which->withdrawn = true;
    forget(which);
}

void host_guard::forget(const std::shared_ptr<registration>& which) {
    std::erase(all_, which);
    open_ -= which->processes.size();
    which->processes.clear(); // and nobody waits for them any more
    if (const auto peer = which->from.lock(); peer && peer->current == which)
        peer->current.reset();
}

asio::awaitable<void> host_guard::follow(std::shared_ptr<registration> which) {
    for (std::size_t i = 0; !which->withdrawn && i < which->processes.size(); ++i) {
        const auto [failed] =
            co_await which->processes[i].async_wait(descriptor::wait_read, no_throw);
        if (failed)
            break;
    }
    if (which->withdrawn)
        co_return;
    // A child of the process may hold the connection open.
    if (const auto peer = which->from.lock())
        peer->socket.close();
    forget(which);
    co_await end(*which);
}

asio::awaitable<void> host_guard::end(const registration& which) {
    asio::steady_timer settled(context_, how_.settle);
    co_await settled.async_wait(no_throw);
    diagnostics told;
    const auto [failed] =
        co_await end_session(context_.get_executor(), which.key, with_diagnostics(told, no_throw));
    const auto what = fmt::format("guard: {} is gone, and its session 0x{:x} ",
                                  name_of(which.process), static_cast<std::uint64_t>(which.key.id));
    if (!failed)
        say(what + "is ended");
    else
        say(fmt::format("{}could not be ended: {}{}\nIt ends at the servers when it has timed out.",
                        what, failed.message(), told.str().empty() ? "" : " (" + told.str() + ")"));
}

} // namespace turnstile::command
