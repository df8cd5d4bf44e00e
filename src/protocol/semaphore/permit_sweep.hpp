// SPDX-License-Identifier: BSL-1.0
// When all permits are listed after answers were lost.
#pragma once

#include "protocol/semaphore/state_table.hpp"
#include "protocol/session_context.hpp"

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace turnstile::protocol {

class semaphore;

enum class sweep_state : std::uint8_t {
    resting,
    due, // on the next connection, or once the server has less to do
    listing,
    outdated, // an answer was lost since the listing was sent
};

inline constexpr std::array sweep_states = [] {
    using enum sweep_state;
    using entry = state_entry<sweep_state>;
    return std::array{
        entry{resting, {resting, due, listing, outdated}}, // listed, or the session is over
        entry{due, {resting, due, listing, outdated}}, // an answer was lost, or the listing's own
        entry{listing, {due}},
        entry{outdated, {listing, outdated}},
    };
}();

/// The name of a permit tells the session and the attempt that made it. So one listing tells all: a
/// permit of an attempt whose answer is awaited, or that is held, is left alone. One that was taken
/// in line by an acquire that still waits is its own: only the first could take it. All others of
/// this session have no owner. A transaction that was held back on its way may be carried out
/// late, so the last listing comes a while after the last lost answer.
class permit_sweep {
public:
    using permits_by_taker = std::map<ticket_id, std::vector<std::string>>; // names

    permit_sweep(semaphore& owner, session_context& shared)
        : owner_(owner), context_(shared), last_(shared.clock) {}

    /// An answer was lost with its connection.
    void put_on_next_connection();
    /// What a lost answer may have made has no owner any more.
    void start_anew();
    /// Sends the listing that is due.
    void go_on();
    bool is_listing() const {
        return state_ == sweep_state::listing || state_ == sweep_state::outdated;
    }
    bool is_resting() const { return state_ == sweep_state::resting && !last_.pending(); }

    void on_disconnected();
    void stop();

private:
    void on_listed(const reply& answer);

    semaphore& owner_;
    session_context& context_;
    tabled_state<sweep_states> state_;
    timer last_;
    bool is_last_ = false; // what came late has come
};

} // namespace turnstile::protocol
