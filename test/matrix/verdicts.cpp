// SPDX-License-Identifier: BSL-1.0
#include "verdicts.hpp"
#include "support/pch.hpp"

namespace turnstile::matrix {

std::string verdicts::text_of(const error_code& code) {
    return std::string{code.category().name()} + ':' + std::to_string(code.value()) + " (" +
           code.message() + ")";
}

std::vector<std::string> verdicts::all() const {
    auto result = all_;
    for (auto& text : s_.book.violations())
        result.push_back(std::move(text));
    return result;
}

void verdicts::expect(bool good, std::string_view what) {
    if (!good)
        add(std::string{what});
}

void verdicts::before_fault() { id_before_ = s_.unlucky.line.id(); }

void verdicts::after_steering() {
    const auto& at = *s_.what.at;
    if (effect_of(s_.what.what) == effect::none)
        expect(s_.home_proxy().stats().connections == 1,
               "a fault that breaks no connection cost it");
    if (id_before_ != 0 && !at.closes()) {
        const bool same = s_.unlucky.line.id() == id_before_;
        expect(expires() || same, "the session was not kept");
        expect(!expires() || !same, "the session did not expire: the cell proves nothing");
    }
    check_ticket();
    if (at.downgrades())
        check_downgrade();
    if (at.upgrades())
        check_upgrade();
    if (!at.keeps())
        return;
    if (!expires())
        return expect(s_.unlucky.user.lock.is_held(), "the lock was lost for nothing");
    s_.until("the loss is told", [&] { return s_.unlucky.user.loss.has_value(); });
    expect(!s_.unlucky.user.lock.is_held(), "a lost lock is believed in");
}

// Of a lock that was free, whatever became of its create.
void verdicts::check_ticket() {
    const auto& at = *s_.what.at;
    if (at.behind_holder || at.cause != trigger::acquire || expires() || at.closes())
        return;
    s_.until("the free lock is granted",
             [&] { return s_.unlucky.user.holds() || s_.last.user.holds(); });
    if (!s_.unlucky.user.holds())
        return; // the last one was quicker
    const auto mine = s_.nodes_of(s_.unlucky);
    expect(mine.size() == s_.what.lock->nodes, "the unlucky one has too many tickets, or too few");
    const auto token = s_.unlucky.user.token.czxid();
    expect(std::ranges::any_of(
               mine,
               [&](const auto& each) { return static_cast<std::uint64_t>(each.czxid) == token; }),
           "the token is not that of the ticket");
}

void verdicts::after_service() {
    check_results();
    if (keeps_order() && excludes_last())
        expect(s_.book.in_order({&s_.unlucky.user, &s_.last.user}),
               "the unlucky one has lost its place in line");
    if (comes_last())
        expect(s_.book.in_order({&s_.last.user, &s_.unlucky.user}),
               "the unlucky one was served before one whose ticket is older");
}

// Else the two may hold the lock together, and their grants come in any order.
bool verdicts::excludes_last() const {
    const auto& who = s_.what.at->who;
    return who.unlucky != role::reader || who.last != role::reader;
}

bool verdicts::keeps_order() const {
    if (!s_.what.lock->kind.in_order || s_.what.at->cancels || s_.what.at->closes())
        return false;
    const auto what = s_.what.what;
    if (what == fault::ticket_deletion)
        return !s_.what.lock->parts.empty(); // what it holds of several locks keeps its place
    const auto& frame = s_.what.at->frame;
    const bool makes = frame.makes_ticket() && !frame.makes_batch();
    return !expires() && (s_.what.at->has_ticket() || (makes && what == fault::black_hole_back));
}

// Its ticket was made, or made anew, when the last one was in line. (What became of a create before
// the fault, as in a barrier, the cell does not say.) Tickets of several locks are taken back where
// the answer is lost.
bool verdicts::comes_last() const {
    const auto& at = *s_.what.at;
    if (s_.what.what == fault::ticket_deletion)
        return !keeps_order() && excludes_last();
    return s_.what.lock->kind.in_order && at.frame.makes_ticket() && at.cause == trigger::acquire &&
           !at.cancels && effect_of(s_.what.what) == effect::cut;
}

void verdicts::after_second_round() {
    second_round_ = true;
    check_results();
}

void verdicts::check_results() {
    check_results_of(s_.first, "the first one");
    check_results_of(s_.last, "the last one");
    check_results_of(s_.unlucky, "the unlucky one");
}

// Of the newest acquire.
error_code verdicts::expected_of(const participant& who) const {
    const auto& at = *s_.what.at;
    if (&who != &s_.unlucky)
        return {};
    if (at.cancels && !second_round_)
        return boost::asio::error::operation_aborted;
    return {};
}

// The journal has those of its acquires and releases.
void verdicts::check_results_of(const participant& who, std::string_view name) {
    const std::string whose = std::string{name} + "'s ";
    if (who.connected)
        expect(!*who.connected, whose + "connect: " + text_of(*who.connected));
    if (who.user.loss)
        expect(*who.user.loss == condition::lock_lost, whose + "loss: " + text_of(*who.user.loss));
    expect(who.user.failure == expected_of(who), whose + "acquire: " + text_of(who.user.failure));
}

void verdicts::before_end() {
    auto& client = s_.eyes.client();
    s_.until_seen("no ticket is left", [&] {
        client.sync(s_.path);
        return s_.standing() == 0;
    });
    // What is not a transaction's number would be far below the one that made the path.
    const fencing_token oldest{static_cast<std::uint64_t>(s_.eyes.info(s_.path).czxid)};
    expect(s_.book.grants.front().token > oldest, "a fencing token is not of the ensemble");
    s_.until_seen("no watch is left", [&] { return s_.watches() == 0; });
    for (const auto each : s_.participants())
        ids_.push_back(each->closed ? id_before_ : each->line.id());
    if (s_.unlucky.side)
        ids_.push_back(s_.unlucky.side->id());
}

void verdicts::at_end() {
    s_.book.finish();
    for (const auto each : s_.participants()) {
        expect(each->is_done() && each->user.losses_awaited == each->user.losses_told,
               "an operation did not complete exactly once");
        expect(each->closed && !*each->closed, "a close failed");
    }
    expect(s_.standing() == 0, "a ticket came late");
    for (const auto id : ids_)
        s_.until_over(id);
}

} // namespace turnstile::matrix
