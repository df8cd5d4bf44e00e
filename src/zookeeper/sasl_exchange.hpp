// SPDX-License-Identifier: BSL-1.0
// SASL with the servers, where the library is built with it.
#pragma once

#include <turnstile/sasl.hpp>

#include <memory>
#include <string>
#include <string_view>

namespace turnstile::zookeeper {

/// What comes of one token of the server.
struct sasl_step {
    std::string token{};    // to be sent
    bool sends = false;     // there is one, which may be empty
    bool is_last = false;   // from our side all is well
    std::string wrong{};    // why there is no way on; empty where there is
    bool by_server = false; // and it is the server that is wrong, not what we have here
};

/// On one connection. Its functions may block for seconds, as Kerberos and the look-up of this
/// host's own name do. One of them runs at a time, on any thread.
class sasl_exchange {
public:
    virtual ~sasl_exchange() = default;

    /// Where the mechanism lets the server speak first, the first token is empty.
    virtual sasl_step begin() = 0;
    virtual sasl_step answer(std::string_view server_token) = 0;
};

/// What a session's exchanges share.
class sasl {
public:
    virtual ~sasl() = default;

    /// With the server of that name. It may prove itself by tickets that were got earlier, or get
    /// new ones first.
    virtual std::unique_ptr<sasl_exchange> with(const std::string& server,
                                                bool renews_tickets) const = 0;
    virtual bool has_tickets() const = 0;
    /// For messages: no secret.
    virtual std::string identity() const = 0;
};

/// What cannot be used of the settings; empty: nothing.
std::string wrong_with(const sasl_options& how);

/// Of settings that were usable. Where they no more are, the exchanges say so.
std::shared_ptr<const sasl> make_sasl(const sasl_options& how);

} // namespace turnstile::zookeeper
