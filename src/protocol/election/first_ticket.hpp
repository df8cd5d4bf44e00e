// SPDX-License-Identifier: BSL-1.0
// The first ticket of a line, found without standing in it, and watched by those who follow it.
#pragma once

#include "protocol/wire/message.hpp"

#include <cstdint>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace turnstile::protocol {

/// Says which request comes next, and takes its answer. A listing tells the first ticket, and then
/// it is read: two requests. For who follows it each of them leaves a watch: on the ticket, where
/// nobody stands in line on the path's children, and where there is no path, on the path.
/// A ticket goes with its session: a node that stays is none, whatever it is called.
class first_ticket {
public:
    first_ticket(std::string lock_path, bool follows)
        : path_(std::move(lock_path)), follows_(follows) {}

    request question() const;
    /// Whether it is known now. Then the last question, if it watches, has further answers. Else
    /// another one is to be asked.
    bool on_answer(const reply& answer);
    /// The connection was lost. True where a ticket was listed and not read: another one may have
    /// its name by now, and so the line is listed once more.
    bool start_over();
    /// As it was read. Without an owner: nobody stands in line.
    const reply& found() const { return found_; }
    const std::string& name() const { return node_; }

private:
    enum class step : std::uint8_t { listing, awaiting_ticket, awaiting_path, reading };

    std::string first_in(const std::vector<std::string>& children) const;
    bool take_next(step next);
    bool know(const reply& found);

    std::string path_;
    bool follows_;
    step now_ = step::listing;
    std::string node_{};
    std::set<std::string> strays_{};
    reply found_{};
    bool is_known_ = false;
};

} // namespace turnstile::protocol
