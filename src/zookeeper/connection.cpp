#include "zookeeper/connection.hpp"

#include "zookeeper/callbacks.hpp"
#include "zookeeper/library_entry.hpp"

#include <zookeeper/zookeeper.h>

#include <array>
#include <cstring>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <unistd.h>
#include <utility>

namespace turnstile::zookeeper {

struct connection::transaction {
    std::array<zoo_op_result_t, 2> results{};
    Stat stat{};
    std::string lock_path{};
    std::string created{}; // room for the path of the node made
};

namespace {

constexpr std::chrono::milliseconds idle_patience{1000};

// Packets of one pump: a bound, so that one busy connection cannot starve its executor.
constexpr int most_packets = 4096;

// A ticket is its owner's, and the world may read it: the server drops the events of nodes that the
// watcher may not read. Never the scheme `auth`, which expands to every identity of the connection.
ACL_vector ticket_acl(bool guarded) {
    static std::array<char, 7> digest{"digest"};
    static std::array<char, 64> guard{};
    static std::array<char, 6> world{"world"};
    static std::array<char, 7> anyone{"anyone"};
    static std::array<ACL, 2> entries{};
    if (!guarded)
        return ZOO_OPEN_ACL_UNSAFE;
    std::strncpy(guard.data(), guard_id, guard.size() - 1);
    entries[0] = {.perms = ZOO_PERM_ALL, .id = {digest.data(), guard.data()}};
    entries[1] = {.perms = ZOO_PERM_READ, .id = {world.data(), anyone.data()}};
    return {.count = 2, .data = entries.data()};
}

class corked {
public:
    explicit corked(int socket) : socket_(socket) { set(1); }
    ~corked() { set(0); }
    corked(const corked&) = delete;
    corked& operator=(const corked&) = delete;

private:
    // On a socket that the client closed meanwhile this fails, and does no harm: nothing else can
    // have got its number inside this call.
    void set(int value) const {
        ::setsockopt(socket_, IPPROTO_TCP, TCP_CORK, &value, sizeof(value));
    }
    int socket_;
};

} // namespace

void connection::handle_closer::operator()(_zhandle* handle) const noexcept {
    const library_entry entry(log_level);
    zookeeper_close(handle);
}

connection::connection(connection_options options)
    : options_(std::move(options)), handle_(nullptr, handle_closer{options_.log_level}) {
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
    if (options_.guarded)
        zoo_add_auth(handle_.get(), guard_scheme, guard_secret,
                     static_cast<int>(std::strlen(guard_secret)), nullptr, nullptr);
    for (const auto& who : options_.identities)
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

void connection::pump() {
    if (!handle_ || !is_live() || sent_close_)
        return;
    const library_entry entry(options_.log_level);
    const callbacks::scope scope(*this);
    // A read while the connect is under way would leak the client's handshake buffer.
    if (zoo_state(handle_.get()) == ZOO_CONNECTING_STATE)
        process(ZOOKEEPER_WRITE);
    else {
        if (wants_write_)
            process(ZOOKEEPER_WRITE);
        // Before interest(), which would cut a connection whose replies lie unread in the socket.
        process(ZOOKEEPER_READ);
    }
    if (is_live())
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
    // connected in the place of its own, which the reactor's duplicate keeps open.
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
        const corked one_segment(socket_);
        rc = issue(id, what);
    }
    if (rc != ZOK)
        events_.emplace_back(reply_event{id, {.code = static_cast<protocol::zookeeper_code>(rc)}});
    check_state(); // a failed send closes the socket without a word
}

int connection::issue(protocol::request_id id, const protocol::request& what) {
    const auto handle = handle_.get();
    const auto path = what.path.c_str();
    const auto context = callbacks::context_of(id);
    const auto length = static_cast<int>(what.data.size());
    const auto watcher = what.watch ? callbacks::watcher : nullptr;
    using enum protocol::operation;
    switch (what.op) {
    case create_container:
        return zoo_acreate2(handle, path, nullptr, -1, &ZOO_OPEN_ACL_UNSAFE, ZOO_CONTAINER,
                            callbacks::on_create, context);
    case exists:
        return zoo_awexists(handle, path, watcher, nullptr, callbacks::on_stat, context);
    case get:
        return zoo_awget(handle, path, watcher, nullptr, callbacks::on_data, context);
    case get_children:
        return zoo_awget_children2(handle, path, watcher, nullptr, callbacks::on_children, context);
    case set:
        return zoo_aset(handle, path, what.data.data(), length, -1, callbacks::on_stat, context);
    case remove:
        return zoo_adelete(handle, path, -1, callbacks::on_void, context);
    case sync:
        return zoo_async(handle, path, callbacks::on_string, context);
    case enqueue:
    case release:
    case check:
        return issue_transaction(id, what);
    }
    return ZUNIMPLEMENTED;
}

int connection::issue_transaction(protocol::request_id id, const protocol::request& what) {
    auto& kept = *transactions_.emplace_back(std::make_unique<transaction>());
    std::array<zoo_op_t, 2> ops{};
    int count = 2;
    const auto length = static_cast<int>(what.data.size());
    const auto acl = ticket_acl(options_.guarded);
    if (what.op == protocol::operation::enqueue) {
        kept.lock_path = what.path.substr(0, what.path.rfind('/'));
        // The server tells the whole path, with the chroot.
        kept.created.resize(options_.server.size() + what.path.size() + 16);
        zoo_set_op_init(&ops[0], kept.lock_path.c_str(), "", 0, -1, &kept.stat);
        zoo_create_op_init(&ops[1], what.path.c_str(), what.data.data(), length, &acl,
                           ZOO_EPHEMERAL_SEQUENTIAL, kept.created.data(),
                           static_cast<int>(kept.created.size()));
    } else if (what.op == protocol::operation::release) {
        zoo_set_op_init(&ops[0], what.path.c_str(), what.data.data(), length, -1, &kept.stat);
        zoo_delete_op_init(&ops[1], what.path.c_str(), -1);
    } else {
        zoo_check_op_init(&ops[0], what.path.c_str(), -1);
        count = 1;
    }
    const int rc = zoo_amulti(handle_.get(), count, ops.data(), kept.results.data(),
                              callbacks::on_transaction, callbacks::context_of(id));
    if (rc != ZOK)
        transactions_.pop_back();
    return rc;
}

protocol::reply connection::finish_transaction() { // answered in order
    protocol::reply answer;
    if (transactions_.empty())
        return answer;
    const auto done = std::move(transactions_.front());
    transactions_.pop_front();
    answer.path = done->created.c_str();
    answer.stat = callbacks::convert(&done->stat);
    return answer;
}

} // namespace turnstile::zookeeper
