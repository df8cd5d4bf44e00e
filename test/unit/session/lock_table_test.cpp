// SPDX-License-Identifier: BSL-1.0
// The locks of a session: who waits for their loss leaves nothing behind.
#include "session/locks/lock_table.hpp"
#include "session/session_impl.hpp"

#include "support/pch.hpp"

namespace asio = boost::asio;
using namespace turnstile;
using namespace turnstile::detail;

namespace {

struct table_stage {
    asio::io_context context;
    std::vector<diagnostics*> explained{};
    lock_table locks{[this](diagnostics* which) { explained.push_back(which); }};
    std::shared_ptr<ticket_lock> lock = std::make_shared<ticket_lock>(
        nullptr,
        std::make_shared<lock_record>(turnstile::protocol::acquire_request{.path = "/l"}, 0), 1,
        fencing_token{100}, lease_clock::time_point{});
    std::vector<error_code> told{};

    lock_table::operation note(diagnostics* details = nullptr) {
        return {{.handler = [this](error_code why) { told.push_back(why); }, .diag = details},
                context.get_executor()};
    }
    void await_loss(operation_id id) { locks.await(lock_table::loss, *lock, id, note()); }
    void await_risk(operation_id id) { locks.await(lock_table::risk_of_loss, *lock, id, note()); }
    std::vector<error_code> run() {
        context.restart();
        context.poll(); // those that wait are outstanding work
        return std::exchange(told, {});
    }
};

} // namespace

TEST_CASE("a cancelled wait for a loss leaves nothing behind") {
    table_stage t;
    t.locks.add(t.lock);
    for (operation_id id = 1; id <= 100; ++id) {
        t.await_loss(id);
        CHECK(t.locks.awaited() == 1);
        t.locks.cancel(id, asio::error::operation_aborted);
        CHECK(t.locks.awaited() == 0);
    }
    t.context.run();
    CHECK(t.told == std::vector<error_code>(100, asio::error::operation_aborted));
}

TEST_CASE("what fails is explained, and nothing else") {
    table_stage t;
    diagnostics of_downgrade;
    diagnostics of_release;
    t.locks.add(t.lock);
    t.locks.await(lock_table::downgrade, *t.lock, 1, t.note(&of_downgrade));
    t.locks.await(lock_table::release, *t.lock, 2, t.note(&of_release));
    t.locks.end(lock_table::downgrade, 1, error::create_denied);
    CHECK(t.explained == std::vector<diagnostics*>{&of_downgrade});
    t.locks.end(lock_table::release, 1, {});
    CHECK(t.explained.size() == 1);
    CHECK(t.run() == std::vector<error_code>{error::create_denied, {}});
}

TEST_CASE("a change that is refused at once is explained, too") {
    table_stage t;
    diagnostics of_second;
    t.locks.add(t.lock);
    t.locks.await(lock_table::downgrade, *t.lock, 1, t.note());
    t.locks.await(lock_table::downgrade, *t.lock, 2, t.note(&of_second));
    CHECK(t.explained == std::vector<diagnostics*>{&of_second});
    CHECK(t.run() == std::vector<error_code>{error::not_exclusive});
}

TEST_CASE("those that still wait are told of a loss, once") {
    table_stage t;
    t.locks.add(t.lock);
    for (operation_id id = 1; id <= 3; ++id)
        t.await_loss(id);
    t.locks.cancel(2, asio::error::operation_aborted);
    t.locks.on_lost(1, protocol::failure::ticket_deleted, {});
    CHECK(t.locks.awaited() == 0);
    CHECK_FALSE(t.locks.cancel(1, asio::error::operation_aborted));
    t.context.run();
    CHECK(t.told == std::vector<error_code>{asio::error::operation_aborted, error::ticket_deleted,
                                            error::ticket_deleted});
}

TEST_CASE("a risk is told to those who wait and to those who come while it lasts") {
    table_stage t;
    t.locks.add(t.lock);
    t.await_risk(1);
    CHECK(t.run().empty());
    t.locks.on_risk(true);
    CHECK(t.run() == std::vector<error_code>{{}});
    t.await_risk(2);
    CHECK(t.run() == std::vector<error_code>{{}});
    t.locks.on_risk(false);
    t.await_risk(3);
    CHECK(t.run().empty());
    CHECK(t.locks.awaited() == 1);
    t.locks.cancel(3, asio::error::operation_aborted);
    CHECK(t.run() == std::vector<error_code>{asio::error::operation_aborted});
    CHECK(t.locks.awaited() == 0);
}

TEST_CASE("who waits for a risk is told of the loss or the release that comes instead") {
    table_stage t;
    t.locks.add(t.lock);
    t.await_risk(1);
    SECTION("loss") {
        t.locks.on_lost(1, protocol::failure::session_expired, {});
        CHECK(t.run() == std::vector<error_code>{error::session_expired});
        t.await_risk(2);
        CHECK(t.run() == std::vector<error_code>{error::session_expired});
    }
    SECTION("release") {
        t.locks.on_release_begun(1);
        CHECK(t.run() == std::vector<error_code>{error::released});
        t.await_risk(2);
        CHECK(t.run() == std::vector<error_code>{error::released});
    }
    CHECK(t.locks.awaited() == 0);
}
