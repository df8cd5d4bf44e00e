// SPDX-License-Identifier: BSL-1.0
#include "schedule_book.hpp"

#include "run_options.hpp"

#include <turnstile/fencing_token.hpp>
#include <turnstile/lease_clock.hpp>

#include <boost/json/array.hpp>

#include <iostream>
#include <string>
#include <utility>

namespace turnstile::chaos {

void schedule_book::write(const char* kind, boost::json::object fields) {
    const std::lock_guard lock{mutex_};
    writer_.write(kind, std::move(fields));
}

void schedule_book::settings(const run_options& how) {
    write("settings", {{"seed", how.seed},
                       {"minutes", how.minutes},
                       {"workers", how.workers},
                       {"contenders", how.contenders},
                       {"locks", how.locks.size()},
                       {"only", name_of(how.locks.mix)},
                       {"servers", how.servers},
                       {"proxies", how.servers}, // each writes a history of its own
                       {"timeout_ms", how.session_timeout.count()},
                       {"tick_ms", how.tick.count()},
                       {"namespaces", how.namespaces},
                       {"server_settings", test::name_of_settings(how.settings)}});
}

void schedule_book::fault(const std::string& what, const std::string& target,
                          std::chrono::duration<double> duration) {
    ++faults_;
    write("fault", {{"what", what}, {"target", target}, {"seconds", duration.count()}});
}

void schedule_book::session_ended(std::int64_t session, std::int64_t since) {
    ++faults_;
    write("fault", {{"what", "session end"},
                    {"target", test::history_hex(session)},
                    {"seconds", 0},
                    {"since", since}});
}

void schedule_book::connection_fault(const std::string& what, const std::string& target,
                                     std::chrono::duration<double> duration) {
    ++connection_faults_;
    fault(what, target, duration);
}

void schedule_book::pause(const std::string& target, std::chrono::nanoseconds duration) {
    const auto until = lease_clock::now().time_since_epoch() + duration;
    write("pause", {{"target", target}, {"until", until.count()}});
}

void schedule_book::resume(const std::string& target) { write("resume", {{"target", target}}); }

void schedule_book::kill(const std::string& target) { write("kill", {{"target", target}}); }

void schedule_book::crash_leader(const std::string& target) {
    write("kill", {{"target", target}, {"role", "leader"}});
    ++leader_crashes_;
    ++faults_;
}

void schedule_book::harm(const std::string& server) { write("harm", {{"target", server}}); }

void schedule_book::whole() { write("whole", {}); }

void schedule_book::deleted(const std::string& path, const std::string& how, std::int64_t since) {
    write("deleted", {{"path", path}, {"how", how}, {"since", since}});
}

void schedule_book::remark(const std::string& text) {
    write("remark", {{"text", text}});
    const std::lock_guard lock{mutex_};
    std::cerr << "chaos: " << text << '\n';
}

void schedule_book::failure(const std::string& text) { write("failure", {{"text", text}}); }

void schedule_book::heal() { write("heal", {}); }

void schedule_book::served(std::size_t not_served) {
    write("served", {{"outstanding", not_served}});
}

void schedule_book::left(const std::string& lock, const std::vector<std::string>& children) {
    write("left",
          {{"lock", lock}, {"children", boost::json::array(children.begin(), children.end())}});
}

void schedule_book::counter(const std::string& lock, const std::string& value,
                            std::int32_t version) {
    write("counter", {{"lock", lock}, {"value", std::stoll(value)}, {"version", version}});
}

void schedule_book::leads(const std::string& lock, std::int64_t czxid, std::int64_t session) {
    write("leads", {{"lock", lock},
                    {"token", fencing_token{static_cast<std::uint64_t>(czxid)}.str()},
                    {"session", test::history_hex(session)}});
}

void schedule_book::counters(std::uint64_t events) { write("counters", {{"events", events}}); }

void schedule_book::end() { write("end", {}); }

void schedule_book::process_fault() {
    ++process_faults_;
    ++faults_;
}

void schedule_book::happened(fault_kind kind, std::size_t times) {
    const std::lock_guard lock{mutex_};
    tally_[index_of(kind)] += times;
}

std::size_t schedule_book::count(fault_kind kind) const {
    const std::lock_guard lock{mutex_};
    return tally_[index_of(kind)];
}

fault_tally schedule_book::tally() const {
    const std::lock_guard lock{mutex_};
    return tally_;
}

} // namespace turnstile::chaos
