#include "merge_check.hpp"

#include "digest.hpp"
#include "digest_set.hpp"
#include "explorer.hpp"

#include <algorithm>
#include <random>

namespace turnstile::test {

merge_check::merge_check(const small_limits& limits, std::string_view forgotten)
    : limits_(limits), forgotten_(forgotten), deals_(explorer::deals(limits)) {}

std::unique_ptr<small_world> merge_check::reach(std::size_t deal, const route& way) const {
    auto world = std::make_unique<small_world>(limits_, deals_[deal]);
    for (const auto each : way)
        world->take(world->choices().at(each));
    return world;
}

merge_check::place merge_check::look(const route& way) {
    place here;
    auto world = reach(deal_, way);
    here.state = world->state(forgotten_);
    const auto open = world->choices();
    const bool ended = world->finished() && world->quiet();
    std::vector<std::uint64_t> digests;
    for (std::size_t i = 0; i < open.size(); ++i) {
        if (i > 0)
            world = reach(deal_, way);
        const auto beliefs = world->changes_of_belief();
        world->take(open[i]);
        here.pasts.push_back(world->violations().empty() ? world->past() : 0);
        digests.push_back(digest{}
                              .add(static_cast<std::uint64_t>(open[i].what))
                              .add(world->changes_of_belief() - beliefs)
                              .add(world->violations().size())
                              .add(world->state(forgotten_))
                              .value());
    }
    std::sort(digests.begin(), digests.end()); // clients that are alike may be exchanged
    digest sum;
    for (const auto each : digests)
        sum.add(each);
    if (ended) {
        if (!open.empty())
            world = reach(deal_, way);
        world->run_out();
        sum.add(world->violations().size());
    }
    here.next = sum.add(ended ? 1 : 0).value();
    found_.steps += open.size();
    return here;
}

bool merge_check::agrees(const place& here, const route& way) {
    ++found_.pasts;
    const auto [known, is_new] =
        known_.try_emplace(here.state, first_past{.next = here.next, .deal = deal_, .way = way});
    if (is_new) {
        ++found_.states;
        return true;
    }
    ++found_.merges;
    if (known->second.next == here.next)
        return true;
    found_.differs = true;
    found_.way = tell(deal_, way);
    found_.other_way = tell(known->second.deal, known->second.way);
    return false;
}

std::vector<std::string> merge_check::tell(std::size_t deal, const route& way) const {
    std::vector<std::string> steps;
    small_world world(limits_, deals_[deal]);
    for (const auto each : way) {
        const auto next = world.choices().at(each);
        steps.push_back(next.str());
        world.take(next);
    }
    return steps;
}

merge_check::result merge_check::exhaust(std::uint64_t most_pasts) {
    digest_set seen;
    for (deal_ = 0; deal_ < deals_.size(); ++deal_) {
        std::vector<route> open{{}};
        while (!open.empty()) {
            const auto way = std::move(open.back());
            open.pop_back();
            const auto here = look(way);
            found_.complete = found_.pasts < most_pasts;
            if (!agrees(here, way) || !found_.complete)
                return found_;
            for (std::size_t i = 0; i < here.pasts.size(); ++i)
                if (here.pasts[i] != 0 && seen.insert(here.pasts[i])) {
                    open.push_back(way);
                    open.back().push_back(static_cast<std::uint8_t>(i));
                }
        }
    }
    return found_;
}

merge_check::result merge_check::walk(std::uint64_t runs, std::uint64_t seed) {
    std::mt19937_64 random(seed);
    for (std::uint64_t run = 0; run < runs; ++run) {
        deal_ = random() % deals_.size();
        for (route way;;) {
            const auto here = look(way);
            if (!agrees(here, way))
                return found_;
            if (here.pasts.empty())
                break;
            const auto next = random() % here.pasts.size();
            if (here.pasts[next] == 0)
                break;
            way.push_back(static_cast<std::uint8_t>(next));
        }
    }
    return found_;
}

} // namespace turnstile::test
