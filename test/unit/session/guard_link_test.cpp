// SPDX-License-Identifier: BSL-1.0
// The registration of a session with the host's guard reads no file on the session's strand.
#include "session/guard_link.hpp"

#include "support/leased_file.hpp"
#include "support/pch.hpp"
#include "support/temp_folder.hpp"
#include "support/unique_fd.hpp"

#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>

#include <array>
#include <filesystem>
#include <fstream>
#include <string>
#include <sys/socket.h>
#include <sys/un.h>

namespace asio = boost::asio;
using namespace turnstile;
using namespace turnstile::test;
using namespace std::chrono_literals;

namespace {

/// A socket that takes registrations, and answers none.
class silent_guard {
public:
    silent_guard() : place_((folder_.path() / "guard").string()) {
        sockaddr_un address{.sun_family = AF_UNIX, .sun_path = {}};
        place_.copy(address.sun_path, sizeof address.sun_path - 1);
        REQUIRE(::bind(socket_.get(), reinterpret_cast<sockaddr*>(&address), sizeof address) == 0);
        REQUIRE(::listen(socket_.get(), 1) == 0);
    }

    const std::string& place() const { return place_; }
    const std::filesystem::path& folder() const { return folder_.path(); }
    /// The text of the next registration; empty if none has come.
    std::string next() {
        if (!peer_)
            peer_ = unique_fd{::accept4(socket_.get(), nullptr, nullptr, SOCK_NONBLOCK)};
        std::array<char, 4096> text{};
        const auto size = ::recv(peer_.get(), text.data(), text.size(), MSG_DONTWAIT);
        return {text.data(), static_cast<std::size_t>(std::max<ssize_t>(size, 0))};
    }

private:
    temp_folder folder_{"turnstile-guard-link-"};
    std::string place_;
    unique_fd socket_{::socket(AF_UNIX, SOCK_SEQPACKET | SOCK_NONBLOCK | SOCK_CLOEXEC, 0)};
    unique_fd peer_{};
};

} // namespace

TEST_CASE("a file of TLS that keeps its reader waiting keeps no strand waiting") {
    silent_guard guard;
    const auto file = (guard.folder() / "ca.pem").string();
    std::ofstream(file) << "an authority\n";
    leased_file leased{file};
    asio::io_context context;
    const zookeeper::session_strand strand(asio::any_io_executor(context.get_executor()));
    const auto link = std::make_shared<detail::guard_link>(
        strand, guard.place(), std::vector<pid_t>(),
        [](log_level, const std::string& text) { FAIL(text); });
    asio::post(strand, [&] {
        link->follow({.servers = "zk:2181",
                      .id = 7,
                      .timeout = 10s,
                      .tls = tls_options{.authorities_file = file}});
    });
    // The strand goes on while the file is kept back.
    bool passed = false;
    asio::post(strand,
               [&] { asio::post(strand, [&] { asio::post(strand, [&] { passed = true; }); }); });
    while (!leased.has_reader() || !passed)
        context.run_one_for(1ms);
    CHECK(leased.is_kept_back());
    CHECK(guard.next().empty());
    leased.let_go();
    std::string registration;
    for (const auto end = std::chrono::steady_clock::now() + 30s;
         registration.empty() && std::chrono::steady_clock::now() < end;) {
        context.run_one_for(1ms);
        registration = guard.next();
    }
    CHECK_THAT(registration, Catch::Matchers::StartsWith("turnstile guard 2 register\n"));
    CHECK_THAT(registration, Catch::Matchers::Contains("authorities"));
}

TEST_CASE("a link to a guard may go while a file is read for it") {
    silent_guard guard;
    const auto file = (guard.folder() / "ca.pem").string();
    std::ofstream(file) << "an authority\n";
    leased_file leased{file};
    {
        asio::io_context context;
        const zookeeper::session_strand strand(asio::any_io_executor(context.get_executor()));
        auto link = std::make_shared<detail::guard_link>(
            strand, guard.place(), std::vector<pid_t>(),
            [](log_level, const std::string& text) { FAIL(text); });
        asio::post(strand, [&] {
            link->follow({.servers = "zk:2181",
                          .id = 7,
                          .timeout = 10s,
                          .tls = tls_options{.authorities_file = file}});
        });
        while (!leased.has_reader())
            context.run_one_for(1ms);
        link.reset();
    }
    CHECK(leased.is_kept_back());
    CHECK(guard.next().empty());
}
