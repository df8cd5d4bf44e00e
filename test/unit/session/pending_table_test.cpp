// SPDX-License-Identifier: BSL-1.0
// Operations by id and by group: who leaves from where, and who is left.
#include "session/pending_table.hpp"

#include "support/pch.hpp"

namespace asio = boost::asio;
using namespace turnstile;
using namespace turnstile::detail;

namespace {

using ids = std::vector<operation_id>;

struct table_of_groups {
    asio::io_context context;
    operation_table<> table;
    ids told{};

    void add(operation_id id, std::uint64_t group) {
        erased_handler<void(error_code)> handler{
            .handler = [this, id](error_code) { told.push_back(id); }};
        table.add(id, {std::move(handler), context.get_executor()}, group);
    }
    ids run() {
        context.restart();
        context.poll();
        return std::exchange(told, {});
    }
};

} // namespace

TEST_CASE("a group has its members in the order of their arrival, whoever leaves") {
    table_of_groups s;
    for (operation_id id = 1; id <= 5; ++id)
        s.add(id, id == 3 ? 8 : 7);
    CHECK(s.table.members(7) == ids{1, 2, 4, 5});
    CHECK(s.table.members(8) == ids{3});
    const auto [leaving, left] = GENERATE(
        table<operation_id, ids>({{1, {2, 4, 5}}, {2, {1, 4, 5}}, {4, {1, 2, 5}}, {5, {1, 2, 4}}}));
    CHECK(s.table.complete(leaving, {}));
    CHECK_FALSE(s.table.complete(leaving, {}));
    CHECK(s.table.members(7) == left);
    s.add(6, 7);
    CHECK(s.table.members(7).back() == 6);
    CHECK(s.table.group_of(6) == 7);
    CHECK_FALSE(s.table.group_of(leaving));
    s.table.complete_group(7, {});
    CHECK_FALSE(s.table.first_of(7));
    CHECK(s.table.first_of(8));
    auto all = ids{leaving};
    all.insert(all.end(), left.begin(), left.end());
    all.push_back(6);
    CHECK(s.run() == all);
    CHECK(s.table.size() == 1);
}

TEST_CASE("a group may come again after its last member has left") {
    table_of_groups s;
    for (operation_id id = 1; id <= 3; ++id) {
        s.add(id, 7);
        CHECK(s.table.members(7) == ids{id});
        s.table.complete_group(7, {});
        CHECK(s.table.members(7).empty());
    }
    CHECK(s.run() == ids{1, 2, 3});
}

TEST_CASE("what is taken out is destroyed untold") {
    table_of_groups s;
    s.add(1, 7);
    s.add(2, 7);
    s.table.take();
    CHECK_FALSE(s.table.first_of(7));
    CHECK(s.run().empty());
    s.add(3, 7);
    CHECK(s.table.members(7) == ids{3});
    s.table.fail_all({});
}
