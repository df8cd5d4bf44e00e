// SPDX-License-Identifier: BSL-1.0
// Lists the tickets in line under a lock path, and reads the data of the first ones.
#pragma once

#include "protocol/wire/path_question.hpp"

#include <turnstile/participant.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace turnstile::protocol {

/// The order is that of one listing. A ticket that leaves the line afterwards stays in the result,
/// as gone. A semaphore takes two listings more: of its line, and then of its permits. An acquire
/// that takes permits in between is listed twice rather than not at all.
/// (Rules: docs/internals/protocol/connection.md)
class line_survey : public path_question {
public:
    /// `most`: how many tickets' data is asked for, from the first on.
    line_survey(std::string lock_path, std::size_t most)
        : path_(std::move(lock_path)), most_(most) {}

    std::vector<numbered_request> next() override;
    void on_answer_to(std::size_t number, const reply& answer) override;
    bool waits_anew() const override { return true; } // a long line takes its time

    const std::string& path() const { return path_; }
    /// Only its own session knows how many share a ticket.
    std::vector<participant> take();

private:
    struct member : participant {
        std::int32_t sequence = 0;
    };

    void on_list(std::string_view part, const reply& answer);
    void sort();
    std::size_t to_ask() const; // questions that are known so far
    void on_data(member& which, const reply& answer);
    void find_holders();

    std::string path_;
    std::size_t most_;
    std::vector<std::string_view> parts_{""}; // the paths to list, below the lock path
    std::vector<member> line_;
    std::size_t asked_ = 0; // questions so far; the first are the listings
    std::size_t answered_ = 0;
    zookeeper_code listed_ = zookeeper_code::ok; // the code of the listings
};

} // namespace turnstile::protocol
