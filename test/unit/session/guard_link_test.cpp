// SPDX-License-Identifier: BSL-1.0
// The registration of a session with the host's guard reads no file on the session's strand.
#include "session/guard/guard_link.hpp"

#include "support/leased_file.hpp"
#include "support/pch.hpp"
#include "support/temp_folder.hpp"
#include "support/unique_fd.hpp"

#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>

#include <array>
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/un.h>

#include <linux/sockios.h>

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

    void answer(std::string_view text) const {
        REQUIRE(::send(peer_.get(), text.data(), text.size(), MSG_NOSIGNAL) ==
                static_cast<ssize_t>(text.size()));
    }
    bool is_answer_read() const {
        int unread = 0;
        REQUIRE(::ioctl(peer_.get(), SIOCOUTQ, &unread) == 0);
        return unread == 0;
    }

private:
    temp_folder folder_{"turnstile-guard-link-"};
    std::string place_;
    unique_fd socket_{::socket(AF_UNIX, SOCK_SEQPACKET | SOCK_NONBLOCK | SOCK_CLOEXEC, 0)};
    unique_fd peer_{};
};

/// A link to a guard. The file of TLS is kept back once somebody wants to read it.
struct linked {
    silent_guard guard;
    const std::string file = (guard.folder() / "ca.pem").string();
    std::optional<leased_file> leased;
    std::vector<std::string> said;
    asio::io_context context;
    const zookeeper::session_strand strand{asio::any_io_executor(context.get_executor())};
    std::shared_ptr<detail::guard_link> link = std::make_shared<detail::guard_link>(
        strand, guard.place(), std::vector<pid_t>(),
        [this](log_level, const std::string& text) { said.push_back(text); });

    linked() {
        std::ofstream(file) << "an authority\n";
        leased.emplace(file);
    }
    void follow(std::int64_t id, std::optional<tls_options> tls) {
        asio::post(strand, [this, id, tls] {
            link->follow({.servers = "zk:2181", .id = id, .timeout = 10s, .tls = tls});
        });
    }
    void follow_by_tls(std::int64_t id) {
        follow(id, tls_options{.authorities_file = file});
        run_until([this] { return leased->has_reader(); });
    }
    template <class Condition>
    void run_until(Condition is_so) {
        const auto end = std::chrono::steady_clock::now() + 30s;
        while (!is_so() && std::chrono::steady_clock::now() < end)
            context.run_one_for(1ms);
        REQUIRE(is_so());
    }
    std::string registration() {
        std::string text;
        run_until([&] { return !(text = text.empty() ? guard.next() : text).empty(); });
        return text;
    }
};

} // namespace

TEST_CASE("a file of TLS that keeps its reader waiting keeps no strand waiting") {
    linked f;
    f.follow_by_tls(7);
    // The strand goes on while the file is kept back.
    bool passed = false;
    asio::post(f.strand, [&] {
        asio::post(f.strand, [&] { asio::post(f.strand, [&] { passed = true; }); });
    });
    f.run_until([&] { return passed; });
    CHECK(f.leased->is_kept_back());
    CHECK(f.guard.next().empty());
    f.leased->let_go();
    const auto registration = f.registration();
    CHECK_THAT(registration, Catch::Matchers::StartsWith("turnstile guard 2 register\n"));
    CHECK_THAT(registration, Catch::Matchers::Contains("authorities"));
    CHECK(f.said.empty());
}

TEST_CASE("a link to a guard may go while a file is read for it") {
    linked f;
    f.follow_by_tls(7);
    f.link.reset();
    f.context.poll();
    CHECK(f.leased->is_kept_back());
    CHECK(f.guard.next().empty());
    CHECK(f.said.empty());
}

TEST_CASE("an answer to the session of before registers none while a file is read for the next") {
    linked f;
    f.follow(7, std::nullopt);
    f.registration();
    f.follow_by_tls(8);
    f.guard.answer("ok\n");
    f.run_until([&] { return f.guard.is_answer_read(); });
    CHECK(f.said.empty());
    f.leased->let_go();
    f.registration();
    f.guard.answer("ok\n");
    f.run_until([&] { return !f.said.empty(); });
    CHECK_THAT(f.said.front(), Catch::Matchers::StartsWith("registered with the guard"));
}
