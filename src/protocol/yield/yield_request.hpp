// SPDX-License-Identifier: BSL-1.0
// Asks the holder of a lock to let go, and waits until it has.
#pragma once

#include "protocol/election/first_ticket.hpp"
#include "protocol/names/request_mark.hpp"
#include "protocol/names/ticket_data.hpp"
#include "protocol/wire/path_question.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

namespace turnstile::protocol {

/// Beside the lock path: nothing but tickets lives below it. It names the ticket that is meant, so
/// the next holder cannot take it for its own. A writer that becomes a reader keeps its sequence.
/// The one node of a lock without a line has none, but always its czxid.
std::string yield_node_of(const std::string& lock_path, std::string_view ticket,
                          std::int64_t czxid);

/// Means the ticket that is first in line now. One ephemeral node beside the lock path says who
/// asks. Where it is there already, another asks for us, too. The last question watches the ticket,
/// and has more than one answer.
class yield_request : public path_question {
public:
    /// The mark tells this request from all others.
    yield_request(std::string lock_path, std::string reason, ticket_data_writer who,
                  const request_mark& mark)
        : path_(std::move(lock_path)),
          reason_(std::move(reason)),
          who_(std::move(who)),
          mark_(mark),
          first_(path_) {}

    request question() const;
    bool awaits() const { return now_ == step::waiting && is_watched_; }
    void on_answer(const reply& answer);
    /// Nobody waits any more: what was made goes. Whether there is anything to be done.
    bool take_back();

private:
    enum class step : std::uint8_t {
        finding, // who is first
        asking,  // the node is to be made
        looking, // another is there, or perhaps our own
        waiting, // for the end of the ticket
        leaving, // the ticket is gone, and the node goes
    };

    void on_first(const reply& answer);
    void on_made(const reply& answer);
    void on_found(const reply& answer);
    void take(step next);
    void end_early();
    std::string text() const { return who_.str(mark_.str(), reason_); }

    std::string path_;
    std::string reason_;
    ticket_data_writer who_;
    request_mark mark_;
    first_ticket first_;
    std::int64_t meant_ = 0; // its czxid
    std::string node_{};
    step now_ = step::finding;
    bool is_watched_ = false; // the ticket
    bool made_ = false;
    bool taken_back_ = false;
    zookeeper_code refused_ = zookeeper_code::ok; // a read
};

} // namespace turnstile::protocol
