// SPDX-License-Identifier: BSL-1.0
#include "guard/user_guard.hpp"

#include "guard/proving_context.hpp"
#include "text/printable.hpp"
#include "text/quietly.hpp"
#include "text/say.hpp"

#include <turnstile/with_diagnostics.hpp>

#include <boost/asio/co_spawn.hpp>
#include <boost/system/system_error.hpp>
#include <boost/uuid/name_generator_sha1.hpp>

#include <fmt/core.h>

#include <fcntl.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <exception>
#include <limits>
#include <sstream>
#include <system_error>
#include <utility>

namespace turnstile::command {

namespace asio = boost::asio;

using namespace std::chrono_literals;

namespace {

constexpr std::string_view greeting = "turnstile guard ";
// The role of each descriptor follows ("process", or a file of TLS, such as "ca"), then the key.
constexpr std::string_view registration_head = "turnstile guard 2 register\ndescriptors ";
constexpr std::string_view sign_off = "turnstile guard 2 sign-off\n";

// How many processes and threads may end sessions at a time. Each session takes a process, and a
// thread for each server's name. So at most 30 sessions end at a time, half of the connections that
// a server takes from one host by default (maxClientCnxns): there is room for other users.
constexpr std::size_t most_tasks = 60;
constexpr std::size_t most_ends = most_tasks / 2;

// Descriptors that are kept free, to end sessions with, and for the process itself.
constexpr std::size_t spare = most_ends + 10;

constexpr std::ptrdiff_t most_servers = 32;

constexpr off_t most_file_bytes = 1024 * 1024;
constexpr std::size_t most_bytes = 64 * 1024 * 1024; // of all files of a user's sessions

// The same limit as in session_options. For two timeouts the guard tries to end a session.
constexpr std::chrono::hours longest_timeout{1};

// Seconds of processor time for the end of a session, which takes a fraction of one.
constexpr rlim_t longest_work = 30;

// The time that a child has for its last attempt, and to say that it failed.
constexpr std::chrono::seconds last_words{10};

constexpr std::chrono::milliseconds before_retry{100};
constexpr std::chrono::seconds idle{10};

/// Overwrites a text that may have a secret, when this object is destroyed.
class wiped {
public:
    explicit wiped(std::string& text) : text_(text) {}
    ~wiped() { ::explicit_bzero(text_.data(), text_.size()); }
    wiped(const wiped&) = delete;
    wiped& operator=(const wiped&) = delete;

private:
    std::string& text_;
};

/// Says what is wrong with a file of TLS; empty: nothing is. The file has to be sealed memory,
/// which no process can change or shorten: a read of it never waits. Any other file may be a pipe,
/// or be on a server that does not answer.
std::string wrong_with_file(int file, std::size_t& bytes) {
    constexpr int unchanging = F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE;
    const int seals = ::fcntl(file, F_GET_SEALS);
    if (seals < 0 || (seals & unchanging) != unchanging)
        return "a file of its TLS is no sealed memory (memfd_create)";
    struct stat found {};
    if (::fstat(file, &found) != 0 || found.st_size > most_file_bytes)
        return fmt::format("a file of its TLS has more than {} bytes", most_file_bytes);
    // An encrypted key is refused below: its sender says how long the key's derivation takes, and a
    // prompt would wait for a person.
    bytes = static_cast<std::size_t>(found.st_size);
    std::string text(bytes, '\0');
    const wiped after(text);
    if (::pread(file, text.data(), bytes, 0) != found.st_size)
        return "a file of its TLS cannot be read";
    const auto has = [&](const char* part) { return text.find(part) != text.npos; };
    return has("BEGIN ENCRYPTED") || has("Proc-Type:") ? "a file of its TLS is encrypted" : "";
}

// A mistake is better reported now than when the process has died.
std::string wrong_with_tls(const session_key& key) {
    try {
        if (key.tls)
            make_context(*key.tls);
        return {};
    } catch (const boost::system::system_error& e) {
        return fmt::format("the guard cannot use its TLS: {}", e.what());
    }
}

// Parts of the text come from users.
void tell(const std::string& text) { say("guard: " + printable(text)); }

std::string name_of(pid_t process) {
    return process > 0 ? fmt::format("process {}", process) : "a process of a container";
}

std::string subject_of(const session_key& key, pid_t process) {
    return fmt::format("{} is gone, and its session 0x{:x} ", name_of(process),
                       static_cast<std::uint64_t>(key.id));
}

void say_failure(const session_key& key, pid_t process, const std::string& why) {
    tell(fmt::format("{}could not be ended: {}. It ends at the servers when it has timed out.",
                     subject_of(key, process), why));
}

/// Ends one session, in a process that was forked for it. `disputed`: another user registered the
/// session first. `longest`: the process is killed after this time.
[[noreturn]] void end_now(session_key key, pid_t process, bool disputed,
                          std::chrono::seconds longest) {
    const rlimit work{.rlim_cur = longest_work, .rlim_max = longest_work};
    ::setrlimit(RLIMIT_CPU, &work);
    ::alarm(static_cast<unsigned>(longest.count()));
    try {
        if (disputed)
            key.tls->context = make_proving_context(*key.tls);
        asio::io_context context(1);
        diagnostics told;
        end_session(
            context.get_executor(), key, with_diagnostics(told, [&](const error_code& failed) {
                const auto cause = told.str();
                if (!failed)
                    tell(subject_of(key, process) + "is ended");
                else
                    say_failure(key, process,
                                failed.message() + (cause.empty() ? "" : " (" + cause + ")") +
                                    (disputed ? ". Another user registered it first, so it is "
                                                "ended only by servers that ask for a certificate"
                                              : ""));
            }));
        context.run();
    } catch (const std::exception& e) {
        say_failure(key, process, e.what());
    }
    ::_exit(0); // no destructor may touch what is the parent's
}

} // namespace

/// The lock on a session's byte (claim_book). The kernel releases it when this process dies.
class user_guard::claim {
public:
    claim(int file, off_t place) : file_(file), place_(place) {}
    ~claim() { set(F_UNLCK); }
    claim(const claim&) = delete;
    claim& operator=(const claim&) = delete;

