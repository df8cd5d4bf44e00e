// SPDX-License-Identifier: BSL-1.0
// What tests of TLS share: certificates, servers with a TLS port, and how a session meets them.
#pragma once

#include "cancel_support.hpp"
#include "fault_rig.hpp"
#include "fixture.hpp"
#include "log_record.hpp"

#include "support/certificates.hpp"

namespace turnstile::test {

inline const certificates& shared_certificates() {
    static const certificates all;
    return all;
}

inline zookeeper_server_options secured(const std::string& client_auth = "none",
                                        const std::string& certificate = "server") {
    zookeeper_server_options how;
    make_secure(how, shared_certificates(), client_auth, certificate);
    return how;
}

/// Asks no client for a certificate, and shows one for 127.0.0.1.
inline zookeeper_server& shared_secure_server() {
    static zookeeper_server server{[] {
        auto how = secured();
        how.max_session_timeout_ms = 60'000; // on a busy machine two handshakes take seconds
        return how;
    }()};
    return server;
}

inline tls_options trusting(const std::string& authority = "ca") {
    return {.authorities_file = shared_certificates().file(authority)};
}

inline tls_options showing(const std::string& certificate) {
    auto result = trusting();
    result.certificate_file = shared_certificates().file(certificate);
    result.key_file = shared_certificates().file(certificate, ".key");
    return result;
}

inline session_options
tls_session(const tls_options& how,
            const std::string& servers = shared_secure_server().secure_address()) {
    auto options = impatient(servers);
    options.tls = how;
    return options;
}

/// A connect that fails, and the words for it: those of its last attempt within the limit.
struct failed_connect {
    error_code code;
    std::string words;
};
inline failed_connect connect_in_vain(fixture& f, session_options options,
                                      std::chrono::seconds limit = std::chrono::seconds{2}) {
    options.connect_timeout = limit;
    session s{f.context, options};
    diagnostics told;
    const auto code =
        result_of(f, [&](auto t) { s.connect(with_diagnostics(told, std::move(t))); });
    REQUIRE(code != error_code{});
    return {code, told.cause};
}

/// The log's words for the first attempt, however long a server takes that has just started.
inline std::string refusal_of(fixture& f, session_options options, log_record& record) {
    options.log = {.level = log_level::warning, .sink = record.sink()};
    options.timeout = std::chrono::seconds{120};        // an attempt has a quarter of it,
    options.connect_timeout = std::chrono::seconds{90}; // and a third of this
    session s{f.context, options};
    s.connect([](const error_code&) {});
    f.run_until([&] { return record.mentions(" cannot be used: "); }, std::chrono::seconds{30});
    return record.lines.empty() ? std::string() : record.lines.back().second;
}
inline std::string refusal_of(fixture& f, session_options options) {
    log_record record;
    return refusal_of(f, std::move(options), record);
}

} // namespace turnstile::test
