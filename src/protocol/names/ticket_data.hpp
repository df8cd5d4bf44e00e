// SPDX-License-Identifier: BSL-1.0
// What a ticket says about who stands there: a form that other versions read, too.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace turnstile::protocol {

/// Lines of `key=value`, the version first. Readers pass over keys that they do not know, so a new
/// key needs no new version; a version changes if a known key is to mean something else.
struct ticket_data {
    static constexpr int current_version = 1;

    int version = current_version; // 0: before there was one
    std::string request{};         // the same for all tries of one acquire
    std::string host{};
    std::string process{};
    std::string label{};
    std::string ticket{}; // of a request to yield: the ticket that is meant, by name and czxid
    std::string value{};  // of a candidate, or the reason of a request to yield: any bytes

    /// Reads a ticket of any version, a newer one as far as it is understood. Nothing if another
    /// program wrote the data. If a key comes twice, the first counts.
    static std::optional<ticket_data> parse(std::string_view data);
    /// The data of a ticket of this host, process and label. Line breaks in those become spaces.
    /// Request and ticket have none. The value may have any bytes.
    std::string str(std::string_view of_request, std::string_view with_value = {},
                    std::string_view of_ticket = {}) const;

    bool operator==(const ticket_data&) const = default;
};

/// A reader's ticket says so, once it was granted in company: no exclusive ticket stands below it.
/// That stays true for ever, since a new ticket gets a higher number.
inline constexpr std::string_view clear_mark = "clear=1\n";
bool is_marked_clear(std::string_view data);

/// The request id that a ticket's data carries; empty if it has none.
std::string_view request_of(std::string_view data);

} // namespace turnstile::protocol
