// SPDX-License-Identifier: BSL-1.0
// The semaphore on a real server.
#include "integration/semaphore/two_semaphores.hpp"
#include "integration/support/cancel_support.hpp"

namespace {

std::size_t leases_of(const std::string& path) { return children_of(path + "/leases").size(); }

} // namespace

TEST_CASE("no more permits are given than there are, over all sessions") {
    two_semaphores f;
    auto two = acquire_now(f, f.ours.permits(2));
    auto one = acquire_now(f, f.theirs);
    CHECK(leases_of(f.path) == 3);
    CHECK(try_now(f, f.theirs) == error::would_block);
    CHECK(try_now(f, f.ours) == error::would_block);
    CHECK(two.is_held());
    release_now(f, two);
    auto again = acquire_now(f, f.theirs.permits(2));
    CHECK(one.fencing_token() < again.fencing_token());
    release_now(f, again);
    release_now(f, one);
    CHECK(leases_of(f.path) == 0);
}

TEST_CASE("where no ticket may be written, permits are handed over in the line") {
    zookeeper_server other_digest{
        {.system_properties = {"zookeeper.DigestAuthenticationProvider.digestAlg=SHA-256"}}};
    const bool unguarded = GENERATE(true, false);
    auto options = unguarded ? options_for() : options_for(other_digest.address());
    options.protect_tickets = !unguarded;
    fixture f;
    session here{f.context, options};
    session there{f.context, options};
    const auto path = fresh_path("unguarded");
    semaphore ours{here, path, 1};
    semaphore theirs{there, path};
    auto held = acquire_now(f, ours);
    std::vector<std::unique_ptr<probe>> line;
    for (const auto from : {&theirs, &ours, &theirs, &ours}) {
        line.push_back(std::make_unique<probe>());
        from->permits(1).acquire(line.back()->make());
        f.run_until(
            [&] { return children_of(path + "/queue", options.servers).size() == line.size(); });
    }
    for (const auto& next : line) {
        release_now(f, held);
        f.run_until([&] { return next->done(); });
        REQUIRE(next->code() == error_code{});
        held = std::move(next->lock());
        CHECK(held.is_held());
    }
    release_now(f, held);
}
