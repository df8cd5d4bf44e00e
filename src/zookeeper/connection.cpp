#include "zookeeper/connection.hpp"

#include "zookeeper/callbacks.hpp"
#include "zookeeper/library_entry.hpp"

#include <zookeeper/zookeeper.h>

#include <array>
#include <cstring>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>
#include <utility>

namespace turnstile::zookeeper {

namespace {

constexpr std::chrono::milliseconds idle_patience{1000};

// Packets of one pump: a bound, so that one busy connection cannot starve its executor.
constexpr int most_packets = 4096;

class corked {
public:
    explicit corked(zhandle_t* handle, int socket) : handle_(handle), socket_(socket) { set(1); }
    ~corked() {
        // A client that could not send has closed the socket: its number may be somebody else's.
        if (zoo_state(handle_) == ZOO_CONNECTED_STATE)
            set(0);
    }
    corked(const corked&) = delete;
    corked& operator=(const corked&) = delete;

private:
    void set(int value) const {
        ::setsockopt(socket_, IPPROTO_TCP, TCP_CORK, &value, sizeof(value));
    }
    zhandle_t* handle_; // the connection's, which outlives this
    int socket_;
};

bool is_writable(int socket) {
    pollfd asked{.fd = socket, .events = POLLOUT, .revents = 0};
    return ::poll(&asked, 1, 0) > 0;
}

} // namespace

void connection::handle_closer::operator()(_zhandle* handle) const noexcept {
    const library_entry entry(log_level);
    zookeeper_close(handle);
}

connection::connection(connection_options options)
    : options_(std::move(options)),
      acls_(make_acls(options_.rights->acls)),
      handle_(nullptr, handle_closer{options_.log_level}) {
    open();
}

connection::~connection() {
    cut();
    // Without a connection, closing the handle only frees it; what is noted now is for nobody.
    handle_.reset();
}

void connection::open() {
    const library_entry entry(options_.log_level);
    const callbacks::scope scope(*this);
    clientid_t session{};
    session.client_id = options_.session.session_id;
    std::memcpy(session.passwd, options_.session.password.data(), sizeof(session.passwd));
    handle_.reset(zookeeper_init2(options_.server.c_str(), callbacks::watcher,
                                  static_cast<int>(options_.timeout.count()),
                                  session.client_id == 0 ? nullptr : &session, nullptr,
                                  ZOO_NO_LOG_CLIENTENV, callbacks::log));
    explicit_bzero(&session, sizeof(session));
    if (!handle_) {
        status_ = status::lost;
        return;
    }
    zoo_set_servers_resolution_delay(handle_.get(), -1);
    for (const auto& who : options_.rights->identities)
        zoo_add_auth(handle_.get(), who.scheme.c_str(), who.secret.data(),
                     static_cast<int>(who.secret.size()), nullptr, nullptr);
    interest();
    if (socket_ >= 0) // Debian builds the client without SOCK_CLOEXEC
        ::fcntl(socket_, F_SETFD, FD_CLOEXEC);
}

void connection::interest() {
    int fd = -1;
    int wanted = 0;
    timeval patience{};
    const int rc = zookeeper_interest(handle_.get(), &fd, &wanted, &patience);
    if (rc == ZCONNECTIONLOSS && zoo_state(handle_.get()) == ZOO_CONNECTED_STATE)
        zookeeper_process(handle_.get(), ZOOKEEPER_READ | ZOOKEEPER_WRITE); // a failed ping
    socket_ = rc == ZOK ? fd : -1;
    wants_write_ = (wanted & ZOOKEEPER_WRITE) != 0;
    sent_since_ = false;
    patience_ = std::chrono::seconds{patience.tv_sec} +
                std::chrono::milliseconds{patience.tv_usec / 1000 + 1};
    if (patience_ > idle_patience && status_ == status::connecting)
        patience_ = idle_patience;
    check_state();
    if (rc != ZOK && is_live())
        status_ = status::lost;
}

void connection::check_state() {
    const int state = zoo_state(handle_.get());
    if (state == ZOO_EXPIRED_SESSION_STATE)
        status_ = status::expired;
    else if (state == ZOO_AUTH_FAILED_STATE)
        status_ = status::auth_failed;
    else if (state != ZOO_CONNECTED_STATE && status_ == status::connected)
        status_ = status::lost; // 999 after a failed send, 0 after a failed read
    else if ((state == ZOO_NOTCONNECTED_STATE || state == 0) && status_ == status::connecting)
        status_ = status::lost; // the attempt failed
}

bool connection::is_live() const {
    return status_ == status::connecting || status_ == status::connected;
}

void connection::pump(occasion why) {
    if (!handle_ || !is_live() || sent_close_)
        return;
    const library_entry entry(options_.log_level);
    const callbacks::scope scope(*this);
    const bool established = status_ == status::connected;
    // A read while the connect is under way would leak the client's handshake buffer, and a write
    // before it is done would fail the attempt: patience pumps as well.
    if (zoo_state(handle_.get()) == ZOO_CONNECTING_STATE) {
        if (is_writable(socket_))
            process(ZOOKEEPER_WRITE);
    } else {
        if (wants_write_)
            process(ZOOKEEPER_WRITE);
        // Before interest(), which would cut a connection whose replies lie unread in the socket.
        process(ZOOKEEPER_READ);
    }
    // Where all is answered nothing is left to write, and the timers have a turn of their own.
    const bool at_rest = established && !wants_write_ && open_requests_ == 0;
    if (is_live() && (why == occasion::patience_over || !at_rest))
        interest();
}

void connection::process(int events) {
    for (int i = 0; i < most_packets; ++i) {
        if (!is_live())
            return;
        const int rc = zookeeper_process(handle_.get(), events);
        check_state();
        if (rc == ZNOTHING || (rc == ZOK && events == ZOOKEEPER_WRITE))
            return;
        if (rc != ZOK) {
            if (is_live())
                status_ = status::lost;
            return;
        }
    }
}

void connection::cut() {
    // The number of a socket that the client has closed may be somebody else's by now.
    if (!handle_ || socket_ < 0 || !is_live())
        return;
    const library_entry entry(options_.log_level);
    const callbacks::scope scope(*this);
    cut_socket();
    if (zoo_state(handle_.get()) == ZOO_CONNECTING_STATE)
        zookeeper_process(handle_.get(), ZOOKEEPER_WRITE);
    else
        process(ZOOKEEPER_READ);
    // Bytes may be left where the peer sent more than a pump takes: the end comes all the same.
    while (zoo_state(handle_.get()) == ZOO_CONNECTED_STATE ||
           zoo_state(handle_.get()) == ZOO_ASSOCIATING_STATE)
        if (zookeeper_process(handle_.get(), ZOOKEEPER_READ) == ZNOTHING)
            break;
    socket_ = -1;
    if (is_live())
        status_ = status::lost;
}

void connection::cut_socket() {
    if (!sent_close_) {
        ::shutdown(socket_, SHUT_RDWR);
        return;
    }
    // The client would assert on the answer to our close: it gets a socket that was never
    // connected in the place of its own, which ends here unless the reactor still has a duplicate.
    const int dead = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (dead >= 0) {
        ::dup3(dead, socket_, O_CLOEXEC);
        ::close(dead);
    }
}

bool connection::send_close() {
    if (status_ != status::connected || sent_close_)
        return false;
    {
        // Behind half a frame, ours would be read as its rest: the client must have nothing left.
        const library_entry entry(options_.log_level);
        const callbacks::scope scope(*this);
        process(ZOOKEEPER_READ);
        // Asked only if need be: after a stall the client would rather cut the connection.
        if (is_live() && (wants_write_ || (sent_since_ && open_requests_ > 0)))
            interest();
    }
    if (status_ != status::connected || wants_write_)
        return false;
    // Length 8, an xid that nobody waits for, and the type of closeSession, -11.
    constexpr std::array<unsigned char, 12> frame{0,    0,    0,    8,    0x7f, 0xff,
                                                  0xff, 0xff, 0xff, 0xff, 0xff, 0xf5};
    sent_close_ = ::send(socket_, frame.data(), frame.size(), MSG_NOSIGNAL | MSG_DONTWAIT) ==
                  static_cast<ssize_t>(frame.size());
    return sent_close_;
}

void connection::send(protocol::request_id id, const protocol::request& what) {
    if (status_ != status::connected || sent_close_)
        return; // answered by the end of the connection
    const library_entry entry(options_.log_level);
    const callbacks::scope scope(*this);
    if (is_unrecoverable(handle_.get())) { // a transaction would free an uninitialised pointer
        check_state();
        return;
    }
    int rc = ZOK;
    {
        // The client writes length and body by two calls: one segment wakes the server once.
        const corked one_segment(handle_.get(), socket_);
        sent_since_ = true;
        ++open_requests_;
        rc = issue(id, what);
    }
    if (rc != ZOK) {
        --open_requests_;
        events_.emplace_back(reply_event{id, {.code = static_cast<protocol::zookeeper_code>(rc)}});
    }
    check_state(); // a failed send closes the socket without a word
}

} // namespace turnstile::zookeeper
