// SPDX-License-Identifier: BSL-1.0
#include "session/guard/guard_link.hpp"

#include <boost/asio/post.hpp>

#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <utility>

namespace turnstile::detail {

namespace asio = boost::asio;

using namespace std::chrono_literals;

namespace {

constexpr std::string_view sign_off = "turnstile guard 2 sign-off\n";
constexpr std::chrono::milliseconds shortest_backoff = 10ms; // its queue may be full for a moment
constexpr std::chrono::milliseconds longest_backoff = 10s;
constexpr std::chrono::milliseconds patience = 5s;
constexpr std::size_t most_answer_bytes = 512;
constexpr int timeouts_to_renewal = 10; // session timeouts until the files of TLS are sent again

std::string text_of_error(int number) {
    return boost::system::error_code(number, boost::system::system_category()).message();
}

std::string printable(std::string_view text) {
    std::string result(text.substr(0, text.find('\n')));
    std::ranges::replace_if(
        result, [](unsigned char each) { return each < 0x20 || each == 0x7f; }, '?');
    return result;
}

} // namespace

guard_link::guard_link(const zookeeper::session_strand& strand, std::string path,
                       std::vector<pid_t> others, say_function say)
    : strand_(strand),
      path_(std::move(path)),
      others_(std::move(others)),
      say_(std::move(say)),
      socket_(strand),
      timer_(strand),
      worker_(std::make_shared<zookeeper::step_worker<made_registration>>()),
      backoff_(shortest_backoff, longest_backoff) {}

bool guard_link::is_present(std::uint64_t generation) const {
    return generation_ == generation && process_.is_here();
}

template <class Work>
auto guard_link::later(Work work) {
    return [weak = weak_from_this(), generation = generation_,
            work](const boost::system::error_code& error = {}) {
        const auto self = weak.lock();
        if (self && !error && self->is_present(generation))
            work(*self);
    };
}

void guard_link::follow(const session_key& now) {
    if (now.id == key_.id && now.servers == key_.servers)
        return;
    if (!process_.is_here()) // in a forked child: the session is the parent's
        return;
    if (now.id == 0) {
        key_.id = 0;
        // If it cannot be sent, no harm is done: later the guard finds a session that is over.
        send(sign_off, {});
        drop();
    } else { // after this turn, so that the session's first requests are sent before
        key_ = now;
        known_ = false;
        registered_ = 0;
        asio::post(strand_, later([](guard_link& self) { self.try_to_register(); }));
    }
}

void guard_link::try_to_register() {
    if (registered_ == key_.id)
        return;
    if (key_.tls && key_.tls->context) // no further attempt can help
        return complain("it cannot be told of a tls_options::context");
    if (!socket_.is_open()) {
        auto why = open_and_connect();
        if (!why)
            why = wrong_with_peer();
        if (why)
            return fail(*why);
        await_answer();
    }
    register_session();
}

// A connect to a socket of this kind is done or refused at once.
std::optional<std::string> guard_link::open_and_connect() {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    std::memcpy(address.sun_path, path_.data(), path_.size()); // option_check has its length
    const int fd = ::socket(AF_UNIX, SOCK_SEQPACKET | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (fd < 0)
        return text_of_error(errno);
    boost::system::error_code refused;
    socket_.assign(fd, refused);
    if (refused) {
        ::close(fd);
        return refused.message();
    }
    connected_at_ = std::chrono::steady_clock::now();
    if (::connect(fd, reinterpret_cast<const sockaddr*>(&address), // NOLINT: as sockets want it
                  sizeof address) == 0)
        return std::nullopt;
    if (errno == ECONNREFUSED)
        return "nobody listens there";
    if (errno == EPROTOTYPE)
        return "the socket there is not a guard's";
    if (errno == EAGAIN) {
        backoff_.reset(); // many want to connect, so a free place in the queue is soon taken
        return "it takes no more connections for now";
    }
    return text_of_error(errno);
}

// The registration has the session's password, so another user's socket must not get it.
std::optional<std::string> guard_link::wrong_with_peer() {
    ucred peer{};
    socklen_t size = sizeof peer;
    if (::getsockopt(socket_.native_handle(), SOL_SOCKET, SO_PEERCRED, &peer, &size) != 0)
        return text_of_error(errno);
    struct stat folder {};
    const auto around = (std::filesystem::path(".") / path_).parent_path();
    const bool known = ::stat(around.c_str(), &folder) == 0;
    if (peer.uid == 0 || peer.uid == ::geteuid() || (known && peer.uid == folder.st_uid))
        return std::nullopt;
    return "it runs as user " + std::to_string(peer.uid) +
           ", which is neither root nor this program's user nor the owner of the folder";
}

void guard_link::register_session() {
    registered_ = key_.id;
    complain_if_silent();
    const auto make = [key = key_, others = others_] {
        return made_registration{std::make_shared<const guard_registration>(key, others)};
    };
    const auto done = [weak = weak_from_this(),
                       generation = generation_](const made_registration& made) {
        const auto self = weak.lock();
        if (self && self->is_present(generation))
            self->send_registration(made);
    };
    if (key_.tls)
        worker_->start(strand_, make, done);
    else
        worker_->run_here(make, done);
}

void guard_link::send_registration(const made_registration& made) {
    if (!made.what)
        return fail(made.wrong);
    ++unanswered_;
    if (!send(made.what->text(), made.what->descriptors()))
        return fail("it does not take the registration");
    complain_if_silent(); // starts the time anew: until here it was the time to read the files
}

void guard_link::complain_if_silent() {
    timer_.expires_after(patience);
    timer_.async_wait(later([](guard_link& self) {
        if (self.worker_->is_awaited())
            self.complain("the files of TLS for it are still being read");
        else if (self.unanswered_ > 0)
            self.complain("it does not answer");
    }));
}

bool guard_link::send(std::string_view text, const std::vector<int>& descriptors) {
    if (!socket_.is_open())
        return false;
    iovec data{.iov_base = const_cast<char*>(text.data()), .iov_len = text.size()}; // it is read
    std::vector<std::byte> control;
    msghdr message{};
    message.msg_iov = &data;
    message.msg_iovlen = 1;
    if (!descriptors.empty()) {
        control.resize(CMSG_SPACE(descriptors.size() * sizeof(int)));
        message.msg_control = control.data();
        message.msg_controllen = control.size();
        auto* const header = CMSG_FIRSTHDR(&message);
        header->cmsg_level = SOL_SOCKET;
        header->cmsg_type = SCM_RIGHTS;
        header->cmsg_len = CMSG_LEN(descriptors.size() * sizeof(int));
        std::memcpy(CMSG_DATA(header), descriptors.data(), descriptors.size() * sizeof(int));
    }
    return ::sendmsg(socket_.native_handle(), &message, MSG_NOSIGNAL | MSG_DONTWAIT) ==
           static_cast<ssize_t>(text.size());
}

void guard_link::await_answer() {
    // The wait does not read: a forked child that shares the socket must not take the answer.
    socket_.async_wait(socket_type::wait_read, later([](guard_link& self) { self.on_readable(); }));
}

void guard_link::on_readable() {
    std::array<char, most_answer_bytes> text{};
    const auto count =
        ::recv(socket_.native_handle(), text.data(), text.size(), MSG_DONTWAIT | MSG_TRUNC);
    if (count < 0 && (errno == EAGAIN || errno == EINTR))
        return await_answer();
    if (count <= 0)
        return fail(unanswered_ > 0 ? "it ends the connection without an answer" : "it has ended");
    if (static_cast<std::size_t>(count) > text.size())
        return fail("it is not a guard");
    on_answer({text.data(), static_cast<std::size_t>(count)});
}

void guard_link::on_answer(std::string_view text) {
    if (text.starts_with("refused: "))
        return fail("it refuses: " + printable(text.substr(9)));
    if (text != "ok\n" || unanswered_ == 0)
        return fail("it is not a guard");
    // The answer may be to the registration of a session before, while the files for this one are
    // read.
    const bool is_of_this = registered_ == key_.id && !worker_->is_awaited();
    if (--unanswered_ == 0 && is_of_this) {
        timer_.cancel();
        warned_ = false;
        if (!std::exchange(known_, true))
            say_(log_level::info, "registered with the guard at " + path_);
        if (key_.tls) // the guard has copies of the certificates, which may be renewed by then
            try_after(timeouts_to_renewal * key_.timeout);
    }
    await_answer();
}

void guard_link::fail(const std::string& why) {
    complain(why);
    if (known_ && std::chrono::steady_clock::now() - connected_at_ >= patience)
        backoff_.reset(); // not for a guard that accepts and ends at once: its pauses grow
    drop();
    // The pauses are random, so that the sessions of a host do not try at the same instant.
    try_after(backoff_.next(std::ref(random_)));
}

void guard_link::complain(const std::string& why) {
    if (!std::exchange(warned_, true))
        say_(log_level::warning, "the guard at " + path_ + ": " + why +
                                     ". Without it, a crash of this process costs others the "
                                     "session timeout");
}

void guard_link::try_after(std::chrono::nanoseconds pause) {
    timer_.expires_after(pause);
    timer_.async_wait(later([](guard_link& self) {
        self.registered_ = 0;
        self.try_to_register();
    }));
}

void guard_link::drop() noexcept {
    ++generation_;
    worker_->forget();
    boost::system::error_code ignored; // the socket is closed even if this fails
    socket_.close(ignored);
    timer_.cancel();
    known_ = false;
    registered_ = 0;
    unanswered_ = 0;
}

} // namespace turnstile::detail
