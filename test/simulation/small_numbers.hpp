// Who is who in a small world: the numbers of sessions, connections and tickets tell their client.
#pragma once

#include <cstddef>
#include <cstdint>

namespace turnstile::test::small_numbers {

inline constexpr std::uint64_t each = 1000; // connections that a client may make
inline constexpr std::uint64_t first_session = 0x1000;

constexpr std::uint64_t connection(std::size_t client, std::uint64_t count) {
    return client * each + count;
}
constexpr std::size_t client_of_connection(std::uint64_t number) { return number / each; }

/// Says nothing of the order in which sessions were opened.
constexpr std::uint64_t session(std::uint64_t connection) { return first_session + connection; }
constexpr std::size_t client_of_session(std::uint64_t session) {
    return client_of_connection(session - first_session);
}

/// Tickets count from 1, and are dealt out in turn.
constexpr std::size_t client_of_ticket(std::uint64_t id, std::size_t clients) {
    return (id - 1) % clients;
}

} // namespace turnstile::test::small_numbers
