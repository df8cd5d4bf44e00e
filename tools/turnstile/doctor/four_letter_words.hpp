// SPDX-License-Identifier: BSL-1.0
// ZooKeeper's four-letter words, which a server answers without a session.
#pragma once

#include "options/server_address.hpp"

#include <turnstile/tls.hpp>

#include <boost/asio/awaitable.hpp>

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

namespace turnstile::command {

/// What a server said to one word, and what was learned about it on the way.
struct word_answer {
    bool named = false;     ///< an address was found for the server's name
    std::string failed{};   ///< why there is no connection; empty: there was one
    std::string text{};     ///< the answer; empty: the server said nothing
    std::string own_host{}; ///< our address as the server sees it
    std::string server{};   ///< the address and the port that were reached, with a blank between
    std::string tls{};      ///< the version, such as "TLSv1.2"; empty: TLS is not spoken
    int days_left{};        ///< how long the server's certificate is valid
};

/// Sends a word to a server, by TLS if `tls` has its settings. Returns what was learned within the
/// limit.
boost::asio::awaitable<word_answer> ask_word(const server_address& where,
                                             const std::optional<tls_options>& tls,
                                             std::string_view word,
                                             std::chrono::milliseconds limit);

} // namespace turnstile::command
