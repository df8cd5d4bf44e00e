#include "zookeeper/connection.hpp"

#include "zookeeper/c_client_lock.hpp"
#include "zookeeper/callbacks.hpp"

#include <zookeeper/zookeeper.h>

#include <array>
#include <cstring>
#include <utility>

namespace turnstile::zookeeper {

namespace {

constexpr std::chrono::milliseconds idle_patience{1000};

// Packets under one lock of the C client: other sessions of the process have their turn in between.
constexpr int most_packets = 64;

} // namespace

void connection::handle_closer::operator()(_zhandle* handle) const noexcept {
    const c_client_lock entry(log_level);
    zookeeper_close(handle);
}

connection::connection(connection_options options)
    : options_(std::move(options)),
      socket_(options_.session.session_id),
      acls_(make_acls(options_.rights->acls)),
      handle_(nullptr, handle_closer{options_.log_level}) {
    open();
}

// Closing the handle only frees it: where its frames would go nobody looks any more.
connection::~connection() = default;

void connection::open() {
    const c_client_lock entry(options_.log_level);
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
}

void connection::interest() {
    int fd = -1;
    int wanted = 0;
    timeval patience{};
    const int rc = zookeeper_interest(handle_.get(), &fd, &wanted, &patience);
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

void connection::receive(std::string_view bytes) {
    if (!socket_.receive(bytes) && is_live() && !sent_close_)
        refused_frame_ = true;
}

void connection::pump(occasion why) {
    if (!handle_ || !is_live() || sent_close_)
        return;
    const bool established = status_ == status::connected;
    // Before interest(), which would cut a connection whose replies were not read for long.
    while (is_live() && socket_.has_input())
        process();
    if (is_live() && refused_frame_) {
        status_ = status::lost;
        events_.emplace_back(trouble_event{std::string(socket_.refusal()) +
                                           "; is this the client port of a ZooKeeper server?"});
        return;
    }
    // Where all is answered the C client's timers have a turn of their own.
    const bool at_rest = established && open_requests_ == 0;
    if (is_live() && (why == occasion::patience_over || !at_rest)) {
        const c_client_lock entry(options_.log_level);
        const callbacks::scope scope(*this);
        interest();
    }
}

void connection::process() {
    const c_client_lock entry(options_.log_level);
    const callbacks::scope scope(*this);
    for (int i = 0; i < most_packets && is_live() && socket_.has_input(); ++i) {
        const int rc = zookeeper_process(handle_.get(), ZOOKEEPER_READ);
        check_state();
        if (rc != ZOK && is_live()) // ZNOTHING: there was no memory for a frame that is there
            status_ = status::lost;
    }
}

bool connection::send_close() {
    if (status_ != status::connected || sent_close_)
        return false;
    // Length 8, an xid that nobody waits for, and the type of closeSession, -11.
    constexpr std::string_view frame{"\0\0\0\x08\x7f\xff\xff\xff\xff\xff\xff\xf5", 12};
    socket_.write(frame);
    sent_close_ = true;
    return true;
}

void connection::send(protocol::request_id id, const protocol::request& what) {
    if (status_ != status::connected || sent_close_)
        return; // answered by the end of the connection
    const c_client_lock entry(options_.log_level);
    const callbacks::scope scope(*this);
    if (is_unrecoverable(handle_.get())) { // a transaction would free an uninitialised pointer
        check_state();
        return;
    }
    ++open_requests_;
    socket_.guard().expect(reply_expected_to(what));
    const int rc = issue(id, what);
    if (rc != ZOK) {
        --open_requests_;
        socket_.guard().expect_no_more();
        events_.emplace_back(reply_event{id, {.code = static_cast<protocol::zookeeper_code>(rc)}});
    }
    check_state(); // a failed send closes the socket without a word
}

bool connection::write(std::string_view bytes) noexcept {
    try {
        socket_.write(bytes);
    } catch (...) {
        deaf_ = true;
    }
    return !deaf_;
}

void connection::opened(const connected_event& how) noexcept {
    status_ = status::connected;
    keep<connected_event>([&](connected_event& event) { event = how; });
}

void connection::refused() noexcept {
    refused_ = true;
    keep<trouble_event>([](trouble_event& event) {
        event.cause = "the server enforces an authentication that this session lacks";
    });
}

} // namespace turnstile::zookeeper
