// SPDX-License-Identifier: BSL-1.0
// Finds out who leads an election and what the leader proclaims, once or again and again.
#pragma once

#include "protocol/election/first_ticket.hpp"
#include "protocol/names/ticket_data.hpp"
#include "protocol/wire/path_question.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace turnstile::protocol {

/// The node beside the lock path that has the leader's proclamation. It counts for its ticket
/// alone.
inline std::string proclamation_node_of(const std::string& path) { return path + "%leader"; }
inline std::string proclamation_of(std::uint64_t token, const std::string& value) {
    return "token=" + std::to_string(token) + '\n' + value;
}

/// Sends two requests at a time: for the first ticket, and for the proclamation. It ends once both
/// are answered. With `follows` it goes on without an end: then each new leader or value is news.
class leader_watch : public path_question {
public:
    struct leader {
        std::int64_t czxid = 0; // of its ticket; 0: there is no leader
        std::int64_t session = 0;
        std::int64_t ctime = 0;
        ticket_data who{}; // with the value that it leads with
    };

    leader_watch(const std::string& lock_path, bool follows)
        : first_(lock_path, follows), node_(proclamation_node_of(lock_path)), follows_(follows) {}

    std::vector<numbered_request> next() override;
    void on_answer_to(std::size_t number, const reply& answer) override;
    bool waits_anew() const override { return true; }
    bool starts_over() override;
    bool has_news() override { return std::exchange(has_news_, false); }

    /// The leader; nothing until both requests are answered.
    const std::optional<leader>& found() const { return found_; }

private:
    enum : std::size_t { line, proclaimed };
    /// A request that is due goes with the next flight. One that was answered can be due again.
    enum class stage : std::uint8_t { due, asked, answered };

    void update();

    first_ticket first_;
    std::string node_;
    bool follows_;
    std::array<stage, 2> stages_{}; // of line and proclaimed
    std::string proclamation_{};
    std::optional<leader> found_{};
    bool has_news_ = false;
};

} // namespace turnstile::protocol
