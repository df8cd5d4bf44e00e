#include "verdicts.hpp"

#include "support/server_view.hpp"

#include <algorithm>

namespace turnstile::matrix {
namespace {

std::string text_of(const error_code& code) {
    return std::string{code.category().name()} + ':' + std::to_string(code.value()) + " (" +
           code.message() + ")";
}

} // namespace

void verdicts::expect(bool good, std::string_view what) {
    if (!good)
        add(std::string{what});
}

void verdicts::before_fault() { id_before_ = s_.unlucky.line.id(); }

void verdicts::after_steering() {
    const auto& at = *s_.what.at;
    if (!expires() && effect_of(s_.what.what, s_.what.after) == effect::none &&
        s_.what.after == aftermath::same_server) {
        const std::uint64_t expected = at.cause == trigger::cut ? 2 : 1;
        expect(s_.home_proxy().stats().connections == expected,
               "a fault that breaks no connection cost it");
    }
    if (id_before_ != 0) {
        const bool same = s_.unlucky.line.id() == id_before_;
        expect(expires() || same, "the session was not kept");
        expect(!expires() || !same, "the session did not expire: the cell proves nothing");
    }
    if (at.from != standing::holding || at.cause != trigger::time)
        return;
    if (!expires())
        return expect(s_.unlucky.user.lock.is_held(), "the lock was lost for nothing");
    s_.until("the loss is told", [&] { return s_.unlucky.user.loss.has_value(); });
    const auto& user = s_.unlucky.user;
    expect(!user.lock.is_held(), "a lost lock is believed in");
    // A quarter of the margin must have been left to tell it in time.
    const bool slow = s_.longest_pause() > s_.timeout / 16 * 3 / 4;
    if (*user.loss == error::lease_lost && !slow)
        expect(user.lost_at <= user.lock.deadline(), "the loss was told after the deadline");
}

void verdicts::after_service() {
    check_results();
    if (keeps_order())
        expect(s_.book.in_order({&s_.unlucky.user, &s_.last.user}),
               "the unlucky one has lost its place in line");
}

bool verdicts::keeps_order() const {
    const auto what = s_.what.what;
    const bool made_in_time = what == fault::cut_after || what == fault::deafened;
    return !expires() && (s_.what.at->has_ticket() || (s_.what.at->makes_ticket() && made_in_time));
}

void verdicts::after_encore() { check_results(); }

void verdicts::check_results() {
    check_results_of(s_.first, "the first one");
    check_results_of(s_.last, "the last one");
    check_results_of(s_.unlucky, "the unlucky one");
    expect(s_.book.overlaps == 0, "beliefs overlapped");
    expect(s_.book.tokens_grow(), "fencing tokens did not grow");
}

void verdicts::check_results_of(const player& who, std::string_view name) {
    const auto& user = who.user;
    const std::string whose = std::string{name} + "'s ";
    const bool may_lose = &who == &s_.unlucky && expires();
    if (who.connected)
        expect(!*who.connected, whose + "connect: " + text_of(*who.connected));
    expect(!user.failure, whose + "acquire: " + text_of(user.failure));
    if (user.loss) {
        expect(may_lose, whose + "lock was lost for nothing: " + text_of(*user.loss));
        expect(*user.loss == condition::lock_lost, whose + "loss: " + text_of(*user.loss));
    }
    if (user.release_result && *user.release_result)
        expect(may_lose && *user.release_result == condition::lock_lost,
               whose + "release: " + text_of(*user.release_result));
}

void verdicts::before_end() {
    auto& client = s_.eyes.client();
    s_.until_seen("no ticket is left", [&] {
        client.sync(s_.path);
        return s_.eyes.count(s_.path) == 0;
    });
    // What is not a transaction's number would be far below the one that made the path.
    const fencing_token oldest{static_cast<std::uint64_t>(s_.eyes.info(s_.path).czxid)};
    expect(s_.book.grants.front().token > oldest, "a fencing token is not of the ensemble");
    for (const auto port : s_.where.ports)
        s_.until_seen("no watch is left", [&] { return test::watches_below(port, s_.path) == 0; });
    for (const auto each : s_.players())
        ids_.push_back(each->line.id());
}

void verdicts::at_end() {
    for (const auto each : s_.players()) {
        expect(each->is_done() && each->user.losses_awaited == each->user.losses_told,
               "an operation did not complete exactly once");
        expect(each->closed && !*each->closed, "a close failed");
    }
    expect(s_.eyes.count(s_.path) == 0, "a ticket came late");
    for (const auto id : ids_)
        s_.until_over(id);
}

} // namespace turnstile::matrix
