// SPDX-License-Identifier: BSL-1.0
#include "redirected/collected_socket.hpp"

#include "bare_api.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <map>
#include <poll.h>
#include <stdexcept>
#include <sys/socket.h>

namespace turnstile::bench {

namespace {

std::map<int, collected_socket>& all() {
    static std::map<int, collected_socket> sockets;
    return sockets;
}

SSL_CTX* tls_context = nullptr;

} // namespace

void speak_tls(const std::string& authorities) {
    tls_context = SSL_CTX_new(TLS_client_method());
    if (SSL_CTX_load_verify_file(tls_context, authorities.c_str()) != 1)
        throw std::runtime_error("cannot read the authorities in " + authorities);
    SSL_CTX_set_verify(tls_context, SSL_VERIFY_PEER, nullptr);
}

bool speaks_tls() { return tls_context != nullptr; }

collected_socket::collected_socket(int fd) : fd_(fd) {
    if (!tls_context)
        return;
    tls_.reset(SSL_new(tls_context));
    SSL_set_fd(tls_.get(), fd);
    SSL_set_connect_state(tls_.get()); // the first write does the handshake
}

// As the socket's own call tells it.
ssize_t collected_socket::waits_for(int result) const {
    if (result > 0)
        return result;
    const auto why = SSL_get_error(tls_.get(), result);
    errno = why == SSL_ERROR_WANT_READ || why == SSL_ERROR_WANT_WRITE ? EAGAIN : ECONNRESET;
    return why == SSL_ERROR_ZERO_RETURN ? 0 : -1;
}

ssize_t collected_socket::read(void* to, std::size_t most) {
    return tls_ ? waits_for(SSL_read(tls_.get(), to, static_cast<int>(most)))
                : ::recv(fd_, to, most, 0);
}

ssize_t collected_socket::write(std::string_view bytes) {
    return tls_ ? waits_for(SSL_write(tls_.get(), bytes.data(), static_cast<int>(bytes.size())))
                : ::send(fd_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
}

collected_socket& collected_socket::of(int fd) { return all().try_emplace(fd, fd).first->second; }

void collected_socket::forget(int fd) { all().erase(fd); }

void collected_socket::flush() {
    std::size_t left = 0;
    while (left < out_.size()) {
        const auto count = write(std::string_view(out_).substr(left));
        if (count >= 0) {
            left += static_cast<std::size_t>(count);
        } else if (errno == EAGAIN) {
            const bool reads = tls_ && SSL_want_read(tls_.get());
            pollfd room{
                .fd = fd_, .events = static_cast<short>(reads ? POLLIN : POLLOUT), .revents = 0};
            ::poll(&room, 1, -1);
        } else if (errno != EINTR) {
            break; // the next read tells of it
        }
    }
    out_.clear();
}

ssize_t collected_socket::receive(void* to, std::size_t most) {
    if (!collects_)
        return read(to, most);
    if (begin_ == end_) {
        begin_ = end_ = 0;
        const auto count = read(in_.data(), in_.size());
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
