#include "limit_hand_off.hpp"

#include "limit_api.hpp"

#include <algorithm>
#include <utility>

namespace turnstile::bench {

limit_hand_off::limit_hand_off(const target& server, std::string directory, std::size_t sessions)
    : directory_(std::move(directory)) {
    for (std::size_t i = 0; i < std::max(sessions, server.size()); ++i) {
        plain_.clients.emplace_back(server.one(i), plain_api);
        redirected_.clients.emplace_back(server.one(i), redirected_api);
    }
    eyes().make_directory(directory_);
}

void limit_hand_off::stand_by(copy& of) {
    const auto start = clock::now();
    auto& watcher = of.clients[(of.next + 1) % of.clients.size()];
    of.node = limit_client::stand_by(of.clients[of.next], watcher, directory_);
    spent_ += clock::now() - start;
}

clock::duration limit_hand_off::hand_off(copy& of) {
    if (of.node.empty())
        stand_by(of);
    const auto owner = std::exchange(of.next, (of.next + 1) % of.clients.size());
    const auto start = clock::now();
    const auto taken = limit_client::hand_on(of.clients[owner], of.clients[of.next],
                                             std::exchange(of.node, std::string()));
    spent_ += clock::now() - start;
    ++count_;
    return taken;
}

// Both at once would let the line rest twice as long between hand-offs.
limit_hand_off::copy& limit_hand_off::whose_turn() {
    return plain_.times.count() <= redirected_.times.count() ? plain_ : redirected_;
}

void limit_hand_off::stand_by_one() { stand_by(whose_turn()); }

void limit_hand_off::sample_one() { sample_of(whose_turn()); }

void limit_hand_off::sample_both() {
    sample_of(plain_);
    sample_of(redirected_);
}

void limit_hand_off::warm_up() {
    hand_off(plain_);
    hand_off(redirected_);
}

void limit_hand_off::breathe() {
    for (auto* const of : {&plain_, &redirected_}) {
        for (auto& each : of->clients)
            each.breathe();
    }
}

} // namespace turnstile::bench
