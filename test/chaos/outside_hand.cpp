// SPDX-License-Identifier: BSL-1.0
#include "outside_hand.hpp"

#include "support/history_writer.hpp"

#include <algorithm>
#include <exception>
#include <stdexcept>
#include <utility>

namespace turnstile::chaos {
namespace {

using std::chrono::milliseconds;

constexpr double acts_per_minute = 2; // the least of each kind; more come by lot

// ZooKeeper's codes.
constexpr int ok = 0;
constexpr int no_node = -101;
constexpr int not_empty = -111;

/// The name with the lowest sequence number, of names that end with one.
const std::string& first_in_line(const std::vector<std::string>& names) {
    const auto number = [](const std::string& name) { return name.substr(name.size() - 10); };
    return *std::min_element(names.begin(), names.end(),
                             [&](const auto& a, const auto& b) { return number(a) < number(b); });
}

/// The tickets that wait, in the order of the queue: a reader waits for a writer, and a writer for
/// any ticket before it. `names` are the nodes of a lock.
std::vector<std::string> waiters_of(std::vector<std::string> names) {
    std::erase_if(names, [](const auto& name) { return name.find("-lock-") == std::string::npos; });
    std::sort(names.begin(), names.end(), [](const auto& a, const auto& b) {
        return a.substr(a.rfind('-')) < b.substr(b.rfind('-'));
    });
    std::vector<std::string> result;
    bool has_writer = false;
    for (const auto& name : names) {
        const bool reads = name.find("-read-lock-") != std::string::npos;
        if (reads ? has_writer : &name != &names.front())
            result.push_back(name);
        has_writer |= !reads;
    }
    return result;
}

} // namespace

outside_hand::outside_hand(std::vector<std::string> servers, lock_set locks,
                           test::session_book& sessions, schedule_book& book,
                           const run_clock& clock, test::dice draws)
    : servers_{std::move(servers)},
      locks_{locks},
      sessions_{sessions},
      book_{book},
      clock_{clock},
      draws_{draws} {}

void outside_hand::run() {
    while (clock_.wait(draws_.between(300, 2'500))) {
        try {
            act();
            if (locks_.has(lock_sort::guarded))
                delete_writer();
        } catch (const std::exception&) {
            client_.reset(); // the server is down or parted: the next act tries another one
        }
    }
    client_.reset();
}

void outside_hand::act() {
    const auto draw = draws_.below(10);
    if (is_behind(fault_kind::path_deletion))
        delete_directory(); // most attempts find that others have lined up meanwhile
    else if (draw < 3 || is_behind(fault_kind::waiter_deletion))
        delete_waiter();
    else if (draw < 5 || is_behind(fault_kind::ticket_deletion))
        delete_ticket();
    else if (draw < 7 && !is_behind(fault_kind::session_end))
        delete_directory();
    else
        end_session();
}

bool outside_hand::is_behind(fault_kind kind) const {
    const double minutes = std::chrono::duration<double, std::ratio<60>>(clock_.elapsed()).count();
    return static_cast<double>(book_.count(kind)) < minutes * acts_per_minute;
}

test::foreign_client& outside_hand::client() {
    if (!client_ || !client_->connected() || client_->expired()) {
        client_.reset();
        client_.emplace(connect_to_any(milliseconds{1'500}));
    }
    return *client_;
}

test::foreign_client outside_hand::connect_to_any(milliseconds limit) {
    test::foreign_client::options how;
    how.address = servers_[draws_.below(servers_.size())];
    how.limit = limit;
    return test::foreign_client{std::move(how)};
}

std::optional<std::vector<std::string>> outside_hand::nodes_of(const lock_choice& lock) {
    std::vector<std::string> result;
    bool is_there = false;
    for (const auto& folder : lock.folders()) {
        auto node = lock.path() + '/' + folder;
        node.pop_back();
        std::vector<std::string> names;
        is_there |= client().children(node, &names) == ok;
        for (const auto& name : names)
            result.push_back(folder + name);
    }
    return is_there ? std::optional{std::move(result)} : std::nullopt;
}

void outside_hand::delete_ticket() {
    const auto lock = locks_[draws_.below(locks_.size())];
    const auto names = nodes_of(lock);
    if (names && !names->empty() &&
        remove(lock.path() + '/' + (*names)[draws_.below(names->size())], "ticket"))
        book_.happened(fault_kind::ticket_deletion);
}

/// Deletes the ticket of a holder that writes to a counter. The holder does not know of it yet, so
/// only the check in its guarded write keeps the write out.
void outside_hand::delete_writer() {
    auto lock = locks_[draws_.below(locks_.size())];
    while (lock.sort() != lock_sort::guarded)
        lock = locks_[draws_.below(locks_.size())];
    for (int attempt = 0; attempt < 5; ++attempt) { // the holder may release meanwhile
        const auto names = nodes_of(lock);
        if (!names || names->empty())
            return;
        if (remove(lock.path() + '/' + first_in_line(*names), "ticket")) {
            book_.happened(fault_kind::ticket_deletion);
            return;
        }
    }
}

/// Deletes the ticket of a waiter: in half of the cases the last one in line, which has just come.
void outside_hand::delete_waiter() {
    const auto lock = locks_[draws_.below(locks_.size())];
    const auto waiting = waiters_of(nodes_of(lock).value_or(std::vector<std::string>{}));
    if (!waiting.empty() &&
        remove(lock.path() + '/' +
                   (draws_.one_in(2) ? waiting.back() : waiting[draws_.below(waiting.size())]),
               "ticket"))
        book_.happened(fault_kind::waiter_deletion);
}

void outside_hand::delete_directory() {
    const auto lock = locks_[draws_.below(locks_.size())];
    for (int attempt = 0; attempt < 5; ++attempt) { // others may line up meanwhile
        const auto names = nodes_of(lock);
        if (!names)
            return;
        for (const auto& name : *names)
            remove(lock.path() + '/' + name, "directory");
        for (const auto& part : lock.parts())
            remove(lock.path() + '/' + part, "directory");
        if (remove(lock.path(), "directory")) {
            book_.happened(fault_kind::path_deletion);
            return;
        }
    }
}

bool outside_hand::remove(const std::string& path, const char* how) {
    auto& hand = client();
    const auto since = test::history_now();
    const int code = hand.remove(path);
    if (code != no_node && code != not_empty)
        book_.deleted(path, how, since); // without an answer it was perhaps deleted
    if (code != ok && code != no_node && code != not_empty)
        throw std::runtime_error{"no answer"};
    return code == ok;
}

void outside_hand::end_session() {
    const auto candidates = sessions_.newest(30);
    if (candidates.empty())
        return;
    const auto victim = candidates[draws_.below(candidates.size())];
    sessions_.forget(victim.id);
    const auto since = test::history_now();
    try {
        test::expire_session(servers_[draws_.below(servers_.size())], victim);
    } catch (const std::exception&) {
        book_.session_ended(victim.id, since); // without an answer it was perhaps ended
        throw;
    }
    book_.session_ended(victim.id, since);
    book_.happened(fault_kind::session_end);
}

// A server that is slow or behind shows an older state. So a sync goes before each listing, and a
// failure leads to another server.
std::vector<std::string> outside_hand::list_at_the_end(const std::string& node) {
    const auto deadline = run_clock::clock::now() + std::chrono::seconds{30};
    for (;;) {
        std::string failure;
        try {
            std::vector<std::string> names;
            int code = client().sync(node); // answered also if there is no such node
            if (code == ok)
                code = client().children(node, &names);
            if (code == ok || code == no_node)
                return names;
            failure = std::to_string(code);
        } catch (const std::exception& e) { // no server took the connection
            failure = e.what();
        }
        if (run_clock::clock::now() >= deadline)
            throw std::runtime_error{"cannot list " + node + ": " + failure};
        client_.reset();
    }
}

void outside_hand::lead() {
    for (std::uint64_t i = 0; i < locks_.size(); ++i) {
        const auto lock = locks_[i];
        if (lock.sort() != lock_sort::election)
            continue;
        if (!leader_)
            leader_.emplace(connect_to_any(std::chrono::seconds{10}));
        std::string own;
        int code = no_node;
        while (code == no_node) { // a server deletes an empty container at any moment
            (void)leader_->create(lock.path(), {}, test::create_mode::container); // may be there
            code = leader_->create(lock.path() + "/rest__lock__", {},
                                   test::create_mode::ephemeral_sequential, &own);
        }
        std::vector<std::string> names;
        test::node_info first;
        if (code != ok || leader_->children(lock.path(), &names) != ok || names.empty())
            throw std::runtime_error{"cannot lead " + lock.path() + ": " + std::to_string(code)};
        // The first in line may be a contender that was not served. It may go at any moment.
        const auto& leading = first_in_line(names);
        if (leader_->exists(lock.path() + '/' + leading, &first) != ok)
            (void)leader_->exists(own, &first);
        book_.leads(lock.path(), first.czxid, first.ephemeral_owner);
    }
}

void outside_hand::keep_leading(milliseconds duration) {
    if (leader_)
        leader_->idle(duration);
}

void outside_hand::read_counters() {
    for (std::uint64_t i = 0; i < locks_.size(); ++i) {
        const auto lock = locks_[i];
        if (lock.sort() != lock_sort::guarded)
            continue;
        std::string value = "0";
        test::node_info info;
        info.version = -1;
        (void)list_at_the_end(lock.counter()); // finds a server that answers and has caught up
        const int code = client().get(lock.counter(), &value, &info);
        if (code != ok && code != no_node)
            throw std::runtime_error{"cannot read " + lock.counter() + ": " + std::to_string(code)};
        book_.counter(lock.path(), value, info.version);
    }
}

std::size_t outside_hand::list_tickets_left() {
    std::size_t result = 0;
    for (std::uint64_t i = 0; i < locks_.size(); ++i) {
        const auto lock = locks_[i];
        std::vector<std::string> names;
        for (const auto& folder : lock.folders()) {
            auto node = lock.path() + '/' + folder;
            node.pop_back();
            for (const auto& name : list_at_the_end(node))
                names.push_back(folder + name);
        }
        book_.left(lock.path(), names);
        result += names.size();
    }
    client_.reset();
    return result;
}

} // namespace turnstile::chaos
