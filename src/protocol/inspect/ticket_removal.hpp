// SPDX-License-Identifier: BSL-1.0
// Deletes another session's ticket or lease.
#pragma once

#include "protocol/wire/path_question.hpp"

#include <turnstile/participant.hpp>

#include <cstdint>
#include <string>
#include <utility>

namespace turnstile::protocol {

/// Deletes the node only if it still has the session and the ctime of the one that is meant. The
/// node of a lock of one node has the name of its predecessor, so the version of the lock
/// path counts as well. After a lost answer it looks again.
class ticket_removal : public path_question {
public:
    ticket_removal(std::string lock_path, participant which)
        : path_(std::move(lock_path)), which_(std::move(which)), now_(first_step()) {}

    request question() const override;
    void on_answer(const reply& answer) override;

private:
    enum class step : std::uint8_t { reading_path, reading, removing };

    bool is_name_used_again() const;
    step first_step() const { return is_name_used_again() ? step::reading_path : step::reading; }
    std::string node_path() const { return path_ + '/' + which_.node; }
    bool is_meant(const node_stat& found) const;
    void on_removed(const reply& answer);

    std::string path_;
    participant which_;
    step now_;
    std::int32_t path_version_ = 0;
};

} // namespace turnstile::protocol
