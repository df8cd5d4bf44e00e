// SPDX-License-Identifier: BSL-1.0
// The login of a session by SASL. Each connection has an exchange of tokens with its server.
#pragma once

#include <turnstile/sasl.hpp>

#include <memory>
#include <string>
#include <string_view>

namespace turnstile::zookeeper {

/// The result of one step of an exchange.
struct sasl_step {
    std::string token{};    // for the server
    bool sends = false;     // the token is to be sent, even if it is empty
    bool is_last = false;   // this side is done: it needs no more tokens of the server
    std::string wrong{};    // why the exchange failed; empty: it has not
    bool by_server = false; // the server made it fail, and nothing on this side
    bool unusable = false;  // it failed since the settings cannot be used here
};

/// The exchange on one connection. sasl_login owns it, and runs its functions on a thread, one at a
/// time: they may block for seconds, as Kerberos and the look-up of this host's own name do.
class sasl_exchange {
public:
    virtual ~sasl_exchange() = default;

    /// Makes the first token. It is empty if the mechanism lets the server begin.
    virtual sasl_step begin() = 0;
    /// Takes a token of the server, and makes the next one.
    virtual sasl_step answer(std::string_view server_token) = 0;
};

/// The settings of a session's login, and its Kerberos tickets. All its exchanges share them.
class sasl {
public:
    virtual ~sasl() = default;

    /// Says why the settings cannot be used on this host; empty: they can. It loads libraries and
    /// looks at files.
    virtual std::string trouble() const = 0;
    /// Makes an exchange with the server of that name. It uses the tickets that the session has, or
    /// gets new ones first if `renews_tickets`.
    virtual std::unique_ptr<sasl_exchange> with(const std::string& server,
                                                bool renews_tickets) const = 0;
    /// Whether this is Kerberos, whose tickets can be renewed.
    virtual bool has_tickets() const = 0;
    /// Names the session's user or principal for a message, and no secret.
    virtual std::string identity() const = 0;
};

/// Null if the settings can be used on no host: then `wrong`, which was empty, says why. It does no
/// I/O.
std::shared_ptr<const sasl> make_sasl(const sasl_options& how, std::string& wrong);

} // namespace turnstile::zookeeper
