// SPDX-License-Identifier: BSL-1.0
#include "fault_rig.hpp"

#include "support/pch.hpp"
#include "support/pump.hpp"

#include <boost/asio/executor_work_guard.hpp>

namespace turnstile::test {

contender::contender(session& owner, const std::string& path, journal* book)
    : lock_user(
          owner.get_executor(), [this](handler done) { where.acquire(std::move(done)); }, book),
      where(owner, path) {}

void contender::acquire_for(std::chrono::milliseconds limit) {
    where.acquire_for(limit, on_acquire());
}

void contender::try_acquire() { where.try_acquire(on_acquire()); }

crowd::crowd(const std::vector<session*>& sessions, const std::string& path, std::size_t count) {
    for (std::size_t i = 0; i < count; ++i)
        all.push_back(std::make_unique<contender>(*sessions[i % sessions.size()], path, &book));
}

void crowd::line_up() {
    for (const auto& each : all)
        each->acquire();
}

void crowd::line_up_in_order(fixture& f, onlooker& eyes) {
    for (const auto& each : all) {
        const auto& path = each->where.path();
        const auto before = eyes.count(path);
        each->acquire();
        await_children(f, eyes, path, before + 1);
    }
}

void crowd::release_when_granted(std::chrono::milliseconds hold_for) {
    for (std::size_t i = 0; i < all.size(); ++i) {
        const auto& each = all[i];
        each->release_when_granted = true;
        if (i % 3 == 0)
            each->hold_for = hold_for;
        if (each->holds())
            each->release();
    }
}

bool crowd::all_done() const {
    return std::ranges::all_of(all, [](const auto& c) { return c->started == c->completed; });
}

std::size_t crowd::failures() const {
    return static_cast<std::size_t>(
        std::ranges::count_if(all, [](const auto& c) { return c->failed(); }));
}

std::vector<const contender*> crowd::in_line() const {
    std::vector<const contender*> result;
    for (const auto& each : all)
        result.push_back(each.get());
    return result;
}

void acquire_now(fixture& f, contender& user, std::source_location where) {
    user.acquire();
    f.run_until([&] { return user.holds(); }, fixture::default_limit, where);
}

error_code release_now(fixture& f, contender& user, std::source_location where) {
    user.release();
    f.run_until([&] { return user.release_result.has_value(); }, fixture::default_limit, where);
    return *user.release_result;
}

void serve_all(fixture& f, crowd& users, std::size_t grants, std::chrono::milliseconds hold_for,
               std::source_location where) {
    users.release_when_granted(hold_for);
    f.run_until([&] { return users.all_done(); }, std::chrono::seconds{100}, where);
    CHECK(users.served() == grants);
    CHECK(users.failures() == 0);
    CHECK(users.book.violations() == journal::no_violations);
}

void await_children(fixture& f, onlooker& eyes, const std::string& path, std::size_t count,
                    std::chrono::milliseconds limit, std::source_location where) {
    // What is left may be the server's to do, and nobody is asked each time.
    const auto work = boost::asio::make_work_guard(f.context);
    std::size_t seen = 0;
    INFO("children of " << path << " expected: " << count);
    f.run_until(now_and_then([&] { return (seen = eyes.count(path)) == count; }), limit, where);
}

void await_watches(fixture& f, std::uint16_t port, std::size_t count, std::source_location where) {
    const auto work = boost::asio::make_work_guard(f.context);
    INFO("watches expected: " << count);
    f.run_until(now_and_then([&] { return watches_of(port) == count; }), fixture::default_limit,
                where);
}

session_options impatient(const std::string& servers, std::chrono::milliseconds timeout) {
    auto options = options_for(servers);
    options.timeout = timeout;
    options.shortest_backoff = std::chrono::milliseconds{5};
    options.longest_backoff = std::chrono::milliseconds{50};
    options.log.level = log_level::none; // faults are on purpose here
    return options;
}

void expire(const session_book& seen, const std::string& server, const session& which) {
    insist_on_expiry(server, seen.find(which.id()).value());
}

void settle(fixture& f, session& which, std::source_location where) {
    // Requests of one connection are answered in order; a look may take a few, one after another.
    for (int i = 0; i < 4; ++i) {
        contender user{which, fresh_path("settle")};
        user.release_when_granted = true;
        user.acquire();
        f.run_until([&] { return user.completed == 2; }, fixture::default_limit, where);
    }
}

void connect(fixture& f, session& which, std::source_location where) {
    std::optional<error_code> result;
    which.connect([&](const error_code& code) { result = code; });
    f.run_until([&] { return result.has_value(); }, fixture::default_limit, where);
    REQUIRE(*result == error_code{});
}

} // namespace turnstile::test
