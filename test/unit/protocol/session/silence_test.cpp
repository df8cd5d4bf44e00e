// SPDX-License-Identifier: BSL-1.0
// How long a holder that is answered all the time survives that nothing is answered any more.
#include "unit/protocol/machine_fixture.hpp"

namespace {

/// A holder that has been answered at once for long.
struct holder {
    machine_fixture f;

    holder(duration timeout, std::optional<duration> tick) : f(with(timeout, tick)) {
        f.machine.connect(f.now);
        f.accept(our_session, timeout);
        f.reply("exists /", replies::ok());
        f.acquire(1);
        f.reply("get /l", replies::folder(5));
        f.enqueued(0, 0);
        REQUIRE(f.events() == texts{"granted 1 token 100"});
        f.live(4 * timeout);
    }

    static settings with(duration timeout, std::optional<duration> tick) {
        auto result = machine_fixture::defaults();
        result.timeout = timeout;
        result.tick = tick;
        return result;
    }

    /// To the next instant at which something is sent: what that is.
    texts step() {
        while (f.wire.open.empty()) {
            f.now = *f.machine.next_timer();
            f.machine.on_time(f.now);
        }
        return f.open();
    }
    void answer() { f.live(0s); }
    void step_to_beat() {
        while (step() != texts{"check " + ticket_path(0)})
            answer();
    }

    /// From now on nothing is answered: how long it takes until the loss is reported.
    duration silence() {
        const auto since = f.now;
        while (f.told.events.empty())
            f.pass(*f.machine.next_timer() - f.now);
        REQUIRE(f.events() == texts{"lost 1 lease_lost"});
        return f.now - since;
    }
};

/// The silence that begins just before a beat is answered.
duration least_silence(duration timeout, std::optional<duration> tick = {}) {
    holder some(timeout, tick);
    some.step_to_beat();
    return some.silence();
}

/// The silence that begins just after that.
duration most_silence(duration timeout, std::optional<duration> tick = {}) {
    holder some(timeout, tick);
    some.step_to_beat();
    some.answer();
    return some.silence();
}

// As the pages have it.
std::string tenths(duration time, bool up = false) {
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

TEST_CASE("without a stated tick a holder survives 5T/16 of silence, and up to 7T/16") {
    for (const duration timeout : {4s, 15s, 60s}) {
        CHECK(least_silence(timeout) == timeout * 5 / 16);
        CHECK(most_silence(timeout) == timeout * 7 / 16);
    }
}

TEST_CASE("with the tick stated a holder survives all but the gap, two beats and the margin") {
    const auto timeout = GENERATE(duration{5s}, duration{10s}, duration{15s}, duration{60s});
    const auto least = timeout - 1500ms - 2 * lease_plan::beat(timeout) - timeout / 16;
    CHECK(least_silence(timeout, 2s) == least);
    CHECK(most_silence(timeout, 2s) == least + lease_plan::beat(timeout));
    CHECK(least_silence(15s, 2s) >= 8500ms);
    CHECK(least_silence(6s, 2s) >= 2500ms);
}

TEST_CASE("with a timeout of two ticks it is the same whether the tick is stated") {
    CHECK(least_silence(4s, 2s) == least_silence(4s));
    CHECK(most_silence(4s, 2s) == most_silence(4s));
    holder some(4s, 2s);
    for (int beats = 0; beats < 16; ++beats) {
        REQUIRE(some.step() == texts{"check " + ticket_path(0)});
        some.answer();
    }
}

TEST_CASE("a holder with a stated tick writes eight times in T, and reads the gap before that") {
    const auto timeout = GENERATE(duration{5s}, duration{10s}, duration{15s}, duration{60s});
    holder some(timeout, 2s);
    some.step_to_beat();
    some.answer();
    const auto since = some.f.now;
    const auto lead = lease_plan::read_lead(timeout, 1500ms);
    for (int beats = 0; beats < 8; ++beats) {
        REQUIRE(some.step() == texts{"exists /"});
        some.answer();
        const auto read = some.f.now;
        REQUIRE(some.step() == texts{"check " + ticket_path(0)});
        some.answer();
        CHECK(some.f.now - read == lead);
    }
    CHECK(some.f.now - since == timeout);
}

TEST_CASE("a beat follows the late answer of the read before it by the gap") {
    holder some(16s, 2s);
    some.step_to_beat();
    some.f.now += 100ms; // as long as its answers take
    some.answer();
    const auto beat = some.f.now;
    REQUIRE(some.step() == texts{"exists /"});
    CHECK(some.f.now == beat + 2s - 1500ms - 100ms);
    const auto late = GENERATE(150ms, 50ms);
    some.f.now += late;
    some.answer();
    REQUIRE(some.step() == texts{"check " + ticket_path(0)});
    CHECK(some.f.now == beat + 2s - 100ms + late);
}

TEST_CASE("a beat waits no longer than it is answered for the read before it") {
    holder some(16s, 2s);
    some.step_to_beat();
    some.f.now += 100ms;
    some.answer();
    const auto beat = some.f.now;
    REQUIRE(some.step() == texts{"exists /"});
    some.f.now += 201ms;
    some.answer();
    REQUIRE(some.step() == texts{"check " + ticket_path(0)});
    CHECK(some.f.now == beat + 2s);
}

TEST_CASE("the picture of the lease shows what is left after and before a beat") {
    const auto text = words_of("lease.svg");
    constexpr duration timeout = 16s;
    for (const auto silence : {least_silence(timeout), most_silence(timeout)}) {
        const auto sixteenths = silence / 1s;
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
        // The last word of the holder came up to a beat before its crash.
        const auto row = ' ' + tenths(timeout) + " s " + tenths(least_silence(timeout)) + " to " +
                         tenths(most_silence(timeout), true) + " s " +
                         tenths(least_silence(timeout, tick)) + " to " +
                         tenths(most_silence(timeout, tick), true) + " s " +
                         tenths(timeout - lease_plan::beat(timeout)) + " to " +
                         tenths(timeout + 2 * tick, true) + " s later ";
        INFO(row);
        CHECK(text.find(row) != std::string::npos);
    }
}
