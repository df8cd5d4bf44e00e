// SPDX-License-Identifier: BSL-1.0
#include "session/option_check.hpp"

#include "protocol/lease/lease_plan.hpp"
#include "protocol/names/lock_path.hpp"
#include "protocol/names/server_list.hpp"
#include "session/values/access.hpp"
#include "zookeeper/digest.hpp"
#include "zookeeper/sasl_exchange.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <string_view>
#include <sys/un.h>
#include <type_traits>
#include <utility>

namespace turnstile::detail {

namespace {

using namespace std::chrono_literals;

// A packet of more than 1,048,575 bytes makes the server cut the connection without a word.
constexpr std::size_t most_request_bytes = 1'000'000;

// A message shows this many bytes of a value.
constexpr std::size_t most_value_bytes = 200;

// One acquire may take this many permits.
constexpr std::size_t most_permits = 1000;

// The kernel's limit for the path of a socket, less the zero at the end.
constexpr std::size_t most_socket_path = sizeof(sockaddr_un::sun_path) - 1;

// A registration at the guard has room for 16 descriptors: these processes, this one, and the files
// of TLS (guard_registration).
constexpr std::size_t most_guarded_processes = 8;

// The share of a permit's ticket beside its path, label and rights: its name, the chroot, host and
// process in its data, and lengths.
constexpr std::size_t other_bytes_of_permit = 500;

// An option cannot be a NaN: a conversion makes an integer of it, which is out of range.
static_assert(std::is_integral_v<std::chrono::milliseconds::rep>);

// A value as a message shows it: cut, and without control characters.
std::string shown(const std::string& value) {
    auto text = '"' + value.substr(0, most_value_bytes);
    text += value.size() > most_value_bytes ? "...\"" : "\"";
    std::ranges::replace_if(
        text, [](unsigned char each) { return each < ' ' || each == '\x7f'; }, '?');
    return text;
}

std::string text_of(std::chrono::milliseconds value) {
    return std::to_string(value.count()) + " ms";
}
std::string text_of(std::size_t value) { return std::to_string(value); }

/// Finds the first option that has a value outside of its range.
class range_check {
public:
    template <class Value>
    void within(const char* option, const Value& value, const std::type_identity_t<Value>& least,
                const std::type_identity_t<Value>& most, const char* meaning) {
        if (value < least || value > most)
            refuse(option, text_of(value), "range " + text_of(least) + " to " + text_of(most),
                   meaning);
    }
    void at_least(const char* option, std::chrono::milliseconds value,
                  std::chrono::milliseconds least, const char* meaning) {
        if (value < least)
            refuse(option, text_of(value), "range, at least " + text_of(least), meaning);
    }
    void refuse(const std::string& option, const std::string& value, const std::string& range,
                const char* meaning) {
        if (!first_fault_.code)
            first_fault_ = {error::bad_options,
                            option + " = " + value + " is out of " + range + ": " + meaning};
    }
    const fault& first_fault() const { return first_fault_; }

private:
    fault first_fault_;
};

fault check_ranges(const session_options& o) {
    range_check check;
    check.within("timeout", o.timeout, 200ms, 1h, "the session timeout to ask for");
    check.at_least("connect_timeout", o.connect_timeout, 1ms,
                   "how long connect() tries to make a session");
    check.at_least("unreachable_limit", o.unreachable_limit, 1ms,
                   "how long an acquire waits while no server can be reached");
    check.at_least("shortest_backoff", o.shortest_backoff, 1ms,
                   "the first delay between rounds of connection attempts");
    check.at_least("longest_backoff", o.longest_backoff, o.shortest_backoff,
                   "shortest_backoff is the least that it can be");
    if (o.tick)
        check.at_least("tick", *o.tick, 1ms, "tickTime of the servers");
    if (o.margin) {
        const auto largest_margin = std::chrono::duration_cast<std::chrono::milliseconds>(
            protocol::lease_plan::largest_margin(o.timeout));
        check.within("margin", *o.margin, 0ms, largest_margin - 1ms,
                     "less than a quarter of the timeout");
    }
    check.within("ticket_bytes", o.ticket_bytes, 4096, 1024 * 1024,
                 "the bytes of ticket paths that the server must bear");
    if (o.host_guard.size() > most_socket_path || o.host_guard.find('\0') != std::string::npos)
        check.refuse("host_guard", shown(o.host_guard),
                     "range, a path of at most " + std::to_string(most_socket_path) + " bytes",
                     "the socket of the host's guard");
    check.within("host_guard_processes.size()", o.host_guard_processes.size(), 0,
                 most_guarded_processes, "processes whose end the guard awaits beside this one");
    for (std::size_t i = 0; i < o.identities.size(); ++i)
        if (o.identities[i].scheme.empty())
            check.refuse("identities[" + std::to_string(i) + "].scheme", "\"\"", "range",
                         "a scheme of the servers, such as digest");
    return check.first_fault();
}

// Says, for example: "/a//b" is a bad lock path: a part of it is empty
fault with_value(error what, const std::string& value, const std::string& reason) {
    return {what, shown(value) + " is a " + reason};
}

// The schemes that an entry may have. `auth` is none of them: the server would expand it to all
// identities of the connection. One of these guards tickets, and its password may be known to all.
constexpr std::array<std::string_view, 5> schemes{"world", "digest", "ip", "x509", "sasl"};

// Whether this is a certificate's subject in a form of OpenSSL's own, which would name nobody:
// "/CN=billing/O=Example" or "CN = billing, O = Example". Servers write it as RFC 2253 does.
bool is_other_form(std::string_view subject) {
    const auto equals = subject.find('=');
    if (equals == 0 || equals == subject.npos)
        return false;
    if (subject[0] == '/' || subject[equals - 1] == ' ' || subject.substr(equals + 1, 1) == " ")
        return true;
    auto comma = subject.find(", ");
    while (comma != subject.npos && comma > 0 && subject[comma - 1] == '\\')
        comma = subject.find(", ", comma + 1);
    return comma != subject.npos;
}

fault check_subjects(const std::vector<acl_entry>& entries) {
    for (const auto& entry : entries)
        if (entry.scheme == "x509" && is_other_form(entry.id))
            return with_value(
                error::bad_acl, entry.id,
                "subject in another form than servers write it. `openssl x509 -noout "
                "-subject -nameopt RFC2253` writes it as they do: CN=billing,O=Example");
    return {};
}

bool is_printable(std::string_view text) {
    return std::ranges::none_of(text, [](unsigned char c) { return c < 0x20 || c == 0x7f; });
}

bool is_entry(const acl_entry& entry) {
    if (std::ranges::find(schemes, entry.scheme) == schemes.end() || entry.id.empty() ||
        !is_printable(entry.id))
        return false;
    if (entry.permissions == permission::none || entry.permissions > permission::all)
        return false;
    if (entry.scheme == "world")
        return entry.id == "anyone";
    return entry.scheme != "digest" || zookeeper::is_digest_id(entry.id);
}

permission union_of(const std::vector<acl_entry>& entries) {
    auto united = permission::none;
    for (const auto& entry : entries)
        united = united | entry.permissions;
    return united;
}

fault check_entries(const char* option, const std::vector<acl_entry>& entries) {
    const auto wrong = std::ranges::find_if_not(entries, is_entry);
    if (wrong == entries.end())
        return {};
    const auto place = std::to_string(wrong - entries.begin());
    // Without the id: in place of a digest it may have a password.
    return {error::bad_acl, std::string(option) + '[' + place +
                                "] is no entry of ZooKeeper's; its scheme is " +
                                shown(wrong->scheme)};
}

// Finds entries that are none of ZooKeeper's, or do not give the rights that a user of a lock
// needs.
fault check_acl(const session_options& options) {
    const auto& rights = options.acl;
    if (rights.directories > acl::rule::list)
        return {error::bad_acl, "acl.directories is none of the rules"};
    if (auto bad = check_entries("acl.entries", rights.entries); bad.code)
        return bad;
    if (auto bad = check_entries("acl.tickets", rights.tickets); bad.code)
        return bad;
    constexpr auto needed =
        permission::create | permission::read | permission::write | permission::remove;
    if (rights.directories == acl::rule::list && (union_of(rights.entries) & needed) != needed)
        return {error::bad_acl, "acl.entries together do not give create, read, write and remove, "
                                "which each user of a lock needs"};
    if ((union_of(rights.tickets) & permission::read) != permission::read)
        return {error::bad_acl, "acl.tickets do not give read, by which others wait for a ticket"};
    if (rights.directories == acl::rule::creator_all && !owner_of(options))
        return {error::bad_acl,
                "acl.directories is creator_all, and identities has no digest of user:password"};
    return {};
}

// Three kinds of request may be large: one with an identity, one with the rights of a directory,
// and one with a ticket's rights and its data.
fault check_sizes(const session_options& options) {
    const auto check = [](const std::string& option, std::size_t bytes) {
        return bytes <= most_request_bytes
                   ? fault()
                   : fault{error::request_too_large,
                           option + ": " + std::to_string(bytes) + " bytes fit into no request"};
    };
    for (std::size_t i = 0; i < options.identities.size(); ++i) {
        const auto& [scheme, secret] = options.identities[i];
        if (auto bad =
                check("identities[" + std::to_string(i) + ']', scheme.size() + secret.size());
            bad.code)
            return bad;
    }
    if (auto bad = check("acl.entries", bytes_of(options.acl.entries)); bad.code)
        return bad;
    return check("label and acl.tickets", options.label.size() + bytes_of(options.acl.tickets));
}

} // namespace

fault check_path(const std::string& path) {
    const auto* const wrong = protocol::fault_of_lock_path(path);
    return wrong ? with_value(error::bad_path, path, std::string("bad lock path: ") + wrong)
                 : fault();
}

fault check_lock_path(const std::string& path) {
    if (auto bad = check_path(path); bad.code)
        return bad;
    for (const auto* const ending : {"%leader", "%once", "%yield"})
        if (path.ends_with(ending))
            return {error::bad_path,
                    path + ": a node that ends in " + ending + " stands beside a lock"};
    return {};
}

fault check_servers(const std::string& servers, const session_options& of) {
    using protocol::server_list;
    if (const auto wrong = server_list::wrong_with(servers); !wrong.empty())
        return with_value(error::bad_servers, servers, "bad server list: " + wrong);
    if (server_list::parse(servers)->chroot != server_list::parse(of.servers)->chroot)
        return with_value(error::bad_servers, servers,
                          "bad server list: its chroot is not that of the session, so its locks "
                          "would be others");
    return {};
}

fault check_options(const session_options& options) {
    if (auto bad = check_servers(options.servers, options); bad.code)
        return bad;
    if (auto bad = check_ranges(options); bad.code)
        return bad;
    std::string wrong;
    if (options.sasl && !zookeeper::make_sasl(*options.sasl, wrong))
        return {error::bad_options, std::move(wrong)};
    for (const auto* const each : {&options.acl.entries, &options.acl.tickets})
        if (auto bad = check_subjects(*each); bad.code)
            return bad;
    if (auto bad = check_acl(options); bad.code)
        return bad;
    return check_sizes(options);
}

fault check_permits(const session_options& options, const std::string& path, std::size_t count) {
    const auto bytes =
        path.size() + options.label.size() + bytes_of(options.acl.tickets) + other_bytes_of_permit;
    const bool fits = count <= 1 || (count <= most_permits && count * bytes <= most_request_bytes);
    return fits ? fault()
                : fault{error::request_too_large,
                        path + ": " + std::to_string(count) + " permits fit into no request"};
}

std::size_t bytes_of(const std::vector<acl_entry>& entries) {
    constexpr std::size_t numbers = 3 * 4; // the permissions, and the lengths of the two texts
    std::size_t bytes = 0;
    for (const auto& entry : entries)
        bytes += entry.scheme.size() + entry.id.size() + numbers;
    return bytes;
}

} // namespace turnstile::detail
