// SPDX-License-Identifier: BSL-1.0
// Who a session says it is must be said on every connection: the user's identities, without which
// it has no rights, and its guard's, without which a release is no hand-off but a mere deletion.
#include "integration/support/access_support.hpp"
#include "integration/support/fault_rig.hpp"

#include "support/frame_proxy.hpp"

namespace {

// One of alice's group, with the way on which it releases and waits under the eyes of a proxy.
struct member {
    explicit member(fixture& context) : f(context), s(f.context, options()) {}

    void reconnect() {
        const auto id = s.id();
        const auto before = proxy.stats().connections;
        proxy.cut_all();
        f.run_until([&] {
            return proxy.stats().connections > before && s.state() == session_state::connected;
        });
        REQUIRE(s.id() == id);
    }
    /// As test::settle, but not below "/locks": what a member makes is alice's alone.
    void look_around() {
        mutex beside{s, fresh_root()};
        for (int i = 0; i < 4; ++i) {
            auto held = acquire_now(f, beside);
            release_now(f, held);
        }
    }

    fixture& f;
    frame_proxy proxy{shared_server().port()};
    session s;

private:
    session_options options() const {
        auto result = impatient(proxy.address());
        result.identities = {{"digest", alice}};
        result.acl = acl::creator_all();
        return result;
    }
};

// How tickets leave: set and deleted by one request, or, where the set is refused, by a second.
struct departure_meter {
    explicit departure_meter(frame_proxy& of)
        : proxy(of),
          handed_on(
              of.add_rule({.op = op::multi, .part = op::set_data, .path = "/turn-", .times = 0})),
          deleted(
              of.add_rule({.op = op::multi, .part = op::remove, .path = "/turn-", .times = 0})) {}

    void check_releases(int count) const {
        CHECK((count == 0 || proxy.wait_until_hit(handed_on, count)));
        CHECK(proxy.hits(handed_on) == count);
        CHECK(proxy.hits(deleted) == 0);
    }

    frame_proxy& proxy;
    rule_id handed_on;
    rule_id deleted;
};

std::string only_ticket(const std::string& path) {
    auto eyes = client_as(alice);
    const auto names = children_as(eyes, path);
    REQUIRE(names.size() == 1);
    return path + '/' + names.front();
}

// The rest of a hand-off: the holder says so in one request, and the waiter asks nothing.
void check_hand_off(fixture& f, member& from, held_lock& held, member& to, probe& waiting,
                    const std::string& ticket) {
    const auto path = ticket.substr(0, ticket.rfind('/'));
    const departure_meter leaving{from.proxy};
    const auto looked = to.proxy.add_rule({.path = ticket, .times = 0});
    const auto listed = to.proxy.add_rule({.op = op::get_children2, .path = path, .times = 0});
    release_now(f, held);
    REQUIRE(end_of(f, waiting) == error_code{});
    leaving.check_releases(1);
    CHECK(to.proxy.hits(looked) == 0);
    CHECK(to.proxy.hits(listed) == 0);
    from.proxy.clear_rules();
    to.proxy.clear_rules();
}

} // namespace

TEST_CASE("after a reconnect a session may still do in its directories what it did before") {
    fixture f;
    member m{f};
    const auto parent = fresh_root();
    mutex lock{m.s, parent + "/lock"};
    auto held = acquire_now(f, lock);
    m.reconnect();
    const departure_meter leaving{m.proxy};
    release_now(f, held); // a ticket of the connection before
    held = acquire_now(f, lock);
    release_now(f, held);
    mutex beside{m.s, parent + "/beside"}; // makes a directory in one of its own
    held = acquire_now(f, beside);
    release_now(f, held);
    leaving.check_releases(3);
    auto eyes = client_as(alice);
    for (const auto& path : {lock.path(), beside.path()}) {
        CHECK(rights_of(eyes, path) == std::vector{right_of(alice, every_right)});
        CHECK(children_as(eyes, path).empty());
    }
}

TEST_CASE(
    "after a reconnect a lock is handed on by one request, and the next in line asks nothing") {
    fixture f;
    member one{f};
    member other{f};
    const auto path = fresh_root();
    mutex first{one.s, path};
    mutex second{other.s, path};
    auto held = acquire_now(f, first);
    auto ticket = only_ticket(path);
    probe waiting;
    second.acquire(waiting.make());
    other.look_around();
    one.reconnect();
    other.reconnect();
    other.look_around();                                  // it has looked again
    check_hand_off(f, one, held, other, waiting, ticket); // tickets of the connections before
    ticket = only_ticket(path);
    probe again;
    first.acquire(again.make());
    one.look_around();
    check_hand_off(f, other, waiting.lock(), one, again, ticket); // one of them
    ticket = only_ticket(path);
    probe last;
    second.acquire(last.make());
    other.look_around();
    check_hand_off(f, one, again.lock(), other, last, ticket); // tickets of these connections
    release_now(f, last.lock());
    auto eyes = client_as(alice);
    CHECK(children_as(eyes, path).empty());
}
