// SPDX-License-Identifier: BSL-1.0
#include "peer.hpp"

#include "bare_client.hpp"
#include "scenarios.hpp"

#include <boost/asio/co_spawn.hpp>
#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstdint>
#include <exception>
#include <fstream>
#include <functional>
#include <iterator>
#include <utility>

namespace turnstile::bench {

namespace asio = boost::asio;

namespace {

constexpr std::chrono::seconds longest_peer_run{60};
constexpr std::chrono::milliseconds session_timeout{30'000};

void add_samples(sample& to, const nlohmann::json& answer) {
    for (const auto& each : answer.at("samples_ns"))
        to.add(std::chrono::nanoseconds(each.get<std::int64_t>()));
}

peer_failure too_slow(pid_t process, const sample& times) {
    const auto had = times.count() == 0
                         ? std::string("none")
                         : fmt::format("{}, p50 {:.1f} us", times.count(), times.percentile(0.5));
    return peer_failure(fmt::format("it took longer than {} s, and process {} was ended; samples "
                                    "of this run: {}",
                                    longest_peer_run.count(), process, had));
}

std::string end_of(const std::filesystem::path& log) {
    std::ifstream in(log);
    const std::string text{std::istreambuf_iterator<char>(in), {}};
    constexpr std::size_t most = 2000;
    return text.size() > most ? text.substr(text.size() - most) : text;
}

} // namespace

peer::peer(const peer_kind& kind, const target& server, std::size_t sessions,
           const std::filesystem::path& folder)
    : kind_(kind), server_(server), log_(folder / (kind.name + ".log")) {
    auto argv = command_of(kind, folder);
    if (!kind.on_zookeeper())
        etcd_.emplace();
    for (const auto& each : {etcd_ ? etcd_->address() : server.servers(), path_,
                             std::to_string(sessions), std::to_string(session_timeout.count())})
        argv.push_back(each);
    start_ = clock::now();
    process_.emplace(context_.get_executor(), argv, log_);
    version_ = ask({}).at("version");
    if (kind.on_zookeeper())
        bare_client(server.first()).make_directory("/bench/peers");
}

peer::~peer() {
    try {
        complete(process_->end());
    } catch (const std::exception&) {
        // Then it is killed.
    }
}

row peer::new_row(const char* scenario) const {
    return {.scenario = scenario, .strategy = kind_.name, .version = version_, .lock = "mutex"};
}

void peer::complete(asio::awaitable<void> what) {
    asio::co_spawn(context_, std::move(what), [](const std::exception_ptr& e) {
        if (e)
            std::rethrow_exception(e);
    });
    context_.restart();
    context_.run();
}

nlohmann::json peer::ask(const std::string& command) {
    std::optional<std::string> answer;
    asio::co_spawn(context_, command.empty() ? process_->line() : process_->ask(command),
                   [&answer](const std::exception_ptr& e, std::string line) {
                       answer = e ? std::string() : std::move(line);
                   });
    context_.restart();
    context_.run_until(start_ + longest_peer_run);
    if (!answer)
        give_up(answer);
    if (answer->empty())
        throw peer_failure("its program ended: " + end_of(log_));
    auto said = nlohmann::json::parse(*answer);
    if (said.contains("failed"))
        throw peer_failure(said.at("failed").get<std::string>() + "\n" + end_of(log_));
    return said;
}

/// `answer` is where the answer goes that is still awaited.
void peer::give_up(const std::optional<std::string>& answer) {
    const auto process = process_->pid();
    process_->hang_up(); // upon which it says how far it came
    context_.run_for(std::chrono::seconds{2});
    process_->kill();
    context_.run();
    if (answer && !answer->empty())
        if (const auto said = nlohmann::json::parse(*answer); said.contains("samples_ns"))
            add_samples(times_, said);
    throw too_slow(process, times_);
}

void peer::check_time() {
    if (clock::now() <= start_ + longest_peer_run)
        return;
    const auto process = process_->pid();
    process_->kill();
    throw too_slow(process, times_);
}

std::optional<process_bytes> peer::bytes() const {
    if (!kind_.on_zookeeper() || !server_.has_counters()) // etcd's program also looks at the line
        return {};
    return read_process_bytes(process_->pid(), server_.port());
}

void peer::begin_run() {
    start_ = clock::now();
    times_ = {};
}

void peer::warm_up(std::size_t rounds) {
    begin_run();
    ask("uncontended " + std::to_string(rounds));
    constexpr std::size_t line = 100;
    (void)wakeup(std::min(rounds, line), rounds);
}

row peer::uncontended(std::size_t pairs) {
    begin_run();
    auto result = new_row("uncontended");
    result.sessions = 1;
    const bool counts = kind_.on_zookeeper() && server_.has_counters();
    const auto packets = [&] { return server_.counters().at("zk_packets_received"); };
    const auto before = bytes();
    const double first = counts ? packets() : 0;
    add_samples(times_, ask("uncontended " + std::to_string(pairs)));
    // One more pair goes before. The word that reads the counters is a packet itself.
    const auto all = static_cast<double>(pairs + 1);
    if (counts)
        result.requests_per_acquire = (packets() - first - 1) / all;
    if (const auto after = bytes(); before && after) {
        result.bytes_received_per_acquire = (after->received - before->received) / all;
        result.bytes_sent_per_acquire = (after->sent - before->sent) / all;
    }
    result.threads = threads_of(std::to_string(process_->pid()));
    result.set_times(times_);
    return result;
}

void peer::drain_line(std::size_t waiters, line_watch* watch, row& result) {
    ask("join"); // who holds the lock first
    const auto start = clock::now();
    for (std::size_t i = 0; i < waiters; ++i) {
        if (watch != nullptr)
            complete(watch->joined(i + 1));
        ask("join");
    }
    if (watch != nullptr)
        complete(watch->joined(waiters + 1));
    result.line_up_s =
        result.line_up_s.value_or(0) + std::chrono::duration<double>(clock::now() - start).count();
    if (watch != nullptr)
        complete(watch->settled());
    result.threads = threads_of(std::to_string(process_->pid()));
    const auto events_before = watch != nullptr ? watch->events() : std::nullopt;
    const auto answer = ask("drain");
    add_samples(times_, answer);
    result.drain_s = result.drain_s.value_or(0) + answer.at("drain_s").get<double>();
    if (const auto events = watch != nullptr ? watch->events() : std::nullopt;
        events && events_before)
        result.watch_events_per_release =
            result.watch_events_per_release.value_or(0) + *events - *events_before;
}

row peer::wakeup(std::size_t waiters, std::size_t hand_offs) {
    begin_run();
    auto result = new_row("wakeup");
    result.waiters = waiters;
    const auto rounds = std::max<std::size_t>(1, hand_offs / waiters);
    const auto prepare = "prepare " + std::to_string(waiters + 1);
    result.sessions = ask(prepare).at("sessions").get<std::size_t>();
    begin_run(); // a thousand sessions take their time, which is no part of the run
    std::optional<bare_client> eyes;
    std::optional<line_watch> watch;
    if (kind_.on_zookeeper()) {
        eyes.emplace(server_.first());
        watch.emplace(server_, *eyes, path_, [this] { check_time(); });
    }
    const auto before = bytes();
    for (std::size_t i = 0; i < rounds; ++i) {
        if (i > 0)
            ask(prepare);
        drain_line(waiters, watch ? &*watch : nullptr, result);
    }
    if (const auto after = bytes(); before && after) {
        const auto acquires = static_cast<double>(rounds * (waiters + 1));
        result.bytes_received_per_acquire = (after->received - before->received) / acquires;
        result.bytes_sent_per_acquire = (after->sent - before->sent) / acquires;
    }
    start_ = clock::now(); // closing a thousand sessions is no part of the run either
    ask("prepare 0");      // what it needs no more would disturb the others
    for (auto* const sum : {&result.line_up_s, &result.drain_s})
        *sum = **sum / static_cast<double>(rounds);
    if (result.watch_events_per_release)
        *result.watch_events_per_release /= static_cast<double>(rounds * (waiters + 1));
    result.waiters_woken_per_release = result.watch_events_per_release; // none watches itself
    result.set_times(times_);
    return result;
}

} // namespace turnstile::bench
