// SPDX-License-Identifier: BSL-1.0
// Deletes one participant's node below a lock path, also another session's.
#pragma once

#include "protocol/wire/path_question.hpp"

#include <turnstile/participant.hpp>

#include <cstdint>
#include <string>
#include <utility>

namespace turnstile::protocol {

/// Reads the node, and deletes it only if its session and its ctime are those of the participant. A
/// lock of one node uses one name for all its nodes. So its deletion also checks the version of the
/// lock path, which each new holder raises. After a lost answer the question begins anew.
class ticket_removal : public path_question {
public:
    ticket_removal(std::string lock_path, participant who)
        : path_(std::move(lock_path)), who_(std::move(who)), step_(first_step()) {}

    request question() const override;
    void on_answer(const reply& answer) override;

private:
    enum class step : std::uint8_t {
        reading_path, // for its version; only for a lock of one node
        reading_node,
        removing,
    };

    /// Whether the node is that of a lock of one node.
    bool is_name_reused() const;
    step first_step() const { return is_name_reused() ? step::reading_path : step::reading_node; }
    std::string node_path() const { return path_ + '/' + who_.node; }
    /// Whether the node that was read is the participant's.
    bool is_meant(const node_stat& node) const;
    void on_removed(const reply& answer);

    std::string path_;
    participant who_;
    step step_;
    std::int32_t path_version_ = 0;
};

} // namespace turnstile::protocol
