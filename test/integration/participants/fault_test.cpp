// SPDX-License-Identifier: BSL-1.0
// Asking who stands in line while the connection breaks, or the caller gives up.
#include "integration/fault/fault_outage.hpp"
#include "integration/support/cancel_support.hpp"
#include "support/pch.hpp"

namespace asio = boost::asio;
using namespace turnstile;
using namespace turnstile::test;

namespace {

using told_line = std::optional<std::vector<participant>>;

// Somebody else's tickets: the session that asks has none, and sends nothing else.
void line_up(onlooker& eyes, const std::string& path, foreign_client& other, int many) {
    other.create("/locks"); // it may be there
    REQUIRE(other.create(path) == 0);
    for (int i = 0; i < many; ++i)
        REQUIRE(other.create(path + "/lock-", "", create_mode::ephemeral_sequential) == 0);
    CHECK(eyes.children(path).size() == static_cast<std::size_t>(many));
}

} // namespace

TEST_CASE("a question whose answer was lost is asked again, in each phase") {
    const auto question = GENERATE(op::get_children2, op::get_data);
    const auto fault = GENERATE(action::cut_before, action::cut_after, action::cut_within);
    const bool session_ends = GENERATE(false, true);
    CAPTURE(static_cast<int>(question), to_text(fault), session_ends);
    outage_rig r;
    foreign_client other{shared_server().address()};
    const auto path = fresh_path("participants-fault");
    line_up(r.eyes, path, other, 3);
    mutex m{r.s, path};
    const auto rule = r.prepare(
        {.op = question, .path = path, .nth = question == op::get_data ? 2 : 1, .action = fault});
    told_line told;
    m.list_participants(50, [&](error_code result, std::vector<participant> line) {
        CHECK(result == error_code{});
        told = std::move(line);
    });
    r.pass_through(rule, session_ends);
    r.f.run_until([&] { return told.has_value(); });
    REQUIRE(told->size() == 3);
    for (const auto& each : *told)
        CHECK(each.known == participant::knowledge::answered);
    CHECK(told->front().holds);
}

TEST_CASE("asking who stands in line is cancelled in each phase") {
    const auto question = GENERATE(op::get_children2, op::get_data);
    const auto type = GENERATE(every_cancellation_type());
    CAPTURE(static_cast<int>(question), static_cast<int>(type));
    outage_rig r;
    foreign_client other{shared_server().address()};
    const auto path = fresh_path("participants-cancel");
    line_up(r.eyes, path, other, 3);
    mutex m{r.s, path};
    const auto rule = r.proxy.add_rule(
        {.direction = direction::to_client, .op = question, .path = path, .action = action::hold});
    asio::cancellation_signal signal;
    std::optional<error_code> told;
    m.list_participants(
        50, asio::bind_cancellation_slot(signal.slot(),
                                         [&](error_code result, std::vector<participant> none) {
                                             CHECK_FALSE(told); // once
                                             told = result;
                                             CHECK(none.empty());
                                         }));
    run_until_hit(r.f, r.proxy, rule);
    CHECK_FALSE(told);
    signal.emit(type);
    r.f.run_until([&] { return told.has_value(); }); // does not wait for the reply
    CHECK(*told == aborted);
    r.proxy.release_held();
    settle(r.f, r.s);
}
