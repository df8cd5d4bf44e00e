#pragma once

#include <array>
#include <string_view>

namespace turnstile::matrix {

/// What comes after the fault.
enum class aftermath {
    same_server,    ///< the session goes on at the server where it was
    another_server, ///< that server takes no connections any more
    session_end     ///< the session ends before the library gets through again
};

inline constexpr std::array aftermaths{aftermath::same_server, aftermath::another_server,
                                       aftermath::session_end};

constexpr std::string_view name_of(aftermath after) {
    switch (after) {
    case aftermath::same_server:
        return "same-server";
    case aftermath::another_server:
        return "another-server";
    case aftermath::session_end:
        break;
    }
    return "session-end";
}

} // namespace turnstile::matrix
