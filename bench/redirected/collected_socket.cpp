// SPDX-License-Identifier: BSL-1.0
#include "redirected/collected_socket.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <map>
#include <poll.h>
#include <sys/socket.h>

namespace turnstile::bench {

namespace {

std::map<int, collected_socket>& all() {
    static std::map<int, collected_socket> sockets;
    return sockets;
}

} // namespace

collected_socket& collected_socket::of(int fd) { return all().try_emplace(fd, fd).first->second; }

void collected_socket::forget(int fd) { all().erase(fd); }

void collected_socket::flush() {
    std::size_t left = 0;
    while (left < out_.size()) {
        const auto count = ::send(fd_, out_.data() + left, out_.size() - left, MSG_NOSIGNAL);
        if (count >= 0) {
            left += static_cast<std::size_t>(count);
        } else if (errno == EAGAIN) {
            pollfd room{.fd = fd_, .events = POLLOUT, .revents = 0};
            ::poll(&room, 1, -1);
        } else if (errno != EINTR) {
            break; // the next read tells of it
        }
    }
    out_.clear();
}

ssize_t collected_socket::receive(void* to, std::size_t most) {
    if (begin_ == end_) {
        begin_ = end_ = 0;
        const auto count = ::recv(fd_, in_.data(), in_.size(), 0);
        if (count <= 0)
            return count;
        end_ = static_cast<std::size_t>(count);
    }
    const auto taken = std::min(most, end_ - begin_);
    std::memcpy(to, in_.data() + begin_, taken);
    begin_ += taken;
    return static_cast<ssize_t>(taken);
}

} // namespace turnstile::bench
