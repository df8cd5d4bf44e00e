// SPDX-License-Identifier: BSL-1.0
#include "model_cluster.hpp"

#include <algorithm>
#include <utility>

namespace turnstile::test {

void model_cluster::send(std::size_t from, std::size_t to, action arrives) {
    auto& link = links_[{from, to}];
    const auto number = ++link.sent;
    link.under_way.emplace(number, std::move(arrives));
    link.last_arrival = std::max(link.last_arrival + protocol::duration{1},
                                 now() + link.delay + up_to(limits.latency));
    events.at(link.last_arrival, [&link, number] {
        link.due = std::max(link.due, number);
        deliver(link);
    });
}

void model_cluster::deliver(directed_link& link) {
    while (!link.broken && !link.under_way.empty() && link.under_way.begin()->first <= link.due) {
        const auto arrives = std::move(link.under_way.begin()->second);
        link.under_way.erase(link.under_way.begin());
        arrives();
    }
}

void model_cluster::mend_link(std::size_t from, std::size_t to) {
    auto& link = links_[{from, to}];
    link.broken = false;
    link.delay = {};
    events.after(up_to(limits.latency), [&link] { deliver(link); });
}

} // namespace turnstile::test
