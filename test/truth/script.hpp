// SPDX-License-Identifier: BSL-1.0
// Draws what happens next.
#pragma once

#include "model_side.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <random>
#include <string>

namespace turnstile::test {

/// Requests that the library sends, in any order and at any path, by sessions that come, lose their
/// connection, go and are ended; and other hands. Drawn from a seed and from the modelled world as
/// it stands, so that most requests meet what is there.
class script {
public:
    /// Without patience, no session is left to expire.
    script(std::uint64_t seed, const model_side& world, bool patient)
        : random_(seed), world_(world), patient_(patient) {}

    step next();

private:
    std::uint64_t below(std::uint64_t limit) { return random_() % limit; }
    bool one_in(std::uint64_t n) { return below(n) == 0; }

    bool may_expire(std::size_t who) const;
    step ask(std::size_t who);
    step end_a_session(std::size_t who);
    step by_hand(std::size_t who);
    protocol::request any_request();
    protocol::request any_transaction(const std::string& data);
    std::string any_folder();
    std::string any_node();

    std::mt19937_64 random_;
    const model_side& world_;
    const bool patient_;
    std::optional<model_right> denied_{};
    std::map<std::size_t, protocol::request_id> ids_;
};

} // namespace turnstile::test
