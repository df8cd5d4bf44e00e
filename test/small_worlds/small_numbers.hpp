// Who is who in a small world, for the numbers of sessions, connections and tickets tell their
// client; and how long it lasts.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>

namespace turnstile::test::small_numbers {

/// A world that lasted as long would be one that waits for ever. So what is due in as long is never
/// due.
inline constexpr auto longest_run = std::chrono::minutes{1};

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

inline constexpr std::uint64_t most_tickets = 100; // of a client

/// The ticket by which a reader is to hold the lock to write: of the same client, and no acquire's.
constexpr std::uint64_t writer_of(std::uint64_t reader, std::size_t clients) {
    return reader + most_tickets * clients;
}

inline constexpr std::uint64_t most_acquires = 16; // of a client that asks for more

/// What a client asks for beside its acquires, in order: parts of several locks, and look-ups.
constexpr std::uint64_t further(std::size_t client, std::uint64_t count, std::size_t clients) {
    return 1 + client + (most_acquires + count) * clients;
}
constexpr bool is_further(std::uint64_t id, std::size_t clients) {
    return id > most_acquires * clients && id <= most_tickets * clients;
}

} // namespace turnstile::test::small_numbers
