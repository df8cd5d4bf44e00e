// SPDX-License-Identifier: BSL-1.0
// The rules "overlap", "token", "order", "served", "loss" and "orphan", and some of "history". The
// judge of all promises (test/promises) is given what workers were told, in the order of time.
#include "rules.hpp"

#include "lock_kinds.hpp"
#include "timeline.hpp"

#include "promises/judge.hpp"

#include <turnstile/error.hpp>

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace turnstile::check {
namespace {

using promises::happening;

/// The name of the rule that checks a promise.
const char* rule_of(promises::promise broken) {
    switch (broken) {
    case promises::promise::exclusion:
        return "overlap";
    case promises::promise::tokens:
        return "token";
    case promises::promise::order:
        return "order";
    case promises::promise::served:
        return "served";
    case promises::promise::nothing_left:
        return "orphan";
    case promises::promise::lost_in_time:
        return "loss";
    case promises::promise::once:
        break;
    }
    return "history";
}

/// How long an overlap lasted, in milliseconds.
double length_of(const promises::violation& overlap) {
    return static_cast<double>(overlap.lasted.value_or(promises::instant{0}).count()) / 1e6;
}

/// Gives the judge each moment of a run by see(), and in the end turns its violations into those of
/// the verdict. Beside the judge, this class measures all overlaps of beliefs, even excused ones.
class hearing {
public:
    hearing(const evidence& given, verdict& out)
        : given_{given}, out_{out}, judge_{[&given](promises::acquire_id who) {
              return given.describe(given.told.acquires[who]);
          }} {
        for (const auto& a : given.told.acquires)
            if (locks_.emplace(a.lock, judge_.locks().size()).second)
                judge_.add(kind_of(a.what, a.places), a.lock);
        believing_.resize(judge_.locks().size());
    }

    /// Makes an event of the moment, with all that the judge wants to know of its acquire.
    void see(const moment& m) {
        const auto& a = given_.told.acquires[m.who];
        promises::event next{
            .what = m.what, .who = m.who, .when = promises::instant{m.when - given_.told.first}};
        switch (m.what) {
        case happening::asks:
            next.lock = locks_.at(a.lock);
            next.takes = a.takes;
            break;
        case happening::granted:
            next.token.czxid = static_cast<std::uint64_t>(a.token);
            next.place = place_of(a);
            break;
        case happening::lost:
            next.loss = loss_of(a);
            break;
        case happening::takes_other:
            next.takes = taken_by(m.writes);
            next.token.czxid = static_cast<std::uint64_t>(m.change->token);
            break;
        case happening::releases:
            next.awaited = a.awaited;
            break;
        default:
            break;
        }
        judge_.see(next);
        measure_all(next);
    }

    /// All moments were seen: tells what is left on the servers, and writes the verdict.
    void finish() {
        for (const auto& [lock, children] : given_.told.left)
            for (const auto& child : children)
                judge_.left(lock + '/' + child, "was left on the server");
        for (const auto& t : given_.book.tickets()) {
            if (t.how == removal::none) {
                judge_.left(t.lock + '/' + t.name,
                            "was never removed: no transaction of the log did");
            }
        }
        judge_.finish();
        out_.orphans = judge_.remains();
        for (const auto& v : judge_.violations())
            tell(v);
        for (const auto& v : overlaps_.all())
            out_.excused_overlap_ms = std::max(out_.excused_overlap_ms, length_of(v));
    }

private:
    static std::optional<promises::place> place_of(const ticket* its) {
        if (its == nullptr || !its->place.incarnation)
            return std::nullopt;
        return promises::place{*its->place.incarnation, its->place.sequence};
    }
    std::optional<promises::place> place_of(const acquire& a) const {
        return place_of(given_.book.find(a.lock, a.token));
    }

    /// A loss is avoidable if nothing proved in time that the session lives, though a server would
    /// have answered.
    promises::loss loss_of(const acquire& a) {
        static const std::string for_want_of_proof = make_error_code(error::lease_lost).message();
        const auto* const its = given_.book.find(a.lock, a.last_token());
        if (a.why.find(for_want_of_proof) == std::string::npos || its == nullptr ||
            its->how == removal::session_end || given_.excused.touch(a, {a.granted, a.lost}))
            return {};
        ++out_.lost_for_want_of_proof;
        // A loss is told a sixteenth of the timeout before its time: the margin. A proof takes at
        // most six eighths and three round trips, since a session beats each eighth. That is one
        // eighth until a request, four until the first write that is three eighths later, and one
        // until the second write. (A new connection is a proof, too. To leave servers that do not
        // answer, and to be at a good one, takes less.)
        const auto timeout = given_.told.timeout_of(a);
        return {.avoidable = given_.could_prove.had_server({a.lost - timeout * 15 / 16, a.lost},
                                                           timeout * 13 / 16)};
    }

    /// Measures all overlaps, by what the judge now knows of the event's acquire.
    void measure_all(const promises::event& event) {
        const auto& its = judge_.of(event.who);
        const auto& kind = judge_.locks()[its.lock].kind;
        auto& holders = believing_[its.lock];
        switch (event.what) {
        case happening::granted:
            holders.begins(kind, event.who, its.takes, event.when, overlaps_);
            break;
        case happening::takes_other:
            if (its.believes) {
                holders.interrupts(kind, event.who, event.when, overlaps_);
                holders.begins(kind, event.who, its.takes, event.when, overlaps_);
            }
            break;
        case happening::lost:
        case happening::stops_belief:
        case happening::releases:
        case happening::dies:
            holders.ends(kind, event.who, event.when, overlaps_);
            break;
        default:
            break;
        }
    }

    /// Adds a violation of the judge to the verdict.
    void tell(const promises::violation& v) {
        if (v.broken == promises::promise::exclusion) {
            const auto ms = length_of(v);
            if (ms == 0)
                return; // one of the beliefs lasted for no time
            out_.overlap_ms = std::max(out_.overlap_ms, ms);
            out_.overlap_sum_ms += ms;
        }
        out_.false_losses += v.broken == promises::promise::lost_in_time ? 1 : 0;
        out_.add(rule_of(v.broken), v.text);
    }

    const evidence& given_;
    verdict& out_;
    promises::judge judge_;
    std::map<std::string_view, promises::lock_id> locks_;
    std::vector<promises::exclusion> believing_; // by lock: holders, even excused ones
    promises::findings overlaps_{[](promises::acquire_id) { return std::string{}; }};
};

} // namespace

void check_promises(const evidence& given, verdict& out) {
    hearing all{given, out};
    for (const auto& m : timeline_of(given))
        all.see(m);
    all.finish();
}

} // namespace turnstile::check
