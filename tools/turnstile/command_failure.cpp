// SPDX-License-Identifier: BSL-1.0
#include "command_failure.hpp"

#include "text/printable.hpp"

#include <fmt/core.h>

namespace turnstile::command {

namespace {

command_failure no_server(const diagnostics& diag, const connection_options& how) {
    const auto cause = diag.cause.empty() ? "" : fmt::format(" ({}: {})", diag.server, diag.cause);
    return {exit_code::no_server,
            fmt::format("no ZooKeeper server answers at {}{}\n"
                        "Is one running there? Give its address with --server HOST:PORT or in "
                        "TURNSTILE_SERVERS.",
                        how.servers, cause)};
}

command_failure bad_usage(const std::string& what) { return {exit_code::bad_usage, what}; }

command_failure refused(const std::string& what) { return {exit_code::refused, what}; }

/// Names the server that refused, if it is known.
std::string server_of(const diagnostics& diag) {
    return diag.server.empty() ? "the server" : "the server " + diag.server;
}

const char* missing_right(const error_code& why) {
    return why == error::create_denied  ? "CREATE"
           : why == error::read_denied  ? "READ"
           : why == error::write_denied ? "WRITE"
                                        : "DELETE";
}

} // namespace

// Each error that a user can mend has its case. The last line is for all others.
command_failure failure_of(const error_code& why, const diagnostics& diag,
                           const connection_options& how, const std::string& path) {
    if (why == error::connect_timeout || why == error::unreachable)
        return no_server(diag, how);
    if (why == error::bad_servers)
        return bad_usage(printable(diag.cause) +
                         "\nWrite HOST:PORT[,HOST:PORT...][/CHROOT] in --server or "
                         "TURNSTILE_SERVERS, such as zk1:2181,zk2:2181,zk3:2181.");
    if (why == error::bad_path)
        return bad_usage(printable(diag.cause) + "\nWrite a path such as /locks/deploy.");
    if (why == error::bad_options)
        return bad_usage(
            diag.cause + "\nSee --help for the option of that name" +
            (diag.cause.starts_with("sasl.keytab") ? ", or TURNSTILE_SASL_KEYTAB." : "."));
    if (why == error::bad_acl)
        return bad_usage(how.rights.directories == acl::rule::creator_all
                             ? "--acl creator_all needs an identity of the scheme digest\n"
                               "Name a file that has one with --auth-file."
                             : "--acl: " + printable(diag.cause));
    if (why == error::no_chroot)
        return refused(fmt::format("the part after the servers in '{}' does not exist\n"
                                   "Create this node first, or leave it out.",
                                   how.servers));
    if (why == error::auth_failed)
        return refused(fmt::format("{} accepts no identity of ours{}{}\n"
                                   "Check the scheme and the secret in the file that --auth-file "
                                   "names, and --sasl or TURNSTILE_SASL.",
                                   server_of(diag),
                                   how.auth_file.empty() ? "" : " from " + how.auth_file,
                                   diag.cause.empty() ? "" : ": " + printable(diag.cause)));
    if (why == error::wrong_kind)
        return refused(
            fmt::format("another kind of lock is at {}\n"
                        "Use one kind for each path: `turnstile show {}` tells who is "
                        "there. Where it is half a semaphore: `turnstile limit --remove`.",
                        path, path));
    if (why == error::path_has_data)
        return refused(fmt::format("{} has data of its own, which a lock would set to nothing\n"
                                   "Name another path, such as {}-lock.",
                                   path, path));
    if (why == error::owner_unknown)
        return refused("the servers do not know our identity by its SHA-1 digest\n"
                       "Make the path with their tools, and leave --acl creator_all out.");
    if (why == error::no_limit)
        return refused(fmt::format("there is no semaphore at {}\n"
                                   "Make one with `turnstile limit {} N`: at most N permits.",
                                   path, path));
    if (why == error::too_many)
        return refused(fmt::format("the semaphore at {} has fewer permits than that\n"
                                   "Ask for fewer, or raise its limit with `turnstile limit`.",
                                   path));
    if (why == condition::denied)
        return refused(
            fmt::format("{} denies the right {} at {}\n"
                        "Here {}. Give an identity that has the right, with "
                        "--auth-file, or change the ACL of that node.",
                        server_of(diag), missing_right(why), path,
                        diag.cause.empty() ? "we have no right" : printable(diag.cause)));
    return refused(fmt::format("{}: {}", path, why.message()));
}

} // namespace turnstile::command
