// SPDX-License-Identifier: BSL-1.0
#include "fixture.hpp"

#include "support/pch.hpp"
#include "support/pump.hpp"
#include "support/server_view.hpp"

#include <boost/asio/executor_work_guard.hpp>

namespace turnstile::matrix {
namespace {

using std::chrono::milliseconds;

// A session that is to be kept. It finds out a silence after a third of this.
constexpr milliseconds long_timeout{4'000};
// What is to expire should not take long, nor expire before its time where a machine is slow.
constexpr milliseconds short_timeout{2'000};

milliseconds timeout_of(const cell& what) {
    return what.after == recovery::session_end ? short_timeout : long_timeout;
}

std::vector<std::unique_ptr<test::frame_proxy>> proxies_of(const server_set& where,
                                                           test::session_book& sessions) {
    std::vector<std::unique_ptr<test::frame_proxy>> result;
    for (const auto port : where.ports)
        result.push_back(std::make_unique<test::frame_proxy>("127.0.0.1", port, &sessions));
    return result;
}

std::deque<test::tls_front>
fronts_of(const server_set& where, const std::vector<std::unique_ptr<test::frame_proxy>>& proxies) {
    std::deque<test::tls_front> result;
    if (where.shown)
        for (const auto& proxy : proxies)
            result.emplace_back(proxy->port(), *where.shown);
    return result;
}

std::string addresses_of(const fixture& of) {
    std::string result;
    const auto add = [&](const std::string& address) {
        result.append(result.empty() ? "" : ",").append(address);
    };
    for (const auto& front : of.fronts)
        add(front.address());
    for (const auto& proxy : of.proxies)
        if (of.fronts.empty())
            add(proxy->address());
    return result;
}

// "/matrix/mutex-enqueue-cut-after-expiry"
std::string path_of(const cell& what) {
    auto name = what.name();
    std::ranges::replace(name, '/', '-');
    return "/matrix/" + name;
}

} // namespace

fixture::fixture(const server_set& servers, const cell& which, std::uint64_t seed)
    : where{servers},
      what{which},
      draws{seed, which.name()},
      path{path_of(which)},
      timeout{servers.slower * timeout_of(which)},
      home{draws.below(servers.size())},
      proxies{proxies_of(servers, sessions)},
      fronts{fronts_of(servers, proxies)},
      eyes{servers.address(home)},
      book{which.lock->kind},
      first{context,
            servers.address(draws.below(servers.size())),
            participant::lucky_timeout,
            *which.lock,
            which.at->who.first,
            path,
            book},
      unlucky{context,
              addresses_of(*this),
              timeout,
              *which.lock,
              which.at->who.unlucky,
              path,
              book,
              which.lock->two_sessions ? servers.address(draws.below(servers.size()))
                                       : std::string{},
              servers.shown},
      last{context,
           servers.address(draws.below(servers.size())),
           participant::lucky_timeout,
           *which.lock,
           which.at->who.last,
           path,
           book} {
    first.user.name = "the first one";
    unlucky.user.name = "the unlucky one";
    last.user.name = "the last one";
    book.may_fail = [this](const test::lock_user& who, const error_code& why) {
        return may_lose(who) && why == condition::lock_lost;
    };
    book.what_is_known = [this](const test::lock_user& who, const error_code& why) {
        return what_is_known(who, why);
    };
}

// A release is told as done where the ticket is gone, and be it with its session.
bool fixture::may_lose(const test::lock_user& who) const {
    return &who == &unlucky.user && what.at->cause != trigger::release &&
           (what.after == recovery::session_end || what.at->closes());
}

promises::loss fixture::what_is_known(const test::lock_user& who, const error_code& why) const {
    promises::loss result{.avoidable = !may_lose(who)};
    // A quarter of the margin must have been left to tell it in time.
    const bool slow = longest_pause() > timeout / 16 * 3 / 4;
    if (why == error::lease_lost && !slow)
        result.tell_by = who.lock.deadline().time_since_epoch();
    return result;
}

void fixture::until(std::string_view text, const predicate& so, milliseconds limit) {
    const auto timed = [&] {
        const auto now = clock::now();
        pause_ = std::max(pause_, now - std::exchange(last_turn_, now));
        return so();
    };
    switch (test::pump_until(context, timed, limit)) {
    case test::pumped::done:
        return;
    case test::pumped::limit_over:
        throw std::runtime_error{"waited in vain until " + std::string{text}};
    case test::pumped::nothing_left:
        throw std::runtime_error{"nothing is left to be run, before " + std::string{text}};
    }
}

void fixture::until_seen(std::string_view text, predicate so) {
    const auto work = boost::asio::make_work_guard(context); // it may have to be waited for
    until(text, test::now_and_then(std::move(so)));
}

std::size_t fixture::standing() {
    std::size_t result = 0;
    for (const auto& folder : what.lock->folders)
        result += eyes.count(path + folder);
    return result;
}

std::vector<test::node_info> fixture::nodes_of(std::int64_t session) {
    std::vector<test::node_info> result;
    for (const auto& folder : what.lock->folders)
        std::ranges::move(eyes.of_session(path + folder, session), std::back_inserter(result));
    return result;
}

void fixture::make(const std::string& node) {
    constexpr int made = 0;
    constexpr int there_already = -110;
    if (const int told = eyes.client().create(node); told != made && told != there_already)
        throw std::runtime_error{"making " + node + ": " + std::to_string(told)};
}

std::vector<test::node_info> fixture::nodes_of(const participant& who) {
    auto result = nodes_of(who.line.id());
    if (who.side)
        std::ranges::move(nodes_of(who.side->id()), std::back_inserter(result));
    return result;
}

bool fixture::waits(std::int64_t session) {
    if (!what.lock->lines.empty())
        return std::ranges::any_of(what.lock->lines, [&](const std::string& line) {
            return eyes.count_of(path + line, session) > 0;
        });
    return watches(session);
}

bool fixture::watches(std::int64_t session) {
    return std::ranges::any_of(where.ports, [&](auto port) {
        return std::ranges::any_of(what.lock->folders, [&](const std::string& folder) {
            return test::watches_below(port, path + folder, session) > 0;
        });
    });
}

std::size_t fixture::watches() {
    std::size_t result = 0;
    for (const auto port : where.ports)
        for (const auto& folder : what.lock->folders)
            result += test::watches_below(port, path + folder);
    return result;
}

void fixture::until_over(std::int64_t session) {
    std::string word;
    try {
        until_seen("a session is over", [&] {
            word = test::word_on_session(where.ports[where.leader], session);
            return word.empty();
        });
    } catch (const std::runtime_error& e) {
        throw std::runtime_error{e.what() + ("; the leader says: " + word)};
    }
}

void fixture::open_only(const std::vector<std::size_t>& servers) {
    for (std::size_t i = 0; i < proxies.size(); ++i)
        proxies[i]->set_outage(std::ranges::find(servers, i) == servers.end());
}

std::vector<std::size_t> fixture::other_servers() const {
    std::vector<std::size_t> result;
    for (std::size_t i = 0; i < where.size(); ++i)
        if (i != home)
            result.push_back(i);
    return result;
}

} // namespace turnstile::matrix
