// SPDX-License-Identifier: BSL-1.0
// Rules "exclusion", "outcome" and "served" for writers that become readers (downgrades), and for
// readers that become writers (upgrades).
#include "rules.hpp"

#include <cstdint>
#include <string>

namespace turnstile::check {
namespace {

/// Checks each acquire by what its worker was told, and each ticket by the log.
class changes {
public:
    changes(const evidence& given, verdict& out) : given_{given}, out_{out} {}

    void check(const acquire& a) {
        auto token = a.token; // of the ticket that holds the lock, from change to change
        for (const auto& each : a.changes) {
            check_answered(a, each);
            if (!each.succeeded())
                continue;
            const auto* const held_by = given_.book.find(a.lock, token);
            if (each.to_write) {
                check_upgrade(a, held_by, given_.book.find(a.lock, each.token));
                token = each.token;
            } else {
                check_downgrade(a, held_by);
            }
        }
    }

    void check(const ticket& its) {
        if (its.made_as_reader)
            out_.add("exclusion", its.path() + " was made where no writer became a reader");
        out_.downgrades += its.downgraded == not_yet ? 0 : 1;
        // Excused: a session may hand a lock on from one of its own tickets to another. It does so
        // without a connection, too, and sends the release and the downgrade after the next one.
        if (its.downgraded != not_yet && its.owner_from > its.downgraded &&
            !its.downgraded_behind_own)
            out_.add("exclusion", its.path() + " became a reader before it was owner");
    }

private:
    void check_answered(const acquire& a, const hold_change& its) {
        if (its.answered == never && given_.told.workers[a.worker].killed == never) {
            out_.add("served", given_.describe(a) + ": nobody was told what became of its " +
                                   (its.to_write ? "upgrade" : "downgrade"));
        }
    }

    void check_downgrade(const acquire& a, const ticket* its) {
        if (its != nullptr && its->downgraded == not_yet) {
            out_.add("outcome", given_.describe(a) +
                                    ": its worker was told that it is a reader, but " +
                                    its->path() + " never was one");
        }
    }

    /// An upgrade passes nobody: its new ticket was made while only its own old one stood.
    void check_upgrade(const acquire& a, const ticket* reader, const ticket* writer) {
        if (reader == nullptr || writer == nullptr || reader->removal_undone ||
            writer->removal_undone)
            return; // see rules_exclusion.cpp
        ++out_.upgrades;
        if (writer->met != 1 || writer->behind_met != reader->created) {
            out_.add("exclusion", given_.describe(a) + ": became a writer by " + writer->path() +
                                      ", which was not alone behind " + reader->path());
        }
    }

    const evidence& given_;
    verdict& out_;
};

} // namespace

void check_changes(const evidence& given, verdict& out) {
    changes all{given, out};
    for (const auto& a : given.told.acquires)
        all.check(a);
    for (const auto& its : given.book.tickets())
        all.check(its);
}

} // namespace turnstile::check
