// SPDX-License-Identifier: BSL-1.0
// SASL with the servers, if the library is built with it.
#pragma once

#include <turnstile/sasl.hpp>

#include <memory>
#include <string>
#include <string_view>

namespace turnstile::zookeeper {

/// The result of one step, which takes a token of the server.
struct sasl_step {
    std::string token{};    // to be sent
    bool sends = false;     // the token is to be sent, even if it is empty
    bool is_last = false;   // this side has proved all: it needs no more tokens
    std::string wrong{};    // why the exchange failed; empty: it has not
    bool by_server = false; // it failed through the server, and not through what is here
    bool unusable = false;  // it failed since the settings cannot be used here
};

/// The exchange on one connection. Its functions may block for seconds, as Kerberos and the look-up
/// of this host's own name do. One of them runs at a time, on any thread.
class sasl_exchange {
public:
    virtual ~sasl_exchange() = default;

    /// Makes the first token. It is empty if the mechanism lets the server begin.
    virtual sasl_step begin() = 0;
    virtual sasl_step answer(std::string_view server_token) = 0;
};

/// What all exchanges of a session share: the settings, and the tickets.
class sasl {
public:
    virtual ~sasl() = default;

    /// Says why the settings cannot be used here; empty: they can. It loads libraries and looks at
    /// files.
    virtual std::string trouble() const = 0;
    /// Makes an exchange with the server of that name. It uses tickets that were got earlier, or
    /// gets new ones first.
    virtual std::unique_ptr<sasl_exchange> with(const std::string& server,
                                                bool renews_tickets) const = 0;
    virtual bool has_tickets() const = 0;
    /// Who we are, for messages: it has no secret.
    virtual std::string identity() const = 0;
};

/// Null if the settings can be used nowhere: `wrong` says why. It does no I/O.
std::shared_ptr<const sasl> make_sasl(const sasl_options& how, std::string& wrong);

} // namespace turnstile::zookeeper
