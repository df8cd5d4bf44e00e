// SPDX-License-Identifier: BSL-1.0
// What the server says of the line that a run lines up.
#pragma once

#include "bare_client.hpp"
#include "progress.hpp"
#include "target.hpp"

#include <boost/asio/awaitable.hpp>

#include <cstddef>
#include <functional>
#include <initializer_list>
#include <optional>
#include <string>

namespace turnstile::bench {

class line_watch {
public:
    /// `check` throws what has gone wrong in the line meanwhile.
    line_watch(const target& server, bare_client& eyes, std::string path,
               std::function<void()> check)
        : server_(server), eyes_(eyes), path_(std::move(path)), check_(std::move(check)) {}

    /// Until so many tickets stand; throws std::runtime_error if they never do.
    boost::asio::awaitable<void> complete(std::size_t tickets, progress& shown);
    /// The same for the one ticket that was just asked for: without a pause in between.
    boost::asio::awaitable<void> joined(std::size_t tickets);
    std::size_t standing() { return eyes_.children(path_); }
    /// Until everybody watches the one before, as far as that can be seen.
    boost::asio::awaitable<void> settled();

    /// Watch events that the server ever sent; nothing if it does not count them (before 3.6).
    std::optional<double> events() const;
    /// Those of them that told of a node that was deleted.
    std::optional<double> deleted_events() const;

private:
    std::optional<double> sum_of(std::initializer_list<const char*> kinds) const;
    const target& server_;
    bare_client& eyes_;
    std::string path_;
    std::function<void()> check_;
};

} // namespace turnstile::bench
