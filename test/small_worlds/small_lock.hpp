// The lock of a small world: what is asked of it, and when somebody waits for nothing.
#pragma once

#include "small_limits.hpp"
#include "small_server.hpp"

#include "promises/judge.hpp"
#include "protocol/session/acquire_request.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace turnstile::test {

class small_lock {
public:
    /// `others`: by ticket, whether it asks for what the mix has beside the usual.
    small_lock(const small_limits& limits, std::vector<bool> others)
        : limits_(limits), others_(std::move(others)) {}

    static const std::string& path();
    promises::lock_kind kind() const;
    /// Makes what is to be there before all else.
    void prepare(small_server& server) const;
    protocol::acquire_request asked_by(protocol::ticket_id id) const;
    protocol::ticket_kind kind_of(protocol::ticket_id id) const;
    /// Two leases instead of one.
    std::uint32_t leases_of(protocol::ticket_id id) const;

    /// Where nothing is under way: whether somebody waits whom nothing stands in the way of.
    bool finds_forgotten(const model_tree& tree, const promises::judge& judge) const;
    /// Nodes and watches that nobody has a use for when all is over.
    std::vector<std::string> left_on(const small_server& server) const;

private:
    bool is_waiting(const promises::judge& judge) const; // anybody
    bool line_forgets(const model_tree& tree, const promises::judge& judge) const;
    bool semaphore_forgets(const model_tree& tree, const promises::judge& judge) const;

    small_limits limits_;
    std::vector<bool> others_;
};

} // namespace turnstile::test