    /// Takes the lock. False: another user registered the session first.
    bool is_first() const { return set(F_WRLCK); }

private:
    bool set(short kind) const {
        struct flock byte {};
        byte.l_type = kind;
        byte.l_whence = SEEK_SET;
        byte.l_start = place_;
        byte.l_len = 1;
        return ::fcntl(file_, F_SETLK, &byte) == 0;
    }

    const int file_;
    const off_t place_;
};

user_guard::user_guard(asio::io_context& context, uid_t user, unique_fd link, claim_book claims,
                       guard_settings how)
    : context_(context),
      user_(user),
      how_(how),
      link_(context, link.release()),
      claims_(std::move(claims)),
      ended_(context, clock::time_point::max()) {}

user_guard::~user_guard() = default;

void user_guard::spawn(asio::awaitable<void> work, std::size_t descriptors, std::size_t bytes) {
    open_ += descriptors;
    bytes_ += bytes;
    asio::co_spawn(context_, std::move(work), [=, this](std::exception_ptr failure) {
        open_ -= descriptors;
        bytes_ -= bytes;
        try {
            if (failure)
                std::rethrow_exception(failure);
        } catch (const std::exception& e) { // one session loses its guard; the others keep theirs
            tell(e.what());
        }
    });
}

void user_guard::start() {
    spawn(receive_connections());
    spawn(offer_to_leave());
}

asio::awaitable<void> user_guard::receive_connections() {
    asio::steady_timer pause(context_);
    bool said = false;
    for (;;) {
        co_await link_.async_wait(descriptor::wait_read, quietly);
        if (open_ + spare >= how_.most_descriptors) {
            if (!std::exchange(said, true))
                tell(fmt::format("no descriptor is free for more sessions of user {}: raise "
                                 "LimitNOFILE",
                                 user_));
            pause.expires_after(before_retry);
            co_await pause.async_wait(quietly);
            continue;
        }
        auto next = receive(link_.native_handle());
        if (!next)
            continue;
        if (next->text.empty())
            co_return context_.stop(); // the guard has ended, or needs this process no more
        ++received_;
        try {
            if (next->descriptors.size() == 1)
                spawn(serve(std::make_shared<connection>(
                          watched(context_, next->descriptors.front()))),
                      1);
        } catch (const std::exception& e) {
            // This connection is closed, and its session tries again.
            tell(fmt::format("a connection of user {} is closed: {}", user_, e.what()));
        }
    }
}

// This process offers to end, and says how many connections it has received. host_guard decides:
// another connection may be on its way.
asio::awaitable<void> user_guard::offer_to_leave() {
    asio::steady_timer pause(context_);
    for (;;) {
        pause.expires_after(idle);
        co_await pause.async_wait(quietly);
        if (open_ == 0)
            answer(link_.native_handle(), {reinterpret_cast<const char*>(&received_), // NOLINT
                                           sizeof received_});
    }
}

asio::awaitable<void> user_guard::serve(std::shared_ptr<connection> peer) {
    for (;;) {
        const auto [failed] = co_await peer->socket.async_wait(descriptor::wait_read, quietly);
        if (failed || !peer->socket.is_open())
            co_return;
        auto request = receive(peer->socket.native_handle());
        if (!request)
            continue;
        const wiped after(request->text);
        if (request->text.empty())
            co_return; // a registration outlives its connection
        const auto wrong = handle_request(peer, *request);
        const auto text = wrong.empty() ? "ok\n" : fmt::format("refused: {}\n", printable(wrong));
        if (how_.verbose && !wrong.empty())
            tell(fmt::format("{} is refused: {}",
                             name_of(peer_of(peer->socket.native_handle()).pid), wrong));
        // The other side may have closed: it needs no answer.
        answer(peer->socket.native_handle(), text);
        if (!wrong.empty())
            co_return;
    }
}

std::string user_guard::handle_request(const std::shared_ptr<connection>& peer,
                                       guard_request& what) {
    if (what.cut || open_ + what.descriptors.size() + spare > how_.most_descriptors)
        return "too long, or this guard has no descriptor free";
    if (what.text.starts_with(registration_head))
        return register_session(peer, what);
    if (what.text == sign_off) {
        withdraw(peer->current);
        return {};
    }
    return what.text.starts_with(greeting) ? "this guard is of another version than the program"
                                           : "this is the socket of turnstile guard";
}

std::string user_guard::register_session(const std::shared_ptr<connection>& peer,
                                         guard_request& what) {
    auto text = std::string_view(what.text).substr(registration_head.size());
    const auto roles = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(roles.size() + 1, text.size()));
    std::string wrong;
    auto key = session_key::parse(text, &wrong);
    if (!key)
        return wrong;
    if (key->timeout > longest_timeout)
        return "its timeout is more than an hour";
    if (std::ranges::count(key->servers, ',') >= most_servers)
        return fmt::format("it names more than {} servers", most_servers);
    auto next = std::make_shared<registration>();
    next->key = *key;
    next->process = peer_of(peer->socket.native_handle()).pid;
    next->from = peer;
    wrong = take_descriptors(roles, what, *next);
    if (!wrong.empty())
        return wrong;
    wrong = wrong_with_tls(next->key);
    if (!wrong.empty())
        return wrong;
    // The first user is believed: ZooKeeper's passwords prove nothing, for they follow from the
    // ids. But a user who has guessed an id must not keep its owner from registering. So a second
    // user is refused only without a certificate; with one, the servers have to ask for it.
    next->own_claim = claim_of(next->key);
    next->disputed = !next->own_claim->is_first();
    if (next->disputed && !(next->key.tls && !next->key.tls->certificate_file.empty()))
        return "another user has registered this session";
    claims_by_session_[next->key.id] = next->own_claim;
    replace_older(*peer, *next);
    peer->current = next;
    all_.push_back(next);
    spawn(follow(next), next->processes.size() + next->files.size(), next->bytes);
    return {};
}

