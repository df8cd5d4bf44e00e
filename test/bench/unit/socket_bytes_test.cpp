// SPDX-License-Identifier: BSL-1.0
#include "socket_bytes.hpp"
#include "support/pch.hpp"

#include <boost/asio/buffer.hpp>
#include <boost/asio/read.hpp>
#include <boost/asio/write.hpp>

using namespace turnstile::bench;
using boost::asio::ip::tcp;

namespace {

struct pair_of_sockets {
    explicit pair_of_sockets(boost::asio::io_context& context) : near(context), far(context) {
        tcp::acceptor acceptor(context, {boost::asio::ip::address_v4::loopback(), 0});
        near.connect(acceptor.local_endpoint());
        acceptor.accept(far);
    }
    static void pass(tcp::socket& from, tcp::socket& to, std::size_t count) {
        std::string bytes(count, 'x');
        boost::asio::write(from, boost::asio::buffer(bytes));
        boost::asio::read(to, boost::asio::buffer(bytes));
    }
    tcp::socket near;
    tcp::socket far;
};

} // namespace

TEST_CASE("socket bytes: only the connections that were taken count, in both directions") {
    boost::asio::io_context context;
    pair_of_sockets others(context);
    auto known = socket_bytes::connections();
    CHECK(known.contains(others.near.native_handle()));
    pair_of_sockets ours(context);
    known.insert(ours.far.native_handle());
    socket_bytes counted;
    counted.take_all_but(known);

    const auto start = counted.now();
    pair_of_sockets::pass(ours.near, ours.far, 1000);
    pair_of_sockets::pass(ours.far, ours.near, 300); // by this answer the first is acknowledged
    pair_of_sockets::pass(others.near, others.far, 5000);
    const auto end = counted.now();
    REQUIRE(start);
    REQUIRE(end);
    CHECK((*end - *start).sent == 1000);
    CHECK((*end - *start).received == 300);

    ours.near.close();
    CHECK_FALSE(counted.now());
}
