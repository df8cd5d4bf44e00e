// SPDX-License-Identifier: BSL-1.0
#include <turnstile/error.hpp>

#include <algorithm>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <string>

namespace turnstile {

namespace {

/// A code, and the message of its error.
struct code_words {
    template <class Code>
    constexpr code_words(Code code, const char* says) : value(static_cast<int>(code)), text(says) {}
    int value;
    const char* text;
};

constexpr code_words turnstile_words[]{
    {error::bad_path,
     "bad lock path: use an absolute path such as /locks/orders, without empty, '.' or '..' parts, "
     "trailing slash or control characters, outside /zookeeper"},
    {error::nested_path,
     "the lock path lies below or above another lock path: put locks side by side"},
    {error::bad_servers, "bad server list: use host:port[,host:port...][/chroot]"},
    {error::bad_options,
     "an option has a value that cannot work: see session_options for the ranges"},
    {error::bad_acl, "an ACL that cannot work: creator_all needs an identity of the scheme digest "
                     "with user:password; entries need a scheme (world, digest, ip, x509, sasl), "
                     "an id of its form and permissions from 1 to 31, and somebody CREATE, READ, "
                     "WRITE and DELETE on lock directories and READ on tickets"},
    {error::no_chroot, "the chroot of the server list does not exist: create that node first"},
    {error::connect_timeout, "no session within the connect time-out: check the server list and "
                             "that the servers run, or raise connect_timeout"},
    {error::unreachable,
     "no server can be reached: check network and servers; trying again later may help"},
    {error::session_closed, "the session was closed: use another session"},
    {error::session_full, "the session has as many tickets as the server can bear: release some, "
                          "or spread the locks over more sessions"},
    {error::auth_failed, "the server refused an identity, or enforces one that is missing: check "
                         "session_options::identities and sasl, or turn off protect_tickets for "
                         "servers without the digest scheme"},
    {error::create_denied,
     "create denied: give an identity of this session CREATE on the lock path, or on the nearest "
     "parent that exists where the lock path is missing"},
    {error::read_denied, "read denied: give an identity of this session READ on the lock path and "
                         "on the tickets of others in it"},
    {error::write_denied, "write denied: give an identity of this session WRITE on the lock path, "
                          "whose data each acquire sets to nothing"},
    {error::release_denied,
     "release denied: give an identity of this session DELETE on the lock path; its ticket stays "
     "there until then, or until the session ends"},
    {error::would_block, "the lock is held by another, or others stand in line: try later or wait"},
    {error::would_deadlock,
     "this session holds the lock, and would wait for itself: use held_lock::share() for a further "
     "handle, or session_options::own_wait"},
    {error::not_exclusive,
     "this value does not hold a lock to write, or one that has no readers: only a writer of a "
     "shared_mutex can be downgraded, and only once at a time"},
    {error::not_alone, "other handles on the lock are out: release them first"},
    {error::timeout, "the time limit of the acquire is over: try again or allow more time"},
    {error::session_expired,
     "the lock was lost because the session expired: stop what it protects and acquire again"},
    {error::lease_lost, "the lock was lost because nothing proved in time that the session lives: "
                        "stop what it protects and acquire again"},
    {error::ticket_deleted, "the lock was lost because a foreign client deleted its ticket: stop "
                            "what it protects and find out who deletes nodes under the lock path"},
    {error::sequence_exhausted,
     "the lock path's sequence numbers are nearly used up: delete the lock path while it is empty"},
    {error::path_unstable, "the lock path vanished again and again: find out who deletes it"},
    {error::request_too_large,
     "the request exceeds what a server accepts, jute.maxbuffer, by default 1 MiB: use a shorter "
     "label or path, or acquire fewer permits"},
    {error::forked,
     "the object was made before a fork, and is the parent's, also where it was not used yet: make "
     "the session after the fork, as after a daemon's"},
    {error::not_held,
     "no lock is held: the value is empty, released or moved from; or nobody holds "
     "the lock that was asked for"},
    {error::released,
     "the lock was released while its loss or the risk of one was awaited: nothing was lost"},
    {error::wrong_kind,
     "a lock of another kind, or with other names (lock_names), is at the lock path: use one kind "
     "for each path. Or a part of a semaphore was deleted: remove() it first"},
    {error::duplicate_lock,
     "two parts of a multi_lock are one lock, which would wait for itself: name it once"},
    {error::too_many, "more permits than the semaphore has: ask for fewer, or raise its limit"},
    {error::limit_differs,
     "the semaphore has another limit than the one stated: state that one, or none"},
    {error::no_limit, "there is no semaphore at the path: state a limit, so that it can be made"},
    {error::names_forbid, "a lock with Curator's names can be neither downgraded nor upgraded: "
                          "release it, and acquire it anew"},
    {error::not_shared,
     "this value does not hold a lock to read: only a reader of a shared_mutex can be upgraded"},
    {error::path_has_data, "the node has data of its own, which a lock would set to nothing: name "
                           "another path, or set its data to nothing if no program needs it"},
    {error::owner_unknown,
     "the servers do not know this session's identity by its SHA-1 digest (their digestAlg is "
     "another one), so what acl::creator_all() makes would belong to no identity: make the lock "
     "path with their tools, and use acl::open()"},
    {error::outcome_unknown, "a write was sent, and no answer came: it may have been carried out; "
                             "read what it was to change"},
    {error::held_too_long,
     "the lock was lost because it was held for as long as it may be (at_most): "
     "stop what it protects, and allow more time or do less under it"}};

// Each code has its words.
static_assert(std::size(turnstile_words) == static_cast<std::size_t>(error::held_too_long));

/// The codes of the C client. A text says what to do if the user can do anything about the code.
constexpr code_words zookeeper_words[]{
    {0, "ok"},
    {-1, "the server had an error of its own: look into its log"},
    {-2, "the server found a state that cannot be: look into its log"},
    {-3, "the server found its data damaged: look into its log"},
    {-4, "connection loss: what was asked for may have been carried out"},
    {-5, "client and server do not understand each other: check that it is a ZooKeeper server, "
         "3.5.3 or newer"},
    {-6, "unimplemented by the server: use ZooKeeper 3.5.3 or newer"},
    {-7, "the server gave the request up after a while: look at its load"},
    {-8, "bad arguments: the server takes the request for a wrong one"},
    {-9, "the client's session is over: use another one"},
    {-13, "no majority of the new configuration of the ensemble is up to date"},
    {-14, "the ensemble is being configured anew: try later"},
    {-15, "no TLS connection to the server"},
    {-101, "no node"},
    {-102, "not authenticated: a right at the node is missing"},
    {-103, "the node was changed by another client meanwhile: try again"},
    {-108,
     "a node on the path is ephemeral, and such a node can have no children: use another path"},
    {-110, "node exists"},
    {-111, "not empty"},
    {-112, "session expired"},
    {-113, "invalid callback"},
    {-114, "invalid ACL: the server knows no such scheme or id"},
    {-115, "the server refused an identity: check its scheme and its secret"},
    {-116, "the client is being closed"},
    {-117, "no answer to process"},
    {-118, "the session has moved to another server: try again"},
    {-119, "the server is read-only: it has lost the majority of its ensemble"},
    {-120, "the servers make local sessions only, which can hold no lock: set "
           "localSessionsUpgradingEnabled=true in zoo.cfg, or leave localSessionsEnabled out"},
    {-121, "there is no such watch"},
    {-122, "the servers did not agree on the request in time: look at their load"},
    {-123, "the ensemble cannot be configured anew: reconfigEnabled is not set"},
    {-124, "the servers demand SASL: set session_options::sasl"},
    {-125,
     "a quota of the servers forbids it: raise it with setquota of zkCli.sh, or use another path"},
    {-127, "the server has too much to do: try later"}};

constexpr code_words condition_words[]{
    {condition::lock_lost, "the lock is lost"},
    {condition::session_lost, "the session is lost"},
    {condition::timeout, "a time limit was reached"},
    {condition::retryable, "trying again may help"},
    {condition::denied, "a permission or an identity is missing"}};

bool is_any(const error_code& code, std::initializer_list<error> codes) {
    return std::ranges::any_of(codes, [&](error each) { return code == each; });
}

/// A category whose messages stand in a table.
class word_category : public boost::system::error_category {
public:
    word_category(std::uint64_t id, const char* name, std::span<const code_words> words)
        : error_category(id), name_(name), words_(words) {}
    const char* name() const noexcept override { return name_; }
    std::string message(int value) const override {
        const auto at = std::ranges::find(words_, value, &code_words::value);
        return at != words_.end() ? at->text
                                  : std::string(name_) + " error " + std::to_string(value) +
                                        " is unknown: the server's log may tell why";
    }

private:
    const char* name_;
    std::span<const code_words> words_;
};

/// Says which of Turnstile's codes fulfil which condition.
class turnstile_condition_category final : public word_category {
public:
    using word_category::word_category;
    bool equivalent(const error_code& code, int value) const noexcept override {
        using enum error;
        switch (static_cast<condition>(value)) {
        case condition::lock_lost:
            return is_any(
                code, {lease_lost, session_expired, ticket_deleted, held_too_long, session_closed});
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

// Categories are equal if their ids are, also those of two copies of the library in one process.

const boost::system::error_category& turnstile_category() noexcept {
    static const word_category category(0x6c2f0d4e91b75a31, "turnstile", turnstile_words);
    return category;
}

const boost::system::error_category& zookeeper_category() noexcept {
    static const word_category category(0x51d3a7c8e04b962f, "zookeeper", zookeeper_words);
    return category;
}

const boost::system::error_category& condition_category() noexcept {
    static const turnstile_condition_category category(0x2b8e65f1c7d0943a, "turnstile.condition",
                                                       condition_words);
    return category;
}

error_code make_error_code(error e) noexcept { return {static_cast<int>(e), turnstile_category()}; }

boost::system::error_condition make_error_condition(condition c) noexcept {
    return {static_cast<int>(c), condition_category()};
}

} // namespace turnstile
