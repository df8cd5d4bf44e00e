// SPDX-License-Identifier: BSL-1.0
#include "fixture.hpp"

#include "support/foreign_client.hpp"
#include "support/onlooker.hpp"
#include "support/pch.hpp"
#include "support/pump.hpp"

#include <boost/asio/executor_work_guard.hpp>

namespace turnstile::test {

namespace {

constexpr std::chrono::seconds time_of_server{5};

const std::string& or_shared(const std::string& address) {
    if (!address.empty())
        return address; // to start the shared server would hold a session's thread for seconds
    static const auto shared = shared_server().address();
    return shared;
}

[[noreturn]] void fail(std::string_view why, const std::source_location& where) {
    FAIL(why << ", at " << where.file_name() << ":" << where.line());
    std::abort();
}

} // namespace

zookeeper_server& shared_server() {
    // So that what a test's foreign clients make outlives a machine that is slow to serve them.
    static zookeeper_server server{{.max_session_timeout_ms = 40'000}};
    return server;
}

session_options options_for(const std::string& servers) {
    session_options options;
    options.servers = servers.empty() ? shared_server().address() : servers;
    options.timeout = std::chrono::seconds{4};
    return options;
}

std::string fresh_path(std::string_view name) {
    static std::atomic<int> last{0};
    return "/locks/" + std::string{name} + "-" + std::to_string(++last);
}

std::vector<std::string> children_of(const std::string& path, const std::string& address) {
    foreign_client client{or_shared(address)};
    std::vector<std::string> names;
    if (const int rc = client.children(path, &names); rc != 0 && rc != -101)
        throw std::runtime_error("children_of " + path + ": " + std::to_string(rc));
    std::ranges::sort(names);
    return names;
}

std::size_t tickets_of(const std::string& path, std::int64_t session_id,
                       const std::string& address) {
    return onlooker{or_shared(address)}.count_of(path, session_id);
}

void fixture::spawn(coroutine what) { spawn_on(context.get_executor(), std::move(what)); }

void fixture::spawn_on(const asio::any_io_executor& where, coroutine what) {
    ++running_;
    asio::co_spawn(where, std::move(what), [this](std::exception_ptr error) {
        --running_;
        if (error && !error_)
            error_ = error;
    });
}

void fixture::rethrow() {
    if (error_)
        std::rethrow_exception(std::exchange(error_, nullptr));
}

void fixture::run_until(const predicate& done, std::chrono::milliseconds limit,
                        std::source_location where) {
    const auto is_done = [&] {
        rethrow();
        return done();
    };
    const auto result = pump_until(context, is_done, limit);
    if (result == pumped::limit_over)
        fail("not done within the limit", where);
    if (result == pumped::done)
        return;
    // What is left may be the server's to do, such as the end of a session that was closed.
    const auto work = asio::make_work_guard(context);
    if (pump_until(context, is_done, time_of_server) != pumped::done)
        fail("nothing is left to be run", where);
}

void fixture::run_spawned(std::chrono::milliseconds limit, std::source_location where) {
    run_until([this] { return running_ == 0; }, limit, where);
}

void fixture::run(coroutine what, std::chrono::milliseconds limit, std::source_location where) {
    spawn(std::move(what));
    run_spawned(limit, where);
}

void fixture::run_out(std::chrono::milliseconds limit, std::source_location where) {
    const auto end = std::chrono::steady_clock::now() + limit;
    context.restart();
    while (!context.stopped()) {
        context.run_one_until(end);
        rethrow();
        if (!context.stopped() && std::chrono::steady_clock::now() >= end)
            fail("the context has work left", where);
    }
}

} // namespace turnstile::test
