// SPDX-License-Identifier: BSL-1.0
#include "bare_hand_off.hpp"

#include "bare_api.hpp"

#include <algorithm>
#include <utility>

namespace turnstile::bench {

namespace {

/// A session pings after ten seconds of silence, and has to read the answer within twenty.
constexpr std::chrono::seconds longest_breath{2};

} // namespace

bare_hand_off::bare_hand_off(const target& server, std::string directory, std::size_t sessions)
    : directory_(std::move(directory)) {
    for (std::size_t i = 0; i < std::max({sessions, server.size(), std::size_t{2}}); ++i) {
        plain_.clients.emplace_back(server.one(i), plain_api);
        redirected_.clients.emplace_back(server.one(i), redirected_api);
    }
    eyes().make_directory(directory_);
}

void bare_hand_off::stand_in_line(copy& of) {
    const auto place = of.line.size();
    of.line.push_back(bare_client::stand_by(of.in_line(place), of.in_line(place + 1), directory_));
}

void bare_hand_off::line_up(std::size_t samples) {
    for (auto* const of : {&plain_, &redirected_})
        while (of->line.size() < samples / 2 + 1)
            stand_in_line(*of);
}

void bare_hand_off::hand_on(copy& of) {
    const auto start = clock::now();
    if (of.line.empty())
        stand_in_line(of);
    of.times.add(bare_client::hand_on(of.in_line(0), of.in_line(1), of.line.front()));
    of.line.pop_front();
    ++of.first;
    spent_ += clock::now() - start;
}

// Both at once would let the line rest twice as long between hand-offs.
void bare_hand_off::sample_one() {
    hand_on(plain_.times.count() <= redirected_.times.count() ? plain_ : redirected_);
}

void bare_hand_off::sample_both() {
    hand_on(plain_);
    hand_on(redirected_);
}

void bare_hand_off::warm_up() {
    for (auto* const of : {&plain_, &redirected_}) {
        for (auto& each : of->clients)
            each.exists(directory_);
    }
}

// All at once would hold up this thread for milliseconds, and the server with their pings.
void bare_hand_off::breathe() {
    const auto start = clock::now();
    const auto half = plain_.clients.size();
    const clock::duration apart = clock::duration(longest_breath) / (2 * half);
    next_breath_ = std::max(next_breath_, start - longest_breath);
    for (; next_breath_ <= start; next_breath_ += apart, ++breaths_) {
        auto& clients = breaths_ % 2 == 0 ? plain_.clients : redirected_.clients;
        clients[breaths_ / 2 % half].breathe();
    }
    spent_ += clock::now() - start;
}

} // namespace turnstile::bench
