// Some processes, one modelled ensemble, random work and random faults; all from one seed.
#pragma once

#include "belief_checker.hpp"
#include "model_client.hpp"
#include "model_network.hpp"

#include <memory>
#include <string>
#include <vector>

namespace turnstile::test {

/// What may happen in a run. A seed draws a part of it, so that each fault is also seen alone.
struct fault_plan {
    bool cuts = false;
    bool hangs = false;
    bool kills = false;        // sessions ended by an operator
    bool crashes = false;      // processes that die
    bool outages = false;      // no server takes connections for a while
    bool late_creates = false; // held back on their way, past a reconnect
    bool reaps = false;        // empty lock paths are deleted
    bool deletions = false;    // tickets deleted by an operator: no exclusion then
    bool readers = false;
    bool cancels = false;
    bool small_budget = false;
    bool single_path = false;

    static fault_plan drawn_from(std::uint64_t seed);
    std::string str() const;
};

class simulation {
public:
    explicit simulation(std::uint64_t seed, const fault_plan& plan, bool traced = false);

    /// Work under faults, then without, then close. Stops at the first violation.
    void run();

    const std::vector<std::string>& violations() const;
    const std::vector<std::string>& trace() const { return trace_; }
    std::size_t grants() const { return grants_; }

private:
    void start_client();
    void work(model_client& client);
    void do_something_bad();
    void run_until(protocol::instant end, bool until_settled);
    void check_nothing_left();
    bool settled() const;
    protocol::duration up_to(protocol::duration longest) { return network_.up_to(longest); }
    bool one_in(std::uint64_t many) { return network_.below(many) == 0; }
    model_client& any_client();
    std::string any_path();

    std::uint64_t seed_;
    fault_plan plan_;
    bool traced_;
    event_queue events_;
    model_network network_;
    belief_checker beliefs_;
    std::vector<std::string> reports_;
    std::vector<std::string> trace_;
    std::vector<std::unique_ptr<model_client>> clients_; // dead ones too
    protocol::ticket_id last_ticket_ = 0;
    std::size_t grants_ = 0;
    bool working_ = true;
};

} // namespace turnstile::test
