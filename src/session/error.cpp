// SPDX-License-Identifier: BSL-1.0
#include <turnstile/error.hpp>

#include <algorithm>
#include <array>
#include <initializer_list>
#include <string>

namespace turnstile {

namespace {

const char* describe(error e) {
    switch (e) {
    case error::bad_path:
        return "bad lock path: use an absolute path such as /locks/orders, without empty, '.' or "
               "'..' parts, trailing slash or control characters, outside /zookeeper";
    case error::nested_path:
        return "the lock path lies below or above another lock path: put locks side by side";
    case error::bad_servers:
        return "bad server list: use host:port[,host:port...][/chroot]";
    case error::bad_options:
        return "an option has a value that cannot work: see session_options for the ranges";
    case error::bad_acl:
        return "an ACL that cannot work: creator_all needs an identity of the scheme digest with "
               "user:password; entries need a scheme (world, digest, ip, x509, sasl), an id of its "
               "form and permissions from 1 to 31, and somebody CREATE, READ, WRITE and DELETE on "
               "lock directories and READ on tickets";
    case error::no_chroot:
        return "the chroot of the server list does not exist: create that node first";
    case error::connect_timeout:
        return "no session within the connect time-out: check the server list and that the servers "
               "run, or raise connect_timeout";
    case error::unreachable:
        return "no server can be reached: check network and servers; trying again later may help";
    case error::session_closed:
        return "the session was closed: use another session";
    case error::session_full:
        return "the session has as many tickets as the server can bear: release some, or spread "
               "the locks over more sessions";
    case error::auth_failed:
        return "the server refused an identity, or enforces one that is missing: check "
               "session_options::identities, or turn off guard_tickets for servers without the "
               "digest scheme; SASL is not spoken";
    case error::create_denied:
        return "create denied: give an identity of this session CREATE on the lock path, or on the "
               "nearest parent that exists where the lock path is missing";
    case error::read_denied:
        return "read denied: give an identity of this session READ on the lock path and on the "
               "tickets of others in it";
    case error::write_denied:
        return "write denied: give an identity of this session WRITE on the lock path, whose data "
               "each acquire sets to nothing";
    case error::release_denied:
        return "release denied: give an identity of this session DELETE on the lock path; its "
               "ticket stays there until the session ends, so close the session";
    case error::would_block:
        return "the lock is held by another, or others stand in line: try later or wait";
    case error::would_deadlock:
        return "this session holds the lock, and would wait for itself: use held_lock::share() for "
               "a further handle, or session_options::own_wait";
    case error::not_exclusive:
        return "this value does not hold a lock to write, or one that has no readers: only a "
               "writer of a shared_mutex can be downgraded, and only once at a time";
    case error::not_alone:
        return "other handles on the lock are out: release them first";
    case error::timeout:
        return "the time limit of the acquire is over: try again or allow more time";
    case error::session_expired:
        return "the lock was lost because the session expired: stop what it protects and acquire "
               "again";
    case error::lease_lost:
        return "the lock was lost because nothing proved in time that the session lives: stop what "
               "it protects and acquire again";
    case error::ticket_deleted:
        return "the lock was lost because a foreign client deleted its ticket: stop what it "
               "protects and find out who deletes nodes under the lock path";
    case error::sequence_exhausted:
        return "the lock path's sequence numbers are nearly used up: delete the lock path while it "
               "is empty";
    case error::path_unstable:
        return "the lock path vanished again and again: find out who deletes it";
    case error::request_too_large:
        return "the request exceeds what a server accepts, jute.maxbuffer, by default 1 MiB: use a "
               "shorter label or path, or acquire fewer permits";
    case error::forked:
        return "the object belongs to the parent of this forked process: make a new session here";
    case error::not_held:
        return "this value owns no lock: it is empty, released or moved from";
    case error::released:
        return "the lock was released while its loss or the risk of one was awaited: nothing was "
               "lost";
    case error::wrong_kind:
        return "a lock of another kind, or with other names (lock_names), is at the lock path: use "
               "one kind for each path. Or a part of a semaphore was deleted: remove() it first";
    case error::duplicate_lock:
        return "two parts of a multi_lock are one lock, which would wait for itself: name it once";
    case error::too_many:
        return "more permits than the semaphore has: ask for fewer, or raise its limit";
    case error::limit_differs:
        return "the semaphore has another limit than the one stated: state that one, or none";
    case error::no_limit:
        return "there is no semaphore at the path: state a limit, so that it can be made";
    case error::names_forbid:
        return "a lock with Curator's names can be neither downgraded nor upgraded: release it, "
               "and acquire it anew";
    case error::not_shared:
        return "this value does not hold a lock to read: only a reader of a shared_mutex can be "
               "upgraded";
    case error::path_has_data:
        return "the node has data of its own, which a lock would set to nothing: name another "
               "path, or set its data to nothing if no program needs it";
    case error::owner_unknown:
        return "the servers do not know this session's identity by its SHA-1 digest (their "
               "digestAlg is another one), so what acl::creator_all() makes would belong to no "
               "identity: make the lock path with their tools, and use acl::open()";
    }
    return "unknown turnstile error";
}

bool is_any(const error_code& code, std::initializer_list<error> of) {
    return std::ranges::any_of(of, [&](error each) { return code == each; });
}

struct code_words {
    int value;
    const char* text;
};

/// What a user can meet comes with what to do.
constexpr std::array zookeeper_words{
    code_words{0, "ok"},
    code_words{-1, "the server had an error of its own: look into its log"},
    code_words{-2, "the server found a state that cannot be: look into its log"},
    code_words{-3, "the server found its data damaged: look into its log"},
    code_words{-4, "connection loss: what was asked for may have been carried out"},
    code_words{-5, "client and server do not understand each other: check that it is a ZooKeeper "
                   "server, 3.5.3 or newer"},
    code_words{-6, "unimplemented by the server: use ZooKeeper 3.5.3 or newer"},
    code_words{-7, "the server gave the request up after a while: look at its load"},
    code_words{-8, "bad arguments: the server takes the request for a wrong one"},
    code_words{-9, "the client's session is over: use another one"},
    code_words{-13, "no majority of the new configuration of the ensemble is up to date"},
    code_words{-14, "the ensemble is being configured anew: try later"},
    code_words{-15, "no TLS connection to the server"},
    code_words{-101, "no node"},
    code_words{-102, "not authenticated: a right at the node is missing"},
    code_words{-103, "the node was changed by another client meanwhile: try again"},
    code_words{-108, "a node on the path is ephemeral, and such a node can have no children: use "
                     "another path"},
    code_words{-110, "node exists"},
    code_words{-111, "not empty"},
    code_words{-112, "session expired"},
    code_words{-113, "invalid callback"},
    code_words{-114, "invalid ACL: the server knows no such scheme or id"},
    code_words{-115, "the server refused an identity: check its scheme and its secret"},
    code_words{-116, "the client is being closed"},
    code_words{-117, "no answer to process"},
    code_words{-118, "the session has moved to another server: try again"},
    code_words{-119, "the server is read-only: it has lost the majority of its ensemble"},
    code_words{-120, "the servers make local sessions only, which can hold no lock: set "
                     "localSessionsUpgradingEnabled=true in zoo.cfg, or leave localSessionsEnabled "
                     "out"},
    code_words{-121, "there is no such watch"},
    code_words{-122, "the servers did not agree on the request in time: look at their load"},
    code_words{-123, "the ensemble cannot be configured anew: reconfigEnabled is not set"},
    code_words{-124, "the servers demand SASL, which is not spoken: turn off "
                     "sessionRequireClientSASLAuth in zoo.cfg"},
    code_words{-125, "a quota of the servers forbids it: raise it with setquota of zkCli.sh, or "
                     "use another path"},
    code_words{-127, "the server has too much to do: try later"}};

class turnstile_error_category final : public boost::system::error_category {
public:
    turnstile_error_category() : error_category(0x6c2f0d4e91b75a31) {}
    const char* name() const noexcept override { return "turnstile"; }
    std::string message(int value) const override { return describe(static_cast<error>(value)); }
};

class zookeeper_error_category final : public boost::system::error_category {
public:
    zookeeper_error_category() : error_category(0x51d3a7c8e04b962f) {}
    const char* name() const noexcept override { return "zookeeper"; }
    std::string message(int value) const override {
        const auto* const found = std::ranges::find(zookeeper_words, value, &code_words::value);
        if (found != zookeeper_words.end())
            return found->text;
        return "zookeeper error " + std::to_string(value) + ": the server's log may tell why";
    }
};

class turnstile_condition_category final : public boost::system::error_category {
public:
    turnstile_condition_category() : error_category(0x2b8e65f1c7d0943a) {}
    const char* name() const noexcept override { return "turnstile.condition"; }
    std::string message(int value) const override {
        switch (static_cast<condition>(value)) {
        case condition::lock_lost:
            return "the lock is lost";
        case condition::session_lost:
            return "the session is lost";
        case condition::timeout:
            return "a time limit was reached";
        case condition::retryable:
            return "trying again may help";
        case condition::denied:
            return "a permission or an identity is missing";
        }
        return "unknown turnstile condition";
    }
    bool equivalent(const error_code& code, int value) const noexcept override {
        using enum error;
        switch (static_cast<condition>(value)) {
        case condition::lock_lost:
            return is_any(code, {lease_lost, session_expired, ticket_deleted, session_closed});
        case condition::session_lost:
            return is_any(code, {session_expired, session_closed});
        case condition::timeout:
            return is_any(code, {timeout, connect_timeout, unreachable});
        case condition::retryable:
            return is_any(code, {timeout, connect_timeout, unreachable, would_block, session_full,
                                 path_unstable, lease_lost, session_expired});
        case condition::denied:
            return is_any(code,
                          {create_denied, read_denied, write_denied, release_denied, auth_failed});
        }
        return false;
    }
};

} // namespace

const boost::system::error_category& turnstile_category() noexcept {
    static const turnstile_error_category category;
    return category;
}

const boost::system::error_category& zookeeper_category() noexcept {
    static const zookeeper_error_category category;
    return category;
}

const boost::system::error_category& condition_category() noexcept {
    static const turnstile_condition_category category;
    return category;
}

error_code make_error_code(error e) noexcept { return {static_cast<int>(e), turnstile_category()}; }

boost::system::error_condition make_error_condition(condition c) noexcept {
    return {static_cast<int>(c), condition_category()};
}

} // namespace turnstile
