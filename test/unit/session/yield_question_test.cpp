// SPDX-License-Identifier: BSL-1.0
// held_lock::wait_yield while a downgrade gives the lock another ticket. The session then asks once
// more whether anybody wants the lock, unless the wait was cancelled meanwhile.
#include <turnstile/session.hpp>
#include <turnstile/shared_mutex.hpp>

#include "unit/session/backend_over_model.hpp"

#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/cancellation_signal.hpp>
#include <boost/asio/error.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>

#include <optional>

namespace asio = boost::asio;
using namespace turnstile;

TEST_CASE("a wait for a request to yield asks for the new ticket, unless it was cancelled") {
    asio::io_context context;
    int watches = 0; // how often the node of requests to yield was asked for
    const test::backend_over_model servers(context, [&](const protocol::request& what) {
        watches += what.watch && what.path == "/locks/catalogue%yield" ? 1 : 0;
    });
    session subject(context, session_options{.servers = "127.0.0.1:2181"});
    shared_mutex catalogue(subject, "/locks/catalogue");
    held_lock lock;
    catalogue.acquire([&](error_code, held_lock granted) { lock = std::move(granted); });
    servers.model->settle();
    REQUIRE(lock.is_held());
    asio::cancellation_signal stop;
    std::optional<error_code> waited;
    lock.wait_yield(asio::bind_cancellation_slot(
        stop.slot(), [&](error_code why, const turnstile::yield_request&) { waited = why; }));
    servers.model->settle();
    REQUIRE(watches == 1);

    // The downgrade is carried out, and its answer is held back.
    auto& port = servers.model->port_of(subject.id());
    port.hold_answers();
    std::optional<error_code> changed;
    lock.downgrade([&](error_code why) { changed = why; });
    servers.model->settle();
    REQUIRE_FALSE(changed);
    bool cancels = true;
    SECTION("cancelled behind the answer to the downgrade") {
        asio::post(context, [&] { stop.emit(asio::cancellation_type::terminal); });
    }
    SECTION("not cancelled: it asks for the new ticket") { cancels = false; }
    port.let_answers_through();
    servers.model->settle();
    CHECK(changed == error_code());
    CHECK(watches == (cancels ? 1 : 2));
    if (cancels)
        CHECK(waited == asio::error::operation_aborted);
    else
        CHECK_FALSE(waited);
    lock = {}; // the release ends the wait in any case
    servers.model->settle();
    CHECK(waited.has_value());
}
