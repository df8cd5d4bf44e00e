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

/// The line is that of one listing. A ticket that leaves it afterwards stays in the result, as
/// gone. For a semaphore two more listings follow: of its queue, and then of its permits. An
/// acquire that takes permits in between is listed twice rather than not at all.
///
/// The requests have numbers: first one for each folder that is listed (`folders_`), and behind
/// them one for each of the first tickets, whose data is read (`line_`). (Rules:
/// docs/internals/protocol/connection.md)
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

    /// How many requests there are, as far as that is known.
    std::size_t request_count() const;
    /// Adds the tickets and permits of a folder to the line.
    void on_list(std::string_view folder, const reply& answer);
    /// All folders are listed: puts the line in order.
    void sort();
    void on_data(member& which, const reply& answer);
    /// All is answered: moves the strays to the end, and marks those that hold the lock.
    void find_holders();

    std::string path_;
    std::size_t most_;
    std::vector<std::string_view> folders_{""}; // "": the lock path itself; the others lie below it
    std::vector<member> line_;
    std::size_t asked_ = 0;                          // requests so far
    std::size_t answered_ = 0;                       // answers so far
    zookeeper_code list_error_ = zookeeper_code::ok; // of a listing that failed
};

} // namespace turnstile::protocol
