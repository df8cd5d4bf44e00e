// SPDX-License-Identifier: BSL-1.0
// What a server tells without a session.
#pragma once

#include "server_address.hpp"

#include <turnstile/tls.hpp>

#include <boost/asio/awaitable.hpp>

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

namespace turnstile::command {

struct word_answer {
    bool named = false;     ///< an address was found for it
    std::string failed{};   ///< why there is no connection; empty where there was one
    std::string text{};     ///< empty, too, where the server is silent
    std::string own_host{}; ///< our address as the server sees it
    std::string server{};   ///< address and port that were reached
    std::string tls{};      ///< "TLSv1.2", where it is spoken
    int days_left{};        ///< of the server's certificate
};

/// Sends one of ZooKeeper's four-letter words, by TLS where that is given, and takes what comes
/// within the limit.
boost::asio::awaitable<word_answer> ask_word(const server_address& where,
                                             const std::optional<tls_options>& tls,
                                             std::string_view word,
                                             std::chrono::milliseconds limit);

} // namespace turnstile::command
