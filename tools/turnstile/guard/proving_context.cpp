// SPDX-License-Identifier: BSL-1.0
#include "guard/proving_context.hpp"

#ifdef TURNSTILE_COMMAND_TLS
#include <boost/asio/ssl/context.hpp>

#include <openssl/ssl.h>

#include <cstddef>
#include <new>
#endif

namespace turnstile::command {

#ifdef TURNSTILE_COMMAND_TLS

namespace {

// A message of TLS 1.3 without a certificate; that of TLS 1.2 is shorter.
constexpr std::size_t nothing_shown = 8;

/// The index of the mark of a connection that has sent its certificate. Below zero: no memory.
int mark() {
    static const int index = SSL_get_ex_new_index(0, nullptr, nullptr, nullptr, nullptr);
    return index;
}

/// Called for each message of TLS. Marks a connection that sends its certificate.
void on_message(int sent, int, int kind, const void* bytes, std::size_t count, SSL* handle, void*) {
    if (sent != 0 && kind == SSL3_RT_HANDSHAKE && count > nothing_shown &&
        *static_cast<const unsigned char*>(bytes) == SSL3_MT_CERTIFICATE)
        SSL_set_ex_data(handle, mark(), handle);
}

/// Called at each step of TLS. After the handshake it stops a connection that is not marked.
void on_state(const SSL* handle, int where, int) {
    if ((where & SSL_CB_HANDSHAKE_DONE) != 0 && !SSL_get_ex_data(handle, mark()))
        SSL_set_shutdown(const_cast<SSL*>(handle), SSL_SENT_SHUTDOWN); // each write is refused
}

} // namespace

std::shared_ptr<boost::asio::ssl::context> make_proving_context(const tls_options& how) {
    auto result = make_context(how);
    if (mark() < 0)
        throw std::bad_alloc();
    SSL_CTX_set_msg_callback(result->native_handle(), on_message);
    SSL_CTX_set_info_callback(result->native_handle(), on_state);
    return result;
}

#else

std::shared_ptr<boost::asio::ssl::context> make_proving_context(const tls_options& how) {
    return make_context(how); // which throws
}

#endif

} // namespace turnstile::command
