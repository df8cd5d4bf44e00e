#include "limit_hand_off.hpp"

#include "limit_api.hpp"

#include <algorithm>
#include <utility>

namespace turnstile::bench {

limit_hand_off::limit_hand_off(const target& server, std::string directory, std::size_t sessions)
    : directory_(std::move(directory)) {
    for (std::size_t i = 0; i < std::max({sessions, server.size(), std::size_t{2}}); ++i) {
        plain_.clients.emplace_back(server.one(i), plain_api);
        redirected_.clients.emplace_back(server.one(i), redirected_api);
    }
    eyes().make_directory(directory_);
}

void limit_hand_off::stand_in_line(copy& of) {
    const auto place = of.line.size();
    of.line.push_back(limit_client::stand_by(of.in_line(place), of.in_line(place + 1), directory_));
}

void limit_hand_off::line_up(std::size_t samples) {
    for (auto* const of : {&plain_, &redirected_})
        while (of->line.size() < samples / 2 + 1)
            stand_in_line(*of);
}

void limit_hand_off::hand_on(copy& of) {
    const auto start = clock::now();
    if (of.line.empty())
        stand_in_line(of);
    of.times.add(limit_client::hand_on(of.in_line(0), of.in_line(1), of.line.front()));
    of.line.pop_front();
    ++of.first;
    spent_ += clock::now() - start;
}

// Both at once would let the line rest twice as long between hand-offs.
void limit_hand_off::sample_one() {
    hand_on(plain_.times.count() <= redirected_.times.count() ? plain_ : redirected_);
}

void limit_hand_off::sample_both() {
    hand_on(plain_);
    hand_on(redirected_);
}

void limit_hand_off::warm_up() {
    for (auto* const of : {&plain_, &redirected_}) {
        for (auto& each : of->clients)
            each.exists(directory_);
    }
}

void limit_hand_off::breathe() {
    for (auto* const of : {&plain_, &redirected_}) {
        for (auto& each : of->clients)
            each.breathe();
    }
}

} // namespace turnstile::bench