// The same process may register the same session again.
void user_guard::replace_older(connection& peer, const registration& by) {
    const auto same = std::ranges::find_if(all_, [&](const auto& each) {
        return each->process == by.process && by.process != 0 && each->key.id == by.key.id;
    });
    if (same != all_.end())
        withdraw(std::shared_ptr(*same));
    withdraw(peer.current);
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
        auto wrong = file != tls_options::texts.end() ? take_file(own, *file, to)
                     : role == "process"              ? take_process(own, used == 0, to)
                                                      : "a descriptor is not that of a process";
        if (!wrong.empty())
            return wrong;
    }
    if (used != what.descriptors.size())
        return "a descriptor has no name";
    if (to.processes.empty())
        return "the descriptor of a process is missing";
    return {};
}

std::string user_guard::take_file(unique_fd& own, const tls_options::text& which,
                                  registration& to) {
    if (!to.key.tls)
        return "a file of TLS, and no TLS";
    auto& name = (*to.key.tls).*which.value;
    if (!name.empty())
        return "a file of its TLS is sent twice";
    std::size_t bytes = 0;
    if (auto wrong = wrong_with_file(own.get(), bytes); !wrong.empty())
        return wrong;
    to.bytes += bytes;
    if (bytes_ + to.bytes > most_bytes)
        return "the files of this user's sessions have too many bytes";
    name = fmt::format("/proc/self/fd/{}", own.get());
    to.files.push_back(std::move(own));
    return {};
}

std::string user_guard::take_process(unique_fd& own, bool is_peer, registration& to) {
    const auto found = process_of_pidfd(own.get());
    if (!found)
        return "a descriptor is not that of a process";
    // A process that has ended (-1) has no id any more, and neither has a peer that cannot be seen
    // from here (0): then there is nothing to compare.
    if (is_peer && to.process != 0 && *found != -1 && *found != to.process)
        return "the descriptor is that of another process";
    to.processes.push_back(watched(context_, own));
    return {};
}

