// SPDX-License-Identifier: BSL-1.0
// Temporary arguments within a co_await expression. gcc 12 destroys such a value twice if it is an
// aggregate whose members have destructors. So the value types of the public headers are none. The
// calls here pass such values to operations in several forms.
#include "integration/with_lock/with_lock_stage.hpp"

static_assert(!std::is_aggregate_v<leader_info>);
static_assert(!std::is_aggregate_v<exclusive_options>);
static_assert(!std::is_aggregate_v<node_writes>);

TEST_CASE("an argument may be a temporary, in braces or not, within a co_await expression") {
    fixture f;
    session s{f.context, options_for()};
    election reports{s, fresh_path("braces")};
    mutex orders{s, fresh_path("braces")};
    int turns = 0;
    f.run([&]() -> asio::awaitable<void> {
        auto leads = co_await reports.campaign("a value that does not fit into a short string");
        std::string values = (co_await reports.observe()).value;
        CHECK(values == "a value that does not fit into a short string");
        values = (co_await reports.observe({})).value;
        CHECK(values == "a value that does not fit into a short string");
        values = (co_await reports.observe(leader_info{})).value;
        CHECK(values == "a value that does not fit into a short string");
        values = (co_await reports.observe(leader_info())).value;
        CHECK(values == "a value that does not fit into a short string");
        const auto [failed, seen] = co_await reports.observe(asio::as_tuple(asio::use_awaitable));
        CHECK(seen.value == values);
        co_await leads.release();
        const auto lead = [&](held_lock&) -> asio::awaitable<void> {
            ++turns;
            throw std::runtime_error("the only turn");
            co_return;
        };
        const auto thrown = co_await asio::co_spawn(f.context, run_exclusively(orders, lead, {}),
                                                    asio::as_tuple(asio::use_awaitable));
        CHECK(std::get<0>(thrown));
        CHECK(turns == 1);
    });
}
