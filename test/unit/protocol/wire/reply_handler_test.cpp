// SPDX-License-Identifier: BSL-1.0
// What is kept for a reply, in place or not, and moved about until the reply comes.
#include "protocol/wire/reply_handler.hpp"

#include "protocol/wire/message.hpp"
#include "support/pch.hpp"

#include <array>
#include <deque>
#include <memory>
#include <utility>

using namespace turnstile::protocol;

namespace {

const reply answer{.code = zookeeper_code::no_node};

} // namespace

TEST_CASE("a reply handler is called with the reply, wherever it was moved") {
    std::vector<zookeeper_code> told;
    const std::array<std::uint64_t, 2> with{4, 5};
    std::deque<reply_handler> waiting;
    waiting.emplace_back([&told](const reply& r) { told.push_back(r.code); });
    waiting.emplace_back([&told, with](const reply& r) { // three words
        CHECK(with == std::array<std::uint64_t, 2>{4, 5});
        told.push_back(r.code);
    });
    waiting.emplace_back([&told, text = std::string(100, 'a'), more = with](const reply& r) {
        CHECK(text == std::string(100, 'a')); // too long to be kept in place
        CHECK(more[1] == 5);
        told.push_back(r.code);
    });
    while (!waiting.empty()) {
        auto next = std::move(waiting.front());
        waiting.pop_front();
        reply_handler last;
        last = std::move(next);
        last(answer);
    }
    CHECK(told == std::vector(3, zookeeper_code::no_node));
}

TEST_CASE("what a reply handler keeps is destroyed once, by whoever has it last") {
    const auto kept = std::make_shared<int>(7);
    {
        reply_handler one([kept](const reply&) {});
        reply_handler large(
            [kept, more = std::array<char, 100>()](const reply&) { CHECK(more.front() == 0); });
        CHECK(kept.use_count() == 3);
        reply_handler other(std::move(one));
        CHECK(kept.use_count() == 3);
        other = std::move(large);
        CHECK(kept.use_count() == 2);
        auto& same = other;
        other = std::move(same);
        CHECK(kept.use_count() == 2);
    }
    CHECK(kept.use_count() == 1);
}
