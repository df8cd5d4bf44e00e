#include "locks/option_check.hpp"

#include "locks/access.hpp"
#include "locks/acl_check.hpp"

namespace turnstile::detail {

namespace {

using namespace std::chrono_literals;

// A packet of more than 1,048,575 bytes makes the server cut the connection without a word.
constexpr std::size_t most_request_bytes = 1'000'000;

bool are_durations_sane(const session_options& o) {
    return o.timeout >= 200ms && o.timeout <= 1h && o.connect_timeout > 0ms &&
           o.unreachable_limit > 0ms && o.shortest_backoff > 0ms &&
           o.longest_backoff >= o.shortest_backoff && o.tick > 0ms &&
           (!o.margin || (*o.margin >= 0ms && *o.margin < o.timeout / 4));
}

} // namespace

error_code check_options(const session_options& options) {
    if (!protocol::server_list::parse(options.servers))
        return error::bad_servers;
    if (!are_durations_sane(options) || options.ticket_bytes < 4096 ||
        options.ticket_bytes > 1024 * 1024)
        return error::bad_options;
    std::size_t bytes = 0;
    for (const auto& who : options.identities) {
        if (who.scheme.empty())
            return error::bad_options;
        bytes = std::max(bytes, who.scheme.size() + who.secret.size());
    }
    if (!can_work(options.acl) ||
        (options.acl.directories == acl::rule::creator_all && !owner_of(options)))
        return error::bad_acl;
    // One request carries the rights of a directory, another a ticket's rights and its data.
    bytes = std::max({bytes, bytes_of(options.acl.entries),
                      options.label.size() + bytes_of(options.acl.tickets)});
    return bytes > most_request_bytes ? error_code(error::request_too_large) : error_code();
}

} // namespace turnstile::detail
