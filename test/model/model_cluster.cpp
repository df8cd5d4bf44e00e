// SPDX-License-Identifier: BSL-1.0
#include "model_cluster.hpp"

#include <algorithm>
#include <utility>

namespace turnstile::test {

void model_cluster::send(std::size_t from, std::size_t to, action arrives) {
    auto& on = links_[{from, to}];
    const auto number = ++on.sent;
    on.under_way.emplace(number, std::move(arrives));
    on.last = std::max(on.last + protocol::duration{1}, now() + on.delay + up_to(limits.latency));
    events.at(on.last, [&on, number] {
        on.due = std::max(on.due, number);
        deliver(on);
    });
}

void model_cluster::deliver(link& on) {
    while (!on.broken && !on.under_way.empty() && on.under_way.begin()->first <= on.due) {
        const auto arrives = std::move(on.under_way.begin()->second);
        on.under_way.erase(on.under_way.begin());
        arrives();
    }
}

void model_cluster::mend_link(std::size_t from, std::size_t to) {
    auto& on = links_[{from, to}];
    on.broken = false;
    on.delay = {};
    events.after(up_to(limits.latency), [&on] { deliver(on); });
}

} // namespace turnstile::test
