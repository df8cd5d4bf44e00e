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

clock::duration limit_hand_off::hand_off(copy& of) {
    const auto owner = std::exchange(of.next, (of.next + 1) % of.clients.size());
    const auto start = clock::now();
    const auto taken = limit_client::hand_off(of.clients[owner], of.clients[of.next], directory_);
    spent_ += clock::now() - start;
    ++count_;
    return taken;
}

// Both at once would let the line rest twice as long between hand-offs.
void limit_hand_off::sample_one() {
    sample_of(plain_.times.count() <= redirected_.times.count() ? plain_ : redirected_);
}

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
