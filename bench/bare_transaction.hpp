// SPDX-License-Identifier: BSL-1.0
// A transaction of the bare C client.
#pragma once

#include <zookeeper/zookeeper.h>

#include <deque>
#include <string>
#include <vector>

namespace turnstile::bench {

/// Its steps, and room for the answer. May be sent again once it was answered.
class bare_transaction {
public:
    bare_transaction() = default;
    bare_transaction(bare_transaction&&) = default;
    bare_transaction& operator=(bare_transaction&&) = default;
    bare_transaction(const bare_transaction&) = delete;
    bare_transaction& operator=(const bare_transaction&) = delete;
    ~bare_transaction() = default;

    void check(const std::string& path);
    void set(const std::string& path, const std::string& data);
    void remove(const std::string& path);
    /// An ephemeral sequential node with the data of a ticket.
    void create(const std::string& prefix);

    /// The paths of the nodes that were made, as the last answer says.
    std::vector<std::string> created() const;

private:
    friend class bare_client;

    // The C client keeps pointers into it.
    struct step {
        std::string path;
        std::string data{};
        std::string made{};
        Stat stat{};
    };
    zoo_op_t& add(step what);

    void* sender_ = nullptr; // who hears the answer
    std::deque<step> steps_;
    std::vector<zoo_op_t> ops_;
    std::vector<zoo_op_result_t> results_;
};

} // namespace turnstile::bench
