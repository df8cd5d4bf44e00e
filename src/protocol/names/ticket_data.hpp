// SPDX-License-Identifier: BSL-1.0
// The data of a ticket: which acquire it is of, and in which process.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace turnstile::protocol {

/// A node has it as lines of `key=value`, such as `host=web7`: the version comes first
/// (`turnstile=1`), and the value last. Other versions of the library read them, too. A reader
/// passes over keys that it does not know, so a new key needs no new version. The version changes
/// only if a known key is to mean something else.
struct ticket_data {
    static constexpr int current_version = 1;

    int version = current_version; // 0: written before there were versions
    std::string request{};         // the request_mark: the same for all tries of one acquire
    std::string host{};
    std::string process{};
    std::string label{};
    std::string ticket{}; // of a request to yield: the name and the czxid of the ticket it means
    std::string value{};  // of a candidate, or the reason of a request to yield: any bytes

    /// Reads the data of a node, of any version. Of a newer one it takes the keys that it knows.
    /// Returns nothing if another program wrote the data. If a key comes twice, the first counts.
    static std::optional<ticket_data> parse(std::string_view data);
    /// Writes the data of a node: this host, process and label, and the request mark, the value and
    /// the ticket that are given. Line breaks become spaces, but not in the value.
    std::string str(std::string_view of_request, std::string_view with_value = {},
                    std::string_view of_ticket = {}) const;

    bool operator==(const ticket_data&) const = default;
};

/// The line that a reader adds to its ticket once it holds the lock, if the lock path has many
/// children. It says that no exclusive ticket has a lower number. That stays true for ever, since a
/// new ticket gets a higher one.
inline constexpr std::string_view clear_mark = "clear=1\n";
/// Whether the data of a ticket has that line.
bool is_marked_clear(std::string_view data);

/// The request mark in a ticket's data; empty if there is none.
std::string_view request_of(std::string_view data);

} // namespace turnstile::protocol
