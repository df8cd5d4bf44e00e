// SPDX-License-Identifier: BSL-1.0
// Rules "exclusion" and "outcome", of writers that become readers, and of readers that become
// writers.
#include "rules.hpp"

#include <cstdint>
#include <string>

namespace turnstile::check {
namespace {

class changes {
public:
    changes(const evidence& e, verdict& out) : e_{e}, out_{out} {}

    void check(const acquire& a) {
        auto token = a.token;
        for (const auto& each : a.changes) {
            check_answered(a, each);
            if (!each.succeeded())
                continue;
            const auto* const its = e_.book.find(a.lock, token);
            if (each.to_write) {
                check_upgrade(a, its, e_.book.find(a.lock, each.token));
                token = each.token;
            } else {
                check_downgrade(a, its);
            }
        }
    }

    void check(const ticket& its) {
        if (its.out_of_nothing)
            out_.add("exclusion", its.path() + " was made where no writer became a reader");
        out_.downgrades += its.downgraded == not_yet ? 0 : 1;
        // A session hands a lock on by itself: the release before may come later, after a new
        // connection.
        if (its.downgraded != not_yet && its.owner_from > its.downgraded &&
            !its.downgraded_behind_own)
            out_.add("exclusion", its.path() + " became a reader before it was owner");
    }

private:
    void check_answered(const acquire& a, const hold_change& its) {
        if (its.answered == never && e_.told.workers[a.worker].killed == never) {
            out_.add("served", e_.describe(a) + ": nobody was told what became of its " +
                                   (its.to_write ? "upgrade" : "downgrade"));
        }
    }

    void check_downgrade(const acquire& a, const ticket* its) {
        if (its != nullptr && its->downgraded == not_yet) {
            out_.add("outcome", e_.describe(a) + ": its worker was told that it is a reader, but " +
                                    its->path() + " never was one");
        }
    }

    /// It passes nobody: its new ticket was made where none but its own one stood.
    void check_upgrade(const acquire& a, const ticket* reader, const ticket* writer) {
        if (reader == nullptr || writer == nullptr || reader->gone_twice || writer->gone_twice)
            return; // see rules_exclusion.cpp
        ++out_.upgrades;
        if (writer->met != 1 || writer->behind_met != reader->created) {
            out_.add("exclusion", e_.describe(a) + ": became a writer by " + writer->path() +
                                      ", which was not alone behind " + reader->path());
        }
    }

    const evidence& e_;
    verdict& out_;
};

} // namespace

void check_changes(const evidence& e, verdict& out) {
    changes all{e, out};
    for (const auto& a : e.told.acquires)
        all.check(a);
    for (const auto& its : e.book.tickets())
        all.check(its);
}

} // namespace turnstile::check
