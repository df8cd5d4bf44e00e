// SPDX-License-Identifier: BSL-1.0
// Any node's children, and what a session may do there.
#include "integration/support/access_support.hpp"
#include "integration/support/cancel_support.hpp"
#include "support/foreign_client.hpp"

namespace {

using right = path_access::right;
using names = std::vector<std::string>;

template <class Result, class Start>
std::pair<error_code, Result> answer_to(fixture& f, Start start) {
    std::optional<std::pair<error_code, Result>> answer;
    start([&](error_code why, Result found) { answer.emplace(why, std::move(found)); });
    f.run_until([&] { return answer.has_value(); });
    return *answer;
}

std::pair<error_code, names> names_at(fixture& f, session& s, const std::string& path) {
    auto found = answer_to<names>(f, [&](auto token) { s.list_children(path, std::move(token)); });
    std::ranges::sort(found.second);
    return found;
}

path_access rights_at(fixture& f, session& s, const std::string& path) {
    const auto found =
        answer_to<path_access>(f, [&](auto token) { s.check_access(path, std::move(token)); });
    CHECK(found.first == error_code{});
    return found.second;
}

void check_rights(const path_access& found, std::array<right, 4> expected) {
    CHECK(found.read == expected[0]);
    CHECK(found.create == expected[1]);
    CHECK(found.write == expected[2]);
    CHECK(found.remove == expected[3]);
}

} // namespace

TEST_CASE("the children of a node are told, also those of the chroot") {
    fixture f;
    const auto path = fresh_root();
    foreign_client other{shared_server().address()};
    for (const auto* part : {"", "/a", "/b"})
        REQUIRE(other.create(path + part) == 0);
    session whole{f.context, options_for()};
    CHECK(names_at(f, whole, path) == std::pair(error_code{}, names{"a", "b"}));
    CHECK(names_at(f, whole, "/").second.size() >= 2);
    session below{f.context, options_for(shared_server().address() + path)};
    CHECK(names_at(f, below, "/").second == names{"a", "b"});
    CHECK(names_at(f, whole, path + "/c").first == error_code(-101, zookeeper_category()));
    CHECK(names_at(f, whole, path + "/").first == error::bad_path);
    session nowhere{f.context, options_for(shared_server().address() + path + "/c")};
    CHECK(names_at(f, nowhere, "/").first == error::no_chroot);
    const auto access = answer_to<path_access>(
        f, [&](auto token) { nowhere.check_access("/locks", std::move(token)); });
    CHECK(access.first == error::no_chroot);
}

TEST_CASE("each right is told as the server has it, and nothing is changed") {
    fixture f;
    session s{f.context, options_as({})};
    using enum right;
    foreign_client eyes{shared_server().address()};
    const auto rights_of_all = [&](int permissions) {
        const auto path = path_for_anyone(permissions);
        const auto found = rights_at(f, s, path);
        CHECK(found.exists);
        CHECK(found.node == path);
        return found;
    };
    check_rights(rights_of_all(every_right), {allowed, allowed, allowed, allowed});
    check_rights(rights_of_all(every_right & ~1), {denied, allowed, allowed, allowed});
    check_rights(rights_of_all(every_right & ~2), {allowed, allowed, denied, allowed});
    check_rights(rights_of_all(every_right & ~4), {allowed, denied, unknown, unknown});
    check_rights(rights_of_all(every_right & ~8), {allowed, allowed, unknown, denied});

    const auto path = fresh_root();
    REQUIRE(eyes.create(path) == 0);
    check_rights(rights_at(f, s, path), {allowed, allowed, allowed, allowed});
    CHECK(children_of(path).empty());
    CHECK(names_at(f, s, path).second.empty());
    const auto missing = rights_at(f, s, path + "/x/y");
    CHECK_FALSE(missing.exists);
    CHECK(missing.node == path);
    check_rights(missing, {unknown, allowed, unknown, unknown});
}

TEST_CASE("a question about a node can be cancelled") {
    fixture f;
    session s{f.context, options_for("127.0.0.1:1")};
    boost::asio::cancellation_signal stop;
    std::optional<error_code> told;
    s.list_children("/", boost::asio::bind_cancellation_slot(
                             stop.slot(), [&](error_code why, const names&) { told = why; }));
    stop.emit(boost::asio::cancellation_type::terminal);
    f.run_until([&] { return told.has_value(); });
    CHECK(*told == boost::asio::error::operation_aborted);
}
