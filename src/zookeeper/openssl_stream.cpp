// SPDX-License-Identifier: BSL-1.0
// TLS by OpenSSL. Not compiled if the library is built without it.
#include "zookeeper/tls_stream.hpp"

#include <boost/asio/buffer.hpp>
#include <boost/asio/error.hpp>
#include <boost/asio/ip/address.hpp>
#include <boost/asio/ssl/context.hpp>
#include <boost/asio/ssl/error.hpp>
#include <boost/asio/ssl/stream.hpp>
#include <boost/asio/write.hpp>

#include <openssl/bio.h>
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <openssl/x509.h>
#include <openssl/x509_vfy.h>
#include <openssl/x509v3.h>

#include <array>
#include <filesystem>
#include <system_error>
#include <utility>

namespace turnstile::zookeeper {

namespace asio = boost::asio;
namespace ssl = boost::asio::ssl;
using boost::system::error_code;

namespace {

/// Whether the host is an IP address, and no name.
bool is_address(const std::string& host) {
    error_code no_address;
    asio::ip::make_address(host, no_address);
    return !no_address;
}

std::string in_quotes(const std::string& text) { return '"' + text + '"'; }

struct bio_closer {
    void operator()(BIO* which) const noexcept { BIO_free(which); }
};
using bio_ptr = std::unique_ptr<BIO, bio_closer>;

/// Returns the text that `print` writes into a BIO.
template <class Print>
std::string text_by(Print print) {
    const bio_ptr to(BIO_new(BIO_s_mem()));
    char* text = nullptr;
    if (to)
        print(to.get());
    const auto size = to ? BIO_get_mem_data(to.get(), &text) : 0;
    return size > 0 ? std::string(text, static_cast<std::size_t>(size)) : std::string();
}

/// Says why our own certificate is not valid now. Empty: it is, or there is none. Nothing but its
/// dates is checked.
std::string date_trouble_of(const X509* own) {
    const auto at = [](const ASN1_TIME* when) {
        return text_by([&](BIO* to) { ASN1_TIME_print(to, when); });
    };
    if (own && X509_cmp_current_time(X509_get0_notAfter(own)) < 0)
        return "our own certificate expired at " + at(X509_get0_notAfter(own));
    if (own && X509_cmp_current_time(X509_get0_notBefore(own)) > 0)
        return "our own certificate is not valid before " + at(X509_get0_notBefore(own));
    return {};
}

/// TLS by OpenSSL. Handlers keep it alive: OpenSSL works in its buffers even when the socket is
/// closed.
class openssl_stream final : public tls_stream,
                             public std::enable_shared_from_this<openssl_stream> {
public:
    openssl_stream(tcp_socket socket, ssl::context& context, std::string server)
        : stream_(std::move(socket), context), server_(std::move(server)) {
        const auto handle = stream_.native_handle();
        if (is_address(server_)) {
            X509_VERIFY_PARAM_set1_ip_asc(SSL_get0_param(handle), server_.c_str());
        } else {
            X509_VERIFY_PARAM_set1_host(SSL_get0_param(handle), server_.c_str(), server_.size());
            SSL_set_tlsext_host_name(handle, server_.c_str()); // for a proxy that asks for it
        }
    }

    void handshake(handler done) override {
        stream_.async_handshake(
            ssl::stream_base::client,
            [self = shared_from_this(), done = std::move(done)](const error_code& error) {
                self->is_secure_ = !error;
                done(error, 0);
            });
    }

    void read(handler done) override {
        stream_.async_read_some(asio::buffer(in_), [self = shared_from_this(),
                                                    done = std::move(done)](const error_code& error,
                                                                            std::size_t count) {
            // ZooKeeper's servers close without TLS's close_notify.
            done(error == ssl::error::stream_truncated ? asio::error::eof : error, count);
        });
    }

    std::string_view bytes(std::size_t count) const override { return {in_.data(), count}; }

    // It writes from a copy: the bytes must stay the same until the write is over.
    std::size_t write_now(std::string_view bytes, error_code& error) override {
        error = writing_ ? asio::error::would_block : write_error_;
        if (error)
            return 0;
        writing_ = true;
        out_ = bytes;
        asio::async_write(stream_, asio::buffer(out_),
                          [self = shared_from_this()](const error_code& failed, std::size_t) {
                              self->writing_ = false;
                              self->write_error_ = failed;
                              if (const auto done = std::exchange(self->on_written_, nullptr))
                                  done(failed, 0);
                          });
        return bytes.size();
    }

    void wait_writable(handler done) override { on_written_ = std::move(done); }

    tcp_socket& socket() override { return stream_.next_layer(); }

    std::string trouble(const error_code& error) override {
        auto own = date_trouble_of(SSL_get_certificate(stream_.native_handle()));
        // After a handshake the server's certificate counts as good, whatever was found: a context
        // of the user's may let it pass.
        const auto verified =
            is_secure_ ? X509_V_OK : SSL_get_verify_result(stream_.native_handle());
        if (verified == X509_V_ERR_HOSTNAME_MISMATCH || verified == X509_V_ERR_IP_ADDRESS_MISMATCH)
            return "its certificate is for another name than " + in_quotes(server_);
        if (verified != X509_V_OK)
            return std::string("its certificate is not trusted: ") +
                   X509_verify_cert_error_string(verified);
        if (error.category() != asio::error::get_ssl_category()) {
            if (is_secure_)
                return {};
            if (!own.empty())
                return own;
            if (error == asio::error::timed_out)
                return error.message();
            return "the server closed the connection in the TLS handshake: this port may be one "
                   "without TLS, or wants a certificate";
        }
        const auto reason = ERR_GET_REASON(static_cast<unsigned long>(error.value()));
        if (reason == SSL_R_WRONG_VERSION_NUMBER)
            return "what it sent is not TLS: this port may be one without TLS";
        if (reason >= SSL_AD_REASON_OFFSET)
            return "the server ended TLS: " + error.message() +
                   (own.empty() ? ". It may want a certificate, or another one" : "; " + own);
        return error.message();
    }

private:
    ssl::stream<tcp_socket> stream_;
    std::string server_;
    std::array<char, 16 * 1024> in_{}; // the last read; a record of TLS has no more
    std::string out_;                  // the last write
    bool is_secure_ = false;           // the handshake has succeeded
    bool writing_ = false;
    error_code write_error_; // of the last write
    handler on_written_;     // of wait_writable(); empty: nobody waits
};

} // namespace

// The first file that cannot be used ends it: `wrong` says which.
std::shared_ptr<ssl::context> make_context(const tls_options& how, std::string& wrong) {
    if (how.context)
        return how.context;
    auto made = std::make_shared<ssl::context>(ssl::context::tls_client);
    const auto use = [&](const char* option, const std::string& file, auto read) {
        error_code failed;
        if (wrong.empty() && !file.empty())
            read(file, failed);
        if (failed)
            wrong = "tls." + std::string(option) + " = " + in_quotes(file) +
                    " cannot be used: " + failed.message();
    };
    use("authorities_file", how.authorities_file,
        [&](auto& file, auto& failed) { made->load_verify_file(file, failed); });
    use("authorities_folder", how.authorities_folder, [&](auto& folder, auto& failed) {
        if (std::filesystem::is_directory(folder, failed) && !failed) // OpenSSL would not say it
            made->add_verify_path(folder, failed);
        else if (!failed)
            failed = make_error_code(std::errc::not_a_directory);
    });
    if (how.authorities_file.empty() && how.authorities_folder.empty())
        made->set_default_verify_paths();
    use("certificate_file", how.certificate_file,
        [&](auto& file, auto& failed) { made->use_certificate_chain_file(file, failed); });
    // OpenSSL would ask for a password at the terminal.
    made->set_password_callback([](auto, auto) { return std::string(); });
    use("key_file", how.key_file.empty() ? how.certificate_file : how.key_file,
        [&](auto& file, auto& failed) {
            made->use_private_key_file(file, ssl::context::pem, failed);
        });
    made->set_verify_mode(ssl::verify_peer);
    return wrong.empty() ? made : nullptr;
}

std::vector<std::string> files_of(const tls_options& how) {
    std::vector<std::string> files;
    for (const auto& [name, value, is_path] : tls_options::texts)
        if (is_path && !(how.*value).empty())
            files.push_back(how.*value);
    if (how.authorities_file.empty() && how.authorities_folder.empty())
        files.insert(files.end(), {X509_get_default_cert_file(), X509_get_default_cert_dir()});
    return files;
}

std::shared_ptr<tls_stream> make_tls_stream(tcp_socket socket,
                                            const std::shared_ptr<ssl::context>& context,
                                            const std::string& server) {
    return std::make_shared<openssl_stream>(std::move(socket), *context, server);
}

own_certificate certificate_of(ssl::context& context) {
    const auto* const own = SSL_CTX_get0_certificate(context.native_handle());
    if (!own)
        return {};
    // As RFC 2253 has it, but characters beyond ASCII are not escaped.
    constexpr auto form = XN_FLAG_RFC2253 & ~static_cast<unsigned long>(ASN1_STRFLGS_ESC_MSB);
    return {.subject = text_by(
                [&](BIO* to) { X509_NAME_print_ex(to, X509_get_subject_name(own), 0, form); }),
            .trouble = date_trouble_of(own)};
}

} // namespace turnstile::zookeeper
