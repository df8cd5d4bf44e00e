// SPDX-License-Identifier: BSL-1.0
#include "server_faults.hpp"

#include <exception>
#include <utility>
#include <vector>

namespace turnstile::chaos {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr milliseconds answer_limit{300};         // for a server to say whether it leads
constexpr double leader_crashes_per_minute = 7.5; // a run must have 6

std::string server_name(std::size_t member) { return "server-" + std::to_string(member + 1); }

} // namespace

server_faults::server_faults(test::ensemble& servers, network* net, schedule_book& book,
                             const run_clock& clock, milliseconds session_timeout, test::dice draws)
    : servers_{servers},
      network_{net},
      book_{book},
      clock_{clock},
      session_timeout_{session_timeout},
      draws_{draws} {}

void server_faults::run() {
    int kills_in_a_row = 0;
    while (clock_.wait(draws_.between(300, 1'500))) {
        const auto kind = next_kind();
        // Where kills are always due, a kind that never happened comes after two of them.
        const bool kind_is_due = kills_in_a_row == 2 && book_.count(kind) == 0;
        if (is_leader_crash_due() && !kind_is_due) {
            crash_leader();
            ++kills_in_a_row;
        } else {
            carry_out(kind);
            kills_in_a_row = 0;
        }
        heal();
    }
}

bool server_faults::is_leader_crash_due() const {
    const double minutes = std::chrono::duration<double, std::ratio<60>>(clock_.elapsed()).count();
    return static_cast<double>(book_.leader_crashes()) < minutes * leader_crashes_per_minute;
}

// Not simply a draw: in a short run that would miss some kinds.
fault_kind server_faults::next_kind() {
    std::vector<fault_kind> choices;
    for (const auto kind :
         {fault_kind::lag, fault_kind::rolling_restart, fault_kind::server_pause,
          fault_kind::partition_follower_to_leader, fault_kind::partition_leader_to_follower,
          fault_kind::partition_of_follower, fault_kind::partition_leader_to_majority,
          fault_kind::partition_majority_to_leader, fault_kind::partition_of_leader}) {
        if (network_ == nullptr && parts_servers(kind))
            continue;
        if (!choices.empty() && book_.count(kind) < book_.count(choices.front()))
            choices.clear();
        if (choices.empty() || book_.count(kind) == book_.count(choices.front()))
            choices.push_back(kind);
    }
    return choices[draws_.below(choices.size())];
}

void server_faults::carry_out(fault_kind kind) {
    if (kind == fault_kind::lag)
        make_follower_lag();
    else if (kind == fault_kind::rolling_restart)
        make_rolling_restart();
    else if (kind == fault_kind::server_pause)
        pause_beyond_timeout();
    else if (kind <= fault_kind::partition_of_follower)
        part_follower(kind);
    else
        part_leader(kind);
}

void server_faults::crash_leader() {
    if (const auto victim = leader()) {
        book_.harm(server_name(*victim));
        servers_.kill(*victim);
        book_.crash_leader(server_name(*victim));
        book_.happened(fault_kind::leader_crash);
        clock_.wait(draws_.between(50, 800));
        servers_.start(*victim);
    }
}

void server_faults::make_rolling_restart() {
    book_.fault("rolling restart", "servers", seconds{0});
    for (std::size_t i = 0; i < servers_.size() && !clock_.over(); ++i) {
        book_.harm(server_name(i));
        servers_.server(i).stop();
        servers_.start(i);
        heal();
        if (i + 1 == servers_.size())
            book_.happened(fault_kind::rolling_restart);
    }
}

void server_faults::make_follower_lag() {
    if (const auto victim = follower()) {
        book_.harm(server_name(*victim));
        for (auto times = 1 + draws_.below(3); times > 0; --times) {
            const auto duration = draws_.between(50, 500);
            book_.pause(server_name(*victim), duration);
            servers_.pause(*victim);
            clock_.wait(duration);
            servers_.resume(*victim);
            book_.resume(server_name(*victim));
            clock_.wait(draws_.between(20, 200));
        }
        book_.fault("lag", server_name(*victim), seconds{0});
        book_.happened(fault_kind::lag);
    }
}

void server_faults::pause_beyond_timeout() {
    if (const auto victim = draws_.one_in(2) ? leader() : follower()) {
        const auto duration = session_timeout_ + draws_.between(100, 1'500);
        book_.harm(server_name(*victim));
        book_.process_fault();
        book_.pause(server_name(*victim), duration);
        servers_.pause(*victim);
        if (clock_.wait(duration))
            book_.happened(fault_kind::server_pause);
        servers_.resume(*victim);
        book_.resume(server_name(*victim));
    }
}

void server_faults::part_follower(fault_kind kind) {
    const auto victim = follower();
    const auto leading = leader();
    if (network_ == nullptr || !victim || !leading || victim == leading)
        return;
    const auto duration = draws_.between(300, 4'000);
    book_.harm(server_name(*victim));
    book_.fault(name_of(kind), server_name(*victim), duration);
    if (kind != fault_kind::partition_leader_to_follower)
        network_->cut(*victim, *leading);
    if (kind != fault_kind::partition_follower_to_leader)
        network_->cut(*leading, *victim);
    clock_.wait(duration);
    book_.happened(kind);
    network_->mend_all();
}

void server_faults::part_leader(fault_kind kind) {
    const auto victim = leader();
    if (network_ == nullptr || !victim)
        return;
    const auto duration = draws_.between(500, 4'000);
    book_.harm(server_name(*victim));
    book_.fault(name_of(kind), server_name(*victim), duration);
    for (std::size_t i = 0; i < servers_.size(); ++i) {
        if (i != *victim) {
            if (kind != fault_kind::partition_majority_to_leader)
                network_->cut(*victim, i);
            if (kind != fault_kind::partition_leader_to_majority)
                network_->cut(i, *victim);
        }
    }
    clock_.wait(duration);
    book_.happened(kind);
    network_->mend_all();
}

std::optional<std::size_t> server_faults::leader() {
    for (std::size_t i = 0; i < servers_.size(); ++i)
        if (servers_.server(i).mode(answer_limit) == "leader")
            return i;
    return std::nullopt;
}

std::optional<std::size_t> server_faults::follower() {
    const auto first = draws_.below(servers_.size());
    for (std::size_t i = 0; i < servers_.size(); ++i) {
        const auto member = (first + i) % servers_.size();
        if (servers_.server(member).mode(answer_limit) == "follower")
            return member;
    }
    return std::nullopt;
}

void server_faults::heal() {
    if (network_ != nullptr)
        network_->mend_all();
    for (int attempt = 0;; ++attempt) {
        restart_dead();
        try {
            servers_.wait_until_serving(seconds{20});
            book_.whole();
            return;
        } catch (const std::exception& e) {
            book_.remark(e.what());
            if (attempt == 2)
                throw;
        }
    }
}

void server_faults::restart_dead() {
    for (std::size_t i = 0; i < servers_.size(); ++i) {
        servers_.resume(i);
        if (!servers_.server(i).running()) {
            book_.remark(server_name(i) + " had ended; started again");
            servers_.start(i);
        }
    }
}

} // namespace turnstile::chaos
