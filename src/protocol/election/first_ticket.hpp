// SPDX-License-Identifier: BSL-1.0
// Finds the first ticket of a line without standing in it, and follows it.
#pragma once

#include "protocol/wire/message.hpp"

#include <cstdint>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace turnstile::protocol {

/// Says which request comes next, and takes its answer. It takes two requests: a listing shows the
/// first ticket, and a read has its data. With `follows` one of them leaves a watch: on the ticket,
/// on the path's children if the line is empty, or on the path if it is missing. A node that does
/// not go with a session is no ticket, whatever its name.
class first_ticket {
public:
    first_ticket(std::string lock_path, bool follows)
        : path_(std::move(lock_path)), follows_(follows) {}

    request question() const;
    /// True: the first ticket is known now, and a question that watches may be answered again.
    /// False: question() has the next request.
    bool on_answer(const reply& answer);
    /// The connection was lost. True: a ticket was listed and not read. Another node may have its
    /// name by now, so the line is listed once more.
    bool start_over();
    /// The node as it was read. Without an owner, the line is empty.
    const reply& found() const { return found_; }
    const std::string& name() const { return node_; }

private:
    enum class step : std::uint8_t {
        listing,         // lists the children
        reading,         // reads the first of these; with `follows` this watches it
        awaiting_ticket, // no child was a ticket: lists the children once more, with a watch
        awaiting_path,   // the path is missing: watches for it
    };

    /// The name of the first ticket among these; empty if there is none.
    std::string first_in(const std::vector<std::string>& children) const;
    bool on_listed(const reply& answer);
    bool on_read(const reply& answer, bool was_known);
    /// Another request comes next: returns false, as on_answer() does.
    bool enter(step next);
    /// The first ticket is known: returns true, as on_answer() does.
    bool know(const reply& found);

    std::string path_;
    bool follows_;
    step step_ = step::listing;
    std::string node_{};             // the first ticket, by the last listing
    std::set<std::string> strays_{}; // nodes of no session: no tickets
    reply found_{};
    bool is_known_ = false; // the last answer has shown found_
};

} // namespace turnstile::protocol
