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
    /// `sorts`: by ticket, what it asks for.
    small_lock(const small_limits& limits, std::vector<std::uint8_t> sorts)
        : limits_(limits), sorts_(std::move(sorts)) {}

    /// Several only where they are taken as one; then in the order of their keys.
    std::vector<std::string> paths() const;
    promises::lock_kind kind() const;
    /// Makes what is to be there before all else.
    void prepare(small_server& server) const;
    protocol::acquire_request asked_by(protocol::ticket_id id) const;
    protocol::ticket_kind kind_of(protocol::ticket_id id) const;
    /// Two leases instead of one.
    std::uint32_t leases_of(protocol::ticket_id id) const;
    bool takes_all(protocol::ticket_id id) const;
    /// What a client asks for to take all. The first client names the locks in another order than
    /// the others do.
    std::vector<protocol::acquire_request> parts_for(std::size_t client) const;
    std::uint8_t sort_of(protocol::ticket_id id) const { return sorts_[id - 1]; }

    /// Where nothing is under way: whether somebody waits whom nothing stands in the way of.
    bool finds_forgotten(const model_tree& tree, const promises::judge& judge) const;
    /// Nodes and watches that nobody has a use for when all is over.
    std::vector<std::string> left_on(const small_server& server) const;

private:
    bool is_waiting(const promises::judge& judge) const; // anybody
    static bool line_forgets(const model_tree& tree, const std::string& path,
                             const promises::judge& judge);
    bool semaphore_forgets(const model_tree& tree, const promises::judge& judge) const;

    small_limits limits_;
    std::vector<std::uint8_t> sorts_;
};

} // namespace turnstile::test
