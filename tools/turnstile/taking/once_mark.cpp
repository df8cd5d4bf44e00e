// SPDX-License-Identifier: BSL-1.0
#include "taking/once_mark.hpp"

#include "command_failure.hpp"
#include "text/human_text.hpp"
#include "text/quietly.hpp"
#include "text/say.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <utility>
#include <vector>

namespace turnstile::command {

namespace asio = boost::asio;

namespace {

// The servers' clocks differ by less than this.
constexpr std::chrono::minutes most_ahead(1);

// Codes of ZooKeeper.
constexpr int no_node = -101;
constexpr int bad_version = -103;
constexpr int node_exists = -110;

bool is_code(const error_code& why, int code) {
    return why.category() == zookeeper_category() && why.value() == code;
}

/// Whether the write may have been carried out, by this attempt or an earlier one.
bool is_unknown(const error_code& why) {
    return why == error::outcome_unknown || is_code(why, bad_version) || is_code(why, node_exists);
}

} // namespace

asio::awaitable<std::optional<std::chrono::milliseconds>>
once_mark::set_again(const once_period& period) {
    const auto before = co_await read();
    const auto data = before ? before->data : std::string();
    const auto last = time_of(data);
    const std::optional rewritten = co_await write(before, data);
    const auto now = std::chrono::duration_cast<std::chrono::milliseconds>(
        rewritten->changed.time_since_epoch());
    if (last && *last > now + most_ahead)
        say(fmt::format("{} is {} ahead of the servers' clock: it does not count", mark_,
                        text_of(*last - now)));
    else if (last && period.has_both(std::min(*last, now), now))
        co_return std::max(now - *last, std::chrono::milliseconds(0));
    const auto present = std::to_string(now.count());
    co_await write(rewritten, present);
    co_return std::nullopt;
}

asio::awaitable<std::optional<node_value>> once_mark::read() {
    auto [failed, node] = co_await session_.read(mark_, quietly);
    if (is_code(failed, no_node))
        co_return std::nullopt;
    if (failed)
        throw failure_of(failed, {}, how_, mark_);
    co_return std::move(node);
}

// A write may be carried out, and its answer be lost. So a read decides whether to write again.
asio::awaitable<node_value> once_mark::write(const std::optional<node_value>& known,
                                             const std::string& data) {
    for (auto before = known;;) {
        node_writes one;
        if (before)
            one.set(mark_, data, before->version);
        else
            one.create(mark_, data);
        const auto [failed, results] = co_await lock_.write_guarded(one, quietly);
        if (failed && !is_unknown(failed))
            throw failure_of(failed, {}, how_, mark_);
        auto node = co_await read();
        if (node && node->data == data && (!before || node->version != before->version))
            co_return *std::move(node);
        if ((node ? node->data : "") != (before ? before->data : ""))
            throw command_failure(exit_code::refused,
                                  fmt::format("another program writes {}, too\n"
                                              "Name another path for the lock, or stop it.",
                                              mark_));
        before = std::move(node);
    }
}

std::optional<std::chrono::milliseconds> once_mark::time_of(const std::string& data) const {
    if (data.empty())
        return std::nullopt; // a turnstile died before it had set the mark
    std::int64_t ms = 0;
    const char* const end = data.data() + data.size();
    const auto read = std::from_chars(data.data(), end, ms);
    if (read.ec != std::errc() || read.ptr != end || ms < 0)
        throw command_failure(exit_code::refused,
                              fmt::format("{} has other data than a time of --once-per\n"
                                          "Delete that node, or name another path for the lock.",
                                          mark_));
    return std::chrono::milliseconds(ms);
}

} // namespace turnstile::command
