// The locks of a session: who waits for their loss leaves nothing behind.
#include "locks/lock_table.hpp"
#include "locks/session_core.hpp"

#include "support/pch.hpp"

#include <vector>

namespace asio = boost::asio;
using namespace turnstile;
using namespace turnstile::detail;

namespace {

struct stage {
    asio::io_context context;
    asio::any_io_executor executor{context.get_executor()};
    lock_table locks{executor};
    std::shared_ptr<lock_state> lock = std::make_shared<lock_state>(nullptr, 1, 100);
    std::vector<error_code> told{};

    void await_loss(operation_id id) {
        locks.await_loss(*lock, id, {[this](error_code why) { told.push_back(why); }, executor});
    }
};

} // namespace

TEST_CASE("a cancelled wait for a loss leaves nothing behind") {
    stage t;
    t.locks.granted(t.lock);
    for (operation_id id = 1; id <= 100; ++id) {
        t.await_loss(id);
        CHECK(t.locks.awaited() == 1);
        CHECK(t.locks.cancel(id, asio::error::operation_aborted));
        CHECK(t.locks.awaited() == 0);
    }
    t.context.run();
    CHECK(t.told == std::vector<error_code>(100, asio::error::operation_aborted));
}

TEST_CASE("those that still wait are told of a loss, once") {
    stage t;
    t.locks.granted(t.lock);
    for (operation_id id = 1; id <= 3; ++id)
        t.await_loss(id);
    CHECK(t.locks.cancel(2, asio::error::operation_aborted));
    t.locks.lost(1, protocol::failure::lost_deleted, {});
    CHECK(t.locks.awaited() == 0);
    CHECK_FALSE(t.locks.cancel(1, asio::error::operation_aborted));
    t.context.run();
    CHECK(t.told == std::vector<error_code>{asio::error::operation_aborted, error::ticket_deleted,
                                            error::ticket_deleted});
}
