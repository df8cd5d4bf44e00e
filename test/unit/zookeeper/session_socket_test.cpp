// SPDX-License-Identifier: BSL-1.0
// A session_socket in a forked child takes nothing that comes for the parent, and breaks nothing.
#include "support/pch.hpp"
#include "zookeeper/session_socket.hpp"

#include <boost/asio/buffer.hpp>
#include <boost/asio/write.hpp>

#include <sys/wait.h>
#include <unistd.h>

namespace asio = boost::asio;
using asio::ip::tcp;
using turnstile::zookeeper::session_socket;
using turnstile::zookeeper::session_strand;

namespace {

struct read_outcome {
    std::optional<boost::system::error_code> result;
    std::string bytes;
};

// A socket with a read under way, and its peer. `heard` has the outcome once the read has ended.
struct reading_socket {
    explicit reading_socket(asio::io_context& context)
        : socket(session_strand(asio::any_io_executor(context.get_executor()))) {
        tcp::acceptor acceptor{context, {asio::ip::address_v4::loopback(), 0}};
        REQUIRE(socket.open(tcp::v4()));
        socket.connect(acceptor.local_endpoint(), [this](const boost::system::error_code& error) {
            if (!error)
                read();
        });
        acceptor.accept(peer);
        context.restart();
        context.poll();
    }

    void read() {
        // After an error this object may be gone: so the handler shares `heard`.
        socket.read(
            [this, told = heard](const boost::system::error_code& error, std::size_t count) {
                told->result = error;
                if (!error)
                    told->bytes = socket.bytes(count);
            });
    }

    session_socket socket;
    asio::io_context context_of_peer; // it is not notified of the fork
    tcp::socket peer{context_of_peer};
    std::shared_ptr<read_outcome> heard = std::make_shared<read_outcome>();
};

// Forks, and returns whether `what` is true in the child. The context is notified of the fork.
bool is_true_in_child(asio::io_context& context, const std::function<bool()>& what) {
    context.notify_fork(asio::execution_context::fork_prepare);
    const auto child = ::fork();
    REQUIRE(child >= 0);
    if (child == 0) {
        ::alarm(20);
        context.notify_fork(asio::execution_context::fork_child);
        ::_exit(what() ? 0 : 1);
    }
    context.notify_fork(asio::execution_context::fork_parent);
    int status = 0;
    REQUIRE(::waitpid(child, &status, 0) == child);
    return status == 0;
}

} // namespace

TEST_CASE("what comes after a fork is read by the parent alone") {
    asio::io_context context;
    reading_socket first{context};
    auto second = std::make_unique<reading_socket>(context);
    reading_socket third{context};
    second.reset(); // a socket that is gone is not closed in the child
    CHECK(is_true_in_child(context, [&] {
        for (auto* each : {&first, &third})
            asio::write(each->peer, asio::buffer("answer", 6));
        context.restart();
        context.poll();
        return first.heard->result == asio::error::operation_aborted &&
               third.heard->result == asio::error::operation_aborted;
    }));
    context.restart();
    while (!first.heard->result || !third.heard->result)
        REQUIRE(context.run_one_for(std::chrono::seconds{10}) == 1);
    for (auto* each : {&first, &third}) {
        CHECK(*each->heard->result == boost::system::error_code{});
        CHECK(each->heard->bytes == "answer");
    }
}

TEST_CASE("a child's end leaves the connection of its parent open") {
    asio::io_context context;
    reading_socket own{context};
    CHECK(is_true_in_child(context, [&] {
        own.socket.close(); // once more: the fork has closed it here
        context.restart();
        context.poll();
        return own.heard->result == asio::error::operation_aborted;
    }));
    boost::system::error_code error;
    CHECK(own.socket.write_now("question", error) == 8);
    std::string question(8, ' ');
    CHECK(own.peer.read_some(asio::buffer(question), error) == 8);
    CHECK(error == boost::system::error_code{});
    CHECK(question == "question");
    CHECK(!own.heard->result);
}
