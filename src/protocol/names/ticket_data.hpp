// What a ticket says about who stands there.
#pragma once

#include <string>
#include <string_view>

namespace turnstile::protocol {

struct ticket_data {
    std::string host;
    std::string process;
    std::string label;

    /// One `key=value` a line; line breaks in values become spaces. The request is the same for all
    /// tries of one acquire.
    std::string str(std::string_view request) const;
};

/// The request id that a ticket's data carries; empty where it has none.
std::string_view request_of(std::string_view data);

} // namespace turnstile::protocol
