// What a ticket says about who stands there.
#pragma once

#include <string>
#include <string_view>

namespace turnstile::protocol {

struct ticket_data {
    std::string host;
    std::string process;
    std::string label;
    std::string request; // the same for all tries of one acquire

    /// One `key=value` a line; line breaks in values become spaces.
    std::string str() const { return str_for(request); }
    /// The same with another request.
    std::string str_for(std::string_view other_request) const;
};

/// The request id that a ticket's data carries; empty where it has none.
std::string_view request_of(std::string_view data);

} // namespace turnstile::protocol
