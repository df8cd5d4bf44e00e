// SPDX-License-Identifier: BSL-1.0
// Somebody else's ticket or lease, taken out of a lock path.
#pragma once

#include "protocol/wire/failure.hpp"
#include "protocol/wire/message.hpp"
#include "protocol/wire/zookeeper_code.hpp"

#include <cstdint>
#include <string>
#include <utility>

namespace turnstile::protocol {

/// Asks one question at a time; the owner of a session sends it and brings the answer. It deletes
/// the node only if that is still the one that is meant: its session and its ctime say so. The node
/// of a lock of one node has the name of its predecessor, so the version of the lock path counts as
/// well. After a lost answer it looks again.
class ticket_removal {
public:
    struct ticket {
        std::string node{}; // its name under the lock path
        std::int64_t session = 0;
        std::int64_t ctime = 0;
    };

    ticket_removal(std::string lock_path, ticket which)
        : path_(std::move(lock_path)), which_(std::move(which)), now_(first_step()) {}

    request question() const;
    void on_answer(const reply& answer);

    bool over() const { return now_ == step::over; }
    failure why() const { return why_; }
    zookeeper_code code() const { return code_; }

private:
    enum class step : std::uint8_t { reading_path, reading, removing, over };

    bool is_name_used_again() const;
    step first_step() const { return is_name_used_again() ? step::reading_path : step::reading; }
    std::string node_path() const { return path_ + '/' + which_.node; }
    bool is_meant(const node_stat& found) const;
    void on_removed(const reply& answer);
    void end(failure why, zookeeper_code code = zookeeper_code::ok);

    std::string path_;
    ticket which_;
    step now_;
    std::int32_t path_version_ = 0;
    failure why_ = failure::none;
    zookeeper_code code_ = zookeeper_code::ok;
};

} // namespace turnstile::protocol
