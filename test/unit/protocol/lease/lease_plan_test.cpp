// SPDX-License-Identifier: BSL-1.0
// The shares of T fit together as their reasons say. T is 16 s.
#include "lease_terms.hpp"
#include "protocol/lease/lease.hpp"
#include "protocol/lease/lease_plan.hpp"

#include "support/pch.hpp"

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>

using namespace turnstile::protocol;
using namespace turnstile::test::lease_terms;
using namespace std::chrono_literals;

TEST_CASE("three beats fit into the settling time") {
    CHECK(3 * lease_plan::beat(T) == lease_plan::settling(T));
    CHECK(lease_plan::hurry(T, 1s) == lease_plan::settling(T) + 2s);
}

TEST_CASE("a grant leaves the margin, the time to give up a server, and the way back") {
    const auto usual = lease_plan::margin(T, lease_plan::usual_margin(T));
    CHECK(usual == 1s);
    CHECK(lease_plan::room(T, usual) == lease_plan::holders_patience(T) + lease_plan::way_back(T));
    CHECK(lease_plan::room(T, lease_plan::settling(T)) == 0s);
}

TEST_CASE("no margin is larger than a quarter of T, and a risk is told before each loss") {
    CHECK(lease_plan::margin(T, 3s) == 3s);
    CHECK(lease_plan::margin(T, 5s) == 4s);
    CHECK(lease_plan::risk(T, 1s) == 4s);
    CHECK(lease_plan::risk(T, 4s) == 5s);
}

TEST_CASE("a holder gives a beat up in time to be back before the loss is told") {
    const auto alarm = [](duration trip, std::optional<instant> told) {
        return lease_plan::holders_alarm(T, at(100s), trip, told);
    };
    CHECK(alarm(1s, at(110s)) == at(102s));     // T/8, where there is time
    CHECK(alarm(1s, std::nullopt) == at(102s)); // where no loss will be told
    CHECK(alarm(0s, at(102s)) == at(102s));     // before the first answer
    CHECK(alarm(100ms, at(102s)) == at(101s));  // T/16 before the loss
    CHECK(alarm(1s, at(102s)) == at(101500ms)); // a slow server gets r and T/32
    CHECK(alarm(10s, at(102s)) == at(102s));    // but never more than T/8
}

namespace {

// A session that has beaten for long, each beat answered at once, and is not answered after `end`.
duration silence_survived(duration timeout, instant end) {
    lease proof;
    proof.connected(at(0s), at(0s), timeout);
    for (auto beat = at(0s); beat <= end; beat += lease_plan::beat(timeout))
        proof.answered(beat, beat, true);
    return *proof.deadline() - lease_plan::usual_margin(timeout) - end;
}

// As the pages have it.
std::string tenths(duration time, bool up) {
    const auto grain = 100ms;
    const auto whole = up ? std::chrono::ceil<std::chrono::milliseconds>(time) + grain - 1ms
                          : std::chrono::floor<std::chrono::milliseconds>(time);
    const auto tenths = whole / grain;
    const auto rest = tenths % 10;
    return std::to_string(tenths / 10) + (rest == 0 ? "" : '.' + std::to_string(rest));
}

// What a page says, without tags, bars and line ends.
std::string words_of(const char* name) {
    std::ifstream page(std::filesystem::path(TURNSTILE_DOCS) / name);
    std::string words;
    bool in_tag = false;
    for (std::istreambuf_iterator<char> next(page), end; next != end; ++next) {
        in_tag = (in_tag || *next == '<') && *next != '>';
        const bool is_word = !in_tag && std::string_view("<>| \n").find(*next) == std::string::npos;
        if (is_word)
            words += *next;
        else if (!words.ends_with(' '))
            words += ' ';
    }
    return words;
}

} // namespace

TEST_CASE("the picture of the lease shows what is left after and before a beat") {
    const auto text = words_of("lease.svg");
    constexpr duration timeout = 16s;
    const auto beat = lease_plan::beat(timeout);
    for (const auto since_beat : {0ns, beat - 1ns}) {
        const auto sixteenths = silence_survived(timeout, at(8 * beat + since_beat)) / 1s;
        INFO(sixteenths);
        CHECK(text.find(' ' + std::to_string(sixteenths) + "T/16 until it is lost ") !=
              std::string::npos);
    }
}

TEST_CASE("docs/operating.md says which silence a holder survives") {
    const auto text = words_of("operating.md");
    REQUIRE(!text.empty());
    constexpr auto tick = 2s;
    for (const duration timeout : {4s, 6s, 10s, 15s, 30s, 60s}) {
        const auto beat = lease_plan::beat(timeout);
        const auto last_beat = at(8 * beat);
        const auto most = silence_survived(timeout, last_beat);
        const auto least = silence_survived(timeout, last_beat + beat - 1ns) - 1ns;
        CHECK(least == timeout * 5 / 16);
        CHECK(most == timeout * 7 / 16);
        // The servers heard the holder last up to a beat before it crashed.
        const auto row = ' ' + tenths(timeout, false) + " s " + tenths(least, false) + " s " +
                         tenths(most, true) + " s " + tenths(timeout - beat, false) + " to " +
                         tenths(timeout + 2 * tick, true) + " s later ";
        INFO(row);
        CHECK(text.find(row) != std::string::npos);
    }
}
