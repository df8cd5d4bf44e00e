// SPDX-License-Identifier: BSL-1.0
// Asks the holder of a lock to let go, and waits until it has.
#pragma once

#include "protocol/election/first_ticket.hpp"
#include "protocol/names/request_mark.hpp"
#include "protocol/names/ticket_data.hpp"
#include "protocol/wire/path_question.hpp"

#include <cstdint>
#include <functional>
#include <string>
#include <utility>

namespace turnstile::protocol {

/// Beside the lock path: nothing but tickets lives below it.
inline std::string yield_node_of(const std::string& lock_path) { return lock_path + "%yield"; }

/// Means the ticket that is first in line now, or each that is first until one's own is. One
/// ephemeral node beside the lock path says who asks, and which ticket is meant. Where one is there
/// already that means the same ticket, another asks for us, too. One that means another ticket is
/// void, and is written over. The last question watches the ticket, and has more than one answer.
class yield_request : public path_question {
public:
    /// Whether the ticket of this name, which was read so, is the asker's own.
    using own_ticket = std::function<bool(const std::string& name, const reply& ticket)>;

    /// The mark tells this request from all others. With `is_own` it is a waiter's: it goes on
    /// until it is taken back, and never means that ticket.
    yield_request(const std::string& lock_path, std::string reason, ticket_data_writer who,
                  const request_mark& mark, own_ticket is_own = {})
        : node_(yield_node_of(lock_path)),
          reason_(std::move(reason)),
          who_(std::move(who)),
          mark_(mark),
          is_own_(std::move(is_own)),
          first_(lock_path, is_own_ != nullptr) {}

    request question() const override;
    bool awaits() const override { return is_watched_; }
    void on_answer(const reply& answer) override;
    bool starts_over() override { return now_ == step::finding && first_.start_over(); }
    /// What was made goes.
    bool take_back() override;

private:
    enum class step : std::uint8_t {
        finding, // who is first
        asking,  // the node is to be made
        looking, // another is there, or perhaps our own
        taking,  // one that is void is to be written over
        waiting, // for the end of the ticket
        leaving, // the ticket is gone, and the node goes
        voiding, // the node may not be deleted
    };

    void on_first(const reply& answer);
    void ask();
    void go_on();
    void on_made(const reply& answer);
    void on_found(const reply& answer);
    void on_taken(const reply& answer);
    void on_left(const reply& answer);
    void take(step next);
    void end_early();
    std::string ticket() const { return first_.name() + ' ' + std::to_string(meant_); }
    std::string text() const { return who_.str(mark_.str(), reason_, ticket()); }

    std::string node_;
    std::string reason_;
    ticket_data_writer who_;
    request_mark mark_;
    own_ticket is_own_;
    first_ticket first_;
    std::int64_t meant_ = 0;   // its czxid
    std::int32_t version_ = 0; // of our node, or of the one to be written over
    step now_ = step::finding;
    bool is_watched_ = false; // the ticket, or the line
    bool made_ = false;
    bool taken_back_ = false;
    zookeeper_code refused_ = zookeeper_code::ok; // a read
};

} // namespace turnstile::protocol
