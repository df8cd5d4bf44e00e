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

/// The servers' clocks differ by less than this.
constexpr std::chrono::minutes most_ahead(1);

constexpr int no_node = -101;
constexpr int bad_version = -103;
constexpr int node_exists = -110;

bool is(const error_code& why, int code) {
    return why.category() == zookeeper_category() && why.value() == code;
}

/// Whether a write may have happened, by this attempt or an earlier one.
bool is_unknown(const error_code& why) {
    return why == error::outcome_unknown || is(why, bad_version) || is(why, node_exists);
}

} // namespace

asio::awaitable<std::optional<std::chrono::milliseconds>>
once_mark::set_again(const once_period& period) {
    const auto before = co_await read();
    const auto data = before ? before->data : std::string();
    const auto last = time_of(data);
    const std::optional known = co_await write(before, data);
    const auto now =
        std::chrono::duration_cast<std::chrono::milliseconds>(known->changed.time_since_epoch());
    if (last && *last > now + most_ahead)
        say(fmt::format("{} is {} ahead of the servers' clock: it does not count", mark_,
                        text_of(*last - now)));
    else if (last && period.has_both(std::min(*last, now), now))
        co_return std::max(now - *last, std::chrono::milliseconds(0));
    const auto present = std::to_string(now.count());
    co_await write(known, present);
    co_return std::nullopt;
}

/// Returns nothing if there is no such node.
asio::awaitable<std::optional<node_value>> once_mark::read() {
    auto [failed, found] = co_await session_.read(mark_, quietly);
    if (is(failed, no_node))
        co_return std::nullopt;
    if (failed)
        throw failure_of(failed, {}, how_, mark_);
    co_return std::move(found);
}

/// Returns when the node is known to have this data. `known`: what the node was before.
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
        auto found = co_await read();
        if (found && found->data == data && (!before || found->version != before->version))
            co_return *std::move(found);
        if ((found ? found->data : "") != (before ? before->data : ""))
            throw command_failure(exit_code::refused,
                                  fmt::format("another program writes {}, too\n"
                                              "Name another path for the lock, or stop it.",
                                              mark_));
        before = std::move(found);
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
