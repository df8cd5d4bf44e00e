// SPDX-License-Identifier: BSL-1.0
#include "participant.hpp"

namespace turnstile::matrix {
namespace {

session_options options_of(const std::string& servers, std::chrono::milliseconds timeout,
                           const test::certificates* shown = nullptr) {
    session_options options;
    if (shown)
        options.tls = tls_options{.authorities_file = shown->file("ca")};
    options.servers = servers;
    options.timeout = timeout;
    options.shortest_backoff = std::chrono::milliseconds{5};
    options.longest_backoff = std::chrono::milliseconds{50};
    options.log.level = log_level::none; // faults are on purpose here
    return options;
}

std::optional<session> side_of(boost::asio::io_context& context, const std::string& server) {
    std::optional<session> result;
    if (!server.empty())
        result.emplace(context, options_of(server, participant::lucky_timeout));
    return result;
}

} // namespace

participant::participant(boost::asio::io_context& context, const std::string& servers,
                         std::chrono::milliseconds timeout, const subject& lock, role how,
                         const std::string& path, test::journal& book,
                         const std::string& side_server, const test::certificates* shown)
    : line(context, options_of(servers, timeout, shown)),
      side(side_of(context, side_server)),
      user(context.get_executor(), lock.open(line, side ? *side : line, path, how), &book) {
    user.reads = how == role::reader;
}

void participant::connect() {
    ++operations;
    line.connect([this](const error_code& result) {
        ++completions;
        connected = result;
    });
}

void participant::close() {
    const auto note = [this](const error_code& result) {
        ++completions;
        if (!closed || result)
            closed = result;
    };
    ++operations;
    line.close(note);
    if (!side)
        return;
    ++operations;
    side->close(note);
}

void participant::move_on(std::chrono::milliseconds hold_for) {
    user.hold_for = hold_for;
    user.release_when_granted = true;
    if (user.holds())
        user.release();
}

} // namespace turnstile::matrix
