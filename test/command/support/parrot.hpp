// SPDX-License-Identifier: BSL-1.0
// A server that has one answer for everything.
#pragma once

#include <boost/asio/buffer.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/read.hpp>
#include <boost/asio/write.hpp>

#include <array>
#include <atomic>
#include <functional>
#include <string>
#include <thread>
#include <utility>

namespace turnstile::test {

/// A web server that understands nothing, say.
class parrot {
public:
    explicit parrot(const std::string& answer) : parrot([answer] { return answer; }) {}
    /// The function runs in a thread of the parrot, for each question.
    explicit parrot(std::function<std::string()> answer) {
        thread_ = std::thread([this, answer = std::move(answer)] {
            for (;;) {
                boost::system::error_code failed;
                auto peer = acceptor_.accept(failed);
                if (failed || stopping_)
                    return;
                std::array<char, 4> begin{};
                boost::asio::read(peer, boost::asio::buffer(begin), failed);
                boost::asio::write(peer, boost::asio::buffer(answer()), failed);
            }
        });
    }
    ~parrot() {
        stopping_ = true;
        boost::system::error_code ignored;
        boost::asio::ip::tcp::socket last(context_);
        last.connect(acceptor_.local_endpoint(), ignored); // wakes the accept
        thread_.join();
    }
    parrot(const parrot&) = delete;
    parrot& operator=(const parrot&) = delete;

    std::string address() const {
        return "127.0.0.1:" + std::to_string(acceptor_.local_endpoint().port());
    }

private:
    boost::asio::io_context context_;
    boost::asio::ip::tcp::acceptor acceptor_{context_,
                                             {boost::asio::ip::address_v4::loopback(), 0}};
    std::atomic<bool> stopping_{false};
    std::thread thread_;
};

} // namespace turnstile::test
