#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace turnstile::interop {

/// One kind of lock of another library, as a contender beside Turnstile's mutex.
struct peer_kind {
    std::string_view name;
    std::string_view program; ///< a main class, or a Python script below peers
    std::string_view lock;    ///< the program's first argument
    bool shared = false;      ///< several peers may hold it at once
    bool excludes = true;     ///< false: known to hold beside Turnstile, which the run must see

    [[nodiscard]] bool in_java() const noexcept { return !program.ends_with(".py"); }
};

/// All that there are, in the order in which they run.
const std::vector<peer_kind>& peer_kinds();

/// Throws std::runtime_error where there is none of that name.
const peer_kind& peer_kind_of(std::string_view name);

} // namespace turnstile::interop
