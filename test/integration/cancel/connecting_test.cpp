// SPDX-License-Identifier: BSL-1.0
// Everything that can end while a session is connecting, in each phase of that: calls, the session,
// its context.
#include "integration/support/cancel_support.hpp"
#include "integration/support/name_service.hpp"

#include <boost/asio/ip/address.hpp>

#include <sys/socket.h>

namespace {

enum class connect_phase { name_looked_up, tcp_handshake, session_handshake, first_answer, pause };

// A port whose queue of connections is full: the kernel answers no further one.
class full_port {
public:
    full_port() {
        using asio::ip::tcp;
        acceptor_.open(tcp::v4());
        acceptor_.bind({asio::ip::address_v4::loopback(), 0});
        acceptor_.listen(0);
        for (auto& each : queued_) {
            each.open(tcp::v4());
            each.native_non_blocking(true);
            const auto to = acceptor_.local_endpoint();
            ::connect(each.native_handle(), to.data(), static_cast<socklen_t>(to.size()));
        }
    }
    std::string address() const {
        return "127.0.0.1:" + std::to_string(acceptor_.local_endpoint().port());
    }

private:
    asio::io_context context_;
    asio::ip::tcp::acceptor acceptor_{context_};
    std::vector<asio::ip::tcp::socket> queued_{[this] {
        std::vector<asio::ip::tcp::socket> all;
        for (int i = 0; i < 4; ++i)
            all.emplace_back(context_);
        return all;
    }()};
};

// A session in this phase of connecting, which does not end by itself.
struct connecting_session {
    explicit connecting_session(connect_phase which) {
        const std::string name = "phase.turnstile.test";
        auto options = options_for(proxy.address());
        options.log.level = log_level::none;
        options.timeout = std::chrono::minutes(1); // no attempt is over before the test
        if (which == connect_phase::name_looked_up) {
            names.hold(name, true);
            options.servers = name;
        } else if (which == connect_phase::tcp_handshake) {
            options.servers = full.emplace().address();
        } else if (which == connect_phase::session_handshake) {
            proxy.set_black_hole(true);
        } else if (which == connect_phase::pause) {
            proxy.set_outage(true, refusal::not_listening);
            options.shortest_backoff = options.longest_backoff = std::chrono::minutes(1);
        }
        if (which == connect_phase::first_answer)
            static_cast<void>(proxy.add_rule(
                {.direction = direction::to_client, .op = op::exists, .action = action::hold}));
        s.emplace(f->context, options);
        lock.emplace(*s, fresh_path("connecting"));
        s->connect(connect.token());
        lock->acquire(acquire.token());
        f->run_until([&] {
            switch (which) {
            case connect_phase::name_looked_up:
                return names.is_asked(name);
            case connect_phase::tcp_handshake:
                return s->state() == session_state::connecting && f->context.poll() == 0;
            case connect_phase::session_handshake:
                return proxy.stats().connections > 0;
            case connect_phase::first_answer:
                return s->state() == session_state::connected;
            case connect_phase::pause:
                break;
            }
            return s->usage().failed_attempts > 0;
        });
        CHECK(connect.pending());
        CHECK(acquire.pending());
    }
    ~connecting_session() { names.hold("phase.turnstile.test", false); }
    connecting_session(const connecting_session&) = delete;
    connecting_session& operator=(const connecting_session&) = delete;

    name_service& names = name_service::of_process();
    frame_proxy proxy{shared_server().port()};
    std::optional<full_port> full;
    cancellable connect;
    cancellable acquire;
    std::unique_ptr<fixture> f = std::make_unique<fixture>();
    std::optional<session> s;
    std::optional<mutex> lock;
};

const auto phases_of_connecting = [] {
    return Catch::Generators::values({connect_phase::name_looked_up, connect_phase::tcp_handshake,
                                      connect_phase::session_handshake, connect_phase::first_answer,
                                      connect_phase::pause});
};

} // namespace

TEST_CASE("calls are cancelled in each phase of connecting, and the session goes") {
    const auto which = GENERATE(phases_of_connecting());
    CAPTURE(static_cast<int>(which));
    connecting_session t{which};
    t.connect.cancel();
    t.acquire.cancel();
    t.f->run_until([&] { return t.connect.done() && t.acquire.done(); });
    CHECK(t.connect.code() == aborted);
    CHECK(t.acquire.code() == aborted);
    t.s.reset();
    t.f->run_out();
    CHECK(t.connect.calls() == 1);
    CHECK(t.acquire.calls() == 1);
}

TEST_CASE("a session is destroyed in each phase of connecting") {
    const auto which = GENERATE(phases_of_connecting());
    CAPTURE(static_cast<int>(which));
    connecting_session t{which};
    t.s.reset();
    t.f->run_out();
    CHECK(t.connect.code() == error::session_closed);
    CHECK(t.acquire.code() == error::session_closed);
}

TEST_CASE("a session is closed in each phase of connecting before its first answer") {
    const auto which = GENERATE(values({connect_phase::name_looked_up, connect_phase::tcp_handshake,
                                        connect_phase::session_handshake, connect_phase::pause}));
    CAPTURE(static_cast<int>(which));
    connecting_session t{which};
    probe closed;
    t.s->close(closed.make());
    t.f->run_out();
    CHECK(closed.code() == error_code{});
    CHECK(closed.done());
    CHECK(t.connect.code() == error::session_closed);
    CHECK(t.acquire.code() == error::session_closed);
}

TEST_CASE("a context is destroyed in each phase of connecting") {
    const auto which = GENERATE(phases_of_connecting());
    CAPTURE(static_cast<int>(which));
    connecting_session t{which};
    t.f.reset();
    CHECK(t.connect.dropped());
    CHECK(t.acquire.dropped());
}
