// SPDX-License-Identifier: BSL-1.0
#include "user_guard.hpp"

#include "say.hpp"

#include <turnstile/with_diagnostics.hpp>

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/system/system_error.hpp>

#include <fmt/core.h>

#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <exception>
#include <limits>
#include <sstream>
#include <utility>

namespace turnstile::command {

namespace asio = boost::asio;

using namespace std::chrono_literals;

namespace {

constexpr auto no_throw = asio::as_tuple(asio::use_awaitable);

constexpr std::string_view greeting = "turnstile guard ";
constexpr std::string_view registers = "turnstile guard 2 register\ndescriptors ";
constexpr std::string_view signs_off = "turnstile guard 2 sign-off\n";

// A half of what a server takes from one host by default (maxClientCnxns), so that other users'
// sessions can be ended at the same time.
constexpr std::size_t most_ends = 30;

// Descriptors that sessions are ended with, and a few of the process's own.
constexpr std::size_t spare = most_ends + 10;

// Each may cost a thread that looks up its name.
constexpr std::ptrdiff_t most_servers = 32;

constexpr off_t most_file_bytes = 1024 * 1024;

constexpr std::chrono::milliseconds before_next_look{100};
constexpr std::chrono::seconds idle{10};

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

/// Memory that nobody can change or cut any more: to read it never waits, for anything else may be
/// a pipe, or a file of a server that does not answer.
std::string wrong_with_file(int file) {
    constexpr int unchanging = F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE;
    const int seals = ::fcntl(file, F_GET_SEALS);
    if (seals < 0 || (seals & unchanging) != unchanging)
        return "a file of its TLS is no sealed memory (memfd_create)";
    struct stat found {};
    if (::fstat(file, &found) != 0 || found.st_size > most_file_bytes)
        return fmt::format("a file of its TLS has more than {} bytes", most_file_bytes);
    return {};
}

std::string name_of(pid_t process) {
    return process > 0 ? fmt::format("process {}", process) : "a process of a container";
}

std::string end_of(const session_key& key, pid_t process) {
    return fmt::format("guard: {} is gone, and its session 0x{:x} ", name_of(process),
                       static_cast<std::uint64_t>(key.id));
}

void say_failure(const session_key& key, pid_t process, const std::string& why) {
    say(fmt::format("{}could not be ended: {}\nIt ends at the servers when it has timed out.",
                    end_of(key, process), why));
}

/// In the process that was made for it.
[[noreturn]] void end_now(const session_key& key, pid_t process) {
    try {
        asio::io_context context(1);
        diagnostics told;
        end_session(
            context.get_executor(), key, with_diagnostics(told, [&](const error_code& failed) {
                const auto cause = told.str();
                if (!failed)
                    say(end_of(key, process) + "is ended");
                else
                    say_failure(key, process,
                                failed.message() + (cause.empty() ? "" : " (" + cause + ")"));
            }));
        context.run();
    } catch (const std::exception& e) {
        say_failure(key, process, e.what());
    }
    ::_exit(0); // nothing of the parent's is touched
}

} // namespace

/// Whose a session is. The kernel takes it back when this process dies.
class user_guard::claim {
public:
    claim(int file, std::int64_t session) : file_(file), session_(session) {}
    ~claim() { set(F_UNLCK); }
    claim(const claim&) = delete;
    claim& operator=(const claim&) = delete;

    /// Whether it is this user's, since no other one has registered it before.
    bool is_first() const { return set(F_WRLCK); }

private:
    bool set(short kind) const {
        struct flock byte {};
        byte.l_type = kind;
        byte.l_whence = SEEK_SET;
        byte.l_start = session_ & std::numeric_limits<std::int64_t>::max();
        byte.l_len = 1;
        return ::fcntl(file_, F_SETLK, &byte) == 0;
    }

