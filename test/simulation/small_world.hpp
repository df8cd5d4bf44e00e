// A world so small that all that can happen in it can be tried.
#pragma once

#include "small_client.hpp"
#include "small_server.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace turnstile::test {

struct small_limits {
    std::size_t sessions = 3;
    std::size_t tickets = 4;
    std::size_t faults = 2; // connections cut, sessions ended, acquires cancelled
    protocol::mutant planted = protocol::mutant::none;
};

/// Time stands still as long as anything is under way. What can happen next is a list of choices in
/// a fixed order, so that a run is told by the numbers of its choices.
class small_world {
public:
    struct choice {
        enum class kind {
            start,     // the next acquire of a client
            release,   // a held lock
            take_in,   // the server reads from a client's connection
            late,      // or from one that the client has left
            hear,      // a client reads
            pass_time, // to the next timer of all
            cut,
            kill,
            cancel,
        };
        kind what{};
        std::size_t client = 0;
        protocol::ticket_id ticket = 0;

        std::string str() const;
    };

    explicit small_world(const small_limits& limits);

    std::vector<choice> choices() const;
    void take(const choice& next);
    /// Equal digests: equal states.
    std::uint64_t state() const;
    std::vector<std::string> violations() const;
    /// Everybody was served; from here on only time passes.
    bool finished() const;
    /// Lets everything under way arrive and time pass, then looks at what is left.
    void run_out();

private:
    static constexpr std::size_t most_ticks = 400; // nobody needs as many

    bool quiet() const;
    void pass_time();

    small_limits limits_;
    belief_checker beliefs_;
    small_server server_;
    std::vector<std::unique_ptr<small_client>> clients_;
    std::vector<std::vector<protocol::ticket_id>> planned_; // by client
    std::size_t faults_ = 0;
    std::size_t ticks_ = 0;
    protocol::instant now_{};
    std::vector<std::string> complaints_;
};

} // namespace turnstile::test