std::shared_ptr<user_guard::claim> user_guard::claim_of(const session_key& key) {
    std::erase_if(claims_by_session_, [](const auto& each) { return each.second.expired(); });
    const auto known = claims_by_session_.find(key.id);
    if (auto own = known == claims_by_session_.end() ? nullptr : known->second.lock())
        return own;
    const auto name = boost::uuids::name_generator_sha1(claims_.secret)(&key.id, sizeof key.id);
    off_t place = 0;
    std::memcpy(&place, name.data, sizeof place);
    return std::make_shared<claim>(claims_.file.get(), place & std::numeric_limits<off_t>::max());
}

void user_guard::withdraw(const std::shared_ptr<registration>& which) {
    if (!which || which->withdrawn)
        return;
    which->withdrawn = true;
    which->own_claim.reset();
    forget(which);
}

void user_guard::forget(const std::shared_ptr<registration>& which) {
    std::erase(all_, which);
    which->processes.clear(); // this ends the wait for them
    if (const auto peer = which->from.lock(); peer && peer->current == which)
        peer->current.reset();
}

asio::awaitable<void> user_guard::follow(std::shared_ptr<registration> which) {
    for (std::size_t i = 0; !which->withdrawn && i < which->processes.size(); ++i) {
        const auto [failed] =
            co_await which->processes[i].async_wait(descriptor::wait_read, quietly);
        if (failed)
            break;
    }
    if (which->withdrawn)
        co_return;
    // A child of the process may hold the connection open.
    if (const auto peer = which->from.lock())
        peer->socket.close();
    forget(which);
    if (which->own_claim.use_count() == 1) // else another registration still guards the session
        co_await end_session_of(*which);
    which->own_claim.reset();
}

asio::awaitable<void> user_guard::end_session_of(const registration& which) {
    const auto over = clock::now() + how_.settle + 2 * which.key.timeout;
    asio::steady_timer pause(context_, how_.settle);
    co_await pause.async_wait(quietly);
    const auto tasks = static_cast<std::size_t>(2 + std::ranges::count(which.key.servers, ','));
    while (ending_ + tasks > most_tasks)
        co_await ended_.async_wait(quietly);
    std::string trouble = "too many others end slowly";
    ending_ += tasks;
    while (clock::now() < over) {
        std::string failed;
        try {
            auto child = end_in_child(which, over);
            co_await child.async_wait(descriptor::wait_read, quietly);
            trouble.clear();
            break;
        } catch (const std::exception& e) {
            failed = e.what();
        }
        if (trouble != failed)
            tell(fmt::format("{}cannot be ended yet: {}", subject_of(which.key, which.process),
                             failed));
        trouble = failed;
        pause.expires_after(before_retry); // other processes may have ended by then
        co_await pause.async_wait(quietly);
    }
    ending_ -= tasks;
    ended_.cancel();
    if (!trouble.empty())
        say_failure(which.key, which.process, trouble);
}

// The work is done in a child: it looks up names, waits for servers and speaks TLS, which may take
// long, and much of the processor. So nothing waits for it here, and it leaves no thread behind.
user_guard::descriptor user_guard::end_in_child(const registration& which, clock::time_point over) {
    std::array<int, 2> ends{};
    if (::pipe2(ends.data(), O_CLOEXEC) != 0)
        throw std::system_error(errno, std::generic_category(), "pipe");
    unique_fd gone(ends[0]);
    const unique_fd child(ends[1]);
    auto result = watched(context_, gone);
    std::vector<int> kept{child.get()};
    for (const auto& each : which.files)
        kept.push_back(each.get());
    auto key = which.key; // in the child nothing may throw
    const auto made = ::fork();
    if (made < 0)
        throw std::system_error(errno, std::generic_category(), "fork");
    if (made == 0) {
        close_all_but(std::move(kept));
        end_now(std::move(key), which.process, which.disputed,
                std::chrono::ceil<std::chrono::seconds>(over - clock::now() +
                                                        which.key.timeout / 2 + last_words));
    }
    return result;
}

void guard_user(uid_t user, unique_fd link, claim_book claims, guard_settings how) {
    try {
        close_all_but({link.get(), claims.file.get()});
        asio::io_context context(1);
        user_guard own(context, user, std::move(link), std::move(claims), how);
        own.start();
        context.run();
        ::_exit(0); // no destructor may touch what is the parent's
    } catch (const std::exception& e) {
        tell(e.what());
    }
    ::_exit(1);
}

} // namespace turnstile::command