    const int file_;
    const std::int64_t session_;
};

user_guard::user_guard(asio::io_context& context, uid_t user, unique_fd link, unique_fd claims,
                       guard_manner how)
    : context_(context),
      user_(user),
      how_(how),
      link_(context, link.release()),
      claims_(std::move(claims)),
      ended_(context, clock::time_point::max()) {}

user_guard::~user_guard() = default;

void user_guard::spawn(asio::awaitable<void> work, std::size_t descriptors) {
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

void user_guard::start() {
    spawn(take_connections());
    spawn(offer_to_leave());
}

asio::awaitable<void> user_guard::take_connections() {
    asio::steady_timer pause(context_);
    bool said = false;
    for (;;) {
        co_await link_.async_wait(descriptor::wait_read, no_throw);
        if (open_ + spare >= how_.most_descriptors) {
            if (!std::exchange(said, true))
                say(fmt::format("guard: no descriptor is free for more sessions of user {}: raise "
                                "LimitNOFILE",
                                user_));
            pause.expires_after(before_next_look);
            co_await pause.async_wait(no_throw);
            continue;
        }
        auto next = receive(link_.native_handle());
        if (!next)
            continue;
        if (next->text.empty())
            co_return context_.stop(); // the guard has ended, or needs this process no more
        ++received_;
        if (next->descriptors.size() == 1)
            spawn(serve(std::make_shared<connection>(
                      descriptor(context_, next->descriptors.front().release()))),
                  1);
    }
}

// A connection may be on its way. So the guard decides, by the number of those that came here.
asio::awaitable<void> user_guard::offer_to_leave() {
    asio::steady_timer pause(context_);
    for (;;) {
        pause.expires_after(idle);
        co_await pause.async_wait(no_throw);
        if (open_ == 0)
            answer(link_.native_handle(), {reinterpret_cast<const char*>(&received_), // NOLINT
                                           sizeof received_});
    }
}

asio::awaitable<void> user_guard::serve(std::shared_ptr<connection> peer) {
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
                            name_of(peer_of(peer->socket.native_handle()).pid), wrong));
        answer(peer->socket.native_handle(), text); // who has closed may have signed off before
        if (!wrong.empty())
            co_return;
    }
}

std::string user_guard::take(const std::shared_ptr<connection>& peer, guard_request& what) {
    if (what.cut || open_ + what.descriptors.size() + spare > how_.most_descriptors)
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

std::string user_guard::enter(const std::shared_ptr<connection>& peer, guard_request& what) {
    auto text = std::string_view(what.text).substr(registers.size());
    const auto roles = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(roles.size() + 1, text.size()));
    std::string wrong;
    auto key = session_key::parse(text, &wrong);
    if (!key)
        return wrong;
    if (std::ranges::count(key->servers, ',') >= most_servers)
        return fmt::format("it names more than {} servers", most_servers);
    auto next = std::make_shared<registration>();
    next->key = *key;
    next->process = peer_of(peer->socket.native_handle()).pid;
    next->from = peer;
    wrong = take_descriptors(roles, what, *next);
    if (!wrong.empty())
        return wrong;
    try { // better told now than when the process has died
        if (next->key.tls)
            make_context(*next->key.tls);
    } catch (const boost::system::system_error& e) {
        return fmt::format("the guard cannot use its TLS: {}", e.what());
    }
    next->session = claim_of(next->key);
    if (!next->session)
        return "another user has registered this session";
    // The same session by the same process: the connection or the session is a new one.
    const auto same = std::ranges::find_if(all_, [&](const auto& each) {
        return each->process == next->process && next->process != 0 && each->key.id == key->id;
    });
    if (same != all_.end())
        withdraw(std::shared_ptr(*same));
    withdraw(peer->current);
    peer->current = next;
    all_.push_back(next);
    spawn(follow(next), next->processes.size() + next->files.size());
    return {};
}

