// SPDX-License-Identifier: BSL-1.0
// Takes several locks as one: says which is asked for next, and which is released.
#pragma once

#include "protocol/names/lock_key.hpp"
#include "protocol/time/instant.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

namespace turnstile::protocol {

/// Decides in which order the parts of a multi_lock are looked up, acquired and released. The parts
/// may be of any kind and of any session: the owner of this object (multi_operation) carries out
/// its actions, and reports their results to it.
///
/// The keys of all parts are found out first. Then the parts are acquired one after the other, in
/// the order of their keys, so no two callers that take several locks wait for each other. Parts of
/// one session that are neighbours in this order are tried in one transaction. The parts before the
/// first that is not free are kept, that one waits in line, and those behind it are taken back. A
/// part whose lock path was made anew in between gets its new place in the order, and what is held
/// before it stays held. If a part is lost on the way, all parts are released, and all begins anew.
class multi_acquire {
public:
    enum class step : std::uint8_t {
        look_up, // find out the part's key
        acquire, // in the incarnation `key.czxid`, within `limit`
        cancel,  // the part's look-up or acquire, which is not answered yet
        release,
        granted,   // all parts are held; the owner looks whether one was lost meanwhile (on_lost)
        failed,    // it is over: the part's last answer was a failure
        duplicate, // it is over: the part and another are one lock
        unstable,  // it is over: lock paths were made anew again and again
        cancelled, // it is over, as its owner wished
    };
    struct action {
        step what{};
        std::size_t part = 0; // in the order in which the parts were named
        lock_key key{};
        std::optional<duration> limit{};
        bool with_next = false;  // of an acquire: goes in one transaction with the next action
        bool later_part = false; // of an acquire: other parts are held meanwhile
    };
    using actions = std::vector<action>;

    /// `known`: the keys, as far as they are known from before.
    multi_acquire(std::vector<std::optional<lock_key>> known, std::optional<instant> end);

    /// Parts of one group may be acquired in one transaction; those of group 0 may not. One number
    /// for each part.
    void may_go_together(std::vector<std::size_t> groups) { groups_ = std::move(groups); }

    // Each returns the actions that the owner carries out next, in this order.
    actions start(instant now);
    actions on_found(instant now, std::size_t part, const lock_key& key);
    actions on_granted(instant now, std::size_t part);
    /// The part's look-up or acquire has failed, for another reason than those below.
    actions on_failed(instant now, std::size_t part);
    /// The part's acquire was begun with others, and was not kept (ticket_batch).
    actions on_taken_back(instant now, std::size_t part);
    /// The part's lock path was made anew.
    actions on_renewed(instant now, std::size_t part);
    /// A held part was lost. This may still come after `granted`, until the caller is notified.
    actions on_lost(instant now, std::size_t part);
    actions cancel();

    /// The parts in the order of their keys; complete once all keys are known.
    const std::vector<std::size_t>& order() const { return order_; }
    const std::vector<std::optional<lock_key>>& keys() const { return keys_; }

private:
    enum class phase : std::uint8_t {
        looking_up, // the keys of some parts are missing
        acquiring,
        complete,   // all are held; a loss may still come
        retreating, // a part was lost: begins again once all that is asked for is answered
        over,
    };

    /// How far one part is. `asked`: its look-up or acquire is not answered yet.
    enum class state : std::uint8_t { idle, asked, held };

    /// What is left of the time limit.
    std::optional<duration> time_left(instant now) const;
    /// The part's look-up or acquire begins with this action, and ends with answered().
    void ask(std::size_t part);
    void answered(std::size_t part, state becomes);
    /// Asks for all keys that are missing at once.
    void look_up_missing(instant now, actions& todo);
    /// All keys are known: puts the parts in order, and acquires the first.
    void begin_acquiring(instant now, actions& todo);
    /// Acquires the first part that is missing, and those that may go with it.
    void acquire_next(instant now, actions& todo);
    /// Takes the next step, once all parts that were asked for are answered.
    void go_on(instant now, actions& todo);
    void forget_keys_of_unheld_parts();
    /// Begins another round of look-ups, or gives up after too many.
    void look_up_again(instant now, actions& todo);
    /// Cancels all that is asked for, and releases all that is held.
    void let_go(actions& todo);
    void release(std::size_t part, actions& todo);
    /// All is over. `how` tells the owner why, and the part that it is about.
    void end(step how, std::size_t part, actions& todo);

    const std::optional<instant> end_;
    phase phase_ = phase::looking_up;
    std::vector<std::optional<lock_key>> keys_;
    std::vector<state> states_;
    std::size_t unanswered_ = 0; // parts in the state `asked`
    std::vector<std::size_t> groups_;
    std::vector<std::size_t> order_;
    bool last_batch_gained_ = true; // a part was granted since parts were last asked for
    std::size_t rounds_ = 0;        // of look-ups, after the first
    std::size_t renewed_ = 0;       // the part whose path was made anew last
};

} // namespace turnstile::protocol
