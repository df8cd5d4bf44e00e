#include "four_letter_word.hpp"

#include "unique_fd.hpp"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <system_error>

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

unique_fd connect_to(std::uint16_t port, clock::time_point deadline, std::string_view word) {
    unique_fd fd{::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0)};
    if (!fd) {
        throw_error(errno, word);
    }
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(port);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    if (::connect(fd.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) {
        if (errno != EINPROGRESS) {
            throw_error(errno, word);
        }
        wait_ready(fd.get(), POLLOUT, deadline, word);
        int error = 0;
        socklen_t size = sizeof error;
        if (::getsockopt(fd.get(), SOL_SOCKET, SO_ERROR, &error, &size) != 0) {
            error = errno;
        }
        if (error != 0) {
            throw_error(error, word);
        }
    }
    return fd;
}

} // namespace

std::string four_letter_word(std::uint16_t port, std::string_view word,
                             std::chrono::milliseconds limit) {
    const auto deadline = clock::now() + limit;
    const auto fd = connect_to(port, deadline, word);
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

std::string server_mode(std::uint16_t port, std::chrono::milliseconds limit) {
    std::string answer;
    try {
        answer = four_letter_word(port, "srvr", limit);
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