std::string user_guard::take_descriptors(std::string_view roles, guard_request& what,
                                         registration& to) {
    auto& tls = to.key.tls;
    const auto names_file = [&](const auto& each) {
        return each.is_path && !((*tls).*each.value).empty();
    };
    if (tls && std::ranges::any_of(tls_options::texts, names_file))
        return "a guard opens no file by its name: send the descriptor";
    std::istringstream in{std::string(roles)};
    std::size_t used = 0;
    for (std::string role; in >> role; ++used) {
        if (used == what.descriptors.size())
            return "a descriptor is missing";
        auto& own = what.descriptors[used];
        const auto file =
            std::ranges::find(tls_options::texts, role + "_file", &tls_options::text::name);
        if (file != tls_options::texts.end()) {
            if (!tls)
                return "a file of TLS, and no TLS";
            if (auto wrong = wrong_with_file(own.get()); !wrong.empty())
                return wrong;
            (*tls).*file->value = fmt::format("/proc/self/fd/{}", own.get());
            to.files.push_back(std::move(own));
            continue;
        }
        const auto found = process_of_pidfd(own.get());
        if (role != "process" || !found)
            return "a descriptor is not that of a process";
        // One that is gone has no number any more. A peer that cannot be seen from here has none to
        // be compared with.
        if (used == 0 && to.process != 0 && *found != -1 && *found != to.process)
            return "the descriptor is that of another process";
        to.processes.emplace_back(context_, own.release());
    }
    if (used != what.descriptors.size())
        return "a descriptor has no name";
    if (to.processes.empty())
        return "the descriptor of a process is missing";
    return {};
}

// Nothing where it is another user's. Who was first is believed: ZooKeeper's passwords prove
// nothing, for they follow from the ids. A certificate does, to the servers: so nobody is kept from
// what takes one by another's guess at an id.
std::shared_ptr<user_guard::claim> user_guard::claim_of(const session_key& key) {
    std::erase_if(sessions_, [](const auto& each) { return each.second.expired(); });
    auto own = sessions_[key.id].lock();
    if (!own)
        own = std::make_shared<claim>(claims_.get(), key.id);
    if (!own->is_first() && !(key.tls && !key.tls->certificate_file.empty()))
        return nullptr;
    sessions_[key.id] = own;
    return own;
}

void user_guard::withdraw(const std::shared_ptr<registration>& which) {
    if (!which || which->withdrawn)
        return;
    which->withdrawn = true;
    which->session.reset();
    forget(which);
}

void user_guard::forget(const std::shared_ptr<registration>& which) {
    std::erase(all_, which);
    which->processes.clear(); // and nobody waits for them any more
    if (const auto peer = which->from.lock(); peer && peer->current == which)
        peer->current.reset();
}

asio::awaitable<void> user_guard::follow(std::shared_ptr<registration> which) {
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
    if (which->session.use_count() == 1)
        co_await end(*which);
    which->session.reset(); // another process may work under it
}

asio::awaitable<void> user_guard::end(const registration& which) {
    const auto over = clock::now() + how_.settle + 2 * which.key.timeout;
    asio::steady_timer settled(context_, how_.settle);
    co_await settled.async_wait(no_throw);
    while (ending_ >= most_ends)
        co_await ended_.async_wait(no_throw);
    if (clock::now() >= over)
        co_return say_failure(which.key, which.process, "too many others end slowly");
    ++ending_;
    std::exception_ptr failure;
    try {
        co_await end_in_child(which);
    } catch (...) {
        failure = std::current_exception();
    }
    --ending_;
    ended_.cancel_one();
    if (failure)
        std::rethrow_exception(failure);
}

// Names that are looked up, servers and TLS may take their time, and the processor's: here nothing
// waits for them, and no thread of them stays.
asio::awaitable<void> user_guard::end_in_child(const registration& which) {
    std::array<int, 2> ends{};
    if (::pipe2(ends.data(), O_CLOEXEC) != 0)
        throw std::system_error(errno, std::generic_category(), "pipe");
    descriptor over(context_, ends[0]); // once nobody has the other end
    unique_fd child(ends[1]);
    std::vector<int> kept{child.get()};
    for (const auto& each : which.files)
        kept.push_back(each.get());
    const auto made = ::fork();
    if (made < 0)
        throw std::system_error(errno, std::generic_category(), "fork");
    if (made == 0) {
        close_all_but(std::move(kept));
        end_now(which.key, which.process);
    }
    child.reset();
    co_await over.async_wait(descriptor::wait_read, no_throw);
}

void guard_user(uid_t user, unique_fd link, unique_fd claims, guard_manner how) {
    try {
        close_all_but({link.get(), claims.get()});
        asio::io_context context(1);
        user_guard own(context, user, std::move(link), std::move(claims), how);
        own.start();
        context.run();
        ::_exit(0); // nothing of the parent's is touched
    } catch (const std::exception& e) {
        say(fmt::format("guard: {}", e.what()));
    }
    ::_exit(1);
}

} // namespace turnstile::command
