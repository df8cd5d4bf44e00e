// SPDX-License-Identifier: BSL-1.0
// A socket whose bytes are collected on both sides of the kernel.
#pragma once

#include <openssl/ssl.h>

#include <array>
#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <sys/types.h>

namespace turnstile::bench {

/// By TLS where that was asked for, without a check of the server's name. What the C client writes
/// leaves with flush(), in one write. One read takes what has arrived, and
/// the C client gets it piece by piece.
class collected_socket {
public:
    /// Made at the first call.
    static collected_socket& of(int fd);
    static void forget(int fd);

    explicit collected_socket(int fd);

    /// Nothing is collected from now on.
    void pass_each_piece() { collects_ = false; }
    void send(std::string_view bytes) {
        out_.append(bytes);
        if (!collects_)
            flush();
    }
    void flush();
    ssize_t receive(void* to, std::size_t most);
    bool has_input() const { return begin_ < end_ || (tls_ && SSL_pending(tls_.get()) > 0); }

private:
    struct end_of_tls {
        void operator()(SSL* which) const { SSL_free(which); }
    };

    ssize_t read(void* to, std::size_t most);
    ssize_t write(std::string_view bytes);
    ssize_t waits_for(int result) const;

    const int fd_;
    bool collects_ = true;
    std::unique_ptr<SSL, end_of_tls> tls_;
    std::string out_;
    std::array<char, 16 * 1024> in_{};
    std::size_t begin_ = 0;
    std::size_t end_ = 0;
};

} // namespace turnstile::bench
