// SPDX-License-Identifier: BSL-1.0
// Rule "exclusion", for readers: who shares a ticket, and what a reader may do with its own.
#include "rules.hpp"

#include "lock_kinds.hpp"

#include <algorithm>
#include <cstdint>
#include <map>
#include <unordered_map>
#include <utility>
#include <vector>

namespace turnstile::check {
namespace {

using acquires = std::vector<const acquire*>;

/// The readers and writers that were granted one lock.
class readers {
public:
    readers(const evidence& given, const acquires& grants, verdict& out)
        : given_{given}, out_{out} {
        for (const auto* a : grants) {
            const auto* const its = given.book.find(a->lock, a->token);
            if (its == nullptr)
                continue; // see rules_exclusion.cpp
            if (a->what == claim::shared) {
                sharers_[its].push_back(a);
            } else if (a->what == claim::exclusive && !a->several) {
                // (A part of several stands in line only once the parts before it are held.)
                writers_[its->session].push_back(a);
            }
        }
        for (auto& [session, all] : writers_)
            std::sort(all.begin(), all.end(), earlier);
    }

    void check() {
        for (auto& [its, all] : sharers_) {
            std::sort(all.begin(), all.end(), earlier);
            out_.joins += all.size() - 1;
            if (all.size() > 1 + most_joins) {
                out_.add("exclusion",
                         its->path() + " was shared by " + std::to_string(all.size()) + " readers");
            }
            // A part of several asks for its ticket only once the parts before it are held, later
            // than its line says. So it is not taken for the first reader.
            const auto first =
                std::find_if(all.begin(), all.end(), [](const acquire* a) { return !a->several; });
            for (auto a = first; a != all.end(); ++a)
                check_passes_no_writer(*its, **first, **a);
        }
    }

private:
    static bool earlier(const acquire* a, const acquire* b) { return a->asked < b->asked; }

    /// No reader may join a ticket past a writer of its own session. The ticket can be joined once
    /// the first of those who share it has asked, if not before.
    void check_passes_no_writer(const ticket& its, const acquire& first, const acquire& a) {
        const auto own = writers_.find(its.session);
        if (own == writers_.end())
            return;
        auto next = std::upper_bound(own->second.begin(), own->second.end(), &first, earlier);
        for (; next != own->second.end() && (*next)->asked < a.asked; ++next) {
            if ((*next)->token > a.token) {
                return out_.add("exclusion", given_.describe(a) +
                                                 ": passed a writer of its session, " +
                                                 given_.describe(**next));
            }
        }
    }

    const evidence& given_;
    verdict& out_;
    std::map<const ticket*, acquires> sharers_;
    std::unordered_map<std::int64_t, acquires> writers_; // by session, in the order of the asking
};

void check_ticket(const ticket& its, verdict& out) {
    if (its.reads() && its.how == removal::handed_off)
        out.add("exclusion", its.path() + " was handed off, and was held to read");
    if (its.set_alive)
        out.add("exclusion", its.path() + " was written while it stood, which hands it over");
    if (!its.marked_behind.empty()) {
        out.add("exclusion", its.path() + " was marked to have no writer before it, where " +
                                 its.marked_behind + " stood");
    }
    out.marks += its.marks;
}

} // namespace

void check_readers(const evidence& given, verdict& out) {
    for (const auto& grants : given.grants_by_lock)
        readers{given, grants, out}.check();
    for (const auto& its : given.book.tickets())
        check_ticket(its, out);
}

} // namespace turnstile::check
