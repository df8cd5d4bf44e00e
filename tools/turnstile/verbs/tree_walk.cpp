// SPDX-License-Identifier: BSL-1.0
#include "verbs/tree_walk.hpp"

#include "program/ticket_program.hpp"
#include "text/quietly.hpp"

#include <turnstile/mutex.hpp>
#include <turnstile/semaphore.hpp>

#include <boost/asio/co_spawn.hpp>
#include <boost/system/system_error.hpp>

#include <algorithm>
#include <set>
#include <string_view>
#include <utility>

namespace turnstile::command {

namespace asio = boost::asio;

namespace {

constexpr std::size_t most_open = 64;

bool is_gone(const error_code& why) {
    return why == error_code(-101, zookeeper_category()); // ZNONODE
}

bool has(const std::vector<std::string>& names, std::string_view one) {
    return std::ranges::find(names, one) != names.end();
}

} // namespace

asio::awaitable<found_locks> tree_walk::below(const std::string& path) {
    waiting_.push_back(path);
    noted_ = 1;
    begin_looks();
    while (open_ > 0) {
        changed_.expires_at(asio::steady_timer::time_point::max());
        co_await changed_.async_wait(quietly);
    }
    if (failure_)
        std::rethrow_exception(failure_);
    std::ranges::sort(found_.locks, {}, &found_lock::path);
    std::ranges::sort(found_.denied);
    co_return std::move(found_);
}

void tree_walk::begin_looks() {
    while (!failure_ && open_ < most_open && !waiting_.empty()) {
        auto next = std::move(waiting_.front());
        waiting_.pop_front();
        ++open_;
        asio::co_spawn(session_.get_executor(), look(std::move(next)),
                       [this](std::exception_ptr e) {
                           --open_;
                           if (e && !failure_)
                               failure_ = e;
                           begin_looks();
                           changed_.cancel();
                       });
    }
}

asio::awaitable<void> tree_walk::look(std::string path) {
    const auto names = co_await children(path);
    if (!names || names->empty())
        co_return;
    found_lock lock{.path = path};
    if (path != "/") { // no lock can be at the root
        mutex any(session_, path);
        auto [failed, line] = co_await any.list_participants(1, quietly);
        if (failed == error::read_denied) { // a part of a semaphore may not be read
            found_.denied.push_back(path);
            co_return;
        }
        if (failed)
            throw boost::system::system_error(failed);
        std::erase_if(line, is_stray);
        lock.line = std::move(line);
    }
    const bool semaphore = has(*names, "queue") && has(*names, "leases") && has(*names, "limit");
    if (semaphore)
        lock.limit = co_await limit_at(path);
    std::set<std::string_view> tickets;
    for (const auto& each : lock.line)
        tickets.insert(each.node);
    for (const auto& each : *names)
        if (!tickets.contains(each) && !lock.limit)
            add_node(path, each);
    if (!lock.line.empty() || lock.limit)
        found_.locks.push_back(std::move(lock));
}

asio::awaitable<std::optional<std::vector<std::string>>>
tree_walk::children(const std::string& path) {
    auto [failed, names] = co_await session_.list_children(path, quietly);
    if (failed == error::read_denied)
        found_.denied.push_back(path);
    else if (failed && !is_gone(failed))
        throw boost::system::system_error(failed);
    co_return failed ? std::nullopt : std::optional(std::move(names));
}

asio::awaitable<std::optional<std::uint32_t>> tree_walk::limit_at(const std::string& path) {
    semaphore lock(session_, path);
    const auto [failed, limit] = co_await lock.get_limit(quietly);
    co_return failed ? std::nullopt : std::optional(limit);
}

void tree_walk::add_node(const std::string& path, std::string child) {
    if (path == "/" && child == "zookeeper")
        return; // it is ZooKeeper's own node
    if (noted_ == most_) {
        found_.whole = false;
        return;
    }
    ++noted_;
    waiting_.push_back((path == "/" ? "" : path) + '/' + std::move(child));
}

} // namespace turnstile::command
