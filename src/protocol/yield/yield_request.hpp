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

/// The node of requests to yield. It is beside the lock path: below it there are only tickets.
inline std::string yield_node_of(const std::string& lock_path) { return lock_path + "%yield"; }

/// Asks the ticket that is first in line now. A waiter asks each ticket that is first, until its
/// own is. One ephemeral node beside the lock path says who asks, and which ticket is meant. If a
/// node means the same ticket already, another session asks, and that is enough. A node that means
/// another ticket is void, and is written over. Then a read watches the ticket that was asked, and
/// is answered again after each event, until the ticket is gone.
class yield_request : public path_question {
public:
    /// Whether the ticket with this name and this answer is the asker's own.
    using own_ticket = std::function<bool(const std::string& name, const reply& ticket)>;

    /// The mark tells this request from all others. With `is_own` a waiter asks: the request goes
    /// on until it is taken back, and never means the waiter's ticket.
    yield_request(const std::string& lock_path, std::string reason, ticket_data who,
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
    bool starts_over() override { return step_ == step::finding && first_.start_over(); }
    /// Deletes the node that was made. True: there is one, or the answer to come may show one.
    bool take_back() override;

private:
    /// The usual way is finding, asking, waiting, leaving. After `leaving` a waiter finds the next
    /// ticket, and the question of any other asker is over.
    enum class step : std::uint8_t {
        finding,      // looks for the first ticket
        asking,       // makes the node
        looking,      // a node was there, or an answer was lost: reads whose the node is
        overwriting,  // it is void: writes the own request over it
        waiting,      // some node asks for this ticket: waits for the end of the ticket
        leaving,      // the ticket is gone, or nobody waits any more: deletes the node
        voiding,      // DELETE is denied: makes the node void
        looking_back, // the answer to one of the last two was lost: reads whose the node is
    };

    void on_first(const reply& answer);
    /// The first ticket is known: asks it, unless there is none or it is the asker's own.
    void on_first_found();
    /// The request is done with its ticket: a waiter finds the next one, any other asker ends.
    void go_on();
    void on_made(const reply& answer);
    void on_looked(const reply& answer);
    void on_looked_back(const reply& answer);
    void on_overwritten(const reply& answer);
    void on_left(const reply& answer);
    void enter(step next);
    /// Ends the question. If this request has made the node, it is deleted first.
    void finish();
    /// The ticket that this request means, as the node names it.
    std::string ticket() const { return first_.name() + ' ' + std::to_string(meant_); }
    /// The data of the node.
    std::string text() const { return who_.str(mark_.str(), reason_, ticket()); }

    std::string node_;
    std::string reason_;
    ticket_data who_;
    request_mark mark_;
    own_ticket is_own_;
    first_ticket first_;
    std::int64_t meant_ = 0;   // the czxid of the ticket that is meant
    std::int32_t version_ = 0; // of the own node, or of the one to be written over
    step step_ = step::finding;
    bool is_watched_ = false;                     // a watch on the ticket or the line is set
    bool made_ = false;                           // this request has made the node
    bool taken_back_ = false;                     // the caller has cancelled it
    zookeeper_code refused_ = zookeeper_code::ok; // of a refused read: the question fails with it
};

} // namespace turnstile::protocol
