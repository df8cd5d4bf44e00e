// SPDX-License-Identifier: BSL-1.0
#include "four_letter_word.hpp"

#include "unique_fd.hpp"

#include <netdb.h>
#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <memory>
#include <system_error>
#include <utility>

namespace turnstile::test {
namespace {

using clock = std::chrono::steady_clock;

[[noreturn]] void throw_error(int error, std::string_view word) {
    throw std::system_error{error, std::generic_category(),
                            "four letter word " + std::string{word}};
}

void wait_ready(int fd, short events, clock::time_point deadline, std::string_view word) {
    for (;;) {
        const auto left =
            std::chrono::ceil<std::chrono::milliseconds>(deadline - clock::now()).count();
        pollfd entry{fd, events, 0};
        const int got = ::poll(&entry, 1, static_cast<int>(std::max<std::int64_t>(left, 0)));
        if (got > 0) {
            return;
        }
        if (got == 0) {
            throw_error(ETIMEDOUT, word);
        }
        if (errno != EINTR) {
            throw_error(errno, word);
        }
    }
}

// Empty if nobody listens there.
unique_fd connect_to(const sockaddr* address, socklen_t size, clock::time_point deadline,
                     std::string_view word, int& error) {
    unique_fd fd{::socket(address->sa_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0)};
    if (!fd) {
        throw_error(errno, word);
    }
    error = ::connect(fd.get(), address, size) == 0 ? 0 : errno;
    if (error == EINPROGRESS) {
        wait_ready(fd.get(), POLLOUT, deadline, word);
        socklen_t length = sizeof error;
        if (::getsockopt(fd.get(), SOL_SOCKET, SO_ERROR, &error, &length) != 0) {
            error = errno;
        }
    }
    return error == 0 ? std::move(fd) : unique_fd{};
}

unique_fd connect_to(const std::string& host, std::uint16_t port, clock::time_point deadline,
                     std::string_view word) {
    addrinfo hints{};
    hints.ai_socktype = SOCK_STREAM;
    hints.ai_flags = AI_NUMERICSERV;
    addrinfo* found = nullptr;
    if (const int rc = ::getaddrinfo(host.c_str(), std::to_string(port).c_str(), &hints, &found);
        rc != 0) {
        throw_error(EHOSTUNREACH, word);
    }
    const std::unique_ptr<addrinfo, decltype(&::freeaddrinfo)> owner{found, &::freeaddrinfo};
    int error = EHOSTUNREACH;
    for (const auto* each = found; each != nullptr; each = each->ai_next) {
        if (auto fd = connect_to(each->ai_addr, each->ai_addrlen, deadline, word, error)) {
            return fd;
        }
    }
    throw_error(error, word);
}

} // namespace

std::string four_letter_word(std::uint16_t port, std::string_view word,
                             std::chrono::milliseconds limit) {
    return four_letter_word("127.0.0.1", port, word, limit);
}

std::string four_letter_word(const std::string& host, std::uint16_t port, std::string_view word,
                             std::chrono::milliseconds limit) {
    const auto deadline = clock::now() + limit;
    const auto fd = connect_to(host, port, deadline, word);
    // Four bytes always fit into an empty socket buffer.
    if (::send(fd.get(), word.data(), word.size(), MSG_NOSIGNAL) !=
        static_cast<ssize_t>(word.size())) {
        throw_error(errno, word);
    }
    std::string answer;
    std::array<char, 4096> buffer{};
    for (;;) {
        wait_ready(fd.get(), POLLIN, deadline, word);
        const auto got = ::recv(fd.get(), buffer.data(), buffer.size(), 0);
        if (got > 0) {
            answer.append(buffer.data(), static_cast<std::size_t>(got));
        } else if (got == 0) {
            return answer;
        } else if (errno == ECONNRESET && !answer.empty()) {
            return answer; // the server closes hard after a complete answer
        } else if (errno != EAGAIN && errno != EINTR) {
            throw_error(errno, word);
        }
    }
}

std::string server_mode(std::uint16_t port, std::chrono::milliseconds limit,
                        const std::string& host) {
    std::string answer;
    try {
        answer = four_letter_word(host, port, "srvr", limit);
    } catch (const std::system_error&) {
        return {};
    }
    constexpr std::string_view label = "Mode: ";
    const auto begin = answer.find(label);
    if (begin == std::string::npos) {
        return {};
    }
    const auto end = answer.find('\n', begin);
    return answer.substr(begin + label.size(), end - begin - label.size());
}

void reset_counters(std::uint16_t port) { (void)four_letter_word(port, "srst"); }

} // namespace turnstile::test
